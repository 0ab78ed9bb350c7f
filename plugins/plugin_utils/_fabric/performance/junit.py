# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run as JUnit XML: a suite for each level, a case for each test and for each level that did not run."""

from __future__ import annotations

import typing as t

from ..validate import cases
from .records import NOT_RUN

if t.TYPE_CHECKING:
    from .schema import RunRecord


def junit(record: RunRecord) -> str:
    """The XML; suites are in the order of the levels, cases in that of the tests."""
    found = [
        cases.Case(one["level"], one["id"], one["state"], one["sentence"])
        for one in record["tests"]
    ]
    found += [
        cases.Case(one["level"], "level", NOT_RUN, one["reason"]) for one in record["not_run"]
    ]
    order = {level: number for number, level in enumerate(record["levels"])}
    return cases.junit(
        sorted(found, key=lambda case: (order.get(case.suite, len(order)), case.suite))
    )
