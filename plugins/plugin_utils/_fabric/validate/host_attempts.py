# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host must not achieve, tried from the host: which attempts to make, and what answers mean.

    stranger   a ping to a host of another tenant, of quarantine, or of another acceptance group
    tcp        a connection to the leaf's address, on a port by which switches are managed; and one to
               TCP 179 of another leaf in the same VRF, which no list of a host port sees
    vxlan      a forged VXLAN packet to the leaf's address, whose inner packet asks for an answer

The attempts are a sample, bounded whatever the size of the fabric: on each rail one stranger on the
same leaf and one on another, four connections and one forged packet. Silence says something only
where the leaf answers the host's pings on that rail; elsewhere the check is not run.
"""

from __future__ import annotations

import functools
import typing as t

from ..catalog.data import table
from ..host import outages
from ..tenancy import schema
from ..topology.cabling import Node
from . import isolation
from .host_paths import answering, in_service
from .host_view import leaf
from .results import failed, not_run, passed, wanted

if t.TYPE_CHECKING:
    from ....module_utils._host.records import Attempt, Attempted
    from ..fabric import Fabric
    from ..host.desired import Desired
    from ..host.interfaces import Interface
    from ..slices import Nic
    from ..tenancy.registry import Registry
    from .host_view import View
    from .results import Check, Findings, Result, Subject

CONTROL_PORTS = {22: "SSH", 8765: "NVUE's API", 179: "BGP"}
KINDS = {
    "stranger": "tenant.strangers",
    "tcp": "tenant.control_plane",
    "vxlan": "tenant.forged_vxlan",
}
"""Kind of attempt -> the check that judges it."""
BGP = 179
NEAR = 64
"""Slots, owners and SUs that are looked through for a stranger."""


# Which attempts to make


def attempts(fabric: Fabric, registry: Registry, node: Node, planned: Desired) -> list[Attempt]:
    """[{kind, interface, source, to, port, vni, whom}] of a host; none while it is moving."""
    if registry.holding(node).moving is not None:
        return []
    vni = registry.owners[registry.holding(node).slug].l3vni
    made: list[Attempt] = []
    rails = list(in_service(planned))
    for row in rails:
        whom = f"its leaf {row['peer']['device']}"
        made += [_attempt("tcp", row, row["gateway"], whom, port=port) for port in CONTROL_PORTS]
        made.append(_attempt("vxlan", row, row["gateway"], whom, vni=vni))
    for other in strangers(fabric, registry, node):
        whom = f"{fabric.name(other)} of {registry.holding(other).slug}"
        for row, port in _same_rails(fabric, rails, other):
            made.append(_attempt("stranger", row, port["address"], whom))
    for other in fellow(fabric, registry, node):
        for row, port in _same_rails(fabric, rails, other):
            whom = f"leaf {port['peer']['device']}"
            made.append(_attempt("tcp", row, port["gateway"], whom, port=BGP))
    return made


def _same_rails(
    fabric: Fabric, rails: t.Iterable[Interface], other: Node
) -> t.Iterator[tuple[Interface, Nic]]:
    """Rails of a host with the other's ports on them that are in service."""
    resting = outages.ports(fabric, other)
    ports = {port["port"]: port for port in fabric.slice(other)["ports"]}
    for row in rails:
        if row["name"] in ports and row["name"] not in resting:
            yield row, ports[row["name"]]


def _attempt(
    kind: str, row: Interface, to: str, whom: str, *, port: int = 0, vni: int = 0
) -> Attempt:
    return {
        "kind": kind,
        "interface": row["name"],
        "source": row["address"],
        "to": to,
        "port": port,
        "vni": vni,
        "whom": whom,
    }


def strangers(fabric: Fabric, registry: Registry, node: Node) -> list[Node]:
    """At most one node of the same leaf and one of others, neither of which the node may reach.

    Nodes that somebody holds before those of quarantine; each node begins with its own successor, so
    that the sample of many nodes covers many. Silence of a node out of service would say nothing.
    """
    found = []
    for places in (_beside(fabric, node), _beyond(fabric, registry, node)):
        known = [
            other
            for other in places
            if fabric.present(other)
            and not _meet(registry, node, other)
            and registry.holding(other).moving is None
            and not outages.whole(fabric, other)
        ]
        known.sort(key=lambda n: registry.holding(n).slug == schema.QUARANTINE)
        found += known[:1]
    return found


def fellow(fabric: Fabric, registry: Registry, node: Node) -> list[Node]:
    """At most one node of other leaves that the node may reach: nodes are in order, ends lie apart."""
    mine = registry.holding(node)
    held = registry.group(mine.group) if mine.group else registry.nodes_of(mine.slug)
    some = [
        other
        for other in _some(held, node.slot)
        if fabric.present(other)
        and leaf(fabric, other) != leaf(fabric, node)
        and registry.holding(other).moving is None
        and _meet(registry, node, other)
    ]
    return some[:1]


