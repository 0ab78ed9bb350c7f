# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a tenant playbook is about to do: nodes, leaves, prefixes, and the lines that say so.

Every plan is plain data whose cost follows the nodes named, never the size of the fabric. The plan
of a move is in `moving.py`.
"""

from __future__ import annotations

import typing as t

from ..model.errors import FabricError
from ..model.words import count
from ..topology.cabling import Node, Switch
from . import capacity, move, moving, prefixes, rules, schema, wiping
from . import nodes as node_text
from .links import leaves_of, ports_of

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ..fabric import Fabric
    from .registry import Registry

Data = dict[str, t.Any]


def expand(fabric: Fabric, texts: Iterable[str]) -> list[Node]:
    """Nodes of several texts, each once, in order; FabricError with a sentence for each bad text."""
    found: dict[Node, None] = {}
    sentences: list[str] = []
    for text in texts:
        try:
            found.update(dict.fromkeys(node_text.expand(fabric, str(text))))
        except FabricError as exc:
            sentences += [f"spx_nodes: {sentence}" for sentence in exc.sentences]
    if sentences:
        raise FabricError(sentences)
    return list(found)


def onboarding(
    fabric: Fabric, registry: Registry, slug: str, *, extra: Collection[Node] = ()
) -> Data:
    """Bringing a tenant's nodes into its VRF: {tenant, vrf, nodes, leaves, watched, lines}.

    `extra` are nodes to be added to the registry's. FabricError when one is another tenant's.
    """
    row, owner = registry.tenant(slug), registry.owner(slug)
    _free(registry, slug, [*extra, *registry.waiting(slug)])
    held = [node for node in registry.nodes_of(slug) if registry.holding(node).moving is None]
    nodes = sorted({*held, *extra})
    leaves = leaves_of(fabric, nodes)
    return {
        "tenant": slug,
        "id": row.id,
        "vrf": owner.vrf,
        "l3vni": owner.l3vni,
        "nodes": [fabric.name(node) for node in nodes],
        "added": [fabric.name(node) for node in sorted(extra) if node not in held],
        "leaves": leaves,
        "not_realised": not_realised(registry, row),
        "lines": [
            f"onboard {slug} (id {row.id}): {count(nodes, 'node')} into {owner.vrf}, L3VNI "
            f"{owner.l3vni}, on {count(leaves, 'leaf', 'leaves')}",
            *(f"  {text}" for text in node_text.compress(fabric, nodes)),
            *wiping.lines(registry, [node for node in extra if node not in held]),
            *not_realised(registry, row),
        ],
    }


def not_realised(registry: Registry, row: schema.Tenant) -> list[str]:
    """What the registry entitles a tenant to and this fabric's leaves do not carry out."""
    made = []
    if row.shared and not registry.file.leaking:
        made.append(
            f"  not imported: {', '.join(row.shared)} (leaking is false in the registry; the "
            "prefix sets are in the hand-over file)"
        )
    beyond = [network for network in row.networks if network != "east-west"]
    if beyond:
        made.append(f"  planned only: {', '.join(beyond)} (other switches than this fabric's)")
    return made


def _free(registry: Registry, slug: str, nodes: Iterable[Node]) -> None:
    sentences = []
    for node in nodes:
        holding = registry.holding(node)
        name = registry.fabric.name(node)
        if holding.moving is not None:
            sentences.append(f"spx_nodes: {move.unfinished(name, holding.moving)}.")
        elif holding.slug != slug and not prefixes.is_house(holding.slug):
            sentences.append(
                f"spx_nodes: {name} is {holding.slug}'s: move it with tenant_move -e "
                f"spx_tenant={slug} -e spx_nodes={name}."
            )
        elif had := _unwiped(registry, slug, node):
            sentences.append(
                f"spx_nodes: {name} ({had}) has not been wiped since its last customer: move it with tenant_move -e "
                f"spx_tenant={slug} -e spx_nodes={name}, which wipes it."
            )
    if sentences:
        raise FabricError(sentences)


def unchanged(registry: Registry, slug: str, nodes: Iterable[Node], *, listed: bool) -> None:
    """FabricError unless nodes that were planned to enter a tenant still may, and are `listed` under it."""
    held = list(nodes)
    _free(registry, slug, held)
    claims = {node: registry.claims[node].slug for node in held if node in registry.claims}
    gone = [registry.fabric.name(node) for node in held if listed and claims.get(node) != slug]
    if gone:
        raise FabricError.of(
            f"spx_nodes: {', '.join(gone)} is not among the nodes of {slug} any more: the registry was changed since "
            "this run planned: run again."
        )


def _unwiped(registry: Registry, slug: str, node: Node) -> str:
    """Whose data may be on a node that is to enter; nobody's where the tenant has it already."""
    claim = registry.claims.get(node)
    has = claim is not None and claim.slug == slug and node not in registry.unwiped
    return "" if has else wiping.last_customer(registry, node, to=slug)


def drifting(
    fabric: Fabric,
    registry: Registry,
    slug: str,
    applied: Mapping[str, t.Any],
    names: Iterable[str],
) -> list[str]:
    """Sentences about nodes that may be at work in another VRF; none lets go on."""
    made: list[str] = []
    for name in names:
        node = fabric.device(name)
        if not isinstance(node, Node) or isinstance(node, Switch):
            continue
        found = move.seen(applied, ports_of(fabric, node))
        made += moving.unlisted(registry, name, found)
        made += _others(registry, slug, name, found)
    return made


