# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which devices a choice of places means: `-e spx_where=su01/h03` is the node and its leaves."""

from __future__ import annotations

import typing as t

from ..description import places
from ..description.errors import FabricError, NotInFabric
from ..plan.topology.cabling import Node
from ..tenants.nodes import slots
from ..tenants.schema import QUARANTINE

if t.TYPE_CHECKING:
    from ..plan.fabric import Fabric
    from ..plan.topology.cabling import Device
    from ..tenants.registry import Registry


def devices(fabric: Fabric, where: str, registry: Registry | None = None) -> frozenset[str]:
    """Names of the devices that a device's name, a place or a tenant means, with nodes' leaves.

    FabricError when it is none of these.
    """
    found = fabric.device(where)
    if found is not None and not isinstance(found, Node):
        return frozenset([fabric.name(found)])
    nodes = [found] if found else [n for n in _nodes(fabric, where, registry) if fabric.present(n)]
    nics = list(fabric.cabling.nic_ports())
    made: set[Device] = {fabric.cabling.leaf_of(node, nic)[0] for node in nodes for nic in nics}
    return frozenset(fabric.name(device) for device in made.union(nodes))


def _nodes(fabric: Fabric, where: str, registry: Registry | None) -> list[Node]:
    """The nodes of a tenant, of rest or of quarantine, or else of places."""
    if registry and where == QUARANTINE:
        return [node for node in fabric.nodes() if registry.holding(node).slug == QUARANTINE]
    if registry and where in registry.owners:
        return registry.nodes_of(where)
    try:
        found = places.expand(where, limits=fabric.clos.limits)
    except FabricError as exc:
        raise NotInFabric.of(
            f"spx_where: '{where}' is no device, place or tenant of {fabric.description.name}: "
            "name one, such as su01/h03."
        ) from exc
    return [node for place in found for node in slots(place, fabric)]
