# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets of a host: which ones to send, and what their answers mean.

Sizes are those of the plan: a packet of exactly the path MTU must arrive whole.
"""

from __future__ import annotations

import functools
import ipaddress
import typing as t

from ..host import outages
from ..tenancy import schema
from .host_view import leaf
from .results import failed, not_run, passed

if t.TYPE_CHECKING:
    from ....module_utils._host.records import Ping
    from ..fabric import Fabric
    from ..host.desired import Desired
    from ..host.interfaces import Interface
    from ..tenancy.registry import Registry
    from ..topology.cabling import Node
    from .host_view import Met, View
    from .results import Check, Findings

HEADERS = {4: 28, 6: 48}
"""Bytes of IP and ICMP before the payload that ping counts."""
KINDS = {"same_leaf": "on the same leaf", "across_leaves": "on another leaf"}


def others(view: View, kind: str) -> Findings:
    """Another node of the tenant, on the same leaf or across leaves."""
    known = view.others.get(kind) or {}
    if known.get("name"):
        yield from _answers(view, kind, f"{known['name']} {KINDS[kind]}")
    else:
        yield not_run(known.get("reason") or "No other node was looked for.")


def _answers(view: View, kind: str, whom: str) -> Findings:
    size = view.wanted["path_mtu"]
    rows = [row for row in (view.probe["pings"] if view.probe else ()) if row["kind"] == kind]
    for row in rows:
        if not row["ok"]:
            why = row["reason"] or "no answer"
            what = f"{row['to']} ({whom}) does not answer to packets of {size} bytes"
            says = f"{row['interface']}: {what}: {why}: check MTU and VRF on the way."
            yield failed(says, row["interface"], "answer", why)
    if rows:
        yield passed(f"{len(rows)} rails reach {whom}.", found=len(rows))
    else:
        yield not_run("No packet was sent.")


def answering(view: View) -> set[str]:
    """The interfaces whose leaf answers."""
    rows = view.probe["pings"] if view.probe else ()
    return {row["interface"] for row in rows if row["kind"] == "gateway" and row["ok"]}


def counters(view: View) -> Findings:
    """What two looks at the counters show."""
    if view.probe is None or "findings" not in view.probe:
        yield not_run("The counters were not read.")
        return
    for row in view.probe["findings"]:
        yield failed(row["sentence"], row["target"], row["expected"], row["found"])
    yield passed("No counter tells of trouble.")


CHECKS: dict[str, Check[View]] = {
    "host.gateway": functools.partial(_answers, kind="gateway", whom="its leaf"),
    **{f"host.{kind}": functools.partial(others, kind=kind) for kind in KINDS},
    "host.counters": counters,
}


# Which packets to send


def pings(wanted: Desired, met: t.Mapping[str, Met]) -> list[Ping]:
    """[{kind, interface, source, to, size}] of a host; `met` as `partners` gives it."""
    rails = list(in_service(wanted))
    tried = [("gateway", row, row["gateway"]) for row in rails]
    for kind, other in met.items():
        addresses = other.get("addresses") or {}
        tried += [(kind, r, addresses[r["name"]]) for r in rails if addresses.get(r["name"])]
    return [
        {
            "kind": kind,
            "interface": row["name"],
            "source": row["address"],
            "to": to,
            "size": wanted["path_mtu"] - HEADERS[ipaddress.ip_address(to).version],
        }
        for kind, row, to in tried
    ]


def in_service(wanted: Desired) -> t.Iterator[Interface]:
    """The interfaces that have an address and whose link is expected to work."""
    for row in wanted["interfaces"]:
        if row.get("address") and row["name"] not in (wanted.get("resting_ports") or {}):
            yield row


def partners(fabric: Fabric, registry: Registry, node: Node) -> dict[str, Met]:
    """Per kind {name, addresses: {interface: address}}, or {reason} where there is none."""
    known = _met(registry, node)
    if isinstance(known, str):
        return {kind: {"reason": known} for kind in KINDS}
    own, tenant = leaf(fabric, node), registry.holding(node).slug
    made: dict[str, Met] = {}
    for kind, words in KINDS.items():
        found = [n for n in known if (leaf(fabric, n) == own) is (kind == "same_leaf")]
        why = f"{tenant} has no other node {words}."
        if found:
            why = f"Every other node of {tenant} {words} is out of service."
        made[kind] = _partner(fabric, found) or {"reason": why}
    return made


def _met(registry: Registry, node: Node) -> list[Node] | str:
    """Built nodes that may be met, or why none may."""
    holding = registry.holding(node)
    if holding.slug == schema.QUARANTINE:
        return "Nodes in quarantine reach nobody but their leaf."
    if holding.moving is not None:
        return "The node is moving."
    group = holding.group if holding.slug == schema.REST else None
    found = registry.group(group) if group else registry.nodes_of(holding.slug)
    return [n for n in found if n != node and registry.holding(n).up]


def _partner(fabric: Fabric, nodes: list[Node]) -> Met | None:
    """The first node whose ports are all in service, else the one with most of them; None without."""
    chosen, resting = None, {fabric.names.nic(nic): "" for nic in fabric.cabling.nic_ports()}
    for node in nodes:
        found = outages.ports(fabric, node)
        if len(found) < len(resting):
            chosen, resting = node, found
        if not found:
            break
    if chosen is None:
        return None
    ports = fabric.slice(chosen)["ports"]
    addresses = {row["port"]: row["address"] for row in ports if row["port"] not in resting}
    return {"name": fabric.name(chosen), "addresses": addresses}
