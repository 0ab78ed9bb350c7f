# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results as JUnit XML, which pipelines read: of checks, and of measurements."""

from __future__ import annotations

import itertools
import typing as t
from xml.etree import ElementTree

from .results import FAIL, PASS


class Case(t.NamedTuple):
    """One result: a suite and a name in it, one of the states of results, and a sentence."""

    suite: str
    name: str
    state: str
    sentence: str


def junit(cases: t.Iterable[Case]) -> str:
    """The XML: neighbours of one suite are together; what neither passed nor failed is skipped."""
    root = ElementTree.Element("testsuites")
    for suite, found in itertools.groupby(cases, lambda case: case.suite):
        _suite(root, suite, list(found))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: ElementTree.Element, name: str, cases: t.Sequence[Case]) -> None:
    failed = sum(case.state == FAIL for case in cases)
    skipped = sum(case.state not in (FAIL, PASS) for case in cases)
    numbers = {"tests": len(cases), "failures": failed, "errors": 0, "skipped": skipped}
    texts = {key: str(number) for key, number in numbers.items()}
    suite = ElementTree.SubElement(root, "testsuite", {"name": name, **texts})
    for case in cases:
        made = ElementTree.SubElement(suite, "testcase", classname=name, name=case.name)
        if case.state == FAIL:
            ElementTree.SubElement(made, "failure", message=case.sentence)
        elif case.state != PASS:
            ElementTree.SubElement(made, "skipped", message=f"{case.state}: {case.sentence}")
