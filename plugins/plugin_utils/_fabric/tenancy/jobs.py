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
from . import move, moving, prefixes, schema
from . import nodes as node_text
from .links import leaves_of, ports_of
from .vrfs import host_ports

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from .ports import Plan
    from .registry import Registry

Data = dict[str, t.Any]


def expand(fabric: Plan, texts: Iterable[str]) -> list[Node]:
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
    fabric: Plan, registry: Registry, slug: str, *, extra: Collection[Node] = ()
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
        "watched": leaves,
        "not_realised": not_realised(registry, row),
        "lines": [
            f"onboard {slug} (id {row.id}): {count(nodes, 'node')} into {owner.vrf}, L3VNI "
            f"{owner.l3vni}, on {count(leaves, 'leaf', 'leaves')}",
            *(f"  {text}" for text in node_text.compress(fabric, nodes)),
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
            sentences.append(f"spx_nodes: {name} is moving: let tenant_move finish first.")
        elif holding.slug != slug and not prefixes.is_house(holding.slug):
            sentences.append(
                f"spx_nodes: {name} is {holding.slug}'s: move it with tenant_move -e "
                f"spx_tenant={slug} -e spx_nodes={name}."
            )
        elif node in registry.unwiped:
            sentences.append(
                f"spx_nodes: {name} left a tenant and has not been wiped since (its record under "
                f"health): move it with tenant_move -e spx_tenant={slug} -e spx_nodes={name}, which wipes it."
            )
    if sentences:
        raise FabricError(sentences)


def drifting(
    fabric: Plan, registry: Registry, slug: str, applied: Mapping[str, t.Any], names: Iterable[str]
) -> list[str]:
    """Sentences about nodes that may be at work in another VRF; none lets go on."""
    own = registry.owner(slug).vrf
    customers = {o.vrf for o in registry.owners.values() if o.customer and o.slug != slug}
    made: list[str] = []
    for name in names:
        node = fabric.device(name)
        if not isinstance(node, Node) or isinstance(node, Switch):
            continue
        found = move.seen(applied, ports_of(fabric, node))
        made += moving.unlisted(registry, name, found)
        for port in found:
            if port.vrf in customers:
                made.append(
                    f"tenant drift: port {port.port} of {port.leaf} ({name}) is in {port.vrf}, not "
                    f"{own}: run tenant_move -e spx_tenant={slug} -e spx_nodes={name}."
                )
    return made


def besides(
    fabric: Plan, registry: Registry, slug: str, leaf: Switch, applied: Mapping[str, t.Any]
) -> list[str]:
    """Which nodes of others come into their VRFs with the tenant's: a leaf is configured as a whole."""
    ports = {port.name: port for port in host_ports(fabric, registry, leaf)}
    rows: list[Data] = [
        {"leaf": fabric.name(leaf), "port": name, "resting": False} for name in ports
    ]
    made: dict[str, list[str]] = {}
    for found in move.seen({fabric.name(leaf): applied}, rows):
        port = ports[found.port]
        owner = registry.owner(port.holding.slug)
        others = owner.customer and owner.slug != slug and port.present
        if others and port.holding.moving is None and found.vrf != owner.vrf:
            made.setdefault(owner.vrf, []).append(fabric.name(port.node))
    return [
        f"{fabric.name(leaf)}: {', '.join(names)} into {vrf} as well, as the registry says"
        for vrf, names in made.items()
    ]


def resizing(fabric: Plan, registry: Registry, slug: str, wanted: Collection[Node]) -> Data:
    """From what a tenant has in the registry to the nodes it shall have: {add, remove, enter, lines}.

    All that stay enter, not the added ones alone: a run that was stopped after the registry was
    written has left some of them outside.
    """
    registry.tenant(slug)
    leaving = _leaving(registry, slug)
    has = {*registry.nodes_of(slug), *leaving}
    add, remove = sorted(set(wanted) - has), sorted(has - set(wanted))
    _free(registry, slug, [*add, *(node for node in leaving if node in wanted)])
    lines = [f"resize {slug}: {len(has)} -> {len(set(wanted))} nodes"]
    lines += [f"  add {text}" for text in node_text.compress(fabric, add)]
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


def offboarding(fabric: Plan, registry: Registry, slug: str) -> Data:
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
        f"{registry.fabric.name(node)} is moving from {record.from_} to {record.to}: let tenant_move finish, then "
        f"offboard {slug}."
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
