# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Timeline of losses: one probe per flow and interval, without pause.

``python -m lab probe`` runs it in the foreground or leaves it running; it ends on SIGTERM or
SIGINT, or after the given seconds, and then writes its result.
"""

from __future__ import annotations

import array
import dataclasses
import itertools
import json
import pathlib
import signal
import time
from collections.abc import Callable
from typing import Any

from lab.echo import Probe, Senders, as_row

GRACE = 0.5
"""Seconds to wait at the end for answers that are still on their way."""
REOPEN_AFTER = 50
"""Failures to send in a row after which a device is taken to have been restarted."""
LATE_AFTER, LOST_AFTER = 0.1, 1.0
"""Seconds after which an answer is late, and after which it no longer counts.

While a neighbour is unresolved the kernel holds packets back and sends them on when the cable is
in again: without a limit such an outage would look like none.
"""
LOST, ANSWERED, LATE = 0, 1, 2


@dataclasses.dataclass
class Flow:
    """One probe's history: one byte per request sent."""

    probe: Probe
    states: bytearray = dataclasses.field(default_factory=bytearray)
    failed: int = 0
    reason: str = ""


class Prober:
    """Sends one request of every flow each `interval` seconds until it is stopped."""

    def __init__(
        self, probes: list[Probe], pid_of: Callable[[str], int], *, interval: float
    ) -> None:
        self._flows = [Flow(probe) for probe in probes]
        self._senders = Senders(probes, pid_of)
        self._interval = interval
        self._times = array.array("d")
        self._stopped = False
        self._epoch = time.time()
        self._begun = time.monotonic()

    def stop(self, *_: object) -> None:
        """End after the current round; usable as a signal's handler."""
        self._stopped = True

    def run(self, seconds: float | None) -> None:
        """Probe for `seconds`, or until `stop`."""
        self._epoch = time.time()
        self._begun = due = time.monotonic()
        while not self._stopped and (seconds is None or due - self._begun < seconds):
            self._listen(due)
            self._times.append(time.monotonic() - self._begun)
            for number in range(len(self._flows)):
                self._send(number)
            # A round that comes late shifts the next ones: no burst makes up for it.
            due = max(due + self._interval, time.monotonic())
        self._listen(time.monotonic() + GRACE)

    def document(self) -> dict[str, Any]:
        """Return all timelines: seconds are since `started`, an epoch time."""
        flows = [timeline(flow, self._times) for flow in self._flows]
        return {
            "schema": 1,
            "started": round(self._epoch, 3),
            "interval": self._interval,
            "seconds": round(self._times[-1], 3) if self._times else 0.0,
            "ok": all(row["ok"] for row in flows),
            "flows": flows,
        }

    def _send(self, number: int) -> None:
        flow = self._flows[number]
        reason = self._senders.send(number, len(flow.states))
        flow.states.append(LOST)
        flow.failed = flow.failed + 1 if reason else 0
        if reason:
            flow.reason = reason
        if flow.failed and flow.failed % REOPEN_AFTER == 0:
            self._senders.reopen(flow.probe.device)

    def _listen(self, until: float) -> None:
        while True:
            left = until - time.monotonic()
            for answer in self._senders.answers(left):
                if not answer.reason:
                    self._note(self._flows[answer.number], answer.sequence)
            if left <= 0:
                return

    def _note(self, flow: Flow, sequence: int) -> None:
        place = unwrap(sequence, len(flow.states))
        if place is None:
            return
        state = verdict(time.monotonic() - self._begun - self._times[place])
        # Where nothing may come through, an answer counts however late it is.
        flow.states[place] = state or (LATE if flow.probe.expect == "silent" else LOST)


def verdict(seconds: float) -> int:
    """Return the state of a request that was answered after `seconds`."""
    if seconds > LOST_AFTER:
        return LOST
    return LATE if seconds > LATE_AFTER else ANSWERED


def unwrap(sequence: int, sent: int) -> int | None:
    """Return which request a 16-bit sequence number means, of `sent` so far.

    >>> unwrap(1, 65540)
    65537
    """
    place = (sent - 1) - ((sent - 1 - sequence) & 0xFFFF)
    return place if place >= 0 else None


def timeline(flow: Flow, times: array.array[float]) -> dict[str, Any]:
    """Return one flow's result: counts, runs of equal states, and the gaps in seconds.

    `runs` are [state, count] with state 1 answered, 2 late, 0 lost; `gaps` are the stretches
    without an answer in time, with the times of the last one before and the first one after
    (None: there is none). A flow that is to reach fails by what is lost. A flow that is to be
    silent fails by any answer, and its `gaps` are empty.
    """
    received = flow.states.count(ANSWERED) + flow.states.count(LATE)
    lost = flow.states.count(LOST)
    gaps = _gaps(flow.states, times) if flow.probe.expect == "reached" else []
    return {
        **as_row(flow.probe),
        "sent": len(flow.states),
        "received": received,
        "late": flow.states.count(LATE),
        "lost": lost,
        "ok": lost == 0 if flow.probe.expect == "reached" else received == 0,
        "reason": flow.reason,
        "longest_gap": max((gap["seconds"] for gap in gaps), default=0.0),
        "gaps": gaps,
        "runs": [[state, len(list(group))] for state, group in itertools.groupby(flow.states)],
    }


def _gaps(states: bytearray, times: array.array[float]) -> list[dict[str, Any]]:
    gaps, at = [], 0
    for answered, group in itertools.groupby(states, key=lambda state: state == ANSWERED):
        run = list(group)
        if not answered:
            before = round(times[at - 1], 3) if at else None
            after = round(times[at + len(run)], 3) if at + len(run) < len(times) else None
            seconds = round((after or times[-1]) - (before or 0.0), 3)
            gap = {"from": before, "to": after, "seconds": seconds, "lost": run.count(LOST)}
            gaps.append({**gap, "late": run.count(LATE)})
        at += len(run)
    return gaps


def record(
    probes: list[Probe],
    pid_of: Callable[[str], int],
    out: pathlib.Path,
    *,
    interval: float,
    seconds: float | None,
) -> dict[str, Any]:
    """Probe until stopped and write the timelines to `out`."""
    prober = Prober(probes, pid_of, interval=interval)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, prober.stop)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.with_suffix(".running").touch()
    prober.run(seconds)
    document = prober.document()
    out.write_text(json.dumps(document) + "\n", encoding="utf-8")
    out.with_suffix(".running").unlink(missing_ok=True)
    return document
