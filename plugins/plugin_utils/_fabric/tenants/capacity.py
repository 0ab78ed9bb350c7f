# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of a leaf: VRFs, L3VNIs and routes, checked before anything is sent.

All leaves of an SU see the same nodes (of a rack position, when top-of-rack), so one check serves
them all and the cost follows the nodes that somebody holds, not the fabric.
"""

from __future__ import annotations

import typing as t

from ..catalog import upgrades
from ..catalog.data import table
from ..catalog.hardware import version
from ..description.errors import Breach
from ..plan.topology.cabling import Node
from . import schema

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..plan.fabric import Fabric
    from .holdings import Holdings

Unit = tuple[int, int, int]
PLATFORM_VRFS = 14
"""rest, and the services' ids 3 to 15."""


def unit_of(fabric: Fabric, node: Node) -> Unit:
    """The leaves that a node meets: (pod, SU, position in it)."""
    c = fabric.clos
    return (node.pod, node.su, node.slot // c.nodes_per_leaf if c.top_of_rack else 0)


def nodes_per_leaf(fabric: Fabric) -> int:
    """Nodes that a leaf serves at capacity."""
    c = fabric.clos
    return c.nodes_per_leaf if c.top_of_rack else c.slots


def rails_seen(fabric: Fabric) -> int:
    """Rails whose links a leaf reaches: all of its plane."""
    return 1 if fabric.clos.by_rail else fabric.clos.rails


def rails_served(fabric: Fabric) -> int:
    """Rails whose hosts a leaf serves."""
    c = fabric.clos
    if c.by_rail:
        return 1
    return c.rails if c.top_of_rack else c.rails_per_leaf


def expected_vrfs(fabric: Fabric, stated: int | None) -> int:
    """VRFs with an L3VNI that a leaf is prepared for: as stated, else one for each of its nodes."""
    return stated or nodes_per_leaf(fabric) + PLATFORM_VRFS


def vlan_range(fabric: Fabric, stated: int | None) -> tuple[int, int]:
    """First and last VLAN reserved for L3VNIs; never fewer than the switch reserves by itself."""
    row = table("tenancy")["l3vni_vlans"]
    by_itself = table("switches")["limits"]["l3vni_vlans"]["value"]
    count = min(max(by_itself, expected_vrfs(fabric, stated)), row["last"])
    begin = min(row["begin"], row["last"] - count + 1)
    return begin, begin + count - 1


def route_budget(fabric: Fabric) -> dict[str, t.Any]:
    """Routes that a leaf's forwarding table holds, of the family and length of host links: {value, source}.

    Of the default profile: neither does a description name another, nor does a role set one. The resource mode half
    leaves half of it.
    """
    d = fabric.description
    mode = upgrades.resource_mode(d.routing.restart, d.releases)
    long = "_long" if fabric.addresses.version == 6 and fabric.addresses.link_length > 64 else ""
    row = table("switches")["limits"][f"routes_ipv{fabric.addresses.version}{long}"]
    value = row["default"] // 2 if mode and mode.leaves == "half" else row["default"]
    return {"value": value, "source": row["source"]}


def breaches(registry: Holdings) -> Iterator[Breach]:
    """Leaves that would hold more than they can."""
    units: dict[Unit, set[str]] = {}
    totals: dict[str, int] = {}
    for node in {*registry.claims, *registry.moves}:
        slug = registry.holding(node).slug
        if slug in registry.owners:
            units.setdefault(unit_of(registry.fabric, node), set()).add(slug)
            totals[slug] = totals.get(slug, 0) + 1
    yield from _vrfs(registry, units)
    yield from _routes(registry, units, totals)
    yield from _summaries(registry)


def _vrfs(registry: Holdings, units: dict[Unit, set[str]]) -> Iterator[Breach]:
    stated = registry.file.vrfs_per_leaf
    begin, end = vlan_range(registry.fabric, stated)
    limit = table("switches")["limits"]["vrfs_per_switch"]["value"]
    for unit, slugs in sorted(units.items()):
        vnis = sum(1 for slug in slugs if registry.owners[slug].l3vni)
        room = min(end - begin + 1, stated or end)
        if vnis > room:
            yield Breach(
                ("vrfs_per_leaf",) if stated else ("tenants",),
                f"the leaves of {_where(unit)} would hold {vnis} VRFs with an L3VNI, and {room} "
                "reserved VLANs serve one each: raise vrfs_per_leaf, or spread the tenants.",
            )
        count = len({*slugs, schema.QUARANTINE})
        if count > limit:
            yield Breach(
                ("tenants",),
                f"the leaves of {_where(unit)} would hold {count} VRFs and a switch has at most "
                f"{limit}: spread the tenants over more SUs.",
            )


def _where(unit: Unit) -> str:
    return f"pod{unit[0] + 1:02}/su{unit[1] + 1:02}"


def _routes(
    registry: Holdings, units: dict[Unit, set[str]], totals: dict[str, int]
) -> Iterator[Breach]:
    """The routes of a leaf's VRFs against its forwarding table; one breach for the fullest leaf."""
    budget = route_budget(registry.fabric)["value"]
    counts = {slug: routes_held(registry, slug, totals) for slug in totals}
    held = [(sum(counts[slug] for slug in slugs), unit) for unit, slugs in units.items()]
    most, unit = max(held, default=(0, (0, 0, 0)))
    if most <= budget:
        return
    largest = max(sorted(units[unit]), key=lambda slug: counts[slug])
    yield Breach(
        ("tenants",),
        f"the leaves of {_where(unit)} would hold {most} tenant routes and the default "
        f"forwarding table of the release has {budget} for IPv{registry.fabric.addresses.version}: set routes of "
        f"{largest} ({counts[largest]} routes) to {_narrower(registry, largest)}.",
    )


def _narrower(registry: Holdings, slug: str) -> str:
    routes = registry.owners[slug].routes
    wider = {"exact": "rail, or leaf where hosts must cross rails", "rail": "leaf"}
    return wider.get(routes, "rail for further tenants, or move some of them to other SUs")


def routes_held(registry: Holdings, slug: str, totals: Mapping[str, int]) -> int:
    """Routes in the VRF of a tenant on one leaf: its own, and those that are leaked to it."""
    others = registry.leaked(registry.owners[slug])
    return route_count(registry, slug, totals[slug]) + sum(
        _announced(registry, other, totals.get(other, 0)) for other in others
    )


def route_count(registry: Holdings, slug: str, nodes: int) -> int:
    """Routes of a tenant in one leaf's VRF; for `leaf` the most that collapsing can leave."""
    owner = registry.owners[slug]
    if not owner.l3vni:
        return 0
    if owner.routes == "rail":
        return nodes * rails_served(registry.fabric)
    return _announced(registry, slug, nodes)


def _announced(registry: Holdings, slug: str, nodes: int) -> int:
    """Routes that a tenant's nodes cause on one plane, which is what others get by leaking."""
    held = _collapsed(registry, slug) if registry.owners[slug].routes == "leaf" else nodes
    return held * rails_seen(registry.fabric)


def _collapsed(registry: Holdings, slug: str) -> int:
    """Aligned blocks of slots that a tenant holds, over all SUs: one prefix each."""
    slots: dict[tuple[int, int], set[int]] = {}
    for node in registry.nodes_of(slug):
        slots.setdefault((node.pod, node.su), set()).add(node.slot)
    return sum(_blocks(held) for held in slots.values())


def _blocks(held: set[int]) -> int:
    count, level = 0, held
    while level:
        pairs = {number >> 1 for number in level if number ^ 1 in level}
        count += sum(1 for number in level if number ^ 1 not in level)
        level = pairs
    return count


def _summaries(registry: Holdings) -> Iterator[Breach]:
    """Collapsed routes hide a lost link, which a host of several planes must learn of."""
    fabric = registry.fabric
    row = table("tenancy")["unreachability"]
    release = fabric.description.release.cumulus
    split = fabric.clos.planes > 1 and not fabric.clos.by_rail
    for number, tenant in enumerate(registry.file.tenants):
        if tenant.routes != "leaf":
            continue
        if split and version(release) < version(row["since"]):
            yield Breach(
                ("tenants", number, "routes"),
                f"leaf of {tenant.slug} is not allowed with split planes before Cumulus Linux "
                f"{row['since']} (this is {release}), where a lost link would stay hidden from "
                "hosts: use exact or rail.",
            )
        if fabric.addresses.table:
            yield Breach(
                ("tenants", number, "routes"),
                f"leaf of {tenant.slug} is not allowed with addressing.profile table, whose links "
                "do not collapse: use exact or rail.",
            )
