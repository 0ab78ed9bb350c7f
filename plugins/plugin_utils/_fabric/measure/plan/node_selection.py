# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Choice of the nodes to measure, the reasons against it, and the tenants that it disturbs.

A measurement logs in to its nodes and loads their links, so that it takes nodes of rest, or those of one
tenant that allows it. From level bisection on it loads the spines, which rented nodes may share: it is then
itself a noisy neighbour, and needs a window that somebody has agreed to.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...description.errors import FabricError
from ...description.words import count, some
from ...render.host import outages
from ...render.host.desired import managed
from ...tenants import schema
from ...tenants.capacity import unit_of
from ...tenants.moves import jobs

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...description.windows import Window
    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Node
    from ...tenants.registry import Registry
    from .records import Level

FEWEST = 2
"""Nodes of a measurement: one sends, one receives."""


@dataclasses.dataclass(frozen=True)
class Choice:
    """The nodes of a measurement, by name in order; `left_out` says by node why one is not measured."""

    nodes: tuple[str, ...]
    holder: str
    group: str | None = None
    left_out: dict[str, str] = dataclasses.field(default_factory=dict)

    @property
    def whose(self) -> str:
        """`tenant acme`, `acceptance group burn-in of rest`."""
        return f"acceptance group {self.group} of rest" if self.group else f"tenant {self.holder}"


def choose(fabric: Fabric, registry: Registry, texts: Sequence[str] = ()) -> Choice:
    """The nodes that `texts` name, else those in rest; FabricError with all that forbids it."""
    nodes = jobs.expand(fabric, texts) if texts else _resting(fabric, registry)
    if refused := _refused(fabric, registry, nodes):
        raise FabricError(refused)
    away = {node: why for node in nodes if (why := outages.whole(fabric, node))}
    here = [node for node in nodes if node not in away]
    if len(here) < FEWEST:
        raise FabricError.of(
            f"spx_nodes: {count(here, 'node')} in service of {count(nodes, 'node')}: a measurement needs "
            f"{FEWEST} or more; name more nodes, or bring some to rest with tenant_move."
        )
    holding = registry.holding(here[0])
    return Choice(
        tuple(fabric.name(node) for node in here),
        holding.slug,
        holding.group,
        {fabric.name(node): f"it is out of service: {why}" for node, why in away.items()},
    )


def _resting(fabric: Fabric, registry: Registry) -> list[Node]:
    """The nodes of the only acceptance group of rest."""
    groups: dict[str, list[Node]] = {}
    for node in registry.nodes_of(schema.REST):
        holding = registry.holding(node)
        if holding.group and holding.moving is None and fabric.present(node):
            groups.setdefault(holding.group, []).append(node)
    if len(groups) > 1:
        raise FabricError.of(
            f"spx_nodes: rest has the acceptance groups {', '.join(sorted(groups))}, which do not reach each other: "
            "name the nodes of one."
        )
    if not groups:
        raise FabricError.of(
            "spx_nodes: rest has no node with an acceptance group: bring nodes there with tenant_move -e "
            "spx_tenant=rest -e spx_acceptance=GROUP, or name nodes of one tenant with host_access: managed."
        )
    return next(iter(groups.values()))


def _refused(fabric: Fabric, registry: Registry, nodes: Sequence[Node]) -> list[str]:
    """A sentence for each reason why some nodes may not be measured, or not together."""
    single = [text for node in nodes if (text := _unfit(fabric, registry, node))]
    return single or _parted(fabric, registry, nodes)


