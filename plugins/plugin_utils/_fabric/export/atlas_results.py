# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of checks as the atlas shows them: how each device is, and what did not pass and why.

A cause is a state, a check and a sentence without the names and numbers in it, so that 48 hosts
without credentials are one line.
"""

from __future__ import annotations

import collections
import dataclasses
import pathlib
import re
import typing as t

from ....module_utils import _json, _text
from ..description.errors import FabricError

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

STATES = ("pass", "fail", "waived", "not_run", "not_realised")
PASS, FAIL, WAIVED, NOT_RUN = range(4)
DEVICES = ("passed", "failed", "waived", "partly", "unchecked")
"""States of a device after its checks; one without results is unchecked."""
FOLDER = "results"
MEASURED = "performance"
"""Folders of a report: of checks, and of runs that measured the fabric."""
MOST_ROWS = 200
"""Results of one device that a page lists; more are counted."""
_OF_LINKS = ("switch.link.state", "switch.lldp.neighbour", "host.link")
_NAMED = re.compile(r"(?<!\S)(?=[^\s0-9]*[0-9])\S+")

Row = list[t.Any]
Cause = tuple[int, str, str]
"""State, check, and the sentence without what differs from device to device."""


def cause(row: Row) -> Cause:
    """The cause of a row [state, check, port, sentence]."""
    return row[0], row[1], _NAMED.sub("\u2026", row[3])


@dataclasses.dataclass
class Verdicts:
    """Counts by state, in the order of STATES, and rows [state, check, port, sentence].

    `links` says whether the device's links were checked, `at` when the last check ended.
    """

    counts: list[int] = dataclasses.field(default_factory=lambda: [0] * len(STATES))
    rows: list[Row] = dataclasses.field(default_factory=list)
    left_out: int = 0
    links: bool = False
    at: str = ""

    @property
    def state(self) -> str:
        """One of DEVICES."""
        counts = self.counts
        if counts[FAIL]:
            return "failed"
        if not counts[PASS] + counts[WAIVED]:
            return "unchecked"
        if counts[WAIVED]:
            return "waived"
        return "partly" if counts[NOT_RUN] else "passed"

    def add(self, result: Mapping[str, t.Any]) -> None:
        """Count a result, and keep it when it did not pass."""
        state = STATES.index(result["state"])
        self.counts[state] += 1
        self.at = max(self.at, str(result.get("at") or ""))
        self.links |= state <= WAIVED and result["id"] in _OF_LINKS
        if state == PASS:
            return
        if len(self.rows) < MOST_ROWS:
            self.rows.append([state, result["id"], result.get("port") or "", result["sentence"]])
        else:
            self.left_out += 1


class Causes:
    """Causes of failures on some devices, worst and most frequent first."""

    def __init__(self, results: Mapping[str, Verdicts]) -> None:
        self.results = results
        self._rows: dict[Cause, list[Row]] = {}
        devices: collections.Counter[Cause] = collections.Counter()
        for found in results.values():
            for row in found.rows:
                self._rows.setdefault(cause(row), []).append(row)
            devices.update({cause(row) for row in found.rows})
        order = sorted(self._rows, key=lambda one: (one[0], -devices[one], one))
        self._number = {one: number for number, one in enumerate(order)}
        self.table = [[*one[:2], *self._said(one), devices[one]] for one in order]

    def _said(self, one: Cause) -> tuple[str, bool]:
        """The first sentence of a cause, and whether it is the only one."""
        said = dict.fromkeys(row[3] for row in self._rows[one])
        return next(iter(said)), len(said) == 1

    def of(self, names: Iterable[str]) -> dict[str, dict[str, t.Any]]:
        """The results of devices as the page reads them; rows are [cause, port, own sentence]."""
        return {name: self._device(self.results[name]) for name in sorted(names)}

    def _device(self, found: Verdicts) -> dict[str, t.Any]:
        return {**vars(found), "state": found.state, "rows": [self._row(row) for row in found.rows]}

    def _row(self, row: Row) -> Row:
        number = self._number[cause(row)]
        return [number, row[2], "" if self.table[number][3] else row[3]]


def read(report: str | None, fabric: str) -> dict[str, Verdicts]:
    """The verdicts of a fabric's devices in `<report>/results`; empty without a report.

    FabricError when it has neither results nor runs of performance, or a file holds none.
    """
    folder = pathlib.Path(report).expanduser() / FOLDER if report else None
    if folder and not folder.is_dir() and not (folder.parent / MEASURED).is_dir():
        raise FabricError.of(
            f"report {report} has no folder {FOLDER}: name a report of validate or "
            "performance, or leave it out."
        )
    found: dict[str, Verdicts] = {}
    for path in sorted(folder.glob("*.json")) if folder else ():
        # Failures come first, so that none is among what is left out.
        for result in sorted(_load(path), key=lambda row: STATES.index(row["state"])):
            if result["fabric"] == fabric:
                found.setdefault(result["device"], Verdicts()).add(result)
    return found


def _load(path: pathlib.Path) -> list[dict[str, t.Any]]:
    try:
        rows = _json.parse(path.read_bytes())
    except (OSError, ValueError) as exc:
        raise FabricError.of(
            f"{path} is not a file of results ({exc}): remove it, or run the checks again."
        ) from exc
    wanted = ("id", "fabric", "device", "state", "sentence")
    sound = isinstance(rows, list) and all(
        isinstance(row, dict) and all(key in row for key in wanted) and row["state"] in STATES
        for row in rows
    )
    if not sound:
        raise FabricError.of(
            f"{path} is not a list of results with {', '.join(wanted)} and a state out of "
            f"{', '.join(STATES)}: remove it, or run the checks again."
        )
    return t.cast("list[dict[str, t.Any]]", _text.plain(rows))


def total(verdicts: Iterable[Verdicts]) -> list[int]:
    """The sum of counts."""
    return [sum(counts) for counts in zip([0] * len(STATES), *(one.counts for one in verdicts))]


def devices(verdicts: Iterable[Verdicts]) -> list[int]:
    """Count the devices in each state of DEVICES."""
    found = collections.Counter(one.state for one in verdicts)
    return [found[state] for state in DEVICES]


def checked(verdicts: Iterable[Verdicts]) -> list[str]:
    """Return the times of the first and the last check of some devices; empty where no file has them."""
    times = sorted({one.at for one in verdicts if one.at})
    return [times[0], times[-1]] if times else []
