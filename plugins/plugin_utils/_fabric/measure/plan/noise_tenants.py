# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two tenants for the time of a test: their nodes leave rest for VRFs of their own, and come back.

They are in memory alone: the registry's file never has them. So each run knows them from tenants of the site, and
brings back what a killed one has left: a host port in a VRF of one of these names that no row of the file has.
"""

from __future__ import annotations

import re
import typing as t

from ...description.errors import FabricError
from ...description.words import some
from ...plan.topology.cabling import EAST_WEST
from ...tenants import attachments, owners, schema
from ...tenants.moves import entry
from ...tenants.moves.leaf import Job

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Node
    from ...tenants.moves.leaf import Clock, Leaf, Leaves
    from ...tenants.registry import Registry

QUIET, NOISY = SLUGS = ("quiet", "noisy")
"""The tenant whose nodes are measured, and the one that disturbs it."""
_VRF = re.compile(r"t\d+-(quiet|noisy)")


def registry_of(registry: Registry, held: Mapping[str, Sequence[str]]) -> Registry:
    """The registry with the two tenants, of which each has the nodes that `held` names by its slug.

    They have the highest numbers that are free. FabricError where the site has a tenant of such a name.
    """
    fabric = registry.fabric
    if taken := [slug for slug in SLUGS if slug in registry.owners]:
        raise FabricError.of(
            f"level noise: the registry has a tenant {' and '.join(taken)}, which is the name of a tenant of this "
            "test: leave level noise out."
        )
    free = _free(registry)
    rows = [schema.Tenant(id=n, slug=slug, host_access="managed") for slug, n in zip(SLUGS, free)]
    made = registry.with_moves({})
    made.file = made.file.model_copy(update={"tenants": [*made.file.tenants, *rows]})
    made.owners = made.owners | {row.slug: owners.of(row, fabric.description) for row in rows}
    for slug, names in held.items():
        made = made.with_nodes(slug, _nodes(fabric, names))
    return made


def _free(registry: Registry) -> list[int]:
    """The two highest numbers that no tenant has or had, nor as its L3VNI or route distinguisher."""
    description, every = (
        registry.fabric.description,
        [*registry.owners.values(), *registry.retired()],
    )
    taken = {number for owner in every for number in (owner.id, owner.rd_id, owner.l3vni)}

    def free(number: int) -> bool:
        row = owners.of(schema.Tenant(id=number, slug=QUIET), description)
        return not taken & {row.id, row.l3vni}

    numbers = filter(free, range(schema.LAST_ID, schema.FIRST_TENANT_ID, -1))
    return [next(numbers), next(numbers)]


def _nodes(fabric: Fabric, names: Iterable[str]) -> list[Node]:
    return [t.cast("Node", fabric.known(name)) for name in names]


def must_rest(registry: Registry, names: Iterable[str]) -> None:
    """FabricError unless all nodes are in rest: a tenant's nodes are not taken out of its VRF for a test."""
    nodes = _nodes(registry.fabric, names)
    others = [n for n in nodes if registry.holding(n).slug != schema.REST]
    if others:
        raise FabricError.of(
            f"level noise: {', '.join(some([registry.fabric.name(n) for n in others]))} belong to a tenant, and this "
            "level moves its nodes to tenants of its own: name nodes of rest."
        )


# Moving nodes


def enter(
    registry: Registry, leaves: Leaves, held: Mapping[str, Sequence[str]], clock: Clock, wait: float
) -> None:
    """Bring nodes of rest into the two tenants, and wait for their routes; FabricError where they do not come."""
    then = registry_of(registry, held)
    ways = {
        node: _way(registry, node, slug)
        for slug, names in held.items()
        for node in _nodes(registry.fabric, names)
    }
    _bring(then.with_moves(ways), leaves, list(ways), [registry.owner(schema.REST).vrf])
    for slug, names in held.items():
        reached = attachments.leaves_of(
            registry.fabric, _nodes(registry.fabric, names), (EAST_WEST,)
        )
        entry.await_routes(then, leaves, slug, reached, clock, wait)


def stranded(registry: Registry, leaves: Leaves, names: Iterable[str]) -> dict[str, list[str]]:
    """Nodes that leaves have in VRFs of such tenants, with these VRFs; {} where none are."""
    fabric, listed = registry.fabric, {owner.vrf for owner in registry.owners.values()}
    known = {
        (at.leaf, at.port): fabric.name(node)
        for node in fabric.nodes()
        for at in attachments.of_node(fabric, node, (EAST_WEST,))
    }

    def work(leaf: Leaf) -> list[tuple[str, str]]:
        ports = leaf.applied().document.get("interface") or {}
        vrfs = {name: str((body or {}).get("vrf", "")) for name, body in ports.items()}
        return [
            (known[leaf.name, port], vrf)
            for port, vrf in vrfs.items()
            if _VRF.fullmatch(vrf) and vrf not in listed and (leaf.name, port) in known
        ]

    found: dict[str, set[str]] = {}
    for rows in leaves.each(names, work).values():
        for node, vrf in rows:
            found.setdefault(node, set()).add(vrf)
    return {node: sorted(vrfs) for node, vrfs in sorted(found.items())}


def leave(registry: Registry, leaves: Leaves, found: Mapping[str, Iterable[str]]) -> None:
    """Bring nodes back to where the registry has them, and take the VRFs that they leave off their leaves."""
    vrfs = sorted({vrf for names in found.values() for vrf in names})
    nodes = _nodes(registry.fabric, found)
    rest = [node for node in nodes if registry.holding(node).slug == schema.REST]
    ways = {node: _way(registry, node, schema.REST) for node in rest if node not in registry.moves}
    _bring(registry.with_moves(ways), leaves, nodes, vrfs)


def _way(registry: Registry, node: Node, to: str) -> schema.MovingRecord:
    """The record of a move that is over, in memory: the lists of the acceptance group follow from it."""
    ends = {"from": schema.QUARANTINE if to == schema.REST else schema.REST, "to": to}
    step = "rest" if to == schema.REST else "verify"
    group = registry.holding(node).group
    return schema.MovingRecord.model_validate({**ends, "step": step, "acceptance": group})


def _bring(
    registry: Registry, leaves: Leaves, nodes: Sequence[Node], out_of: Sequence[str]
) -> None:
    """One transaction on each leaf; a port that is neither where it was nor where it goes is refused."""
    only = {node: [*out_of, registry.owner(registry.holding(node).slug).vrf] for node in nodes}
    job = Job(nodes=nodes, leaving=nodes, ending=list(out_of), only=only)
    names = attachments.leaves_of(registry.fabric, nodes, (EAST_WEST,))
    leaves.each(names, lambda leaf: leaf.bring(registry, job))