def _others(registry: Registry, slug: str, name: str, found: Iterable[move.Seen]) -> Iterator[str]:
    """Ports in VRFs of other customers, present or retired."""
    present = {o.vrf for o in registry.owners.values() if o.customer and o.slug != slug}
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


def coming(
    fabric: Fabric,
    registry: Registry,
    slug: str,
    applied: Mapping[str, t.Any],
    names: Iterable[str],
) -> Data:
    """Nodes that some leaves have in quarantine or rest, and those that they have in the tenant's VRF: {from, in}."""
    house = {owner.vrf for owner in registry.owners.values() if prefixes.is_house(owner.slug)}
    made: Data = {"from": [], "in": []}
    for name in names:
        node = fabric.device(name)
        if isinstance(node, Node):
            vrfs = {port.vrf for port in move.seen(applied, ports_of(fabric, node))}
            made["from"] += [name] if vrfs & house else []
            made["in"] += [name] if registry.owner(slug).vrf in vrfs else []
    return made


def known(registry: Registry, slug: str, nodes: Iterable[Node]) -> None:
    """FabricError with the nodes that enter, and whose customers a registry that began late has not recorded."""
    names = [registry.fabric.name(n) for n in nodes if n not in registry.health]
    if names and registry.customers_before():
        raise FabricError.of(
            f"spx_nodes: {', '.join(names)} would enter {slug} unwiped ({wiping.UNKNOWN}): move them with tenant_move "
            f"-e spx_tenant={slug}, which wipes them, or record under health how they were wiped."
        )


def resizing(fabric: Fabric, registry: Registry, slug: str, wanted: Collection[Node]) -> Data:
    """From what a tenant has in the registry to the nodes it shall have: {add, remove, enter, lines}.

    All that stay enter, not the added ones alone: a run that was stopped after the registry was
    written has left some of them outside.
    """
    registry.tenant(slug)
    leaving = _leaving(registry, slug)
    has = {*registry.nodes_of(slug), *leaving}
    add, remove = sorted(set(wanted) - has), sorted(has - set(wanted))
    _free(
        registry, slug, [*add, *(node for node in has if node in wanted and node in registry.moves)]
    )
    ended = registry.with_nodes(schema.QUARANTINE, remove).with_nodes(slug, add)
    if breaches := [*rules.quotas(ended), *capacity.breaches(ended)]:
        raise FabricError([registry.source.sentence(breach) for breach in breaches])
    lines = [f"resize {slug}: {len(has)} -> {len(set(wanted))} nodes"]
    lines += [f"  add {text}" for text in node_text.compress(fabric, add)]
    lines += wiping.lines(registry, add)
    lines += [f"  give back {text}" for text in node_text.compress(fabric, remove)]
    enter = sorted(node for node in set(wanted) if registry.holding(node).moving is None)
    return {
        "tenant": slug,
        "vrf": registry.owner(slug).vrf,
        "enter": [fabric.name(node) for node in enter],
        "add": [fabric.name(node) for node in add],
        "remove": [fabric.name(node) for node in remove],
        "leaves": leaves_of(fabric, [*add, *remove]),
        "enters": leaves_of(fabric, enter),
        "watched": leaves_of(fabric, has),
        "lines": lines,
    }


def offboarding(fabric: Fabric, registry: Registry, slug: str) -> Data:
    """Taking a tenant's nodes back: {there, nodes, leaves, lines}; nothing to do when it has left."""
    if any(row.slug == slug for row in registry.file.retired) and slug not in registry.owners:
        return {"there": False, "nodes": [], "leaves": [], "lines": [f"{slug} has left already"]}
    row = registry.tenant(slug)
    _may_end(registry, slug)
    nodes = sorted({*registry.nodes_of(slug), *_leaving(registry, slug)})
    leaves = leaves_of(fabric, nodes)
    lines = [
        f"offboard {slug} (id {row.id}): {count(nodes, 'node')} to quarantine, "
        f"{registry.owner(slug).vrf} off {count(leaves, 'leaf', 'leaves')}"
    ]
    lines += [f"  {text}" for text in node_text.compress(fabric, nodes)]
    names = [fabric.name(node) for node in nodes]
    return {"there": True, "nodes": names, "leaves": leaves, "lines": lines}


def _leaving(registry: Registry, slug: str) -> list[Node]:
    """Nodes that an earlier run began to take from a tenant and has not brought to quarantine."""
    return [
        node
        for node, record in registry.moves.items()
        if (record.from_, record.to) == (slug, schema.QUARANTINE)
    ]


def _may_end(registry: Registry, slug: str) -> None:
    """FabricError with all that still hangs on a tenant that shall leave."""
    sentences = [
        f"{move.unfinished(registry.fabric.name(node), record)}, then offboard {slug}."
        for node, record in registry.moves.items()
        if slug in (record.from_, record.to) and record.to != schema.QUARANTINE
    ]
    sentences += [
        f"{registry.fabric.name(node)} is listed under {slug} and waits in quarantine for its wipe: "
        f"take it out of the nodes of {slug}, then offboard {slug}."
        for node in registry.waiting(slug)
    ]
    sentences += [
        f"{other.slug} shares with {slug}: take {slug} out of its key shared, then offboard {slug}."
        for other in registry.file.tenants
        if slug in other.shared
    ]
    if sentences:
        raise FabricError(sentences)
