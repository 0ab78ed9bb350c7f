# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rented hosts, tried from the VRF of their tenant on their leaves: playbooks may not log in to them.

On each leaf some of its rented nodes, MOST at most whatever its size: one ping to the node itself,
and one to a stranger that its tenant may not reach. Silence of the stranger says something only where
the node itself answers.
"""

from __future__ import annotations

import typing as t

from ..render.host import desired, outages
from ..tenants import attachments
from .host_partners import ports_in_service, strangers
from .results import failed, not_run, passed

if t.TYPE_CHECKING:
    from ..plan.fabric import Fabric
    from ..plan.topology.cabling import Node, Switch
    from ..tenants.attachments import Attachment
    from ..tenants.registry import Registry
    from .results import Findings, Result, Subject

CHECK = "tenant.strangers"
MOST = 4
"""Rented nodes of a leaf that are tried in a run; our choice."""


class Probe(t.TypedDict):
    """A rented node that a leaf pings, and a stranger of it that the node might answer for."""

    node: str
    port: str
    vrf: str
    address: str
    stranger: str
    whom: str


class ProbeAnswer(Probe):
    """Answers to a probe; None where there was no request, with the reason."""

    own: bool | None
    other: bool | None
    reason: str


# Which probes to make


def probes(
    fabric: Fabric, registry: Registry, leaf: Switch, *, chosen: t.Collection[str] | None = None
) -> list[Probe]:
    """[{node, port, vrf, address, stranger, whom}]; of the chosen devices where some are chosen."""
    if leaf.role != "leaf":
        return []
    found: dict[Node, Attachment] = {}
    for port in attachments.on_leaf(fabric, leaf):
        if port.node not in found and _tried(fabric, registry, port):
            found[port.node] = port
    nodes = [node for node in sorted(found) if not chosen or fabric.name(node) in chosen]
    some = sample([found[node] for node in nodes], leaf.index + leaf.plane)
    rows = (_probe(fabric, registry, port) for port in some)
    return [row for row in rows if row["address"]]


def sample(known: t.Sequence[Attachment], turn: int) -> list[Attachment]:
    """At most MOST, evenly apart; `turn` shifts them, so that leaves of the same nodes try others."""
    step = max(len(known) // MOST, 1)
    count = min(len(known), MOST)
    return [known[(turn + number * step) % len(known)] for number in range(count)]


def _tried(fabric: Fabric, registry: Registry, port: Attachment) -> bool:
    held = registry.holding(port.node)
    return (
        port.present
        and held.up
        and held.moving is None
        and not desired.managed(fabric, registry, port.node)
        and not outages.whole(fabric, port.node)
        and port.nic not in outages.ports(fabric, port.node)
    )


def _probe(fabric: Fabric, registry: Registry, port: Attachment) -> Probe:
    """With a stranger of the same leaf before others; empty where there is none."""
    name = port.nic
    made: Probe = {
        "node": fabric.name(port.node),
        "port": name,
        "vrf": registry.owners[registry.holding(port.node).slug].vrf,
        "address": _address(fabric, port.node, name),
        "stranger": "",
        "whom": "",
    }
    for other in strangers(fabric, registry, port.node):
        if address := _address(fabric, other, name):
            whom = f"{fabric.name(other)} of {registry.holding(other).slug}"
            return {**made, "stranger": address, "whom": whom}
    return made


def _address(fabric: Fabric, node: Node, name: str) -> str:
    """The address of a port in service."""
    port = ports_in_service(fabric, node).get(name)
    return str(port.get("address") or "") if port else ""


# What the answers mean


def judge(about: Subject, leaves: t.Mapping[str, t.Mapping[str, ProbeAnswer]]) -> list[Result]:
    """`leaves` is what `tried` of the edge found by leaf, without leaves that were not asked."""
    return about.results(CHECK, _judged(about, leaves))


def _judged(about: Subject, leaves: t.Mapping[str, t.Mapping[str, ProbeAnswer]]) -> Findings:
    name = about.device
    rows = {leaf: found[name] for leaf, found in sorted(leaves.items()) if name in found}
    for leaf, row in rows.items():
        if row["other"]:
            what = f"{leaf}: {row['stranger']} ({row['whom']}) answers a ping from {row['vrf']}"
            remedy = "see the check tenant.routes of the leaves on the way, and run switches."
            says = f"{what}, the VRF of {about.tenant}: {remedy}"
            yield failed(says, row["port"], "silence", "answer")
    good = [leaf for leaf, row in rows.items() if row["own"] and row["other"] is False]
    if good:
        said = f"Tried from its VRF on {', '.join(good)}: it answers, and no stranger does."
        yield passed(said, found=len(good))
    elif not any(row["other"] for row in rows.values()):
        why = "; ".join(dict.fromkeys(_reason(leaf, row) for leaf, row in rows.items()))
        if not leaves:
            why = "none of its leaves tested it."
        elif not rows:
            why = f"it is moving, or was not among the {MOST} rented nodes that each leaf tries."
        yield not_run(f"{name} is rented to {about.tenant}: {why}")


def _reason(leaf: str, row: ProbeAnswer) -> str:
    """Reason that the attempt of a leaf proves nothing."""
    if row["reason"]:
        return f"{leaf} cannot try it: {row['reason']}"
    if not row["stranger"]:
        return f"there is no host that {leaf} could test from {row['vrf']}."
    return (
        f"{row['address']} answers no ping from {row['vrf']} of {leaf}, so silence proves nothing; ask "
        "the tenant whether the host is up."
    )
