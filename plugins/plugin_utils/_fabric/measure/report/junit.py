# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run as JUnit XML: a suite for each level, a case for each test and for each level that did not run.

What is suspected is a suite of its own: a certain suspect has failed, and one of several is skipped.
"""

from __future__ import annotations

import typing as t

from ...audit.junit import Case
from ...audit.junit import junit as to_xml
from ..plan.records import FAIL, NOT_RUN

if t.TYPE_CHECKING:
    from ..plan.records import Suspect
    from .schema import RunRecord


SUSPECTS = "suspects"
MAY_BE = "may be slow"


def junit(record: RunRecord) -> str:
    """The XML; suites are in the order of the levels, cases in that of the tests."""
    found = [
        Case(one["level"], one["id"], one["state"], one["sentence"]) for one in record["tests"]
    ]
    found += [Case(one["level"], "level", NOT_RUN, one["reason"]) for one in record["not_run"]]
    found += [
        Case(SUSPECTS, f"{one['kind']} {one['place']}", _state(one), " ".join(one["reasons"]))
        for one in record["suspects"]
    ]
    order = {level: number for number, level in enumerate(record["levels"])}
    return to_xml(sorted(found, key=lambda case: (order.get(case.suite, len(order)), case.suite)))


def _state(one: Suspect) -> str:
    return FAIL if one["certain"] else MAY_BE
