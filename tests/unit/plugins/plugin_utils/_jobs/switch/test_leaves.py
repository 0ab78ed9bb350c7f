# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The leaves of a job over NVUE: each answers or is named, and what became of it is told."""

from __future__ import annotations

import dataclasses
import json
import types

import pytest
from ansible import context
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from nvue_double.testing import running_doubles
from playing import reached

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.switch import (
    leaves as nvue_leaves,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    Job,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

ONE, TWO, GONE = "leaf-p1-su001-r1", "leaf-p1-su001-r2", "leaf-p1-su002-r1"
SPARE = "worker-su01-rack02-h03"


class Hosts(dict):
    """The variables of hosts, as Ansible gives them to an action."""

    def raw_get(self, name):
        return self[name]


@pytest.fixture
def lab(project, monkeypatch):
    """Two leaves as doubles, and a third that is a closed port."""
    monkeypatch.setenv("SPX_PROJECT", str(project))
    monkeypatch.setattr(context, "CLIARGS", {"forks": 5, "extra_vars": ()})
    fabric = Fabric.load(str(project / "model" / "fabric.yml"))
    held = Registry.load(fabric)
    options = [
        {
            "release": fabric.description.release.cumulus,
            "document": compose.document(fabric, name, tenants=held),
            "step_seconds": 0.002,
        }
        for name in (ONE, TWO)
    ]
    with running_doubles(options) as doubles:
        stated = [{**reached(double), "inventory_hostname": name}
                  for name, double in zip((ONE, TWO), doubles)]  # fmt: skip
        closed = {**stated[0], "spx_nvue_port": 1, "inventory_hostname": GONE}
        hosts = Hosts({ONE: stated[0], TWO: stated[1], GONE: closed})
        yield types.SimpleNamespace(
            fabric=fabric, held=held, doubles=dict(zip((ONE, TWO), doubles)), hosts=hosts
        )


@pytest.fixture
def leaves(lab):
    """Return a function that makes the leaves of one task."""

    def _leaves(*, check=False, diff=False):
        loader = DataLoader()
        task = types.SimpleNamespace(
            _loader=loader,
            _templar=Templar(loader=loader, variables={}),
            _task=types.SimpleNamespace(check_mode=check, diff=diff),
        )
        return nvue_leaves(lab.fabric, task, {"hostvars": lab.hosts})

    return _leaves


def bring(lab, at, names):
    """Bring a node into acme's VRF on some leaves."""
    node = lab.fabric.device(SPARE)
    then = lab.held.with_nodes("acme", [node])
    at.each(names, lambda leaf: leaf.bring(then, Job(nodes=[node])))


def test_each_leaf_answers_by_its_name(lab, leaves):
    found = leaves().each([TWO, ONE, TWO], lambda leaf: leaf.applied())
    assert list(found) == [TWO, ONE]
    for applied in found.values():
        assert applied.release == lab.fabric.description.release.cumulus
        assert "t21-acme" in applied.document["vrf"]
    assert leaves().each([], lambda leaf: leaf.applied()) == {}


def test_an_address_that_leads_to_another_leaf_proves_nothing(lab, leaves):
    """It has no route to the node, as it has nothing of its old tenant."""
    lab.hosts[TWO] = {**lab.hosts[ONE], "inventory_hostname": TWO}
    with pytest.raises(FabricError) as caught:
        leaves().each([ONE, TWO], lambda leaf: leaf.applied())
    (said,) = caught.value.sentences
    assert said.startswith(f"{TWO}: the switch at 127.0.0.1")
    assert f"expected host name {TWO}, found host name {ONE}" in said
    (written,) = {len(double.log.writes) for double in lab.doubles.values()}
    assert written == 0


def test_a_leaf_without_a_name_of_its_own_is_recognised_or_refused(lab, leaves):
    """As before a write: by its neighbours, which this one does not report."""
    lab.doubles[TWO].applied["system"]["hostname"] = "cumulus"
    with pytest.raises(FabricError, match=f"nothing shows that the switch at .* is {TWO}"):
        leaves().each([TWO], lambda leaf: leaf.applied())


def test_nothing_is_written_to_a_leaf_whose_next_boot_is_another_image(lab, leaves):
    """From its installation to its boot what it runs is not what it will run."""
    images = lab.doubles[ONE].switch.images
    images.partitions["2"] = dataclasses.replace(
        images.partitions["2"], release="5.16.7", build="b"
    )
    images.next = "2"
    with pytest.raises(FabricError, match=f"{ONE}: it is being upgraded, as its next boot"):
        bring(lab, leaves(), [ONE])
    assert len(lab.doubles[ONE].log.writes) == 0
    images.next = "1"
    bring(lab, leaves(), [ONE])
    assert len(lab.doubles[ONE].log.writes) > 0


def test_only_sessions_that_are_up_count(lab, leaves):
    lab.doubles[ONE].control.sessions("idle")
    lab.doubles[TWO].control.sessions("established")
    found = leaves().each([ONE, TWO], lambda leaf: leaf.sessions())
    assert found[ONE] == set()
    assert {vrf for vrf, _peer in found[TWO]} == {"default"}


def test_a_place_that_a_leaf_does_not_have_is_nothing(leaves):
    found = leaves().each([ONE], lambda leaf: leaf.read(["vrf/none/router/bgp", "system"]))
    assert found[ONE]["vrf/none/router/bgp"] is None
    assert found[ONE]["system"]


def test_all_that_fail_are_told_and_each_is_named(lab, leaves):
    lab.hosts[TWO] = {**lab.hosts[TWO], "spx_nvue_port": 1}
    at = leaves()
    with pytest.raises(FabricError) as caught:
        at.each([ONE, TWO, GONE], lambda leaf: leaf.applied())
    first, second = caught.value.sentences
    assert (TWO in first, GONE in second) == (True, True)
    states = {name: row["state"] for name, row in at.result()["devices"].items()}
    assert states == {ONE: "unchanged", TWO: "unreachable", GONE: "unreachable"}
    assert at.result()["changed"] is False


def test_a_leaf_whose_certificate_nobody_signed_is_not_trusted(lab, leaves):
    lab.hosts[ONE] = {key: v for key, v in lab.hosts[ONE].items() if key != "spx_nvue_ca"}
    at = leaves()
    with pytest.raises(FabricError, match=ONE):
        at.each([ONE], lambda leaf: leaf.applied())
    assert at.result()["devices"][ONE]["state"] == "untrusted"


def test_a_leaf_that_the_inventory_lacks(leaves):
    with pytest.raises(FabricError) as caught:
        leaves().each([ONE, "leaf-p9"], lambda leaf: leaf.applied())
    assert caught.value.sentences == [
        "inventory: leaf-p9 is not in it: pass -i with the hosts.fabric.yml of the whole fabric."
    ]


def test_a_change_is_told_and_done_once(lab, leaves):
    at = leaves(diff=True)
    bring(lab, at, [ONE, TWO])
    result = at.result()
    assert result["changed"] is True
    assert {row["state"] for row in result["devices"].values()} == {"changed"}
    assert {diff["before_header"].split()[0] for diff in result["diff"]} == {ONE, TWO}
    assert all(row["changed"] and row["changes"] for row in at.changes().values())
    again = leaves()
    bring(lab, again, [ONE, TWO])
    assert again.result()["changed"] is False
    assert {row["state"] for row in again.result()["devices"].values()} == {"unchanged"}


def test_check_mode_writes_nothing_and_tells_what_would_be(lab, leaves):
    at = leaves(check=True)
    bring(lab, at, [ONE])
    assert at.result()["changed"] is True
    assert lab.doubles[ONE].log.writes == []


def test_a_port_is_shut_for_its_time_and_opened_by_the_switch(lab, leaves):
    """The change is never confirmed: the switch would open the port again without anybody."""
    double = lab.doubles[ONE]
    port = next(name for name in double.applied["interface"] if name.startswith("swp3"))
    before = json.dumps(double.applied, sort_keys=True)
    found = leaves().each([ONE], lambda leaf: leaf.shut((port,), seconds=1))
    assert found[ONE].ended - found[ONE].began > 0.5
    assert json.dumps(double.applied, sort_keys=True) == before
    written = json.dumps([row.body for row in double.log.writes])
    assert f'"{port}": {{"link": {{"state": {{"down"' in written
    assert "confirm_yes" not in written
    with pytest.raises(FabricError, match=GONE):
        leaves().each([GONE], lambda leaf: leaf.shut((port,), seconds=1))
