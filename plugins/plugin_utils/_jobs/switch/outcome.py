# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The outcome on a switch, as the result of a task and as the files of a report. Private."""

from __future__ import annotations

import typing as t

from ....module_utils import _text
from ..._nvue.change import report
from ..._nvue.change.converge import Outcome, entry
from ..._nvue.document.paths import to_text
from ..._nvue.errors import NvueError

if t.TYPE_CHECKING:
    from ..._nvue.wire.api import Api

Result = dict[str, object]


def result(outcome: Outcome, api: Api, *, diff: bool) -> Result:
    """The result of a task that compared or changed a switch; `diff` adds the two documents."""
    made: Result = {
        "changed": outcome.changed,
        "release": str(outcome.plan.release),
        "revision": outcome.revision,
        "changes": report.as_list(outcome.changes),
        "foreign": outcome.plan.foreign,
        "not_compared": [to_text(path) for path in outcome.plan.not_compared],
        "disruptions": [
            {"class": item.klass, "effect": item.effect, "places": list(item.places)}
            for item in outcome.disruptions
        ],
        "impact": outcome.impact,
        "recognised_by": outcome.recognised,
        "requests": api.requests,
        "writes": api.writes,
    }
    if outcome.refusals:
        made["would_refuse"] = [_text.line(text) for text in outcome.refusals]
    warnings = [*outcome.warnings, *outcome.plan.held.drift]
    if outcome.plan.foreign:
        made["msg"] = f"foreign, left alone: {outcome.plan.foreign}"
    if warnings:
        made["warnings"] = [_text.line(text) for text in warnings]
    if diff and outcome.changes:
        made["diff"] = _diff(outcome)
    return made


def _diff(outcome: Outcome) -> list[Result]:
    before, after = outcome.managed()
    return [
        {
            "before_header": "applied",
            "after_header": "wished",
            "before": report.text(before),
            "after": report.text(after),
        }
    ]


def reported(folder: str, device: str, outcome: Outcome, *, done: bool) -> Result:
    """Write a device's entry of the report and its diff, and return the files as part of a result.

    Where that fails after a change was ``done``, the result says so: the switch keeps the change.
    """
    changes = entry(outcome, device), report.lines(outcome.changes)
    try:
        return {"report": report.write_report(folder, device, *changes)}
    except NvueError as exc:
        if not done:
            raise
        said = f"{device} was changed (revision {outcome.revision}), but it is not in the report. {exc}"
        return {"failed": True, "msg": said}
