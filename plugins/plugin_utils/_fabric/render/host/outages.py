# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outages of a node that are known: the description's `out_of_service`, named at either end."""

from __future__ import annotations

import typing as t

from ...plan.topology.converged_cabling import NetPort

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from ...plan.devices import NodePort
    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Device, Node, Port, Switch

Listed = dict[tuple["Device | None", "str | None"], str]


def whole(fabric: Fabric, node: Node) -> str:
    """Reason that the node is out of service as a whole, "" when it is not."""
    return _listed(fabric).get((node, None), "")


def ports(fabric: Fabric, node: Node) -> dict[str, str]:
    """{NIC port: why its link is out of service}; of a node in service, with its links' other ends."""
    return _of(fabric, node, fabric.cabling.nic_ports())


def of_networks(fabric: Fabric, node: Node) -> dict[str, str]:
    """Return the outages of the node's ports on the converged fabric, in the form of `ports`."""
    return _of(fabric, node, (port for port in fabric.node_ports() if isinstance(port, NetPort)))


def _of(fabric: Fabric, node: Node, ports: Iterable[NodePort]) -> dict[str, str]:
    listed = _listed(fabric)
    found = {}
    for own in ports if listed else ():
        leaf, there = t.cast("tuple[Switch, Port]", fabric.end(node, own))
        name, port = fabric.port_name(node, own), fabric.port_name(leaf, there)
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
