# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Matrix of reachability: every probe of a spec, tried a bounded number of times, side by side."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any

from lab.cabling import listing
from lab.echo import Probe, Senders, as_row

RATE = 2000
"""Requests per second at most, so that no socket of a busy machine overflows."""


@dataclasses.dataclass
class _Tally:
    sent: int = 0
    received: int = 0
    reason: str = ""
    rtt_ms: float | None = None


def measure(
    probes: list[Probe],
    pid_of: Callable[[str], int],
    *,
    tries: int = 3,
    timeout: float = 1.0,
) -> dict[str, Any]:
    """Send each probe until it is answered, at most `tries` times `timeout` seconds apart.

    Returns ``{"schema": 1, "seconds", "ok", "results": [{..probe, "state": "reached|silent",
    "ok", "sent", "rtt_ms", "reason"}]}``, in the spec's order.
    """
    begun = time.monotonic()
    senders = Senders(probes, pid_of)
    tallies = [_Tally() for dummy in probes]
    for sequence in range(tries):
        waiting = [n for n, tally in enumerate(tallies) if not tally.received]
        if not waiting:
            break
        _round(senders, tallies, waiting, sequence, timeout)
    results = [_result(probe, tally) for probe, tally in zip(probes, tallies)]
    return {
        "schema": 1,
        "seconds": round(time.monotonic() - begun, 3),
        "ok": all(row["ok"] for row in results),
        "results": results,
    }


def sentence(document: dict[str, Any]) -> str:
    """Return what a matrix showed, in one sentence."""
    rows = document["results"]
    wrong = [f"{row['id']} is {row['state']}" for row in rows if not row["ok"]]
    told = f"{len(rows) - len(wrong)} of {len(rows)} probes as expected in {document['seconds']} s"
    return f"{told}; {listing(wrong)}" if wrong else told


def _round(
    senders: Senders, tallies: list[_Tally], waiting: list[int], sequence: int, timeout: float
) -> None:
    sent_at: dict[int, float] = {}
    missing = set(waiting)
    for count, number in enumerate(waiting):
        reason = senders.send(number, sequence)
        sent_at[number] = time.monotonic()
        tallies[number].sent += 1
        if reason:
            tallies[number].reason = reason
            missing.discard(number)
        if count % 20 == 19:
            _take(senders, tallies, sent_at, missing, 20 / RATE)
    deadline = time.monotonic() + timeout
    while missing and time.monotonic() < deadline:
        _take(senders, tallies, sent_at, missing, deadline - time.monotonic())


def _take(
    senders: Senders,
    tallies: list[_Tally],
    sent_at: dict[int, float],
    missing: set[int],
    seconds: float,
) -> None:
    for answer in senders.answers(seconds):
        tally = tallies[answer.number]
        if answer.reason:
            tally.reason = answer.reason
        elif answer.number in sent_at:
            tally.received += 1
            tally.reason = ""
            tally.rtt_ms = round((time.monotonic() - sent_at[answer.number]) * 1000, 3)
        missing.discard(answer.number)


def _result(probe: Probe, tally: _Tally) -> dict[str, Any]:
    state = "reached" if tally.received else "silent"
    return {
        **as_row(probe),
        "state": state,
        "ok": state == probe.expect,
        "sent": tally.sent,
        "rtt_ms": tally.rtt_ms,
        "reason": tally.reason,
    }
