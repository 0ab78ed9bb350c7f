# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets of a host: which ones to send, and what their answers mean.

Sizes are those of the plan: a packet of exactly the path MTU must arrive whole.
"""

from __future__ import annotations

import ipaddress
import typing as t

from ..host import outages
from ..tenancy import schema
from .host_view import leaf

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ....module_utils._host.records import Ping
    from ..fabric import Fabric
    from ..host.desired import Desired
    from ..host.interfaces import Interface
    from ..tenancy.registry import Registry
    from ..topology.cabling import Node
    from .host_view import Met, View
    from .results import Result

HEADERS = {4: 28, 6: 48}
"""Bytes of IP and ICMP before the payload that ping counts."""
KINDS = {"same_leaf": "on the same leaf", "across_leaves": "on another leaf"}


def others(view: View) -> Iterator[Result]:
    """Other nodes of the tenant, on the same leaf and across leaves."""
    for kind, words in KINDS.items():
        known = view.others.get(kind) or {}
        if not known.get("name"):
            reason = known.get("reason") or "No other node was looked for."
            yield view.subject.not_run(f"host.{kind}", reason)
            continue
        yield from _answers(view, kind, f"{known['name']} {words}")


def gateway(view: View) -> Iterator[Result]:
    """The leaf's end of each link."""
    yield from _answers(view, "gateway", "its leaf")


def _answers(view: View, kind: str, whom: str) -> Iterator[Result]:
    check_id, size = f"host.{kind}", view.wanted["path_mtu"]
    rows = [row for row in (view.probe["pings"] if view.probe else ()) if row["kind"] == kind]
    if not rows:
        yield view.subject.not_run(check_id, "No packet was sent.")
        return
    wrong = [
        view.subject.failed(
            check_id,
            f"{row['interface']}: {row['to']} ({whom}) does not answer to packets of {size} bytes: "
            f"{row['reason'] or 'no answer'}: check MTU and VRF on the way.",
            port=row["interface"],
            expected="answer",
            found=row["reason"] or "no answer",
        )
        for row in rows
        if not row["ok"]
    ]
    good = f"{len(rows)} rails reach {whom}."
    yield from view.subject.judged(check_id, wrong, good, found=len(rows))


def counters(view: View) -> Iterator[Result]:
    """What two looks at the counters show."""
    if view.probe is None or "findings" not in view.probe:
        yield view.subject.not_run("host.counters", "The counters were not read.")
        return
    wrong = [
        view.subject.failed(
            "host.counters",
            row["sentence"],
            port=row["target"],
            expected=row["expected"],
            found=row["found"],
        )
        for row in view.probe["findings"]
    ]
    yield from view.subject.judged("host.counters", wrong, "No counter tells of trouble.")


# Which packets to send


def pings(wanted: Desired, met: Mapping[str, Met]) -> list[Ping]:
    """[{kind, interface, source, to, size}] of a host; `met` as `partners` gives it."""
    rails = list(in_service(wanted))
    made = [_ping("gateway", row, row["gateway"], wanted) for row in rails]
    for kind, other in met.items():
        for row in rails:
            address = (other.get("addresses") or {}).get(row["name"])
            if address:
                made.append(_ping(kind, row, address, wanted))
    return made


def in_service(wanted: Desired) -> Iterator[Interface]:
    """The interfaces that have an address and whose link is expected to work."""
    for row in wanted["interfaces"]:
        if row.get("address") and row["name"] not in (wanted.get("resting_ports") or {}):
            yield row


def _ping(kind: str, row: Interface, to: str, wanted: Desired) -> Ping:
    size = wanted["path_mtu"] - HEADERS[ipaddress.ip_address(to).version]
    return {
        "kind": kind,
        "interface": row["name"],
        "source": row["address"],
        "to": to,
        "size": size,
    }


def partners(fabric: Fabric, registry: Registry, node: Node) -> dict[str, Met]:
    """Per kind {name, addresses: {interface: address}}, or {reason} where there is none."""
    known = _met(registry, node)
    if isinstance(known, str):
        return {kind: {"reason": known} for kind in KINDS}
    own = leaf(fabric, node)
    chosen = {
        "same_leaf": [n for n in known if leaf(fabric, n) == own],
        "across_leaves": [n for n in known if leaf(fabric, n) != own],
    }
    tenant = registry.holding(node).slug
    return {
        kind: _partner(fabric, found) or {"reason": _nobody(tenant, KINDS[kind], found)}
        for kind, found in chosen.items()
    }


def _nobody(tenant: str, words: str, found: list[Node]) -> str:
    if found:
        return f"Every other node of {tenant} {words} is out of service."
    return f"{tenant} has no other node {words}."


def _met(registry: Registry, node: Node) -> list[Node] | str:
    """Built nodes that may be met, or why none may."""
    holding = registry.holding(node)
    if holding.slug == schema.QUARANTINE:
        return "Nodes in quarantine reach nobody but their leaf."
    if holding.moving is not None:
        return "The node is moving."
    found = (
        registry.group(holding.group)
        if holding.slug == schema.REST and holding.group
        else registry.nodes_of(holding.slug)
    )
    return [n for n in found if n != node and registry.holding(n).up]


def _partner(fabric: Fabric, nodes: list[Node]) -> Met | None:
    """The first node whose ports are all in service, else the one with most of them; None without."""
    best: tuple[int, Node | None, dict[str, str]] = (0, None, {})
    rails = sum(1 for _nic in fabric.cabling.nic_ports())
    for node in nodes:
        resting = outages.ports(fabric, node)
        if rails - len(resting) > best[0]:
            best = (rails - len(resting), node, resting)
        if not resting:
            break
    _alive, chosen, resting = best
    if chosen is None:
        return None
    return {
        "name": fabric.name(chosen),
        "addresses": {
            port["port"]: port["address"]
            for port in fabric.slice(chosen)["ports"]
            if port["port"] not in resting
        },
    }
