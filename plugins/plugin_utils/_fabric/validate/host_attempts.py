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

import typing as t

from ..catalog.data import table
from ..host import outages
from ..tenancy import schema
from ..topology.cabling import Node
from . import isolation
from .host_paths import in_service
from .host_view import leaf
from .results import wanted

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ....module_utils._host.records import Attempt, Attempted
    from ..fabric import Fabric
    from ..host.desired import Desired
    from ..host.interfaces import Interface
    from ..slices import Nic
    from ..tenancy.registry import Registry
    from .host_view import View
    from .results import Result, Subject

CONTROL_PORTS = {22: "SSH", 8765: "NVUE's API", 179: "BGP"}
CHECKS = {
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
        made += [
            _attempt("stranger", row, port["address"], whom)
            for row, port in _same_rails(fabric, rails, other)
        ]
    for other in fellow(fabric, registry, node):
        made += [
            _attempt("tcp", row, port["gateway"], f"leaf {port['peer']['device']}", port=BGP)
            for row, port in _same_rails(fabric, rails, other)
        ]
    return made


def _same_rails(
    fabric: Fabric, rails: Iterable[Interface], other: Node
) -> Iterator[tuple[Interface, Nic]]:
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
        known = [n for n in places if fabric.present(n) and not _meet(registry, node, n)]
        known = [n for n in known if registry.holding(n).moving is None]
        known = [n for n in known if not outages.whole(fabric, n)]
        known.sort(key=lambda n: registry.holding(n).slug == schema.QUARANTINE)
        found += known[:1]
    return found


def fellow(fabric: Fabric, registry: Registry, node: Node) -> list[Node]:
    """At most one node of other leaves that the node may reach: nodes are in order, ends lie apart."""
    mine = registry.holding(node)
    held = registry.group(mine.group) if mine.group else registry.nodes_of(mine.slug)
    some = [held[place] for place in (node.slot % len(held), 0, -1)] if held else []
    own = leaf(fabric, node)
    apart = [n for n in some if fabric.present(n) and leaf(fabric, n) != own]
    still = [n for n in apart if registry.holding(n).moving is None]
    return [n for n in still if _meet(registry, node, n)][:1]


def _beside(fabric: Fabric, node: Node) -> Iterator[Node]:
    c = fabric.clos
    first = node.slot // c.nodes_per_leaf * c.nodes_per_leaf
    slots = min(c.nodes_per_leaf, c.slots - first)
    for step in range(1, min(slots, NEAR)):
        yield Node(node.pod, node.su, first + (node.slot - first + step) % slots)


def _beyond(fabric: Fabric, registry: Registry, node: Node) -> Iterator[Node]:
    """On other leaves: one node of each of some owners, then those in the same place of the next."""
    c = fabric.clos
    own = leaf(fabric, node)
    turn = (node.pod * c.sus + node.su) * c.slots + node.slot
    slugs = sorted(registry.owners)
    for step in range(min(len(slugs), NEAR)):
        held = registry.nodes_of(slugs[(turn + step) % len(slugs)])
        some = [held[place] for place in (turn % len(held), 0, -1)] if held else []
        yield from [n for n in some if leaf(fabric, n) != own][:1]
    yield from (n for n in _next_leaves(fabric, node) if leaf(fabric, n) != own)


def _next_leaves(fabric: Fabric, node: Node) -> Iterator[Node]:
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


def alone(asked: Sequence[str]) -> bool:
    """Whether only these checks are asked for of a host, so that no NIC has to be read."""
    return bool(asked) and not any(wanted(check, asked) for check in table("checks_host"))


# What the answers mean


def judge(view: View) -> Iterator[Result]:
    """A result for each check: answers are breaches."""
    answering = {
        row["interface"]
        for row in (view.probe["pings"] if view.probe else ())
        if row["kind"] == "gateway" and row["ok"]
    }
    rows = view.probe.get("attempts", []) if view.probe else []
    for kind, check_id in CHECKS.items():
        yield from _judged(view, check_id, [row for row in rows if row["kind"] == kind], answering)


def _judged(
    view: View, check_id: str, rows: list[Attempted], answering: set[str]
) -> Iterator[Result]:
    wrong = [
        view.subject.failed(
            check_id,
            _sentence(row),
            port=row["interface"],
            expected="silence",
            found=row["answer"],
        )
        for row in rows
        if row["answer"]
    ]
    silent = sorted({row["interface"] for row in rows} - answering)
    if not rows:
        yield view.subject.not_run(check_id, "The node is moving, or has nobody to try it on.")
    elif silent and not wrong:
        why = f"{', '.join(silent)}: the leaf answers no ping, so silence says nothing."
        yield view.subject.not_run(check_id, why)
    else:
        good = f"{len(rows)} attempts, no answer."
        yield from view.subject.judged(check_id, wrong, good, found=len(rows))


def _sentence(row: Attempted) -> str:
    if row["kind"] == "stranger":
        return (
            f"{row['interface']}: {row['to']} ({row['whom']}) answers a ping of a host that may not "
            f"reach it: see the check tenant.routes of the leaves on the way, and run switches."
        )
    what = {
        "tcp": f"TCP port {row['port']} ({CONTROL_PORTS.get(row['port'], 'unknown')})",
        "vxlan": "a forged VXLAN packet (UDP port 4789)",
    }[row["kind"]]
    return (
        f"{row['interface']}: {row['whom']} answers {what} of a tenant's host ({row['answer']}): its "
        "control plane lies open to hosts: run switches, and look who changed the access lists "
        "spx-control and spx-gateways."
    )


def none(about: Subject, why: str) -> list[Result]:
    """The results of a host from which nothing was tried."""
    return [about.not_run(check, why) for check in CHECKS.values()]
