# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a node is known to be down: the description's `out_of_service`, named at either end."""

from __future__ import annotations

import typing as t

from ...plan.topology.cabling import HOST, Port

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Device, NicPort, Node, Switch
    from ...plan.topology.converged_cabling import NetPort

Listed = dict[tuple["Device | None", "str | None"], str]


def whole(fabric: Fabric, node: Node) -> str:
    """Why the node is out of service as a whole, "" when it is not."""
    return _listed(fabric).get((node, None), "")


def ports(fabric: Fabric, node: Node) -> dict[str, str]:
    """{NIC port: why its link is out of service}; of a node in service, with its links' other ends."""
    nics = fabric.cabling.nic_ports()
    return _of(fabric, node, ((nic, *fabric.cabling.leaf_of(node, nic)) for nic in nics))


def of_networks(fabric: Fabric, node: Node) -> dict[str, str]:
    """As `ports`, of the node's ports on the converged fabric."""
    net = fabric.converged
    if net is None:
        return {}
    return _of(fabric, node, ((port, *net.leaf_of(node, port)) for port in net.node_ports()))


def _of(
    fabric: Fabric, node: Node, links: Iterable[tuple[NicPort | NetPort, Switch, int]]
) -> dict[str, str]:
    listed = _listed(fabric)
    found = {}
    for own, leaf, index in links if listed else ():
        name = fabric.port_name(node, own)
        port = fabric.port_name(leaf, Port(HOST, index))
        places = ((node, None), (node, name), (leaf, None), (leaf, port))
        reason = next((listed[place] for place in places if place in listed), "")
        if reason:
            found[name] = reason
    return found


def _listed(fabric: Fabric) -> Listed:
    """Reasons by device and port; None means the whole device."""
    rows = fabric.description.out_of_service
    return {
        (fabric.device(row.device), row.port or None): row.reason or "no reason" for row in rows
    }
