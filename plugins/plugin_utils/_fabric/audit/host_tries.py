# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attempts of a host: pings that must be answered, attempts that must not, and the meaning of answers.

    stranger   a ping to a host of another tenant, of quarantine, or of another acceptance group
    tcp        a connection to the leaf's address, on a port by which switches are managed; and one to
               TCP 179 of another leaf in the same VRF, which no list of a host port sees
    vxlan      a forged VXLAN packet to the leaf's address, whose inner packet asks for an answer

Pings have exactly the path MTU of the plan and must arrive whole. Attempts are a sample: on each rail
one stranger on the same leaf and one on another, four connections and one forged packet. Silence says
something only where the leaf answers the host's pings on that rail; elsewhere the check is not run.
"""

from __future__ import annotations

import functools
import ipaddress
import typing as t

from ..catalog.data import table, wanted
from .host_partners import KINDS, fellow, ports_in_service, strangers
from .results import failed, not_run, passed

if t.TYPE_CHECKING:
    from ....module_utils._host.records import Attempt, AttemptResult, Ping
    from ..plan.fabric import Fabric
    from ..plan.slices import Nic
    from ..plan.topology.cabling import Node
    from ..render.host.desired import DesiredNode
    from ..render.host.interfaces import Interface
    from ..tenants.registry import Registry
    from .host_partners import Partner
    from .host_view import View
    from .results import Check, Findings, Result, Subject

HEADERS = {4: 28, 6: 48}
"""Bytes of IP and ICMP before the payload that ping counts."""
CONTROL_PORTS = {22: "SSH", 8765: "NVUE's API", 179: "BGP"}
BGP = 179


# What to send


def pings(wanted: DesiredNode, met: t.Mapping[str, Partner]) -> list[Ping]:
    """[{kind, interface, source, to, size}] of a host; `met` as `partners` gives it."""
    rails = _in_service(wanted)
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


def _in_service(wanted: DesiredNode) -> list[Interface]:
    """The interfaces that have an address and whose link is expected to work."""
    resting = wanted.get("resting_ports") or {}
    rows = wanted["interfaces"]
    return [row for row in rows if row.get("address") and row["name"] not in resting]


def attempts(fabric: Fabric, registry: Registry, node: Node, planned: DesiredNode) -> list[Attempt]:
    """[{kind, interface, source, to, port, vni, whom}] of a host; none while it is moving."""
    if registry.holding(node).moving is not None:
        return []
    vni = registry.owners[registry.holding(node).slug].l3vni
    rails = _in_service(planned)
    own = [(row, row["gateway"], f"its leaf {row['peer']['device']}") for row in rails]
    tried = [("tcp", *leaf, port, 0) for leaf in own for port in CONTROL_PORTS]
    tried += [("vxlan", *leaf, 0, vni) for leaf in own]
    for other in strangers(fabric, registry, node):
        whom = f"{fabric.name(other)} of {registry.holding(other).slug}"
        for row, port in _same_rails(fabric, rails, other):
            tried.append(("stranger", row, port["address"], whom, 0, 0))
    for other in fellow(fabric, registry, node):
        for row, port in _same_rails(fabric, rails, other):
            whom = f"leaf {port['peer']['device']}"
            tried.append(("tcp", row, port["gateway"], whom, BGP, 0))
    return [
        {
            "kind": kind,
            "interface": row["name"],
            "source": row["address"],
            "to": to,
            "port": number,
            "vni": vni,
            "whom": whom,
        }
        for kind, row, to, whom, number, vni in tried
    ]


def _same_rails(fabric: Fabric, rails: list[Interface], other: Node) -> list[tuple[Interface, Nic]]:
    """Rails of a host with the other's ports on them that are in service."""
    ports = ports_in_service(fabric, other)
    return [(row, ports[row["name"]]) for row in rails if row["name"] in ports]


def alone(asked: t.Sequence[str]) -> bool:
    """Check whether only attempts are requested of a host, so that no NIC has to be read."""
    known = {**table("checks_host"), **table("checks_networks")}
    return bool(asked) and not any(wanted(check, asked) for check in known)


# What the answers mean


def _reached(view: View, kind: str) -> Findings:
    """Its leaf, or another node of the tenant on the same leaf or across leaves."""
    size, known = view.wanted["path_mtu"], view.others.get(kind) or {}
    if kind != "gateway" and not known.get("name"):
        yield not_run(known.get("reason") or "No other node was looked for.")
        return
    whom = f"{known['name']} {KINDS[kind]}" if known else "its leaf"
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


def _counters(view: View) -> Findings:
    """Judge two readings of the counters."""
    if view.probe is None or "findings" not in view.probe:
        yield not_run("The counters were not read.")
        return
    for row in view.probe["findings"]:
        yield failed(row["sentence"], row["target"], row["expected"], row["found"])
    yield passed("No counter shows trouble.")


def _silence(view: View, kind: str) -> Findings:
    """Answers to attempts are breaches."""
    probe = view.probe or {"pings": [], "attempts": []}
    rows = [row for row in probe.get("attempts", []) if row["kind"] == kind]
    for row in rows:
        if row["answer"]:
            yield failed(_breach(row), row["interface"], "silence", row["answer"])
    gateways = [row for row in probe["pings"] if row["kind"] == "gateway" and row["ok"]]
    mute = {row["interface"] for row in rows} - {row["interface"] for row in gateways}
    if not rows:
        yield not_run("The node is moving, or there is no host for the test.")
    elif not mute:
        yield passed(f"{len(rows)} attempts, no answer.", found=len(rows))
    elif not any(row["answer"] for row in rows):
        why = "the leaf does not answer a ping, so silence proves nothing."
        yield not_run(f"{', '.join(sorted(mute))}: {why}")


def _breach(row: AttemptResult) -> str:
    if row["kind"] == "stranger":
        return (
            f"{row['interface']}: {row['to']} ({row['whom']}) answers a ping of a host that may not "
            f"reach it: see the check tenant.routes of the leaves on the way, and run switches."
        )
    what = "a forged VXLAN packet (UDP port 4789)"
    if row["kind"] == "tcp":
        what = f"TCP port {row['port']} ({CONTROL_PORTS.get(row['port'], 'unknown')})"
    return (
        f"{row['interface']}: {row['whom']} answers {what} of a tenant's host ({row['answer']}): its control "
        "plane is open to hosts: run switches, and find out who changed the access lists "
        "spx-control and spx-gateways."
    )


TRIED: dict[str, Check[View]] = {
    "tenant.strangers": functools.partial(_silence, kind="stranger"),
    "tenant.control_plane": functools.partial(_silence, kind="tcp"),
    "tenant.forged_vxlan": functools.partial(_silence, kind="vxlan"),
}
CHECKS: dict[str, Check[View]] = {
    **{f"host.{kind}": functools.partial(_reached, kind=kind) for kind in ("gateway", *KINDS)},
    "host.counters": _counters,
    **TRIED,
}


def none(about: Subject, why: str) -> list[Result]:
    """The results of a host from which nothing was tried."""
    return [about.result(check, not_run(why)) for check in TRIED]
