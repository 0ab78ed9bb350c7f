# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The watchdog: a few cheap questions about every port, asked again and again.

Link, trust and PFC, ROCE_ACCL, the algorithm, and counters that show a pause storm or of a
queue that is stuck. It repairs a drift or only reports it, as the desired state says, and only
reports it while a playbook has taken the host out of work; it never toggles a link.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypedDict

from . import textfile
from .apply import DRAINED, Finding, apply, verify
from .desired import DesiredState, Nic, Port
from .errors import NicError
from .gather import cards_for
from .parse.qos import parse_statistics
from .records import PlainFinding, PortRecord
from .state import load, note_seen, save
from .tools import Host

Counters = dict[str, int]

NOTE = "watch"

# Counter -> what an increase since the last look means.
# Source: Linux kernel, mlx5 counters documentation.
RISES = {
    "tx_pause_storm_error_events": "pause storm: the NIC stopped sending pause and may drop",
    "tx_pause_storm_warning_events": "the NIC sends pause for a long time",
    "link_down_events_phy": "the link went down",
    "roce_adp_retrans_to": "adaptive retransmission timed out",
}
# Priority 3 pauses its peer, or drops or is paused itself, and nothing arrives: a queue is stuck.
BLOCKED = (
    "tx_prio3_pause",
    "tx_prio3_pause_duration",
    "rx_prio3_discards",
    "rx_prio3_pause_duration",
)
RECEIVED = "rx_prio3_packets"
HARDWARE = "/sys/class/infiniband/{rdma}/ports/1/hw_counters/roce_adp_retrans_to"


class Report(TypedDict):
    """Findings of a look, and the repairs."""

    healthy: bool
    findings: list[PlainFinding]
    repaired: list[str]
    errors: list[str]
    drained: bool


def watch(host: Host, desired: DesiredState, say: Callable[[str], None] | None = None) -> Report:
    """{healthy, findings, repaired, errors, drained}; what could be repaired is no finding any more.

    `say` gets each sentence as soon as it is known, so that a look that is stopped is not lost.
    """
    began = time.monotonic()
    links = list(_links(host, desired))
    counters = _counters(host, desired)
    drift = _drift(host, desired)
    for finding in (*links, *counters, *drift):
        if say:
            say(finding.sentence)
    repaired: list[str] = []
    errors: list[str] = []
    drained = host.exists(DRAINED)
    repairable = any(finding.check != "conflict" for finding in drift)
    if repairable and desired.watch == "repair" and not drained:
        done = apply(host, desired)
        repaired, errors = list(done.commands), list(done.errors)
        drift = _drift(host, desired)
    findings = [*links, *counters, *drift]
    note_seen(host)
    try:
        _tell(host, desired, drift, repaired=bool(repaired), began=began)
    except NicError as exc:
        errors.append(str(exc))
    return {
        "healthy": not findings and not errors,
        "findings": [f.plain() for f in findings],
        "repaired": repaired,
        "errors": errors,
        "drained": drained,
    }


def _tell(
    host: Host, desired: DesiredState, drift: list[Finding], *, repaired: bool, began: float
) -> None:
    """Write what Prometheus reads of this host."""
    ports = [port for _nic, port in _ports(host, desired) if not isinstance(port, Finding)]
    wrong = {finding.check for finding in drift}
    seconds = time.monotonic() - began
    textfile.write(host, ports, wrong, repaired=repaired, now=time.time(), seconds=seconds)


def _drift(host: Host, desired: DesiredState) -> list[Finding]:
    """Runtime only: settings that need a reset are for `verify`, a gap for maintenance."""
    runtime = tuple(replace(nic, nvconfig={}, firmware=None) for nic in desired.nics)
    findings = verify(host, replace(desired, nics=runtime))
    return [f for f in findings if f.check != "deferred"]


def _ports(host: Host, desired: DesiredState) -> Iterator[tuple[Nic, PortRecord | Finding]]:
    """The ports of each card, or that the card is missing."""
    for nic in desired.nics:
        try:
            yield from ((nic, port) for port in cards_for(host, [nic])[0][0]["ports"])
        except NicError as exc:
            yield nic, Finding("card", nic.pci, "present", "missing", str(exc))


def _links(host: Host, desired: DesiredState) -> Iterator[Finding]:
    for nic, port in _ports(host, desired):
        if isinstance(port, Finding):
            yield port
            continue
        known = (p for p in nic.ports if p.netdev == port["netdev"] or p.pci == port["pci"])
        yield from _link(port, next(known, Port(port["netdev"])))


def _link(port: PortRecord, wanted: Port) -> Iterator[Finding]:
    name = port["netdev"] or port["pci"]
    if port["link"] != "up":
        sentence = f"{name}: the link is {port['link'] or 'absent'}."
        yield Finding("link", name, "up", port["link"], sentence)
        return
    for key in ("mtu", "speed"):
        value = getattr(wanted, key)
        if value is not None and port[key] is not None and port[key] != value:
            sentence = f"{name}: {key} is {port[key]}, expected {value}."
            yield Finding(key, name, value, port[key], sentence)


def _counters(host: Host, desired: DesiredState) -> list[Finding]:
    before = load(host, NOTE)
    now: dict[str, Counters] = {}
    findings: list[Finding] = []
    for nic, port in _ports(host, desired):
        if not isinstance(port, Finding) and port["netdev"]:
            name = port["netdev"]
            now[name] = _read(host, port)
            findings += judge(name, before.get(name, {}), now[name], nic)
    try:
        save(host, NOTE, now)
    except NicError as exc:
        findings.append(Finding("note", NOTE, "written", "not", str(exc)))
    return findings


def _read(host: Host, port: PortRecord) -> Counters:
    wanted = {*RISES, *BLOCKED, RECEIVED, "rx_prio3_pause"}
    every = parse_statistics(host.ask("ethtool", "-S", port["netdev"]).out)
    found = {name: value for name, value in every.items() if name in wanted}
    timeouts = host.number(HARDWARE.format(rdma=port["rdma"]))
    if timeouts is not None:
        found["roce_adp_retrans_to"] = timeouts
    return found


def judge(netdev: str, before: Counters, now: Counters, nic: Nic) -> list[Finding]:
    """Compare two readings of a port's counters; a counter that fell was reset."""
    findings = [
        Finding(name, netdev, before[name], now[name], f"{netdev}: {meaning} ({name}).")
        for name, meaning in RISES.items()
        if name in before and now.get(name, 0) > before[name]
    ]
    stuck = _stuck(before, now)
    if stuck:
        sentence = f"{netdev}: stuck queue: {stuck} rises on priority 3 while nothing arrives."
        findings.append(Finding("stuck_queue", netdev, "traffic", stuck, sentence))
    if now and "rx_prio3_pause" not in now and nic.qos and nic.qos.pfc and nic.qos.pfc[3]:
        sentence = f"{netdev}: no pause counters of priority 3: PFC is off on it."
        findings.append(Finding("pfc_counters", netdev, "present", "absent", sentence))
    return findings


def _stuck(before: Counters, now: Counters) -> str:
    """The counter that shows it, "" where traffic flows or is not known to be blocked."""
    if RECEIVED not in before or before[RECEIVED] != now.get(RECEIVED):
        return ""
    rising = (n for n in BLOCKED if n in before and now.get(n, 0) > before[n])
    return next(rising, "")
