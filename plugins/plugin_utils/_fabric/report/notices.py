# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings about the releases and switch models of a description: NVIDIA's remarks, and known bugs."""

from __future__ import annotations

import typing as t

from ..._nvue.change import known_bugs
from ..._nvue.document.release import parse
from ..catalog import hardware, ra
from ..description.words import count
from .report import csv_lines

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._nvue.change.known_bugs import KnownBug
    from ..description.description import Description


MOMENTS = {
    "running": "while switches run",
    "install": "of installations, to read of before one",
    "change": "of changes, each of which is checked for them",
}
"""Moments at which the known bugs of a plan show, in words."""
TABLE = "known-bugs.csv"


def notices(d: Description) -> list[str]:
    """Return the warnings of a plan; all bugs of a moment share a line, and the table has their sentences."""
    return [*_remarks(d), *_counts(d)]


def bugs_table(d: Description) -> Iterator[str]:
    """Yield the known bugs of a description as a CSV file."""
    columns = ("id", "releases", "fixed", "moment", "what", "remedy", "source")
    bugs = [(bug, releases) for moment in MOMENTS for bug, releases in _hits(d, moment).items()]
    rows = (
        [getattr(bug, key) if key != "releases" else " ".join(releases) for key in columns]
        for bug, releases in bugs
    )
    yield from csv_lines(",".join(columns), rows)


def _remarks(d: Description) -> Iterator[str]:
    if remark := ra.remark_of(d.release.ra):
        yield f"release.ra {d.release.ra}: {remark}"
    for release in d.releases:
        if remark := hardware.remark_of(release):
            yield f"release {release}: {remark}"


def _counts(d: Description) -> Iterator[str]:
    where = f" (sentences: {TABLE} with -e spx_report=FOLDER, and the guide on releases)"
    for moment, words in MOMENTS.items():
        if bugs := _hits(d, moment):
            ids = ", ".join(str(bug.id) for bug in bugs)
            yield f"{count(bugs, 'known bug')} {words}: {ids}{where}"
            where = ""


def _hits(d: Description, moment: str) -> dict[KnownBug, list[str]]:
    """Return the bugs that some described release and model has, each with those releases."""
    models = [(name, hardware.models()[name]["asic"]) for name in d.models]
    has = {"": True, "adaptive_routing": d.routing.adaptive_routing}
    has["telemetry"] = bool(d.management.telemetry)
    hits: dict[KnownBug, list[str]] = {}
    for release in d.releases:
        for bug in known_bugs.of(parse(release), moment):
            if has[bug.needs] and any(bug.hits(*model) for model in models):
                hits.setdefault(bug, []).append(release)
    return hits
