# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Audience of work on switches: the tenants whose nodes lose ports, or a way, where nobody stands in.

audience(registry, ["leaf-p1-su001-r1"])   [Audience("acme", ["worker-su01-rack01-h01"], [1])]
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..plan.topology.cabling import HOST, Node, Port, Switch
from ..plan.topology.converged import WITH_VTEP
from . import attachments, schema

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..plan.topology.cabling import NicPort
    from .holdings import Holdings

EAST_WEST = ("leaf", "spine", "super_spine")
NOBODY = (schema.QUARANTINE, schema.REST)
"""Holders of nodes that nobody rents."""


@dataclasses.dataclass(frozen=True)
class Audience:
    """Nodes of a tenant that lose ports, and their rails, one-based; no rail on another network."""

    tenant: str
    nodes: list[str]
    rails: list[int]


def nodes_of(registry: Holdings, leaf: Switch) -> set[Node]:
    """Return the built nodes at a leaf of any network, or behind another switch."""
    return {node for node, _rail in _ends(registry, leaf)}


def rented(registry: Holdings, leaf: Switch) -> list[Node]:
    """Return the nodes at a leaf that somebody rents, or that are moving."""
    return sorted(n for n in nodes_of(registry, leaf) if _holder(registry, n) not in NOBODY)


def moving(registry: Holdings, leaf: Switch) -> list[Node]:
    """Return the nodes at a leaf that a move has in hand."""
    return sorted(nodes_of(registry, leaf) & registry.moves.keys())


def vacant(registry: Holdings, leaf: Switch) -> bool:
    """Check whether nobody rents a node of the SU of an east-west leaf, or a node behind another switch."""
    if leaf.role != "leaf":
        return not rented(registry, leaf)
    within = leaf.index // registry.fabric.clos.leaves_per_su

    def work() -> bool:
        nodes = registry.fabric.nodes(pods=[leaf.pod], sus=[within])
        return all(_holder(registry, node) in NOBODY for node in nodes)

    return registry.cached(("vacant", leaf.pod, within), work)


def audience(registry: Holdings, names: Iterable[str]) -> list[Audience]:
    """Return the tenants at some leaves, or behind other switches, by name; who rents nothing comes last."""
    nodes: dict[str, set[Node]] = {}
    rails: dict[str, set[int]] = {}
    for name in names:
        for node, rail in _ends(registry, t.cast("Switch", registry.fabric.device(name))):
            slug = registry.holding(node).slug
            nodes.setdefault(slug, set()).add(node)
            rails.setdefault(slug, set()).update([] if rail is None else [rail + 1])
    name_of = registry.fabric.name
    return [
        Audience(slug, [name_of(node) for node in sorted(nodes[slug])], sorted(rails[slug]))
        for slug in sorted(nodes, key=lambda slug: (slug in NOBODY, slug))
    ]


def _holder(registry: Holdings, node: Node) -> str:
    """Return who holds a node; one that moves is in nobody's hands but the move's."""
    return "moving" if node in registry.moves else registry.holding(node).slug


def _ends(registry: Holdings, switch: Switch) -> Iterator[tuple[Node, int | None]]:
    """Yield the built nodes at a leaf with the rail of each port; those of its pod, or all, for another switch."""
    fabric = registry.fabric
    hosts = fabric.blocks(switch).get(HOST)
    if switch.role in WITH_VTEP and switch.role != "leaf":
        yield from ((at.node, at.rail) for at in attachments.on_leaf(fabric, switch) if at.present)
        return
    for index in range(hosts.count if hosts else 0):
        end = fabric.end(switch, Port(HOST, index))
        if end and fabric.present(t.cast("Node", end[0])):
            yield t.cast("Node", end[0]), t.cast("NicPort", end[1]).rail
    if not hosts:
        nics = fabric.cabling.nic_ports() if switch.role in EAST_WEST else ()
        rails = sorted({nic.rail for nic in nics if nic.plane == switch.plane})
        pods = [switch.pod] if switch.role == "spine" else None
        numbers: list[int | None] = [*rails] or [None]
        yield from ((node, rail) for node in fabric.nodes(pods=pods) for rail in numbers)
