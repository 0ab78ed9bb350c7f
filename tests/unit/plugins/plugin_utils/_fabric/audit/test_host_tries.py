# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attempts of a host, by the registry, and the value of silence."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    host,
    host_tries,
    host_view,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.results import Subject
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.desired import (
    desired,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    ROOT,
    example,
)

from .hosts import MOVING, REST, TWO

H200 = {"platform": "h200"}


def test_a_link_out_of_service_is_not_tried(load):
    row = {"device": "leaf-p1-su002-r2", "since": "2026-11-20", "reason": "repair ordered"}
    fabric = load("lab", out_of_service=[row])
    registry = Registry.parse(fabric, TWO)
    wanted = desired(fabric, fabric.name(Node(0, 0, 0)), registry=registry, settings=H200)
    rows = host_tries.attempts(fabric, registry, Node(0, 0, 0), wanted)
    tried = [(row["whom"], row["interface"]) for row in rows if row["kind"] == "stranger"]
    assert tried == [
        ("worker-su01-rack01-h02 of quarantine", "rail1p1"),
        ("worker-su01-rack01-h02 of quarantine", "rail2p1"),
        ("worker-su02-rack01-h02 of globex", "rail1p1"),
    ]


@pytest.mark.parametrize(
    ("text", "node", "whom"),
    [
        (TWO, Node(0, 0, 0), "leaf-p1-su002"),
        (TWO, Node(0, 1, 0), "leaf-p1-su001"),
        (TWO, Node(0, 1, 1), None),  # has no other node
        (TWO, Node(0, 0, 2), None),  # quarantine reaches nobody
        (REST, Node(0, 0, 0), "leaf-p1-su002"),
        (REST, Node(0, 0, 1), None),  # alone in its group
        (TWO + 'moving: {"su02/h01": {from: acme, to: globex, step: shut}}', Node(0, 0, 0), None),
    ],
)
def test_the_leaf_of_a_fellow_is_tried_on_every_rail(text, node, whom):
    """TCP 179 of a leaf where the tenant is too: FRR listens in each VRF."""
    fabric = example("lab")
    registry = Registry.parse(fabric, text)
    wanted = desired(fabric, fabric.name(node), registry=registry, settings=H200)
    rows = host_tries.attempts(fabric, registry, node, wanted)
    far = [row for row in rows if row["kind"] == "tcp" and not row["whom"].startswith("its")]
    rails = ("r1", "r2") if whom else ()
    assert [(row["whom"], row["port"]) for row in far] == [(f"leaf {whom}-{r}", 179) for r in rails]
    for row in far:
        ports = fabric.slice(row["whom"].removeprefix("leaf "))["ports"]
        assert row["to"] in [port["address"] for port in ports if port["kind"] == "host"]


@pytest.mark.parametrize(
    ("name", "strangers"), [("max-524288", 1), ("multiplane-16384", 1), ("lab-2plane", 2)]
)
def test_attempts_do_not_grow_with_the_fabric(name, strangers):
    """Four of each rail for the leaf, one for another leaf and each stranger; whole SUs are one customer's."""
    fabric = Fabric.load(str(ROOT / "inventories" / name / "model" / "fabric.yml"))
    node, registry = Node(0, 0, 0), Registry.load(fabric)
    ports = fabric.slice(node)["ports"]
    wanted = {"interfaces": [{**port, "name": port["port"]} for port in ports]}
    rows = host_tries.attempts(fabric, registry, node, wanted)
    assert len(rows) == (4 + 1 + strangers) * len(wanted["interfaces"])
    assert {row["kind"] for row in rows} == {"stranger", "tcp", "vxlan"}


def test_a_moving_node_tries_nothing():
    fabric = example("lab")
    registry = Registry.parse(fabric, MOVING)
    wanted = desired(fabric, fabric.name(Node(0, 0, 1)), registry=registry, settings=H200)
    assert host_tries.attempts(fabric, registry, Node(0, 0, 1), wanted) == []


def judged(*, leaf_answers: bool, answer: str = "", rows: int = 2):
    ping = {"kind": "gateway", "interface": "rail1p1", "ok": leaf_answers}
    tried = {"kind": "tcp", "interface": "rail1p1", "to": "172.16.0.1", "port": 22}
    row = {**tried, "whom": "its leaf x", "answer": answer}
    view = host_view.View(
        subject=Subject.of(example("lab"), Node(0, 0, 0), "acme"),
        wanted={"tenant": "acme"},
        look={},
        probe={"pings": [ping], "attempts": [row] * rows},
    )
    return host.check(view, ["tenant.control_plane"])[0]


def test_silence_counts_only_where_the_leaf_answers():
    assert judged(leaf_answers=True)["state"] == "pass"
    mute = judged(leaf_answers=False)
    assert mute["state"] == "not_run"
    assert (
        mute["sentence"] == "rail1p1: the leaf does not answer a ping, so silence proves nothing."
    )


def test_an_answer_counts_in_any_case():
    assert judged(leaf_answers=False, answer="connected")["state"] == "fail"


def test_nothing_tried_is_not_run():
    assert judged(leaf_answers=True, rows=0)["state"] == "not_run"


def test_a_rented_host_has_a_row_for_each_check():
    about = Subject.of(example("lab"), Node(0, 0, 0), "acme")
    rows = host_tries.none(about, "rented")
    assert {row["id"] for row in rows} == set(host_tries.TRIED)
    assert {row["state"] for row in rows} == {"not_run"}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (["tenant"], True),
        (["tenant.strangers", "switch"], True),
        (["tenant", "host.link"], False),
        (["*"], False),
        ([], False),
    ],
)
def test_no_nic_is_read_where_only_attempts_are_asked_for(asked, expected):
    assert host_tries.alone(asked) is expected


def test_a_host_whose_nics_were_not_read_is_judged_by_its_attempts():
    view = host_view.View(
        subject=Subject.of(example("lab"), Node(0, 0, 0), "acme"),
        wanted={"tenant": "acme"},
        look={},
    )
    rows = host.check(view, ["tenant"])
    assert {(row["id"], row["state"]) for row in rows} == {
        (name, "not_run") for name in host_tries.TRIED
    }
