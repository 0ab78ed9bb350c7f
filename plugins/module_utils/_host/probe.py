# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets that may not be fragmented, and two looks at the counters around them. Nothing is written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import cast

from .._nic.apply import Finding
from .._nic.check import fields_of, whole
from .._nic.desired import Nic, nics_from
from .._nic.errors import NicError
from .._nic.gather import cards_for
from .._nic.parse.qos import parse_statistics
from .._nic.tools import Host, side_by_side
from .._nic.watch import judge
from .attempts import attempt_all, ping
from .records import Ping, Pinged, Probed, Tries

TRIES = 3


def probe(host: Host, tries: Tries) -> Probed:
    """What the host tries: {pings: [{..., ok, reason}], attempts: [{..., answer}], findings of the counters}.

    `tries` are {pings, attempts, nics}; {error} where they cannot be made.
    """
    try:
        found = _pinged(host, tries["pings"], nics_from(tries["nics"]))
        return {**found, "attempts": attempt_all(host, tries["attempts"])}
    except NicError as exc:
        return {"error": str(exc)}


def _pinged(host: Host, pings: Iterable[Ping], nics: Iterable[Nic]) -> Probed:
    """{pings: [{..., ok, reason}], findings: [{check, target, expected, found, sentence}]}."""
    cards = cards_for(host, nics)
    ports = [(port, nic) for card, nic in cards for port in card["ports"] if port["netdev"]]
    before = {port["netdev"]: _statistics(host, port["netdev"]) for port, _nic in ports}
    answers = side_by_side(lambda row: _answer(host, row), list(pings))
    findings = [
        finding.plain()
        for port, nic in ports
        for finding in _judged(host, port["netdev"], before[port["netdev"]], nic)
    ]
    return {"pings": answers, "findings": findings}


def _judged(host: Host, netdev: str, before: dict[str, int], nic: Nic) -> list[Finding]:
    """Counters that could not be read prove nothing."""
    now = _statistics(host, netdev)
    if now:
        return judge(netdev, before, now, nic)
    sentence = f"{netdev}: ethtool shows no counters: install ethtool, or look at the driver."
    return [Finding("counters", netdev, "readable", "nothing", sentence)]


def _statistics(host: Host, netdev: str) -> dict[str, int]:
    return parse_statistics(host.ask("ethtool", "-S", netdev).out)


def _answer(host: Host, data: Ping) -> Pinged:
    row = cast(
        "Ping", dict(fields_of(data, "pings", ("kind", "interface", "source", "to", "size")))
    )
    size = whole(row.get("size"), "pings.size", 0, 65507)
    said = ping(host, row, TRIES, "-M", "do", "-s", str(size), timeout=15)
    return {**row, "ok": said.rc == 0, "reason": "" if said.rc == 0 else _reason(said.text)}


def _reason(text: str) -> str:
    """What a router or the kernel said, "" for silence."""
    words = (
        r"Cannot assign requested address",
        r"message too long[^\n]*",
        r"Frag needed[^\n]*",
        r"Destination [^\n]*",
        r"[^\n]*nreachable",
    )
    for pattern in words:
        found = re.search(pattern, text, re.IGNORECASE)
        if found:
            return found.group(0).strip()
    return ""
