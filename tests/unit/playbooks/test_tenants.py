# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants' playbooks through ansible-playbook: doubles of the lab's leaves, whose route tables
follow from one another's documents."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)

ROOT = Path(__file__).resolve().parents[3]
UNIT = ROOT / "tests" / "unit" / "plugins" / "plugin_utils" / "_fabric" / "tenancy"
sys.path[:0] = [str(ROOT / "tests" / "targets" / "switch"), str(UNIT)]

import evpn
from nvue_double import tree
from nvue_double.testing import running_doubles

BINARY = Path(sys.executable).with_name("ansible-playbook")
LEAF = "leaf-p1-su001-r1"
NODE = "worker-su01-rack01-h01"
ACME = "  - {id: 21, slug: acme, nodes: ['*/h01']}\n"
GLOBEX = "  - {id: 22, slug: globex, nodes: ['*/h02']}\n"

pytestmark = pytest.mark.slow


class Tables:
    """Stands for the realiser of one double: tables computed from all doubles' documents."""

    def __init__(self, lab: Lab, name: str) -> None:
        self.lab, self.name = lab, name

    async def apply(self, document: dict) -> None:
        """Note what a switch runs now, and that the others saw it."""
        self.lab.documents[self.name] = document
        self.lab.history.append((self.name, document))

    def report(self) -> dict:
        """There is nothing to report."""
        return {"backend": "computed"}

    def operational(self, path: list[str]):
        """Routes of VRFs, and links."""
        documents, own = self.lab.documents, self.lab.documents.get(self.name, {})
        if path[:1] == ["interface"]:
            up = {"link": {"oper-status": "up"}}
            return tree.get(dict.fromkeys(own.get("interface", {}), up), path[1:])
        if path[:1] != ["vrf"]:
            return {}
        found = {}
        for vrf in own.get("vrf", {}):
            routes = {prefix: {} for prefix in evpn.table(documents, self.name, vrf)}
            bgp = {"address-family": {"ipv4-unicast": {"route": routes}}, "neighbor": {}}
            found[vrf] = {"router": {"rib": {"ipv4": {"route": routes}}, "bgp": bgp}}
        return tree.get(found, path[1:])


class Lab:
    """The lab as a project folder, its leaves as doubles on loopback."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.doubles = folder, {}
        self.documents: dict[str, dict] = {}
        self.history: list[tuple[str, dict]] = []

    @property
    def registry(self) -> Path:
        return self.folder / "model" / "tenants.yml"

    def run(self, playbook: str, *arguments: str, **variables) -> tuple[int, str]:
        """(rc, output) of a playbook of the collection."""
        extra = [f"-e{name}={value}" for name, value in variables.items()]
        command = [BINARY, "-i", "inventory", f"spectrum_x.fabric.{playbook}", *extra, *arguments]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=os.environ | {"SPX_PROJECT": str(self.folder), "ANSIBLE_NOCOLOR": "1"},
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def writes(self) -> int:
        return sum(len(double.log.writes) for double in self.doubles.values())

    def vrf_of(self, node: str) -> set[str]:
        """The VRFs that a node's ports are in."""
        fabric = Fabric.load(str(self.folder / "model" / "fabric.yml"))
        ports = [row["peer"] for row in fabric.slice(node)["ports"]]
        return {self.doubles[p["device"]].applied["interface"][p["port"]].get("vrf") for p in ports}

    def hook(self, name: str, text: str) -> None:
        """Put a hook of the site in place."""
        folder = self.folder / "hooks"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.yml").write_text(text)

    def committing(self) -> None:
        """Let the site's hook say that it committed."""
        self.hook(
            "registry_commit",
            "- name: Commit\n  ansible.builtin.set_fact:\n    registry_committed: true\n",
        )


@pytest.fixture
def lab(tmp_path, request):
    """The lab whose leaves run the registry that the test begins with."""
    shutil.copytree(ROOT / "inventories" / "lab" / "model", tmp_path / "model")
    text = getattr(request, "param", "tenants: []\n")
    (tmp_path / "model" / "tenants.yml").write_text(text)
    (tmp_path / "inventory" / "host_vars").mkdir(parents=True)
    path = str(tmp_path / "model" / "fabric.yml")
    source = {"plugin": "spectrum_x.fabric.fabric", "description": path}
    (tmp_path / "inventory" / "hosts.fabric.yml").write_text(yaml.safe_dump(source))
    fabric, made = Fabric.load(path), Lab(tmp_path)
    for device in fabric.devices():
        # Planned addresses belong to somebody: what is no double is a closed port of this machine.
        closed = {"ansible_host": "127.0.0.1", "ansible_port": 1, "spx_nvue_port": 1}
        file = tmp_path / "inventory" / "host_vars" / f"{fabric.name(device)}.yml"
        file.write_text(yaml.safe_dump(closed))
    names = [fabric.name(switch) for switch in fabric.switches() if switch.role == "leaf"]
    begun = Registry.load(fabric)
    options = []
    for name in names:
        document = compose.document(fabric, name, tenants=begun)
        made.documents[name] = document
        release, realiser = fabric.description.release.cumulus, Tables(made, name)
        options.append({"release": release, "document": document, "realiser": realiser})
    with running_doubles(options) as doubles:
        made.doubles = dict(zip(names, doubles))
        for name, double in made.doubles.items():
            reached = {
                "ansible_host": double.host,
                "spx_nvue_port": double.port,
                "spx_nvue_user": double.username,
                "spx_nvue_password": double.password,
                "spx_nvue_ca": double.ca_file,
            }
            (tmp_path / "inventory" / "host_vars" / f"{name}.yml").write_text(
                yaml.safe_dump(reached)
            )
        yield made


