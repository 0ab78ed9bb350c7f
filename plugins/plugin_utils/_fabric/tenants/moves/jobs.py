# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of a tenant's job: who enters, is added and leaves, on which leaves, and the lines that say so.

Its cost follows the nodes named, never the size of the fabric. The plan of a move is in `move_plan.py`.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...description.errors import FabricError
from ...description.words import count
from ...plan.topology.cabling import EAST_WEST
from ...plan.topology.converged import EQUIPMENT
from .. import attachments, nets, prefixes, rules, schema, wipe
from .. import nodes as node_text
from . import move

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Node
    from ..registry import Registry


@dataclasses.dataclass(frozen=True)
class Job:
    """Changes to a tenant's nodes; `lines` describe them.

    `enter` are brought into its VRF on the leaves `enters`; `add` are new among its nodes, and `remove` go to
    quarantine. `leaves` are all leaves that the job touches. `others` are those of the converged fabric on which nodes
    enter, or the tenant has storage or sessions outside.
    """

    lines: list[str]
    leaves: list[str] = dataclasses.field(default_factory=list)
    enter: Collection[Node] = ()
    enters: Collection[str] = ()
    add: Collection[Node] = ()
    remove: Collection[Node] = ()
    others: Collection[str] = ()


def expand(fabric: Fabric, texts: Iterable[str]) -> list[Node]:
    """Nodes of several texts, each once, in order; FabricError with a sentence for each bad text."""
    texts = [str(text) for text in texts]
    if why := node_text.too_many(fabric, texts):
        raise FabricError.of(f"spx_nodes: {why}")
    found: dict[Node, None] = {}
    sentences: list[str] = []
    for text in texts:
        try:
            found.update(dict.fromkeys(node_text.expand(fabric, text)))
        except FabricError as exc:
            sentences += [f"spx_nodes: {sentence}" for sentence in exc.sentences]
    if sentences:
        raise FabricError(sentences)
    return list(found)


def onboarding(registry: Registry, slug: str, *, extra: Collection[Node] = ()) -> Job:
    """Bringing a tenant's nodes into its VRF, and `extra` besides those of the registry."""
    row, owner = registry.tenant(slug), registry.owner(slug)
    _free(registry, slug, [*extra, *registry.waiting(slug)])
    held = [node for node in registry.nodes_of(slug) if registry.holding(node).moving is None]
    nodes, add = sorted({*held, *extra}), sorted(set(extra) - set(held))
    leaves = attachments.leaves_of(registry.fabric, nodes, (EAST_WEST,))
    others = others_of(registry, slug, nodes)
    lines = [
        f"onboard {slug} (id {row.id}): {count(nodes, 'node')} into {owner.vrf}, L3VNI "
        f"{owner.l3vni}, on {count(leaves, 'leaf', 'leaves')}",
        *(f"  {text}" for text in node_text.compress(registry.fabric, nodes)),
        *wipe.lines(registry, [node for node in extra if node in add]),
        *network_lines(registry, row, others),
        *_not_realised(registry, row),
    ]
    every = [*leaves, *others]
    return Job(lines, every, enter=nodes, enters=leaves, add=add, others=others)


def _not_realised(registry: Registry, row: schema.Tenant) -> list[str]:
    """List the networks and services of a tenant that this fabric's leaves do not carry out."""
    made = []
    if row.shared and not registry.file.leaking:
        made.append(
            f"  not imported: {', '.join(row.shared)} (leaking is false in the registry; the "
            "prefix sets are in the hand-over file)"
        )
    described = registry.fabric.description
    beyond = [each for each in row.networks if each != "east-west"]
    absent = [each for each in beyond if nets.part_of(each, described) is None]
    if absent:
        made.append(f"  planned only: {', '.join(absent)} (networks of the description lacks it)")
    return made


def others_of(registry: Registry, slug: str, nodes: Collection[Node]) -> list[str]:
    """The leaves of the converged fabric that a tenant's job touches: of nodes, arrays, servers and links outside."""
    fabric, row = registry.fabric, registry.tenant(slug)
    made = attachments.leaves_of(fabric, nodes, schema.OTHERS)
    kinds = [kind.kind for kind in EQUIPMENT.values() if kind.network in row.networks]
    made += attachments.leaves_with(fabric, *kinds)
    made += attachments.border_leaves(fabric, [peer.link for peer in row.external_peers])
    return list(dict.fromkeys(made))