def _some(held: t.Sequence[Node], turn: int) -> list[Node]:
    """One of some nodes by turns, the first and the last."""
    return [held[place] for place in (turn % len(held), 0, -1)] if held else []


def _beside(fabric: Fabric, node: Node) -> t.Iterator[Node]:
    c = fabric.clos
    first = node.slot // c.nodes_per_leaf * c.nodes_per_leaf
    slots = min(c.nodes_per_leaf, c.slots - first)
    for step in range(1, min(slots, NEAR)):
        yield Node(node.pod, node.su, first + (node.slot - first + step) % slots)


def _beyond(fabric: Fabric, registry: Registry, node: Node) -> t.Iterator[Node]:
    """On other leaves: one node of each of some owners, then those in the same place of the next."""
    c = fabric.clos
    own = leaf(fabric, node)
    turn = (node.pod * c.sus + node.su) * c.slots + node.slot
    slugs = sorted(registry.owners)
    for step in range(min(len(slugs), NEAR)):
        held = registry.nodes_of(slugs[(turn + step) % len(slugs)])
        yield from [n for n in _some(held, turn) if leaf(fabric, n) != own][:1]
    yield from (n for n in _next_leaves(fabric, node) if leaf(fabric, n) != own)


def _next_leaves(fabric: Fabric, node: Node) -> t.Iterator[Node]:
    """In the next SUs, and where nodes of an SU do not share a leaf in the same one: two of each."""
    c = fabric.clos
    units, own = c.pods * c.sus, node.pod * c.sus + node.su
    for step in range(1, min(-(-c.slots // c.nodes_per_leaf), NEAR)):
        for slot in (node.slot + 1, node.slot):
            yield Node(node.pod, node.su, (slot + step * c.nodes_per_leaf) % c.slots)
    for step in range(1, min(units, NEAR)):
        for slot in (node.slot + 1, node.slot):
            yield Node(*divmod((own + step) % units, c.sus), slot % c.slots)


def _meet(registry: Registry, one: Node, two: Node) -> bool:
    """Whether the registry lets two nodes reach each other."""
    mine, theirs = registry.holding(one), registry.holding(two)
    if schema.QUARANTINE in (mine.slug, theirs.slug):
        return False
    if mine.slug == theirs.slug:
        return mine.slug != schema.REST or (mine.group is not None and mine.group == theirs.group)
    pair = (registry.owners[mine.slug].vrf, registry.owners[theirs.slug].vrf)
    return pair in isolation.edges(registry)


def alone(asked: t.Sequence[str]) -> bool:
    """Whether only these checks are asked for of a host, so that no NIC has to be read."""
    return bool(asked) and not any(wanted(check, asked) for check in table("checks_host"))


# What the answers mean


def _judged(view: View, kind: str) -> Findings:
    """Answers are breaches."""
    tried = view.probe.get("attempts", []) if view.probe else []
    rows = [row for row in tried if row["kind"] == kind]
    for row in rows:
        if row["answer"]:
            yield failed(_sentence(row), row["interface"], "silence", row["answer"])
    silent = sorted({row["interface"] for row in rows} - answering(view))
    if not rows:
        yield not_run("The node is moving, or has nobody to try it on.")
    elif not silent:
        yield passed(f"{len(rows)} attempts, no answer.", found=len(rows))
    elif not any(row["answer"] for row in rows):
        why = "the leaf answers no ping, so silence says nothing."
        yield not_run(f"{', '.join(silent)}: {why}")


def _sentence(row: Attempted) -> str:
    if row["kind"] == "stranger":
        return (
            f"{row['interface']}: {row['to']} ({row['whom']}) answers a ping of a host that may not "
            f"reach it: see the check tenant.routes of the leaves on the way, and run switches."
        )
    what = "a forged VXLAN packet (UDP port 4789)"
    if row["kind"] == "tcp":
        what = f"TCP port {row['port']} ({CONTROL_PORTS.get(row['port'], 'unknown')})"
    return (
        f"{row['interface']}: {row['whom']} answers {what} of a tenant's host ({row['answer']}): its "
        "control plane lies open to hosts: run switches, and look who changed the access lists "
        "spx-control and spx-gateways."
    )


CHECKS: dict[str, Check[View]] = {
    check: functools.partial(_judged, kind=kind) for kind, check in KINDS.items()
}


def none(about: Subject, why: str) -> list[Result]:
    """The results of a host from which nothing was tried."""
    return [about.result(check, not_run(why)) for check in CHECKS]
