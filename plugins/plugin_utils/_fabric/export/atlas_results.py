# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of checks as the atlas shows them: counts for each device, and what did not pass."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import typing as t

from ....module_utils import _text
from ..model.errors import FabricError

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

STATES = ("pass", "fail", "waived", "not_run", "not_realised")
FOLDER = "results"
MOST_ROWS = 200
"""Results of one device that a page lists; more are counted."""

Row = list[t.Any]


@dataclasses.dataclass
class Verdicts:
    """Counts by state, in the order of STATES, and rows [state, check, port, sentence]."""

    counts: list[int] = dataclasses.field(default_factory=lambda: [0] * len(STATES))
    rows: list[Row] = dataclasses.field(default_factory=list)
    left_out: int = 0

    def add(self, result: Mapping[str, t.Any]) -> None:
        """Count a result, and keep it when it did not pass."""
        state = STATES.index(result["state"])
        self.counts[state] += 1
        if state == 0:
            return
        if len(self.rows) < MOST_ROWS:
            self.rows.append([state, result["id"], result.get("port") or "", result["sentence"]])
        else:
            self.left_out += 1


def read(report: str | None, fabric: str) -> dict[str, Verdicts]:
    """The verdicts of a fabric's devices in `<report>/results`; empty when there is no such folder.

    FabricError when a file holds no results.
    """
    folder = pathlib.Path(report).expanduser() / FOLDER if report else None
    found: dict[str, Verdicts] = {}
    for path in sorted(folder.glob("*.json")) if folder else ():
        for result in _load(path):
            if result["fabric"] == fabric:
                found.setdefault(result["device"], Verdicts()).add(result)
    return found


def _load(path: pathlib.Path) -> list[dict[str, t.Any]]:
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as exc:
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