def network_lines(registry: Registry, row: schema.Tenant, others: Collection[str]) -> list[str]:
    """Describe a tenant's converged networks, as lines of a plan."""
    if not others:
        return []
    found = [registry.nets[row.slug, name] for name in schema.OTHERS if name in row.networks]
    made = [
        f"  {net.network}: {net.vrf}, VLAN {net.vlan}, {net.subnet or 'no subnet'}, L3VNI {net.l3vni}"
        for net in found
        if nets.part_of(net.network, registry.fabric.description) is not None
    ]
    made += [
        f"  session outside: {peer.name} on the link {peer.link}" for peer in row.external_peers
    ]
    return [*made, f"  on {count(others, 'leaf', 'leaves')} of the converged fabric"]


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
    """Name the customer whose data may be on a node that is to enter; empty where the tenant has the node already."""
    claim = registry.claims.get(node)
    has = claim is not None and claim.slug == slug and node not in registry.unwiped
    return "" if has else wipe.last_customer(registry, node, to=slug)


def resizing(registry: Registry, slug: str, wanted: Collection[Node]) -> Job:
    """From the nodes that a tenant has in the registry to those that it is to have.

    All that stay enter, not the added ones alone: a run that was stopped after the registry was
    written has left some of them outside.
    """
    registry.tenant(slug)
    fabric, goal = registry.fabric, set(wanted)
    has = {*registry.nodes_of(slug), *_leaving(registry, slug)}
    add, remove = sorted(goal - has), sorted(has - goal)
    _free(registry, slug, [*add, *(has & goal & registry.moves.keys())])
    if said := rules.too_much(registry.with_nodes(schema.QUARANTINE, remove).with_nodes(slug, add)):
        raise FabricError(said)
    lines = [f"resize {slug}: {len(has)} -> {len(goal)} nodes"]
    lines += [f"  add {text}" for text in node_text.compress(fabric, add)]
    lines += wipe.lines(registry, add)
    lines += [f"  give back {text}" for text in node_text.compress(fabric, remove)]
    enter = sorted(node for node in goal if registry.holding(node).moving is None)
    enters = attachments.leaves_of(fabric, enter, (EAST_WEST,))
    others = others_of(registry, slug, enter)
    touched = {*attachments.leaves_of(fabric, [*add, *remove]), *enters, *others}
    return Job(lines, sorted(touched), enter, enters, add, remove, others)


def offboarding(registry: Registry, slug: str) -> Job | None:
    """Taking all nodes of a tenant back; None when it has left."""
    if any(row.slug == slug for row in registry.file.retired) and slug not in registry.owners:
        return None
    row = registry.tenant(slug)
    _may_end(registry, slug)
    nodes = sorted({*registry.nodes_of(slug), *_leaving(registry, slug)})
    leaves = attachments.leaves_of(registry.fabric, nodes)
    others = others_of(registry, slug, ())
    lines = [
        f"offboard {slug} (id {row.id}): {count(nodes, 'node')} to quarantine, "
        f"{registry.owner(slug).vrf} off {count(leaves, 'leaf', 'leaves')}",
        *(f"  {text}" for text in node_text.compress(registry.fabric, nodes)),
    ]
    if others:
        lines.append(
            f"  then its storage and its sessions outside, on {count(others, 'leaf', 'leaves')} of the converged fabric"
        )
    every = list(dict.fromkeys([*leaves, *others]))
    return Job(lines, every, remove=nodes, others=others)


def _leaving(registry: Registry, slug: str) -> list[Node]:
    """Nodes that an earlier run began to take from a tenant and has not brought to quarantine."""
    return [
        node
        for node, record in registry.moves.items()
        if (record.from_, record.to) == (slug, schema.QUARANTINE)
    ]


def _may_end(registry: Registry, slug: str) -> None:
    """FabricError with all that keeps a tenant from leaving."""
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
