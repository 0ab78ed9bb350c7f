# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pull proposes what the DCIM knows better, as diffs that apply; the project itself stays as it was."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.part import Part
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    Ref,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.pull import pull
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.push import push
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._jobs.dcim.memory import (
    Memory,
    job,
    of_folder,
)

LEAF = "lab/leaf-p1-su001-r1"
NODE = "lab/worker-su01-rack01-h01"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(INVENTORIES / "lab", tmp_path / "lab"))


@pytest.fixture
def pushed(project: Path) -> Memory:
    dcim = Memory()
    push(job(dcim, of_folder(project)), dry=False)
    return dcim


def applied(project: Path, dest: Path) -> None:
    """Apply the diffs as a person does."""
    for diff in sorted(dest.iterdir()):
        command = ["patch", "-s", str(project / "model" / diff.stem), str(diff)]
        subprocess.run(command, check=True, timeout=10)


def test_what_was_pushed_is_pulled_as_the_same_plan(project: Path, pushed: Memory) -> None:
    done = pull(job(pushed, of_folder(project)), str(project / "proposals"), dry=False)
    assert done["files"] == []
    assert done["lines"] == ["Memory 1.0: there are no proposals for the project."]


def test_proposals_apply_and_then_nothing_is_left_to_propose(project: Path, pushed: Memory) -> None:
    pushed.edit("device", LEAF, serial="MT123", rack="R7", unit=40, face="front", status="offline")
    pushed.edit("interface", f"{LEAF}/eth0", mac="AA:BB:CC:00:00:01")
    pushed.edit("address", f"{NODE}/mgmt", address="192.0.2.77/24")
    before = (project / "model" / "fabric.yml").read_text(encoding="utf-8")
    done = pull(job(pushed, of_folder(project)), str(project / "proposals"), dry=False)
    assert done["files"] == ["devices.csv.diff", "fabric.yml.diff"]
    assert (project / "model" / "fabric.yml").read_text(encoding="utf-8") == before
    assert not (project / "model" / "devices.csv").exists()
    applied(project, project / "proposals")
    after = of_folder(project)
    leaf = after.known("leaf-p1-su001-r1")
    row = after.rows[leaf]
    assert (row.serial, row.rack, row.unit, row.mac) == ("MT123", "R7", "40", "aa:bb:cc:00:00:01")
    assert "leaf-p1-su001-r1" in after.resting
    again = pull(job(pushed, after), str(project / "proposals"), dry=False)
    assert again["files"] == []
    assert list((project / "proposals").iterdir()) == [], "old proposals do not stay"


def test_check_writes_no_file(project: Path, pushed: Memory) -> None:
    pushed.edit("device", LEAF, serial="MT123")
    done = pull(job(pushed, of_folder(project)), str(project / "proposals"), dry=True)
    assert done["files"] == ["devices.csv.diff", "fabric.yml.diff"]
    assert not (project / "proposals").exists()


def test_a_node_that_is_not_in_the_dcim_is_proposed_as_absent(
    project: Path, pushed: Memory
) -> None:
    del pushed.held["device", pushed.find("device", "lab/worker-su02-rack02-h03").id]
    pull(job(pushed, of_folder(project)), str(project / "proposals"), dry=False)
    text = (project / "proposals" / "fabric.yml.diff").read_text(encoding="utf-8")
    assert '+absent: ["*/*/h04", su02/h03]' in text


def test_an_empty_dcim_is_no_proposal_to_remove_everything(project: Path) -> None:
    with pytest.raises(FabricError, match="it has no device of fabric lab: run playbook dcim_push"):
        pull(job(Memory(), of_folder(project)), str(project / "proposals"), dry=False)


def test_nodes_in_the_vrf_of_another_owner_are_a_proposal_for_the_registry(
    project: Path, pushed: Memory
) -> None:
    made = of_folder(project)
    context = job(pushed, made).context(job(pushed, made).parts[0])
    globex = context.vrf(context.registry.owners["globex"])
    node = made.known("worker-su01-rack02-h03")
    for nic in made.cabling.nic_ports():
        end = made.peer(node, made.names.nic(nic))
        assert end is not None
        pushed.edit("interface", context.interface(*end).key, vrf=globex)
    done = pull(job(pushed, made), str(project / "proposals"), dry=False)
    assert done["files"] == ["tenants.yml.diff"]
    applied(project, project / "proposals")
    after = of_folder(project)
    assert Registry.load(after).holding(node).slug == "globex"


def test_ports_in_several_vrfs_are_said_and_not_proposed(project: Path, pushed: Memory) -> None:
    made = of_folder(project)
    context = job(pushed, made).context(job(pushed, made).parts[0])
    node = made.known("worker-su01-rack02-h03")
    end = made.peer(node, made.names.nic(next(iter(made.cabling.nic_ports()))))
    assert end is not None
    vrf = context.vrf(context.registry.owners["globex"])
    pushed.edit("interface", context.interface(*end).key, vrf=vrf)
    done = pull(job(pushed, made), str(project / "proposals"), dry=False)
    assert done["files"] == []
    assert "worker-su01-rack02-h03: its ports are in" in done["lines"][-1]


def test_nodes_of_an_su_that_was_never_pushed_are_not_called_absent(project: Path) -> None:
    dcim, made = Memory(), of_folder(project)
    push(job(dcim, made, parts=(Part(sus=(0,), top=False),)), dry=False)
    done = pull(job(dcim, made), str(project / "proposals"), dry=False)
    assert done["files"] == []


def test_nodes_of_another_fabric_do_not_count_for_ours(project: Path) -> None:
    """Nautobot is asked for all that has our tag, and another fabric may have nodes in the same places."""
    dcim, made = Memory(), of_folder(project)
    push(job(dcim, made, parts=(Part(sus=(0,), top=False),)), dry=False)
    for one in [*dcim.held.values()]:
        if one.kind == "device" and "-su01-" in one.key:
            key = one.key.replace("lab/", "labb/").replace("-su01-", "-su02-")
            dcim.put(one._replace(id=f"{one.id}b", key=key))
    done = pull(job(dcim, made), str(project / "proposals"), dry=False)
    assert done["files"] == []


def test_devices_of_this_name_elsewhere_are_not_pulled(project: Path, pushed: Memory) -> None:
    """A second fabric may have the name, at another site: a push names the conflict too."""
    for (kind, _id), one in list(pushed.held.items()):
        if kind == "device":
            there = {"location": Ref("location", "hall-9"), "serial": f"S{one.id}"}
            pushed.put(one._replace(values={**one.values, **there}))
    with pytest.raises(FabricError) as caught:
        pull(job(pushed, of_folder(project)), str(project / "proposals"), dry=False)
    assert "leaf-p1-su001-r1 of fabric lab is at hall-9, not at lab: correct location" in str(
        caught.value
    )
    assert not (project / "proposals").exists()


def test_a_leaf_that_lost_our_tag_is_named(project: Path, pushed: Memory) -> None:
    pushed.put(pushed.find("device", LEAF)._replace(owned=False, tags=()))
    done = pull(job(pushed, of_folder(project)), str(project / "proposals"), dry=False)
    assert done["lines"][-1] == (
        "leaf-p1-su001-r1: tag spectrum-x is missing, so its ports and its management address were not read."
    )
