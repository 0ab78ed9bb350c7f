# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import (
    baselines,
    verdict,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import records
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.measure.measured import (
    H01,
    H02,
    measured,
)

PAIR = records.Pair(H01, H02, 0, 0, "leaf")
ROW = "{figure: pairs/bandwidth/leaf/host, value: 391.8, unit: Gb/s, date: 2026-11-22, by: ana, run: r1}"


def written(tmp_path, text):
    path = tmp_path / "baselines.yml"
    path.write_text(text)
    return str(path)


def judged(fabric, known, *, value, kind=records.BANDWIDTH, **run):
    """The baselines after one pair was measured and judged."""
    asked = [records.asked("pairs", PAIR, kind=kind)]
    rows = measured(asked[0], value, latency={"typical": value, "p99": value})
    tests = verdict.judge(fabric, asked, measurements=rows, baselines=known)
    return baselines.better(
        known, tests, asked=asked, measurements=rows, date="2026-11-25", by="ben", run="r2"
    )


def test_what_is_written_is_read_again(tmp_path):
    known = baselines.read(written(tmp_path, f"baselines:\n  - {ROW}\n"))
    assert known["pairs/bandwidth/leaf/host"].value == 391.8
    path = baselines.write(str(tmp_path / "other.yml"), known)
    assert baselines.read(path) == known
    assert baselines.text(known).startswith("# The best values of this fabric")


def test_without_a_file_there_are_none(load):
    assert baselines.load(load("lab")) == {}


def test_the_best_of_what_passed_is_kept_with_its_day_and_name(load):
    fabric = load("lab")
    first = judged(fabric, {}, value=390.0)
    (row,) = first.values()
    assert (row.figure, row.value, row.unit, row.date, row.by, row.run) == (
        "pairs/bandwidth/leaf/host",
        390.0,
        "Gb/s",
        "2026-11-25",
        "ben",
        "r2",
    )
    assert judged(fabric, first, value=389.0) == first, "no better"
    assert judged(fabric, {}, value=300.0) == {}, "what failed is no baseline"
    assert judged(fabric, first, value=392.0)[row.figure].value == 392.0


def test_a_later_value_may_not_fall_below_the_baseline_nor_a_latency_rise_above(load):
    fabric = load("lab")
    row = {"unit": "GB/s", "date": "2026-11-22", "by": "ana", "run": "r1"}
    best = baselines.Baseline(figure="collectives/alltoall/4 nodes best/gpu", value=100.0, **row)
    assert baselines.floor(best) == 92
    slow = baselines.Baseline(figure="pairs/latency/leaf/host", value=2.3, **{**row, "unit": "us"})
    assert baselines.floor(slow) == 2.5
    asked = [records.asked("pairs", PAIR, kind=records.LATENCY)]
    for value, state in ((2.4, "pass"), (2.6, "fail")):
        rows = measured(asked[0], value, latency={"typical": value, "p99": 3.0})
        (test,) = verdict.judge(fabric, asked, measurements=rows, baselines={slow.figure: slow})
        assert (test["state"], test["limit"]) == (state, 2.5)
        assert test["limit_source"] == "baseline of 2026-11-22 by ana"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[]",
            "baselines.yml: the file holds a list: write keys with values, such as 'name: lab'.",
        ),
        (
            "{}",
            "baselines.yml, baselines: the key is missing: add it (The best value of each figure).",
        ),
        (
            f"baselines:\n  - {ROW}\n  - {ROW}\n",
            "baselines.yml line 3, baselines[1].figure: 'pairs/bandwidth/leaf/host' is in the file twice: keep one "
            "row.",
        ),
        (
            "baselines:\n  - " + ROW.replace("Gb/s", "us"),
            "baselines.yml line 2, baselines[0].unit: 'us' is not the unit of pairs/bandwidth/leaf/host: use Gb/s.",
        ),
        (
            "baselines:\n  - " + ROW.replace("391.8", "0"),
            "baselines.yml line 2, baselines[0].value: 0 is not allowed: use a number above 0.",
        ),
        (
            "baselines:\n  - " + ROW.replace("pairs/bandwidth", "pair/bandwidth"),
            "baselines.yml line 2, baselines[0].figure: 'pair/bandwidth/leaf/host' is not allowed: use "
            "level/figure/where/memory, such as pairs/bandwidth/leaf/host.",
        ),
        (
            "baselines:\n  - " + ROW.replace("2026-11-22", "2026-11-31"),
            "baselines.yml line 2, baselines[0].date: '2026-11-31' is not allowed: use a day of the calendar such as "
            "2026-01-31.",
        ),
        (
            "baselines:\n  - " + ROW.replace("by: ana", "by: ''"),
            "baselines.yml line 2, baselines[0].by: '' is not allowed: use one line of 1 to 64 characters.",
        ),
        (
            "baselines:\n  - " + ROW.replace("run: r1", "run: r1, who: me"),
            "baselines.yml line 2, baselines[0].who: the key is not known: remove it or use one of by, date, figure, "
            "run, unit, value.",
        ),
    ],
)
def test_a_wrong_file_is_a_sentence(tmp_path, text, sentence):
    with pytest.raises(FabricError) as refused:
        baselines.read(written(tmp_path, text))
    assert refused.value.sentences == [sentence]


def test_what_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FabricError, match="cannot be written"):
        baselines.write(str(tmp_path / "file" / "baselines.yml"), {})