def _unfit(fabric: Fabric, registry: Registry, node: Node) -> str:
    """Reason that one node may not be measured."""
    name, holding = fabric.name(node), registry.holding(node)
    if holding.moving is not None:
        record = holding.moving
        return (
            f"spx_nodes: {name} is moving from {record.from_} to {record.to}: run tenant_move to its end, or leave it "
            "out."
        )
    if holding.slug == schema.QUARANTINE:
        return (
            f"spx_nodes: {name} is in quarantine, where it reaches no other node: bring it to rest with tenant_move, "
            "or leave it out."
        )
    if registry.owner(holding.slug).kind == "service":
        return f"spx_nodes: {name} offers the service {holding.slug} to tenants: leave it out."
    if not managed(fabric, registry, node):
        return (
            f"spx_nodes: {name} is rented to {holding.slug}, which has host_access none: leave it out, or agree on "
            "host_access: managed with the tenant."
        )
    if holding.slug == schema.REST and holding.group is None:
        return (
            f"spx_nodes: {name} is in rest without an acceptance group, and reaches no other node: name a group for it "
            "under rest of the registry."
        )
    return ""


def _parted(fabric: Fabric, registry: Registry, nodes: Sequence[Node]) -> list[str]:
    """Reason that nodes do not reach each other."""
    holdings = {node: registry.holding(node) for node in nodes}
    sets = sorted({(held.slug, held.group or "") for held in holdings.values()})
    if len(sets) < FEWEST:
        return []
    words = [f"{slug} ({group})" if group else slug for slug, group in sets]
    return [
        f"spx_nodes: the nodes belong to {', '.join(some(words))}, which do not reach each other: name nodes of one."
    ]


def partners(fabric: Fabric, registry: Registry, name: str) -> Choice:
    """A node that is being accepted, first, with one partner on its leaf and one beyond it, as far as there are.

    Nodes that are settled in its acceptance group come before those that are accepted at the same time. FabricError
    without a partner: what is not measured is not accepted.
    """
    node = fabric.known(name)
    holding = registry.holding(t.cast("Node", node))
    group = registry.group(holding.group) if holding.group else []
    others = [n for n in group if n != node and fabric.present(n) and not outages.whole(fabric, n)]
    others.sort(key=lambda other: registry.holding(other).moving is not None)
    own = unit_of(fabric, t.cast("Node", node))
    near = [other for other in others if unit_of(fabric, other) == own][:1]
    far = [other for other in others if unit_of(fabric, other) != own][:1]
    if not near + far:
        raise FabricError.of(
            f"acceptance_level: {name} has no partner to be measured with in acceptance group "
            f"{holding.group or '(none)'}: name one with -e spx_acceptance that has other nodes in rest."
        )
    names = tuple(fabric.name(each) for each in (t.cast("Node", node), *near, *far))
    return Choice(names, holding.slug, holding.group)


# Whom a measurement disturbs


def beside(fabric: Fabric, registry: Registry, nodes: Iterable[str]) -> dict[str, list[str]]:
    """Customers and services with nodes on the same spines, those measured aside: {slug: [node]}.

    Nodes of several pods meet over super-spines, which carry the traffic of every pod.
    """
    measured = {fabric.known(name) for name in nodes}
    pods = {node.pod for node in measured}
    made: dict[str, list[str]] = {}
    for node in sorted({*registry.claims, *registry.moves}):
        slug = registry.holding(node).slug
        here = len(pods) > 1 or node.pod in pods
        if here and node not in measured and registry.owner(slug).customer:
            made.setdefault(slug, []).append(fabric.name(node))
    return made


def rented(registry: Registry, found: dict[str, list[str]]) -> dict[str, list[str]]:
    """Select from the neighbours the services and the customers who did not agree to playbooks on their hosts."""
    agreed = {row.slug for row in registry.file.tenants if row.host_access == "managed"}
    return {slug: names for slug, names in found.items() if slug not in agreed}


def forbidden(level: Level, others: dict[str, list[str]], window: Window | None) -> str:
    """Reason that a level may not run beside the rented nodes `others`; empty where it may."""
    if not (level.shares_spines or level.cuts) or not others or window is not None:
        return ""
    names = [name for held in others.values() for name in held]
    return (
        f"level {level.name}: {count(names, 'rented node')} of {', '.join(some(sorted(others)))} share the spines with "
        "the nodes measured: agree on a window, and record it with -e spx_window='\"DAY REASON\"'."
    )
