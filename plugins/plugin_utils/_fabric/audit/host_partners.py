# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Choice of the nodes that a host tries: partners that must answer, and strangers that must not.

A sample, bounded whatever the size of the fabric.
"""

from __future__ import annotations

import typing as t

from ..plan.topology.cabling import Node
from ..render.host import outages
from ..tenants import schema
from ..tenants.capacity import unit_of
from . import isolation

if t.TYPE_CHECKING:
    from ..plan.fabric import Fabric
    from ..plan.slices import Nic
    from ..tenants.registry import Registry

KINDS = {"same_leaf": "on the same leaf", "across_leaves": "on another leaf"}
NEAR = 64
"""Slots, owners and SUs that are looked through for a stranger."""


class Partner(t.TypedDict, total=False):
    """Another node whose answer counts, or the reason why there is none."""

    name: str
    addresses: dict[str, str]
    reason: str


def ports_in_service(fabric: Fabric, node: Node) -> dict[str, Nic]:
    """The ports of a node whose links are in service, by name."""
    resting = outages.ports(fabric, node)
    return {row["port"]: row for row in fabric.slice(node)["ports"] if row["port"] not in resting}


# Partners


def partners(fabric: Fabric, registry: Registry, node: Node) -> dict[str, Partner]:
    """Per kind {name, addresses: {interface: address}}, or {reason} where there is none."""
    known = _met(registry, node)
    if isinstance(known, str):
        return {kind: {"reason": known} for kind in KINDS}
    own, tenant = unit_of(fabric, node), registry.holding(node).slug
    made: dict[str, Partner] = {}
    for kind, words in KINDS.items():
        found = [n for n in known if (unit_of(fabric, n) == own) is (kind == "same_leaf")]
        why = f"{tenant} has no other node {words}."
        if found:
            why = f"Every other node of {tenant} {words} is out of service."
        made[kind] = _partner(fabric, found) or {"reason": why}
    return made


def _met(registry: Registry, node: Node) -> list[Node] | str:
    """Built nodes that may be met, or why none may."""
    holding = registry.holding(node)
    if holding.slug == schema.QUARANTINE:
        return "Nodes in quarantine reach nobody but their leaf."
    if holding.moving is not None:
        return "The node is moving."
    group = holding.group if holding.slug == schema.REST else None
    found = registry.group(group) if group else registry.nodes_of(holding.slug)
    return [n for n in found if n != node and registry.holding(n).up]


def _partner(fabric: Fabric, nodes: list[Node]) -> Partner | None:
    """The first node whose ports are all in service, else the one with most of them; None without."""
    chosen, fewest = None, sum(1 for _nic in fabric.cabling.nic_ports())
    for node in nodes:
        resting = len(outages.ports(fabric, node))
        if resting < fewest:
            chosen, fewest = node, resting
        if not resting:
            break
    if chosen is None:
        return None
    ports = ports_in_service(fabric, chosen)
    addresses = {name: port["address"] for name, port in ports.items()}
    return {"name": fabric.name(chosen), "addresses": addresses}


def fellow(fabric: Fabric, registry: Registry, node: Node) -> list[Node]:
    """At most one node of other leaves that the node may reach: nodes are in order, ends lie apart."""
    mine = registry.holding(node)
    held = registry.group(mine.group) if mine.group else registry.nodes_of(mine.slug)
    found = _settled(fabric, registry, node, _some(held, node.slot), meet=True)
    return [other for other in found if unit_of(fabric, other) != unit_of(fabric, node)][:1]


def _some(held: t.Sequence[Node], turn: int) -> list[Node]:
    """One of some nodes by turns, the first and the last."""
    return [held[place] for place in (turn % len(held), 0, -1)] if held else []


def _settled(
    fabric: Fabric, registry: Registry, node: Node, others: t.Iterable[Node], *, meet: bool
) -> list[Node]:
    """Select nodes that are built and do not move, and that a node may reach or not."""
    still = [n for n in others if fabric.present(n) and registry.holding(n).moving is None]
    return [other for other in still if _meet(registry, node, other) is meet]


# Strangers


def strangers(fabric: Fabric, registry: Registry, node: Node) -> list[Node]:
    """At most one node of the same leaf and one of others, neither of which the node may reach.

    Nodes that somebody holds before those of quarantine; each node begins with its own successor, so
    that the sample of many nodes covers many. Silence of a node out of service would say nothing.
    """
    found = []
    for places in (_beside(fabric, node), _beyond(fabric, registry, node)):
        known = _settled(fabric, registry, node, places, meet=False)
        known = [other for other in known if not outages.whole(fabric, other)]
        known.sort(key=lambda n: registry.holding(n).slug == schema.QUARANTINE)
        found += known[:1]
    return found


def _beside(fabric: Fabric, node: Node) -> t.Iterator[Node]:
    c = fabric.clos
    first = node.slot // c.nodes_per_leaf * c.nodes_per_leaf
    slots = min(c.nodes_per_leaf, c.slots - first)
    for step in range(1, min(slots, NEAR)):
        yield Node(node.pod, node.su, first + (node.slot - first + step) % slots)


def _beyond(fabric: Fabric, registry: Registry, node: Node) -> t.Iterator[Node]:
    """On other leaves: one node of each of some owners, then those in the same place of the next."""
    c = fabric.clos
    own = unit_of(fabric, node)
    turn = (node.pod * c.sus + node.su) * c.slots + node.slot
    slugs = sorted(registry.owners)
    for step in range(min(len(slugs), NEAR)):
        held = registry.nodes_of(slugs[(turn + step) % len(slugs)])
        yield from [n for n in _some(held, turn) if unit_of(fabric, n) != own][:1]
    yield from (n for n in _next_leaves(fabric, node) if unit_of(fabric, n) != own)


def _next_leaves(fabric: Fabric, node: Node) -> t.Iterator[Node]:
    """In the next SUs, and where nodes of an SU do not share a leaf in the same one: two of each."""
    c = fabric.clos
    units, own = c.pods * c.sus, node.pod * c.sus + node.su
    leaves = -(-c.slots // c.nodes_per_leaf)
    same = [(own, step * c.nodes_per_leaf) for step in range(1, min(leaves, NEAR))]
    next_units = [((own + step) % units, 0) for step in range(1, min(units, NEAR))]
    for unit, shift in same + next_units:
        for slot in (node.slot + 1, node.slot):
            yield Node(*divmod(unit, c.sus), (slot + shift) % c.slots)


def _meet(registry: Registry, one: Node, two: Node) -> bool:
    """Check whether the registry lets two nodes reach each other."""
    mine, theirs = registry.holding(one), registry.holding(two)
    if schema.QUARANTINE in (mine.slug, theirs.slug):
        return False
    if mine.slug == theirs.slug:
        return mine.slug != schema.REST or (mine.group is not None and mine.group == theirs.group)
    pair = (registry.owners[mine.slug].vrf, registry.owners[theirs.slug].vrf)
    return pair in isolation.edges(registry)
