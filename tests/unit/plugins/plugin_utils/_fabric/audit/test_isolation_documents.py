# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Control-plane lists of ports of nodes that nobody rents."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

from .isolated import LEAF, MOVE, of_leaf, rendered

ROOT = Path(__file__).resolve().parents[6]


@pytest.fixture
def lab():
    return Fabric.load(str(ROOT / "inventories/lab/model/fabric.yml"))


QUARANTINED, RESTING = "swp2s0", "swp1s1"
REST = (
    "tenants: [{id: 21, slug: acme, nodes: ['*/h01']}]\n"
    "rest: [{nodes: ['*/h02'], acceptance: burn-in}]\n"
)


def rule(action, **match):
    """Return a rule of an access list."""
    return {"match": {"ip": match} if match else {}, "action": {action: {}}}


def with_list(fabric, port, change):
    """Return the failures of a leaf's lists when the list at a port has been changed."""
    registry = Registry.parse(fabric, REST)
    document = copy.deepcopy(rendered(fabric, registry)[LEAF])
    (name,) = document["interface"][port]["acl"]
    change(document, document["interface"][port]["acl"], document["acl"][name])
    return of_leaf(fabric, registry, document, check="tenant.access_lists")


@pytest.mark.parametrize(
    "number, added, passes",
    [
        ("5", rule("permit", **{"dest-ip": "ANY"}), False),
        ("5", rule("permit"), False),
        ("5", rule("permit", **{"source-ip": "172.16.0.0/16"}), False),
        ("5", rule("permit", **{"dest-ip": "172.16.0.2/31"}), False),
        ("5", rule("permit", **{"dest-ip": "0.0.0.0/0", "protocol": "tcp"}), False),
        ("5", rule("permit", **{"dest-ip": "nothing"}), False),
        ("5", rule("permit", **{"dest-ip": "fe80::/10"}), False),
        ("65001", rule("permit", **{"dest-ip": "ANY"}), False),
        ("65001", rule("deny", **{"dest-ip": "10.0.0.0/8"}), False),
        ("65001", rule("deny", **{"dest-ip": "ANY", "tcp": {"dest-port": {"22": {}}}}), False),
        ("5", rule("permit", **{"dest-ip": "172.16.0.5", "protocol": "icmp"}), True),
        ("5", rule("deny", **{"dest-ip": "10.0.0.0/8"}), True),
        ("65001", rule("deny"), True),
        ("65001", rule("deny", **{"source-ip": "ANY", "dest-ip": "0.0.0.0/0"}), True),
    ],
)
def test_what_a_list_of_quarantine_may_permit(lab, number, added, passes):
    """The host's gateway, in whatever rule, and nothing else; then everything is denied."""

    def change(_document, _bound, own):
        own["rule"][number] = added

    found = with_list(lab, QUARANTINED, change)
    assert (found == []) is passes
    assert all(row["port"] == QUARANTINED for row in found)


@pytest.mark.parametrize(
    "goal, passes",
    [
        ("172.16.0.2/31", True),
        ("172.18.1.3", True),
        ("172.16.0.0/31", False),
        ("172.16.0.0/30", False),
        ("172.16.0.4/31", False),
    ],
)
def test_what_a_list_of_rest_may_permit(lab, goal, passes):
    """The links of the node's acceptance group."""

    def change(_document, _bound, own):
        own["rule"]["5"] = rule("permit", **{"dest-ip": goal})

    found = with_list(lab, RESTING, change)
    assert (found == []) is passes
    assert all(f"{goal} (rule 5 of spx-tenant-rest-burn-in)" in r["sentence"] for r in found)


def _second_list(document, bound, _own):
    document["acl"]["site"] = {"type": "ipv4", "rule": {"10": rule("permit")}}
    bound["site"] = {"inbound": {}}


def _strict_list(document, bound, _own):
    document["acl"]["site"] = {"type": "ipv4", "rule": {"10": rule("deny")}}
    bound["site"] = {"inbound": {}}


def _control_list(document, bound, _own):
    document["acl"]["site"] = {"type": "ipv4", "rule": {"10": rule("permit")}}
    bound["site"] = {"inbound": {"control-plane": {}}}


def _outbound(_document, bound, _own):
    (name,) = bound
    bound[name] = {"outbound": {}}


def _other_family(_document, _bound, own):
    own["type"] = "ipv6"


def _dangling(document, bound, _own):
    (name,) = bound
    del document["acl"][name]


def test_a_list_that_lacks_a_node_of_its_group_fails(lab):
    """One that joined the group on another leaf is named, unless it is still moving."""
    registry = Registry.parse(lab, REST)
    fewer = rendered(lab, Registry.parse(lab, REST.replace("*/h02", "su01/h02")))[LEAF]
    (row,) = of_leaf(lab, registry, fewer, check="tenant.access_lists")
    assert "do not let it reach 172.16.1.2/31" in row["sentence"]
    moving = REST + "moving: {su02/h02: {from: acme, to: rest, step: rest, acceptance: burn-in}}\n"
    moving = moving.replace("'*/h01'", "'*/h01', su02/h02").replace("'*/h02']", "su01/h02]")
    registry = Registry.parse(lab, moving)
    assert of_leaf(lab, registry, fewer, check="tenant.access_lists") == []


@pytest.mark.parametrize(
    "change, passes",
    [
        (_second_list, False),
        (_outbound, False),
        (_other_family, False),
        (_dangling, False),
        (_strict_list, True),
        (_control_list, True),
    ],
)
def test_all_lists_of_a_port_count(lab, change, passes):
    """A list of the site beside ours that lets more through undoes it."""
    assert (with_list(lab, QUARANTINED, change) == []) is passes


def test_a_moving_node_in_quarantine_is_behind_its_list(lab):
    """Also while it is moving, and then it is tenant_move that mends it."""
    registry = Registry.parse(lab, MOVE % ("acme", "globex", "wipe"))
    document = copy.deepcopy(rendered(lab, registry)[LEAF])
    assert of_leaf(lab, registry, document) == []
    del document["interface"]["swp1s0"]["acl"]
    (row,) = of_leaf(lab, registry, document)
    assert (row["id"], row["port"]) == ("tenant.access_lists", "swp1s0")
    assert row["sentence"].endswith("run tenant_move again.")
