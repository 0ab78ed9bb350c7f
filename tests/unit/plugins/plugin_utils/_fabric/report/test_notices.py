# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings about releases and models: remarks of NVIDIA, and known bugs."""

from __future__ import annotations

import csv

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report.notices import (
    bugs_table,
    notices,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
    build,
    example,
)

SCREEN = 4
"""Lines of warnings that leave room for the plan itself on a screen of 24."""


def of(**changes):
    return notices(build(**changes).description)


def table(**changes):
    return list(csv.DictReader(bugs_table(build(**changes).description)))


def test_bugs_share_a_line_for_each_moment():
    running, installing, changing = of()
    assert running.startswith("8 known bugs while switches run: 4423244, 5175518, ")
    assert running.endswith(
        "(sentences: known-bugs.csv with -e spx_report=FOLDER, and the guide on releases)"
    )
    assert installing.startswith("5 known bugs of installations, to read of before one: 4992289")
    assert changing.startswith("10 known bugs of changes, each of which is checked for them: ")


def test_the_table_has_each_bug_with_its_releases_and_the_remedy():
    rows = {row["id"]: row for row in table(accept_releases=["5.17.0"])}
    assert rows["3637444"]["releases"] == "5.16.1 5.17.0"
    assert rows["3637444"]["remedy"] == "bind it to the interface mgmt"
    assert rows["5175518"]["releases"] == "5.16.1"
    assert rows["5175518"]["fixed"] == "5.16.7, 5.19.0"
    assert all(row["source"] for row in rows.values())


@pytest.mark.parametrize(
    "bug, has, has_not",
    [
        ("4657192", {"switches": {"model": "SN5640"}}, {}),
        ("4277042", {}, {"switches": {"model": "SN5610"}}),
        ("4423244", {}, {"routing": {"adaptive_routing": False}}),
        ("4214678", {"management": {"telemetry": ["192.0.2.9"]}}, {}),
    ],
)
def test_a_bug_that_the_fabric_cannot_have_is_left_out(bug, has, has_not):
    assert any(bug in line for line in of(**has))
    assert not any(bug in line for line in of(**has_not))


def test_a_release_is_named_where_nvidia_says_more_of_it():
    assert of(accept_releases=["5.19.0"])[0] == (
        "release 5.19.0: NVIDIA qualifies Cumulus Linux 5.19 for fabrics other than Spectrum-X only "
        '(Cumulus Linux 5.19 What\'s New ("currently only qualified for non-Spectrum-X"))'
    )


@pytest.mark.parametrize(
    "ra, words",
    [
        ("2.2", "NVIDIA has cancelled RA 2.2"),
        ("2.4", "archive dospcx-data (dms-cli)"),
        ("3.1", "for Vera Rubin (platform vr)"),
    ],
)
def test_an_ra_release_is_named_where_its_number_does_not_say_all(ra, words):
    (line,) = [line for line in of(release={"ra": ra}) if line.startswith("release.ra")]
    assert words in line
    assert not any(line.startswith("release.ra") for line in of())


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_warnings_of_an_example_fit_a_screen(name):
    lines = notices(example(name).description)
    assert 0 < len(lines) <= SCREEN
    assert all(len(line) < 240 for line in lines)
