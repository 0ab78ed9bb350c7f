# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves configured past the plan, each in another way; what packets and the audit have to say of it."""

from __future__ import annotations

import contextlib
import json
import typing as t

import yaml

if t.TYPE_CHECKING:
    from lab.world import World

Document = dict[str, t.Any]

BREAKAGES: dict[str, Document] = {
    # Rail 1 of globex imports acme's routes in place of its own.
    "leaf-p1-su001-r1": {
        "vrf": {
            "t22-globex": {
                "router": {
                    "bgp": {
                        "route-import": {
                            "from-evpn": {
                                "route-target": {"64512:4000022": None, "64512:4000021": {}}
                            }
                        }
                    }
                }
            }
        }
    },
    # The port of globex's first node is in acme's VRF.
    "leaf-p1-su001-r2": {"interface": {"swp1s1": {"vrf": "t21-acme"}}},
    # The port of globex's second node is in the underlay.
    "leaf-p1-su002-r2": {"interface": {"swp1s1": {"vrf": "default"}}},
    # The control plane lies open to acme: to the second node at its port, to the first by way of the fabric.
    "leaf-p1-su002-r1": {
        "interface": {"swp1s0": {"acl": {"spx-control": None}}},
        "system": {"control-plane": {"acl": {"spx-gateways": None}}},
    },
}
MENDED: dict[str, Document] = {"leaf-p1-su001-r2": {"interface": {"swp1s1": {"vrf": "t22-globex"}}}}
CAUGHT = {
    ("tenant.route_targets", "leaf-p1-su001-r1"),
    ("tenant.routes", "leaf-p1-su001-r1"),
    ("tenant.port_vrf", "leaf-p1-su001-r2"),
    ("tenant.strangers", "worker-su01-rack01-h01"),
    ("tenant.port_vrf", "leaf-p1-su002-r2"),
    ("tenant.control_plane", "worker-su02-rack01-h01"),
    ("tenant.control_plane", "worker-su01-rack01-h01"),
    ("tenant.forged_vxlan", "worker-su02-rack01-h01"),
}
"""Findings that the audit must have: (check, device)."""


def broken_flows(world: World) -> list[dict[str, t.Any]]:
    """Return the packets that show the breakages: none of it is as it should be."""
    acme, globex = (
        ("worker-su01-rack01-h01", "worker-su02-rack01-h01"),
        (
            "worker-su01-rack01-h02",
            "worker-su02-rack01-h02",
        ),
    )
    leaf = world.fabric.slice("leaf-p1-su002-r2")
    last = world.ports(world.fabric.device(globex[1]))[1]
    return [
        _flow(world, globex[0], globex[1], rail=0, expect="silent"),
        _flow(world, globex[0], acme[0], rail=1, expect="reached"),
        _flow(world, globex[0], acme[1], rail=1, expect="reached"),
        {"from": globex[1], "source": last["address"], "to": leaf["vtep"], "expect": "reached"},
    ]


@contextlib.contextmanager
def way_to_the_underlay(world: World) -> t.Iterator[None]:
    """globex's second node has a route to its leaf's own address, as an attacker would."""
    node, leaf = "worker-su02-rack01-h02", world.fabric.slice("leaf-p1-su002-r2")
    last = world.ports(world.fabric.device(node))[1]
    world.node(
        node, "ip", "route", "replace", f"{leaf['vtep']}/32", "via", last["gateway"], "dev", last["port"]
    )  # fmt: skip
    try:
        yield
    finally:
        world.node(node, "ip", "route", "del", f"{leaf['vtep']}/32")


def _flow(world: World, one: str, two: str, *, rail: int, expect: str) -> dict[str, t.Any]:
    mine, theirs = (world.ports(world.fabric.device(name))[rail]["address"] for name in (one, two))
    return {"id": f"{one} to {two}", "from": one, "source": mine, "to": theirs, "expect": expect}


def break_by_hand(world: World, documents: dict[str, Document]) -> None:
    """Somebody configures switches past the plan, through their API."""
    merged = {
        "state": "merged",
        "config": "{{ documents[inventory_hostname] }}",
        "settle_time": "{{ switch_apply_settle_time }}",
    }
    play = {
        "hosts": ",".join(documents),
        "gather_facts": False,
        "vars": {"documents": documents},
        "tasks": [{"spectrum_x.fabric.nvue_config": merged}],
    }
    (world.project / "break.yml").write_text(yaml.safe_dump([play]))
    world.play("break.yml")


def failures(world: World, report: str) -> list[dict[str, t.Any]]:
    """The results of checks that failed."""
    folder = world.project / report / "results"
    rows = [row for file in folder.glob("*.json") for row in json.loads(file.read_text())]
    return [row for row in rows if row["state"] == "fail"]


def forget_paths(world: World) -> None:
    """Hosts remember for ten minutes that a path was narrower: a host port's MTU was the underlay's."""
    for node in world.fabric.nodes():
        world.node(world.fabric.name(node), "ip", "route", "flush", "cache")
