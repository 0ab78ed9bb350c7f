# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All files of a run, in the folder of reports.

performance/20261125T031000Z.json            the record
performance/20261125T031000Z.xml             JUnit
performance/20261125T031000Z.html            the page, compared with the run before
performance/20261125T031000Z-handover.html   the sheet for the customer
"""

from __future__ import annotations

import typing as t

from .... import _reports
from ...description.errors import FabricError
from . import handover, junit, page, results

if t.TYPE_CHECKING:
    from .schema import RunRecord

HANDOVER = "-handover"
"""Suffix of the name of the sheet for the customer."""


def write(report: str, record: RunRecord) -> str:
    """Write the files, the record last; returns its path. FabricError, and no record, where one cannot be written."""
    stem = results.path_of(report, record["run"]).removesuffix(".json")
    results.check(record)
    before = results.newest(report, record["fabric"], before=record["run"])
    for name, text in (
        (f"{stem}.xml", junit.junit(record)),
        (f"{stem}.html", page.page(record, before)),
        (f"{stem}{HANDOVER}.html", handover.handover(record)),
    ):
        _reports.put(name, text, FabricError.of)
    return results.write(report, record)
