# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rented hosts that their leaves try, the strangers, and the value of the answers."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import rented_hosts
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.results import Subject
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

TWO = """
tenants:
  - {id: 21, slug: acme, nodes: ["*/*/h01"], host_access: managed}
  - {id: 22, slug: globex, nodes: ["su02/h02"]}
"""
MOVING = TWO + 'moving: {"su02/h02": {from: quarantine, to: globex, step: shut}}\n'
LEAF, HOST = "leaf-p1-su002-r1", "worker-su02-rack01-h02"
STRANGER = "worker-su02-rack01-h01 of acme"
ROW = {
    "node": HOST, "port": "rail1p1", "vrf": "t22-globex", "address": "172.16.1.2",
    "stranger": "172.16.1.0", "whom": STRANGER,
}  # fmt: skip


def chosen(text, leaf=LEAF, fabric=None, **more):
    fabric = fabric or example("lab")
    return rented_hosts.probes(fabric, Registry.parse(fabric, text), fabric.known(leaf), **more)


def test_a_rented_node_and_a_stranger_of_the_same_leaf():
    assert chosen(TWO) == [ROW]
    other_rail = {"port": "rail2p1", "address": "172.18.1.2", "stranger": "172.18.1.0"}
    assert chosen(TWO, "leaf-p1-su002-r2") == [{**ROW, **other_rail}]


@pytest.mark.parametrize(
    ("text", "leaf", "more"),
    [
        (TWO, "leaf-p1-su001-r1", {}),
        (TWO, "spine-p1-s01", {}),
        (TWO.replace("]}", "], host_access: managed}"), LEAF, {}),
        (MOVING, LEAF, {}),
        (TWO, LEAF, {"chosen": {"worker-su02-rack01-h01"}}),
    ],
)
def test_nobody_else_is_tried(text, leaf, more):
    assert chosen(text, leaf, **more) == []


def test_who_is_out_of_service_is_not_tried(load):
    row = {"since": "2026-11-20", "reason": "repair ordered"}
    assert chosen(TWO, fabric=load("lab", out_of_service=[{**row, "device": HOST}])) == []
    link = {**row, "device": LEAF, "port": "swp1s1"}
    assert chosen(TWO, fabric=load("lab", out_of_service=[link])) == []
    stranger = {**row, "device": "worker-su02-rack01-h01"}
    found = chosen(TWO, fabric=load("lab", out_of_service=[stranger]))
    assert found[0]["whom"].endswith("of quarantine")


def test_a_leaf_tries_four_at_most_and_another_leaf_others():
    fabric = build()
    text = 'tenants: [{id: 21, slug: acme, nodes: ["su01"]}]\n'
    leaves = [fabric.name(leaf) for leaf in fabric.switches() if leaf.role == "leaf"][:8]
    samples = [[row["node"] for row in chosen(text, leaf, fabric)] for leaf in leaves]
    assert [len(sample) for sample in samples] == [rented_hosts.MOST] * len(leaves)
    assert len({node for sample in samples for node in sample}) == rented_hosts.MOST * len(leaves)


@pytest.mark.parametrize("many", [0, 1, 3, 4, 5, 9, 64])
def test_a_sample_has_nobody_twice(many):
    for turn in (0, 1, 7, 100):
        found = rented_hosts.sample(list(range(many)), turn)
        assert len(set(found)) == len(found) == min(many, rented_hosts.MOST)


def judged(**leaves):
    about = Subject.of(example("lab"), Node(0, 1, 1), "globex")
    assert about.device == HOST
    told = {
        name: {HOST: {**ROW, "reason": "", **row}} if row else {} for name, row in leaves.items()
    }
    return [(row["state"], row["sentence"]) for row in rented_hosts.judge(about, told)]


GOOD = {"own": True, "other": False}
RENTED = f"{HOST} is rented to globex: "


def test_the_node_answers_and_the_stranger_does_not():
    ((state, said),) = judged(l2={}, l1=GOOD, l3={"own": False, "other": False})
    assert state == "pass"
    assert said == "Tried from its VRF on l1: it answers, and no stranger does."


@pytest.mark.parametrize("own", [True, False])
def test_a_stranger_that_answers_is_a_breach(own):
    ((state, said),) = judged(l1={"own": own, "other": True}, l2=GOOD)
    assert state == "fail"
    assert said == (
        f"l1: 172.16.1.0 ({STRANGER}) answers a ping from t22-globex, the VRF of globex: see the "
        "check tenant.routes of the leaves on the way, and run switches."
    )


@pytest.mark.parametrize(
    ("leaves", "why"),
    [
        (
            {"l1": {"own": False, "other": False}},
            "172.16.1.2 answers no ping from t22-globex of l1, so silence proves nothing; ask the tenant "
            "whether the host is up.",
        ),
        (
            {"l1": {"own": True, "other": None, "stranger": ""}},
            "there is no host that l1 could test from t22-globex.",
        ),
        (
            {"l1": {"own": None, "other": None, "reason": "No."}, "l2": {}},
            "l1 cannot try it: No.",
        ),
        (
            {"l1": {"own": True, "other": None, "reason": "Odd."}},
            "l1 cannot try it: Odd.",
        ),
        ({"l1": {}}, "it is moving, or was not among the 4 rented nodes that each leaf tries."),
        ({}, "none of its leaves tested it."),
    ],
)
def test_what_proves_nothing_is_not_run(leaves, why):
    assert judged(**leaves) == [("not_run", RENTED + why)]
