# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import limits
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import (
    levels,
    records,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric import fabrics

ROWS = table("performance_limits")["limits"]
H200 = limits.Class(link=400, nics=8, planes=1, tiers=2)
MEASURES = {"link", "links", "node", "nic", "median", "highest", "best", "alone", "before"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['level']} {row['figure']}")
def test_a_row_is_ours_or_published_with_a_tolerance(row):
    assert row["level"] in levels.LEVELS
    assert row["of"] in MEASURES
    assert set(row.get("where", {})) <= set(limits.Class._fields)
    published = "published" in row
    assert row["source"].startswith("ours") != published
    assert ("percent" in row) != published
    assert ("tolerance" in row) == published


def test_no_row_is_behind_one_that_always_holds():
    done = set()
    for row in ROWS:
        figure = (row["level"], row["figure"])
        assert figure not in done
        if not row.get("where"):
            done.add(figure)
    assert done == limits.figures(), "each figure has a row for all other fabrics"


def test_a_published_figure_counts_for_its_class_alone():
    known = limits.find(H200, "pairs", "bandwidth")
    other = limits.find(H200._replace(link=800), "pairs", "bandwidth")
    assert (known.percent, known.origin) == (95, limits.PUBLISHED)
    assert (other.percent, other.origin) == (95, limits.OURS)
    assert limits.said(known).startswith(
        "published: 98 % less a tolerance of 3 points, github.com/"
    )
    assert limits.said(other) == "ours: 95 % of the port's rate"
    assert limits.find(H200, "pairs", "hop count") is None


@pytest.mark.parametrize(
    ("figure", "measured"),
    [("all_reduce", 376.01), ("all_gather", 365.68), ("alltoall", 85.62 / 2)],
)
def test_what_was_published_passes_its_own_limit(figure, measured):
    """Alltoall was measured with two NICs for a GPU, so that one has half of it."""
    row = limits.find(H200, "collectives", figure)
    assert measured >= limits.rate(H200, row.of) * row.percent / 100
    assert measured < limits.rate(H200, row.of)


def test_a_class_follows_from_the_description():
    assert limits.class_of(fabrics.example("h200-2048")) == H200
    assert limits.class_of(fabrics.example("b300-4096")) == (400, 8, 2, 2)
    assert limits.class_of(fabrics.example("multiplane-16384")) == (400, 8, 1, 2)
    assert limits.class_of(fabrics.example("max-524288")) == (400, 8, 1, 3)
    shared = fabrics.build(
        planes={"count": 2, "mode": "split", "balancing": "hwplb"}, nics={"model": "ConnectX-8"}
    )
    assert limits.class_of(shared) == (800, 8, 1, 2)


def test_rates_are_of_ports_in_bits_and_of_nics_in_bytes():
    two = H200._replace(planes=2)
    assert limits.rate(two, "link") == 400
    assert limits.rate(two, "links") == 800
    assert limits.rate(two, "nic") == 100
    assert limits.rate(two, "node") == 800
    assert limits.rate(two, "median") is None


def test_counters_and_baselines_have_their_place_and_source():
    assert "packet_seq_err" in limits.still()
    percent, source = limits.baseline()
    assert percent == 92
    assert "Together" in source


def test_percentages_of_other_measurements_have_no_rate():
    for row in ROWS:
        measured = limits.rate(H200, row["of"]) is None
        assert measured == (row["of"] in ("median", "highest", "best", "alone", "before"))
    assert records.UNITS[records.RATIO] == "%"


def test_what_a_limit_is_of_has_words_for_a_person():
    rows = table("performance_limits")["limits"]
    assert {row["of"] for row in rows} == set(limits.OF)
