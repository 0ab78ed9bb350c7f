# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Is one switch as the plan says? Pure functions of what was planned and what was read.

Each check yields results: one for each thing that is wrong, and one that everything passed. Ids and
what they say are in `catalog/checks_switch.yaml`.
"""

from __future__ import annotations

import datetime
import typing as t

from ..._nvue.release import accepted
from . import switch_cabling, switch_config, switch_counters, switch_maintenance, switch_routing
from .results import FAIL, PASS, wanted

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .results import Result
    from .switch_view import View


def check(view: View, asked: Sequence[str] = ()) -> list[Result]:
    """Every result of one switch, of the checks asked for."""
    found = (row for function in CHECKS for row in function(view) if wanted(row["id"], asked))
    return list(switch_maintenance.waive(view, found))


def reachable(view: View) -> Iterator[Result]:
    """It answered, or there would be no view."""
    yield view.subject.passed("switch.reachable", f"{view.subject.device} answers.")


def release(view: View) -> Iterator[Result]:
    """The running release is the description's or an accepted one."""
    d = view.ctx.description
    allowed = [d.release.cumulus, *d.accept_releases]
    good = any(accepted(view.release, text) for text in allowed)
    sentence = f"{view.subject.device} runs {view.release}"
    yield view.subject.result(
        "switch.release",
        PASS if good else FAIL,
        f"{sentence}." if good else f"{sentence}, planned is {' or '.join(allowed)}: upgrade it.",
        expected=allowed,
        found=str(view.release),
    )


def out_of_service(view: View) -> Iterator[Result]:
    """Entries of out_of_service that name this switch and have run out."""
    mine = [row for row in view.ctx.description.out_of_service if row.device == view.subject.device]
    late = [
        view.subject.failed(
            "switch.out_of_service",
            f"{row.device} {row.port or ''} is out of service since {row.since} and was to be back by "
            f"{row.until} ({row.reason}): repair it or move the day.".replace("  ", " "),
            port=row.port,
            expected=row.until,
            found=view.today.isoformat(),
        )
        for row in mine
        if row.until and datetime.date.fromisoformat(row.until) < view.today
    ]
    good = f"{len(mine)} things are out of service, none for too long."
    yield from view.subject.judged("switch.out_of_service", late, good) if mine else ()


CHECKS = (
    reachable,
    release,
    switch_maintenance.remark,
    switch_config.configuration,
    switch_routing.sessions,
    switch_cabling.links,
    switch_cabling.neighbours,
    switch_counters.errors,
    switch_counters.deadlocks,
    switch_counters.roce,
    out_of_service,
)
