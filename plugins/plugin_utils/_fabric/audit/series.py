# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of checks as series for Prometheus: what a switch does not export reaches alerts this way.

    spx_check{device="leaf-p1-su001-r1",check="switch.pfc",place="leaf-p1-su001-r1"} 0

1 is a failure, at its port where it has one, and 0 a pass. What was waived, or not judged, has no series.
"""

from __future__ import annotations

import typing as t

from ....module_utils import _exposition
from .results import FAIL, PASS

if t.TYPE_CHECKING:
    from .results import Result

FILE = "spx_checks.prom"
_NAME = "spx_check"
_HEAD = _exposition.head(
    _NAME, "gauge", "1 where a check of playbook validate failed, 0 where it passed."
)
_BEGIN = f'{_NAME}{{device="'


def text(rows: t.Iterable[Result], old: str = "") -> str:
    """Return the file: the results of these devices, and of others what the old file has."""
    rows = list(rows)
    own = {str(row["device"]) for row in rows}
    kept = [line for line in old.splitlines(True) if _device(line) not in (None, *own)]
    states: dict[str, int] = {}
    for row in rows:
        if row["state"] in (FAIL, PASS):
            labels = {
                "device": row["device"],
                "check": row["id"],
                "interface": row["port"],
                "place": row["place"],
                "tenant": row["tenant"],
            }
            series = _exposition.line(_NAME, labels, "").rstrip()
            states[series] = max(states.get(series, 0), int(row["state"] == FAIL))
    made = [f"{series} {state}\n" for series, state in states.items()]
    return _HEAD + "".join(sorted([*kept, *made]))


def _device(line: str) -> str | None:
    """Return the device of a line; None of one that is none of ours, or is broken."""
    if not line.startswith(_BEGIN) or not line.endswith("\n"):
        return None
    return line[len(_BEGIN) :].partition('"')[0]
