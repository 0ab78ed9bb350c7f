# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that enter a tenant: whether they may, who else waits on their leaves, and their routes afterwards."""

from __future__ import annotations

import typing as t

from ...description.errors import FabricError
from ...description.words import some
from .. import attachments, nets, prefixes, schema, wipe
from .. import nodes as node_text
from ..observed_ports import seen
from ..vrfs import of_leaf
from . import move_plan
from .gates import not_entered
from .leaf import Job

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Node, Switch
    from ..attachments import Attachment
    from ..observed_ports import ObservedPort
    from ..registry import Registry
    from ..vrfs import Session
    from .leaf import Clock, Leaf, Leaves

MOST_NAMES = 8
"""More nodes than these are named by place, in ranges."""
MOST_LEAVES = 4
"""Leaves on which nodes wait that a line names."""


def may_enter(
    registry: Registry, slug: str, nodes: Collection[Node], documents: Mapping[str, t.Any]
) -> None:
    """FabricError unless nodes may enter the tenant, by what the leaves have applied."""
    house = {owner.vrf for owner in registry.owners.values() if prefixes.is_house(owner.slug)}
    drift: list[str] = []
    come: list[Node] = []
    for node in nodes:
        name = registry.fabric.name(node)
        found = seen(registry, documents, attachments.of_node(registry.fabric, node))
        drift += [
            *move_plan.unlisted(registry, name, found),
            *_of_others(registry, slug, name, found),
        ]
        vrfs = {port.vrf for port in found}
        if vrfs & house and registry.owner(slug).vrf not in vrfs:
            come.append(node)
    if drift:
        raise FabricError(drift)
    names = [registry.fabric.name(node) for node in come if node not in registry.health]
    if names and registry.customers_before():
        raise FabricError.of(
            f"spx_nodes: {', '.join(names)} would enter {slug} unwiped ({wipe.UNKNOWN}): move them with tenant_move "
            f"-e spx_tenant={slug}, which wipes them, or record under health how they were wiped."
        )


def _of_others(
    registry: Registry, slug: str, name: str, found: Iterable[ObservedPort]
) -> Iterator[str]:
    """Ports in VRFs of other customers, present or retired."""
    present = registry.customer_vrfs(slug)
    retired = {owner.vrf: owner.slug for owner in registry.retired()}
    own, house = registry.owner(slug).vrf, registry.owner(schema.QUARANTINE).vrf
    for port in found:
        here = f"tenant drift: port {port.port} of {port.leaf} ({name}) is in {port.vrf}"
        if port.vrf in present:
            yield f"{here}, not {own}: run tenant_move -e spx_tenant={slug} -e spx_nodes={name}."
        elif port.vrf in retired:
            yield (
                f"{here}, whose tenant {retired[port.vrf]} has left: put the port into {house} on the leaf by hand "
                f"where {name} is at work for {slug} on its other leaves, else run switches, and then tenant_move, "
                "which wipes it."
            )


def waiting(
    registry: Registry, nodes: Collection[Node], applied: Mapping[str, Mapping[str, t.Any]]
) -> list[str]:
    """The nodes beside `nodes` that the registry has in another VRF than some leaves; a line for each owner.

    `applied` are the documents of the leaves.
    """
    fabric, yielding = registry.fabric, {None, *registry.yielding_vrfs()}
    held: dict[str, tuple[list[Node], list[str]]] = {}
    for name, document in applied.items():
        leaf = t.cast("Switch", fabric.device(name))
        for at, vrf in _ports(registry, leaf, document):
            holding = registry.holding(at.node)
            others = at.present and at.node not in nodes and holding.moving is None
            if others and vrf in yielding and vrf != registry.owner(holding.slug).vrf:
                members, leaves = held.setdefault(holding.slug, ([], []))
                members.append(at.node)
                leaves += [name] if name not in leaves else []
    return [
        f"waiting: {', '.join(_names(fabric, sorted({*members})))} of {slug} on "
        f"{', '.join(some(leaves, MOST_LEAVES))}: "
        + (
            f"run tenant_onboard -e spx_tenant={slug} for them, or "
            if registry.owner(slug).kind == "tenant"
            else "run "
        )
        + "switches."
        for slug, (members, leaves) in held.items()
    ]


def strangers(
    registry: Registry,
    slug: str,
    leaf: Switch,
    nodes: Collection[Node],
    applied: Mapping[str, t.Any],
) -> list[str]:
    """Ports in the tenant's VRF of nodes that are neither its own, nor among `nodes`, nor on their way."""
    fabric, own, made = registry.fabric, registry.owner(slug).vrf, []
    for at, vrf in _ports(registry, leaf, applied):
        if vrf != own or at.node in nodes:
            continue
        claim, record = registry.claims.get(at.node), registry.moves.get(at.node)
        known = {claim.slug} if claim else set[str]()
        known |= {record.from_, record.to} if record else set()
        if at.present and slug in known:
            continue
        name = fabric.name(at.node)
        holder = registry.holding(at.node).slug if at.present else schema.QUARANTINE
        how = (
            f"run tenant_move -e spx_tenant={holder} -e spx_nodes={name}"
            if at.present
            else f"put the port into {registry.owner(holder).vrf} by hand"
        )
        made.append(
            f"tenant drift: port {at.port} of {at.leaf} ({name}) is in {own}, and registry says {holder}: {how}, and "
            "run again."
        )
    return made


