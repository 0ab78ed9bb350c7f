# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where nodes meet the fabric: their ports as leaves have them, and which of them are in service."""

from __future__ import annotations

import typing as t

from ..plan.topology.cabling import HOST, Node, Port, Switch
from . import converged_links

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ..plan.fabric import Fabric
    from . import owners
    from .registry import Registry

Data = dict[str, t.Any]


def ports_of(fabric: Fabric, node: Node) -> list[Data]:
    """The node's ports seen from its leaves: {leaf, port, nic, address, gateway, prefix, ...}.

    `resting`: the link is out of service; `deferred`: its leaf is, so that nothing can be changed there.
    """
    resting = {(row.device, row.port) for row in fabric.description.out_of_service}
    name, made = fabric.name(node), []
    for nic in fabric.cabling.nic_ports():
        leaf, index = fabric.cabling.leaf_of(node, nic)
        ends = fabric.addresses.ends(node, nic)
        port, switch = fabric.port_name(leaf, Port(HOST, index)), fabric.name(leaf)
        own = fabric.names.nic(nic)
        here = {(switch, port), (switch, None), (name, own), (name, None)}
        made.append(
            {
                "leaf": switch,
                "port": port,
                "nic": own,
                "rail": nic.rail,
                "plane": nic.plane,
                "address": ends.low,
                "gateway": ends.high,
                "prefix": ends.prefix,
                "resting": bool(here & resting),
                "deferred": (switch, None) in resting,
            }
        )
    return made


def every_port_of(fabric: Fabric, node: Node) -> list[Data]:
    """The node's ports of both fabrics; those of the converged one have a `network`."""
    return [*ports_of(fabric, node), *converged_links.ports_of(fabric, node)]


def every_leaf_of(fabric: Fabric, nodes: Collection[Node]) -> list[str]:
    """As `leaves_of`, with the leaves of the converged fabric."""
    return [*leaves_of(fabric, nodes), *converged_links.leaves_of(fabric, nodes)]


def resting_links(fabric: Fabric) -> set[str]:
    """The links that are out of service: by themselves, or with their node or leaf."""
    nodes: set[Node] = set()
    for name in {row.device for row in fabric.description.out_of_service}:
        device = fabric.device(name)
        if isinstance(device, Switch):
            rows = [row for row in fabric.slice(device)["ports"] if row["kind"] == "host"]
            peers = {row["peer"]["device"] for row in rows if row["present"]}
            nodes |= {t.cast("Node", fabric.device(peer)) for peer in peers}
        elif device is not None:
            nodes.add(device)
    ports = (port for node in nodes for port in ports_of(fabric, node))
    return {port["prefix"] for port in ports if port["resting"]}


def leaves_of(fabric: Fabric, nodes: Iterable[Node]) -> list[str]:
    """The leaves that some nodes meet and that are in service, in the order of the fabric."""
    found: set[Switch] = set()
    for node in nodes:
        found.update(fabric.cabling.leaf_of(node, nic)[0] for nic in fabric.cabling.nic_ports())
    return [name for name in map(fabric.name, sorted(found)) if name not in fabric.resting]


def watched_by(fabric: Fabric, registry: Registry, owner: owners.Owner, node: Node) -> list[str]:
    """Every leaf that has an owner's VRF, and the node's own."""
    return leaves_of(fabric, {*registry.nodes_of(owner.slug), node})