def changed(output: str) -> int:
    """How many changes the recap counts."""
    return sum(map(int, re.findall(r"changed=(\d+)", output.partition("PLAY RECAP")[2])))


def nothing_done(lab: Lab, playbook: str, **variables) -> None:
    """Run a playbook that has nothing to do."""
    before = lab.writes()
    code, output = lab.run(playbook, spx_wait=5, **variables)
    assert code == 0, output
    assert changed(output) == 0, output
    assert lab.writes() == before


def test_onboard_move_offboard_each_twice(lab):
    """A tenant comes, a node moves to another, that one leaves; second runs change nothing."""
    lab.committing()
    lab.registry.write_text("tenants:  # ours\n" + ACME + GLOBEX)
    code, output = lab.run("tenant_onboard", spx_tenant="acme", spx_report="report", spx_wait=5)
    assert code == 0, output
    nothing_done(lab, "tenant_onboard", spx_tenant="acme")
    assert lab.vrf_of(NODE) == {"t21-acme"}
    handed = json.loads((lab.folder / "report" / "handover-acme.json").read_text())
    assert [node["name"] for node in handed["nodes"]] == [NODE, "worker-su02-rack01-h01"]
    assert handed["nccl"]["path_mtu"] == 9166

    move = {"spx_tenant": "globex", "spx_nodes": NODE, "spx_registry_write": "true"}
    lab.history.clear()
    code, output = lab.run("tenant_move", spx_report="report", spx_wait=5, **move)
    assert code == 0, output
    assert lab.vrf_of(NODE) == {"t22-globex"}
    text = lab.registry.read_text()
    assert "# ours" in text
    assert "moving" not in text
    for name, document in lab.history:
        if name.startswith("leaf-p1-su001"):
            port = document["interface"]["swp1s0"]
            assert port["vrf"] != "t21-acme" or "down" in port["link"]["state"], name
    nothing_done(lab, "tenant_move", **move)

    away = {"spx_tenant": "globex", "spx_registry_write": "true"}
    code, output = lab.run("tenant_offboard", spx_wait=5, **away)
    assert code == 0, output
    assert lab.vrf_of(NODE) == {"t1-quarantine"}
    assert not any("t22-globex" in double.applied["vrf"] for double in lab.doubles.values())
    assert "retired" in lab.registry.read_text()
    nothing_done(lab, "tenant_offboard", **away)


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME], indirect=True)
def test_hooks_and_drift(lab):
    """A failing hook leaves the node in quarantine; a later run finishes; fleet runs never evict."""
    lab.committing()
    lab.hook("wipe", "- name: Wipe\n  ansible.builtin.fail:\n    msg: no disk answers\n")
    move = {"spx_tenant": "rest", "spx_nodes": NODE, "spx_registry_write": "true", "spx_wait": 5}
    code, output = lab.run("tenant_move", **move)
    assert code != 0
    assert "no disk answers" in output
    assert lab.vrf_of(NODE) == {"t1-quarantine"}
    assert "step: wipe" in lab.registry.read_text()

    (lab.folder / "hooks" / "wipe.yml").unlink()
    code, output = lab.run("tenant_move", **move)
    assert code == 0, output
    assert lab.vrf_of(NODE) == {"t2-rest"}

    lab.registry.write_text("tenants: []\n")
    code, output = lab.run("switches", "--limit", "spx_leaf")
    assert code == 2, output
    assert "tenant drift: port swp1s0 of leaf-p1-su002-r1 is in t21-acme" in output
    assert lab.vrf_of("worker-su02-rack01-h01") == {"t21-acme"}


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_without_leave_to_write_the_registry(lab):
    """A move needs a memory; an edit that is not committed is shown and is no success."""
    before = lab.writes()
    code, output = lab.run("tenant_move", spx_tenant="globex", spx_nodes=NODE)
    assert code == 2
    assert "a move needs its record in the registry" in output
    assert lab.writes() == before

    code, output = lab.run("tenant_onboard", spx_tenant="acme", spx_nodes="su01/h03", spx_wait=5)
    assert code == 2
    assert "NOT COMMITTED" in output
    assert "su01/h03" not in lab.registry.read_text()
    assert lab.vrf_of("worker-su01-rack02-h03") == {"t21-acme"}


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME], indirect=True)
def test_resize(lab):
    """A tenant gives one node back and gets another, in one run; the second changes nothing."""
    lab.committing()
    size = {"spx_tenant": "acme", "spx_nodes": "su02/h01,su01/h03", "spx_registry_write": "true"}
    code, output = lab.run("tenant_resize", spx_wait=5, **size)
    assert code == 0, output
    assert lab.vrf_of(NODE) == {"t1-quarantine"}
    assert lab.vrf_of("worker-su01-rack02-h03") == {"t21-acme"}
    nothing_done(lab, "tenant_resize", **size)


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_validate_names_a_broken_leaf(lab):
    """The isolation audit fails on a wrong route target, and on that alone."""
    bgp = lab.doubles[LEAF].applied["vrf"]["t21-acme"]["router"]["bgp"]
    bgp["route-import"]["from-evpn"]["route-target"]["64512:4000022"] = {}
    lab.documents[LEAF] = lab.doubles[LEAF].applied
    code, output = lab.run(
        "validate", "--limit", "localhost:spx_leaf", spx_report="report", spx_checks="tenant"
    )
    assert code == 2, output
    assert "t21-acme of leaf-p1-su001-r1 imports routes of t22-globex" in output
    rows = json.loads((lab.folder / "report" / "results" / "tenants.json").read_text())
    failed = [row["device"] for row in rows if row["state"] == "fail"]
    assert failed == [LEAF]
