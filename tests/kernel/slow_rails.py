# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""VRFs as devices of the kernel: of this machine's where it makes them, else of a guest's.

Two leaves, a spine, four hosts and two tenants of the lab, from the documents that our roles
render; and a leak between VRFs of one switch, which namespaces cannot show.
"""

from __future__ import annotations

import copy
import pathlib

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import isolation
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

ROOT = pathlib.Path(__file__).resolve().parents[2]
STORY = "rails"
LEAVES = ("leaf-p1-su001-r1", "leaf-p1-su002-r1")
SPINES = ("spine-p1-s01",)
OWNERS = {
    "worker-su01-rack01-h01": "acme",
    "worker-su01-rack01-h02": "globex",
    "worker-su02-rack01-h01": "acme",
    "worker-su02-rack01-h02": "globex",
}


def cables(fabric):
    """(device, port, device, port) between the chosen machines."""
    chosen = {*LEAVES, *SPINES, *OWNERS}
    for leaf in LEAVES:
        for row in fabric.slice(leaf)["ports"]:
            if row["present"] and row["peer"]["device"] in chosen:
                yield [leaf, row["port"], row["peer"]["device"], row["peer"]["port"]]


def host(fabric, name):
    """A host as the story wants it: its first rail."""
    port = fabric.slice(name)["ports"][0]
    keys = ("port", "mtu", "address", "gateway")
    return {**{key: port[key] for key in keys}, "tenant": OWNERS[name]}


def leaked(document):
    """Both tenants of a leaf take each other's routes."""
    made = copy.deepcopy(document)
    for one, other in (("t21-acme", "t22-globex"), ("t22-globex", "t21-acme")):
        family = made["vrf"][one]["router"]["bgp"]["address-family"]["ipv4-unicast"]
        family["route-import"] = {"from-vrf": {"state": "enabled", "list": {other: {}}}}
    return made


def story(_folder):
    """The fabric with its tenants, and what the story is told of it."""
    fabric = Fabric.load(str(ROOT / "inventories" / "lab" / "model" / "fabric.yml"))
    registry = Registry.load(fabric)
    documents = {
        name: compose.document(fabric, name, tenants=registry) for name in (*LEAVES, *SPINES)
    }
    return (fabric, registry), {
        "switches": documents,
        "hosts": {name: host(fabric, name) for name in OWNERS},
        "cables": list(cables(fabric)),
        "path_mtu": 9166,
        "underlay": [fabric.slice(name)["loopback"] for name in (*LEAVES, *SPINES)],
        "leaked": {LEAVES[0]: leaked(documents[LEAVES[0]])},
        "leak": ["worker-su01-rack01-h01", "worker-su01-rack01-h02"],
    }


def test_tenants_are_apart_by_kernel_vrfs(answer):
    own = [[a, b] for a in OWNERS for b in OWNERS if a != b and OWNERS[a] == OWNERS[b]]
    assert answer["backends"] == ["kernel"]
    assert answer["converged"]
    assert sorted(answer["reached"]) == sorted(own)
    assert answer["underlay"] == []
    assert (answer["whole"], answer["one_byte_more"]) == (True, False)


def test_a_leak_between_vrfs_of_one_switch_is_caught_by_packets_and_by_the_audit(
    known, order, answer
):
    assert order["leak"] in answer["reached_when_leaked"]
    documents = {**order["switches"], **order["leaked"]}
    rows = isolation.graph(*known, {leaf: documents[leaf] for leaf in LEAVES})
    failed = [row["device"] for row in rows if row["state"] == "fail"]
    assert set(failed) == {LEAVES[0]}
