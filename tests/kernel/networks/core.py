# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A core: two switches with the ports of all networks, and an array that all tenants share, without spines or DHCP.

Storage is a tagged VLAN on the front-end bond of each node. The array is on a bond too, in the VLAN of the service.
"""

from __future__ import annotations

import copy
import pathlib
from typing import Any

import yaml
from kernel.networks import ours, surroundings
from kernel.networks.surroundings import TENANTS

Plain = dict[str, Any]

ROLES = {"core": "converged_core"}
SERVICE, SERVICE_VLAN = "s4-storage", 2004


def description() -> str:
    """The description of the leaves, with a core in their place."""
    made = yaml.safe_load(ours.description())
    made["capacity"] |= {"slots_per_su": len(TENANTS), "nodes_per_rack": len(TENANTS)}
    networks = made["networks"]
    networks["core"] = {}
    networks["front_end"] = {"host_speed": networks["front_end"]["host_speed"]}
    networks["storage"] = {
        "mode": "shared",
        "node_ports": 0,
        "array_speed": networks["storage"]["array_speed"],
        "array_ports": 1,
        "arrays": [{"name": "nfs-1", "ports": [1]}],
    }
    networks["border"]["external_ports"] = 1
    for number, link in enumerate(networks["border"]["links"], 1):
        link["leaf"] = f"converged-core-{number}"
    return yaml.safe_dump(made, sort_keys=False)


def tenants() -> str:
    """Two tenants with a node each, and a session over each of the provider's links."""
    rows = [
        {
            "id": number,
            "slug": slug,
            "nodes": [f"*/*/{ours.NODES[slug]}"],
            "networks": ["east-west", "front-end", "storage"],
            "external_peers": ours.sessions(slug),
        }
        for slug, number in TENANTS.items()
    ]
    return yaml.safe_dump({"tenants": rows}, sort_keys=False)


def planned(folder: pathlib.Path) -> ours.Planned:
    """The core, as the roles read it."""
    return ours.Planned(folder, description(), tenants(), ROLES)


def order(plan: ours.Planned, applied: dict[str, Plain]) -> Plain:
    """What is told of a core whose switches have applied their documents."""
    made = plan.site(applied).order()
    service = surroundings.segment(applied[plan.names[0]], SERVICE_VLAN)
    vip = surroundings.nth(service["prefix"], 10)
    for slug, row in made["tenants"].items():
        row["store"]["vip"] = vip
        made["scripts"][f"node-{slug}"] += f"\n{_to_storage(row['store'])}"
    made["scripts"]["array"] = _array(service, vip)
    more = {name: unfiltered(document) for name, document in applied.items()}
    return {**made, "shared": service, "unfiltered": more}


def _to_storage(store: Plain) -> str:
    """A node's way to all subnets of storage."""
    subnets = "10.216.0.0/13"
    return f"ip route add {subnets} via {store['gateway']} dev {surroundings.storage(store)}"


def _array(service: Plain, vip: str) -> str:
    """The array: a bond of its two ports, on it the VLAN of the service."""
    device = f"array.{SERVICE_VLAN}"
    return "\n".join(
        [
            *surroundings.bond("array", service["mtu"], ("a1", "a2")),
            f"ip link add link array name {device} type vlan id {SERVICE_VLAN}",
            f"ip link set {device} up",
            f"ip addr add {surroundings.long(service, vip)} dev {device}",
            f"ip route add default via {service['gateway']}",
        ]
    )


def unfiltered(document: Plain) -> Plain:
    """The document without the filters between the VRF of the service and those of tenants."""
    made = copy.deepcopy(document)
    for body in made["vrf"].values():
        families = body.get("router", {}).get("bgp", {}).get("address-family", {})
        for family in families.values():
            if "route-import" in family:
                family["route-import"]["from-vrf"].pop("route-map")
                family["route-export"]["to-evpn"].pop("route-map")
    return made
