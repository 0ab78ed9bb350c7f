# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics whose tenants share an array: a core, and leaves of which those of nodes have no array. There is no DHCP.

Storage is a tagged VLAN on the front-end bond of each node. The array is on a bond too, in the VLAN of the service.
"""

from __future__ import annotations

import copy
import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

import yaml
from kernel.networks import ours, surroundings
from kernel.networks.surroundings import TENANTS

Plain = dict[str, Any]

ROLES = {"core": "converged_core"}
SERVICE_VLAN = 2004
LEAVES = ("spine", "front", "store")


def description(*, core: bool) -> str:
    """The description of the leaves with shared storage, or with a core in their place."""
    made = yaml.safe_load(ours.description())
    made["capacity"] |= {"slots_per_su": len(TENANTS), "nodes_per_rack": len(TENANTS)}
    networks = made["networks"]
    networks["front_end"] = {"host_speed": networks["front_end"]["host_speed"]}
    networks["storage"] = {
        "mode": "shared",
        "node_ports": 0,
        "array_speed": networks["storage"]["array_speed"],
        "array_ports": 1,
        "arrays": [{"name": "nfs-1", "ports": [1]}],
    }
    networks["border"]["external_ports"] = 1
    if core:
        networks["core"] = {}
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


def planned(folder: pathlib.Path, *, core: bool) -> ours.Planned:
    """The fabric, as the roles read it."""
    return ours.Planned(folder, description(core=core), tenants(), ROLES if core else ours.ROLES)


def order(plan: ours.Planned, applied: dict[str, Plain]) -> Plain:
    """Order of a story about a fabric whose switches have applied their documents."""
    site = plan.site(applied)
    made = site.order()
    service = surroundings.segment(applied[site.roles["store"][0]], SERVICE_VLAN)
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


def leaves(plan: ours.Planned, applied: dict[str, Plain]) -> Plain:
    """Order of a story about a spine, the first leaf of nodes, and the first leaf with the array."""
    made, site = order(plan, applied), plan.site(applied)
    kept = {site.roles[role][0]: role for role in LEAVES}
    cables = [list(_cut(row, kept)) for row in made["cables"] if _whole(row, kept, plan.names)]
    return {
        **made,
        "switches": {name: applied[name] for name in kept},
        "roles": {role: [name] for name, role in kept.items()},
        "cables": cables,
        "scripts": {name: text for name, text in made["scripts"].items() if name != "provider"},
        "unannounced": {site.roles["store"][0]: unannounced(applied[site.roles["store"][0]])},
    }


def _whole(row: list[str], kept: Plain, switches: Sequence[str]) -> bool:
    """Check whether a cable is between switches that are kept, or at a node or the array."""
    return "provider" not in row and (row[0] not in switches or {row[0], row[2]} <= kept.keys())


def _cut(row: list[str], kept: Plain) -> Iterator[str]:
    """A cable whose switch is not kept ends nowhere."""
    yield from row[:2]
    yield from row[2:] if row[2] in kept else ("nowhere", f"{row[0]}-{row[1]}"[-15:])


def unannounced(document: Plain) -> Plain:
    """The document whose tenants keep the way to the array to themselves."""
    made = copy.deepcopy(document)
    for name, body in made["router"]["policy"]["route-map"].items():
        if name.endswith("-kept"):
            body["rule"].pop("5", None)
    return made


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
