# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Identity of the host that a task reaches: the reads of it and of its leaves, and the hosts that a run accepts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from ansible.errors import AnsibleConnectionFailure

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import host_identity
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    AppliedConfiguration,
    LeafError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.tenant import evidence
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._edge.hosts import (
    H01,
    H03,
    Host,
)

LEAVES = ("leaf-p1-su001-r1", "leaf-p1-su001-r2")
MACS = ("0c:42:a1:00:00:01", "0c:42:a1:00:00:02")
TRACES = {
    "error": "",
    "serials": [],
    "macs": list(MACS),
    "addresses": [],
    "heard": [],
}


class Leaf:
    """A leaf that knows a host from the `knows`-th look on; 0 for one that does not answer."""

    def __init__(self, name, knows):
        self.name, self.knows, self.looks, self.pinged = name, knows, 0, []
        self.whole, self.beside, self.asked = True, {}, []

    def read(self, paths):
        self.looks += 1
        if not self.knows:
            raise LeafError(f"{self.name}: no answer")
        self.asked += paths
        tables = self._tables()
        return {
            path: tables.get(path.split("/")[1]) if "neighbor" in path else None for path in paths
        }

    def _tables(self):
        known = {MACS[LEAVES.index(self.name)]: {}} if self.looks >= self.knows else {}
        beside = {port: {"ipv4": {"172.16.0.0": {mac: {}}}} for port, mac in self.beside.items()}
        return {"swp2s0": {"ipv4": {"172.16.0.4": known}}, **beside}

    def interfaces(self, include):
        assert include == host_identity.HEARD
        self.asked.append("interface")
        return (
            {port: {"neighbor": table} for port, table in self._tables().items()}
            if self.whole
            else {}
        )

    def applied(self):
        return AppliedConfiguration("5.16.1", {"interface": {"swp2s0": {"vrf": "t1-quarantine"}}})

    def ping(self, vrf, address):
        self.pinged.append((vrf, address))


class Leaves:
    """The leaves of a task."""

    def __init__(self, knows, *, near=False):
        self.made, self.near = {name: Leaf(name, knows) for name in LEAVES}, near

    def at_hand(self, names):
        assert tuple(names) == LEAVES
        return self.near

    def each(self, names, work):
        return {name: work(self.made[name]) for name in names}


@pytest.fixture
def host(project, monkeypatch):
    """A host whose leaves know it at once, with `leaves` in a run with `spx_factory`."""
    made = Host(project / "model", monkeypatch)
    made.answer = {"identity": TRACES}
    made.leaves, made.factory, made.said = Leaves(1), False, []
    monkeypatch.setattr(host_identity, "nvue_leaves", lambda *_given: made.leaves)
    monkeypatch.setattr(
        host_identity.kinds, "given", lambda _store: SimpleNamespace(factory=made.factory)
    )
    monkeypatch.setattr(host_identity, "say", made.said.append)
    return made


def identify(host, name=H03, *, outside=True, **variables):
    return host.do("identify", name, {"outside": outside}, ansible_host="192.0.2.7", **variables)


def test_what_leaves_hear_proves_a_host(host):
    found = identify(host, dpu_state_sysfs="/run/sys")
    assert found["identity"]["state"] == "proven"
    assert host.asked == [{"do": "identify", "sysfs_path": "/run/sys"}]
    assert [(leaf.looks, leaf.pinged) for leaf in host.leaves.made.values()] == [(1, [])] * 2


def test_what_leaves_prove_is_evidence_and_what_a_host_reports_is_none(host, begin):
    """An unknown host that a run accepts, and one inside of the node, leave no evidence of the machine."""
    begin()
    identify(host)
    assert list(evidence.of(store, evidence.IDENTITY)) == [H03]
    begin()
    identify(host, outside=False)
    host.factory, host.leaves = True, Leaves(0)
    assert identify(host)["identity"]["state"] == "unknown"
    assert evidence.of(store, evidence.IDENTITY) == {}


