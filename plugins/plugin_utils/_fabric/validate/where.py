# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which devices a choice of places means: `-e spx_where=su01/h03` is the node and its leaves."""

from __future__ import annotations

import typing as t

from ..model import places
from ..model.errors import FabricError, NotInFabric
from ..tenancy.schema import QUARANTINE
from ..topology.cabling import Node

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..fabric import Fabric
    from ..tenancy.registry import Registry


def devices(fabric: Fabric, where: str, registry: Registry | None = None) -> frozenset[str]:
    """Names of the devices that a device's name, a place or a tenant means, with nodes' leaves.

    FabricError when it is none of these.
    """
    found = fabric.device(where)
    if found is not None:
        return frozenset(
            _with_leaves(fabric, [found]) if isinstance(found, Node) else [fabric.name(found)]
        )
    nodes = _tenant(fabric, where, registry)
    if nodes is None:
        nodes = _places(fabric, where)
    return frozenset(_with_leaves(fabric, (node for node in nodes if fabric.present(node))))


def _tenant(fabric: Fabric, where: str, registry: Registry | None) -> Iterable[Node] | None:
    """The nodes of a tenant, of rest or of quarantine; None when the text is no such name."""
    if registry is None:
        return None
    if where == QUARANTINE:
        return (node for node in fabric.nodes() if registry.holding(node).slug == QUARANTINE)
    try:
        registry.owner(where)
    except FabricError:
        return None
    return registry.nodes_of(where)


def _places(fabric: Fabric, where: str) -> Iterator[Node]:
    try:
        found = places.expand(where, limits=fabric.clos.limits)
    except FabricError as exc:
        raise NotInFabric.of(
            f"spx_where: '{where}' is no device, place or tenant of {fabric.description.name}: "
            "name one, such as su01/h03."
        ) from exc
    for place in found:
        yield from _nodes_below(fabric, place)


def _nodes_below(fabric: Fabric, place: tuple[int, ...]) -> Iterator[Node]:
    c = fabric.clos
    pod = place[0]
    for su in range(c.sus) if len(place) < 2 else (place[1],):
        for slot in range(c.slots) if len(place) < 3 else (place[2],):
            yield Node(pod, su, slot)


def _with_leaves(fabric: Fabric, nodes: Iterable[Node]) -> Iterator[str]:
    for node in nodes:
        yield fabric.name(node)
        for nic in fabric.cabling.nic_ports():
            yield fabric.name(fabric.cabling.leaf_of(node, nic)[0])