def left(
    registry: Registry, leaf: Switch, nodes: Collection[Node], applied: Mapping[str, t.Any]
) -> list[str]:
    """The VRF of rest, where nodes that enter a tenant come from it: it may be empty behind them."""
    rest, ports = registry.owner("rest").vrf, list(_ports(registry, leaf, applied))
    comes = any(vrf == rest and at.node in nodes for at, vrf in ports)
    stays = any(registry.holding(at.node).slug == schema.REST for at, _vrf in ports)
    return [rest] if comes and not stays else []


def _ports(
    registry: Registry, leaf: Switch, applied: Mapping[str, t.Any]
) -> Iterator[tuple[Attachment, str | None]]:
    """The attachments of a leaf, with each VRF that it has them in."""
    for at in attachments.on_leaf(registry.fabric, leaf):
        for found in seen(registry, {at.leaf: applied}, [at]):
            yield at, found.vrf


def enter(
    registry: Registry,
    leaves: Leaves,
    nodes: Collection[Node],
    ending: Mapping[str, Iterable[str]],
    *,
    others: Iterable[str] = (),
    tenants: Collection[str] = (),
) -> None:
    """Bring nodes into their tenant's VRF on all of its leaves, and nobody else anywhere.

    On the leaves `others`, of the other networks, they come last, with the storage and sessions of `tenants`.
    """

    def work(leaf: Leaf) -> None:
        leaf.bring(registry, Job(nodes=nodes, ending=list(ending[leaf.name])))

    leaves.each(ending, work)
    leaves.each(others, lambda leaf: leaf.bring(registry, Job(nodes=nodes, tenants=tenants)))


def leave(registry: Registry, leaves: Leaves, slug: str, names: Iterable[str]) -> None:
    """Take the storage and the sessions of a tenant off the converged fabric; its nodes have left."""
    then = registry.without(slug)
    leaves.each(names, lambda leaf: leaf.bring(then, Job(nodes=(), tenants=[slug])))


def await_routes(
    registry: Registry, leaves: Leaves, slug: str, names: Iterable[str], clock: Clock, wait: float
) -> None:
    """Wait until leaves have the tenant's routes; FabricError with what lacks after `wait` seconds."""

    def work(leaf: Leaf) -> list[str]:
        applied = leaf.applied()
        return clock.wait(wait, lambda: not_entered(registry, slug, leaf, applied))

    if lacking := [text for texts in leaves.each(names, work).values() for text in texts]:
        raise FabricError(lacking)


def await_sessions(
    registry: Registry, leaves: Leaves, slug: str, names: Iterable[str], clock: Clock, wait: float
) -> None:
    """Wait until the sessions of a tenant to the outside are Established; FabricError with those that are not."""
    asked = {
        name: vrfs
        for name in names
        if (vrfs := _sessions(registry, slug, t.cast("Switch", registry.fabric.device(name))))
    }

    def work(leaf: Leaf) -> list[str]:
        return clock.wait(wait, lambda: list(_not_established(leaf, slug, asked[leaf.name])))

    if lacking := [text for texts in leaves.each(asked, work).values() for text in texts]:
        raise FabricError(lacking)


def _sessions(registry: Registry, slug: str, leaf: Switch) -> dict[str, list[Session]]:
    """The sessions of a tenant on a leaf, by VRF."""
    rows = of_leaf(registry.fabric, registry, leaf)
    return {row["vrf"]: row["sessions"] for row in rows if row["slug"] == slug and row["sessions"]}


def _not_established(leaf: Leaf, slug: str, vrfs: Mapping[str, list[Session]]) -> Iterator[str]:
    paths = {vrf: f"vrf/{vrf}/router/bgp/neighbor" for vrf in vrfs}
    read = leaf.read(paths.values())
    for vrf, sessions in vrfs.items():
        found = read.get(paths[vrf]) or {}
        for session in sessions:
            port = nets.interface(session["port"], session["vlan"])
            peer = session["peer_address"] or port
            body = found.get(peer) if isinstance(found, dict) else None
            state = (
                str((body or {}).get("state") or "not reported").partition("(")[0].strip().lower()
            )
            if state != "established":
                yield (
                    f"{leaf.name}: the session of {slug} with {session['name']} ({peer}, link {session['link']}) in "
                    f"{vrf} is {state}: check whether the neighbour has AS {session['asn']}, its end of "
                    "the link and the password, and run again."
                )


def _names(fabric: Fabric, nodes: list[Node]) -> list[str]:
    if len(nodes) > MOST_NAMES:
        return node_text.compress(fabric, sorted(set(nodes)))
    return sorted({fabric.name(node) for node in nodes})