@pytest.mark.parametrize("whole", [True, False])
def test_a_mac_that_leaves_hear_at_two_nodes_is_evidence_for_neither(host, begin, whole):
    """All ports of a leaf are one request, or two for each where the leaf does not report all at once."""
    begin()
    for leaf in host.leaves.made.values():
        leaf.whole = whole
    leaf = host.leaves.made[LEAVES[0]]
    leaf.beside = {"swp1s0": MACS[0]}
    found = identify(host)
    assert found["failed"]
    assert f"but {MACS[0]} is heard at {LEAVES[0]} swp1s0 of {H01} too" in found["msg"]
    assert len(leaf.asked) == (3 if whole else 3 + 2 * 3)
    host.factory = True
    assert identify(host)["identity"]["state"] == "unknown"
    assert evidence.of(store, evidence.IDENTITY) == {}


def test_a_silent_host_is_pinged_from_the_vrf_of_its_port(host):
    host.leaves = Leaves(2)
    assert identify(host)["identity"]["state"] == "proven"
    assert host.leaves.made[LEAVES[0]].pinged == [("t1-quarantine", "172.16.0.4")]


def test_a_leaf_that_does_not_answer_has_heard_nothing(host):
    host.leaves = Leaves(0)
    found = identify(host)
    assert found["failed"]
    assert f"nothing proves that the host at 192.0.2.7 (ansible_host of {H03})" in found["msg"]
    assert len(host.said) == 2


@pytest.mark.parametrize("factory", [False, True])
def test_an_unknown_host_needs_somebody_who_vouches_for_it(host, factory):
    host.factory = factory
    found = identify(host, outside=False)
    assert bool(found.get("failed")) is not factory
    assert host.said == (
        [f"accepted by spx_factory: {found['identity']['sentence']}"] if factory else []
    )
    host.answer = {"identity": {**TRACES, "addresses": ["172.16.0.0"]}}
    found = identify(host, outside=False)
    assert found["failed"]
    assert f"is {H01}: it has the rail address 172.16.0.0 of that" in found["msg"]


def test_its_own_rail_address_is_no_proof_before_a_wipe(host):
    host.leaves = Leaves(0)
    host.answer = {"identity": {**TRACES, "addresses": ["172.16.0.4"]}}
    assert identify(host, outside=False)["identity"]["state"] == "proven"
    assert identify(host)["failed"]


def test_leaves_are_asked_before_any_write_where_their_credentials_are_at_hand(host):
    host.answer = {"identity": {**TRACES, "addresses": ["172.16.0.4"]}}
    host.leaves = Leaves(1, near=True)
    found = identify(host, outside=False)["identity"]
    assert "its MAC addresses are heard at " in found["sentence"]
    others = ["0c:42:a1:00:00:0a"]
    host.answer = {"identity": {**TRACES, "macs": others, "addresses": ["172.16.0.4"]}}
    assert (
        "has none of the MAC addresses that leaves hear of" in identify(host, outside=False)["msg"]
    )
    host.leaves = Leaves(0, near=True)
    assert "its rail address" in identify(host, outside=False)["identity"]["sentence"]
    host.leaves = Leaves(1)
    assert "its rail address" in identify(host, outside=False)["identity"]["sentence"]
    assert host.leaves.made[LEAVES[0]].looks == 0


@pytest.mark.parametrize("raises", [False, True])
def test_a_host_that_does_not_answer_is_unknown_before_a_wipe_and_unreachable_else(host, raises):
    host.answer = {"unreachable": True, "msg": "timed out."}
    if raises:

        def execute(*_given, **_more):
            raise AnsibleConnectionFailure("timed out.")

        host._execute = execute
    found = identify(host)
    assert found["failed"]
    assert f"{H03}: it was not read (timed out): nothing proves" in found["msg"]
    if raises:
        with pytest.raises(AnsibleConnectionFailure):
            identify(host, outside=False)
    else:
        assert identify(host, outside=False)["unreachable"]


@pytest.mark.parametrize("identity", ["nonsense", {"macs": 7}, {"heard": [["a"]]}])
def test_nonsense_is_one_sentence(host, identity):
    host.answer = {"identity": identity}
    found = identify(host)
    assert found["failed"]
    assert H03 in found["msg"]


def test_a_switch_is_no_host(host):
    found = host.do("identify", args={"device": LEAVES[0]})
    assert f"device: '{LEAVES[0]}' is a switch: name a node." in found["msg"]
