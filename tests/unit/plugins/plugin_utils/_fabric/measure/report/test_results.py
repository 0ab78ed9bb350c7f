# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of runs: what is added to them, how they are written, and what is refused when they are read."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover import (
    lists,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.cables import (
    Cables,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import verdict
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import (
    placement,
    records,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
    reports,
    results,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report.schema import (
    RunRecord,
)

from ...fabrics import example
from .. import runs

NODE = "worker-su02-rack01-h02"
LEAF = "leaf-p1-su002-r2"


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return runs.of(example("lab"), slow={(NODE, 1): 0.48}, suspects=[runs.cable(NODE, LEAF)])


def test_places_and_summary_follow(record: RunRecord) -> None:
    assert record["places"][NODE] == {"pod": 0, "su": 1, "slot": 1}
    assert record["summary"]["counts"] == {"pass": 64, "fail": 8, "waived": 0, "not_run": 0}
    assert record["summary"]["levels"]["rails"] == {
        "pass": 20,
        "fail": 4,
        "waived": 0,
        "not_run": 0,
    }
    assert record["summary"]["result"] == "fail"


ENDS = [
    (f"{NODE} rail2p1 <-> {LEAF} swp1s1", [(NODE, "rail2p1"), (LEAF, "swp1s1")]),
    (f"{NODE}:rail2p1", [(NODE, "rail2p1"), (LEAF, "swp1s1")]),
    (f"{LEAF}:swp1s1", [(LEAF, "swp1s1"), (NODE, "rail2p1")]),
    (f"{LEAF}:swp3s0", [(LEAF, "swp3s0"), ("spine-p1-s01", "swp4s0")]),
    (LEAF, [(LEAF, "")]),
    ("plane 1", []),
]  # fmt: skip


@pytest.mark.parametrize("place, ends", ENDS)
def test_ends_of_a_suspect(place: str, ends: list[tuple[str, str]]) -> None:
    found = results.where(example("lab"), [{**runs.cable(NODE, LEAF), "place": place}])[place]
    assert [(end["device"], end["port"]) for end in found["ends"]] == ends
    assert bool(found["label"]) == (len(ends) == 2)


def test_label_and_rack_are_those_of_the_handover() -> None:
    """The label that is printed for the cable is what a person looks for."""
    fabric = example("brownfield-256")
    place = "gpu-102:rail1p1"
    found = results.where(fabric, [{**runs.cable("gpu-102", ""), "place": place}])[place]
    lines = [line for line in lists.cables_csv(Cables(fabric), None) if found["label"] in line]
    assert found["label"]
    assert len(lines) == 1
    assert "tor-a1 swp1s1 / gpu-102 rail1p1" in lines[0]
    assert found["ends"][0] == {"device": "gpu-102", "port": "rail1p1", "rack": "G01", "unit": 12.0}


STATES = [
    ([], [], "incomplete"),
    (["pass"], [], "pass"),
    (["pass", "waived"], [], "pass"),
    (["waived"], [], "incomplete"),
    (["pass"], [{"level": "noise", "reason": "x"}], "incomplete"),
    (["pass", "not_run"], [], "incomplete"),
    (["pass", "fail", "not_run"], [{"level": "noise", "reason": "x"}], "fail"),
]  # fmt: skip


@pytest.mark.parametrize("states, not_run, result", STATES)
def test_passes_only_what_ran(states: list[str], not_run: Any, result: str) -> None:
    tests: Any = [{"level": "pairs", "state": state} for state in states]
    assert results.summary(tests, not_run)["result"] == result


def test_written_and_read(record: RunRecord, tmp_path: Path) -> None:
    path = results.write(str(tmp_path), record)
    assert path == str(tmp_path / "performance" / f"{runs.RUN}.json")
    assert results.read(path) == record
    assert Path(path).read_text() == results.text(record)
    assert [p.name for p in (tmp_path / "performance").iterdir()] == [f"{runs.RUN}.json"]


def test_a_record_that_breaks_the_schema_is_not_written(record: RunRecord, tmp_path: Path) -> None:
    with pytest.raises(FabricError, match="fabric: the key is missing"):
        results.write(str(tmp_path), {k: v for k, v in record.items() if k != "fabric"})  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def broken(record: RunRecord, path: tuple[Any, ...], value: Any) -> str:
    """A record with another value at a place."""
    made: Any = copy.deepcopy(record)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return json.dumps(made)


BREACHES = [
    (("schema",), 2, "run.json, schema: 2 is newer than 1, the newest that this release reads: update"),
    (("schema",), 0, "run.json, schema: 0 is not allowed: use 1."),
    (("schema",), "1", "run.json, schema: '1' is not allowed"),
    (("run",), "../../etc/passwd", "run.json, run: '../../etc/passwd' is not allowed: use a name such as 2026"),
    (("began",), "yesterday", "run.json, began: 'yesterday' is not allowed: use a time in UTC such as"),
    (("summary", "counts", "fail"), 0, "run.json, summary: it does not follow from the tests of the record"),
    (("places", NODE), "su02", f"run.json, places.{NODE}: 'su02' is not allowed: use a mapping with keys such as"),
    (("tests", 3, "value"), "fast", "run.json, tests[3].value: 'fast' is not allowed: use a number without quotes"),
    (("tests", 3, "state"), "green", "run.json, tests[3].state: 'green' is not allowed"),
    (("tests", 3, "colour"), 1, "run.json, tests[3].colour: the key is not known"),
    (("suspects", 0, "certain"), "yes", "run.json, suspects[0].certain: 'yes' is not allowed"),
    (("nodes", 0), "worker-9", "run.json, places: worker-9 of nodes is missing"),
    (("tests", 0, "value"), float("nan"), "is not the record of a run (NaN is not a number): name one that playbook"),
]  # fmt: skip


@pytest.mark.parametrize("path, value, words", BREACHES)
def test_breaches(record: RunRecord, path: Any, value: Any, words: str, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(broken(record, path, value))
    with pytest.raises(FabricError) as caught:
        results.read(str(file))
    assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "[" * 100_000])
def test_what_is_no_record(text: str, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(FabricError, match=r"run\.json"):
        results.read(str(tmp_path / "run.json"))


def test_newest(record: RunRecord, tmp_path: Path) -> None:
    """By name, of one fabric; the state of a run that goes on is no record."""
    assert results.newest(str(tmp_path), "lab") is None
    earlier = {**record, "run": "20261101T000000Z"}
    other = {**record, "run": "20261201T000000Z", "fabric": "other"}
    for one in (record, earlier, other):
        results.write(str(tmp_path), one)  # type: ignore[arg-type]
    (tmp_path / "performance" / "state.json").write_text("{}")
    found = results.newest(str(tmp_path), "lab")
    before = results.newest(str(tmp_path), "lab", before=runs.RUN)
    assert found is not None
    assert before is not None
    assert (found["run"], before["run"]) == (runs.RUN, "20261101T000000Z")


def test_what_the_judge_says_is_a_sound_record(tmp_path: Path) -> None:
    """Pairs of the plan, as hosts answer, judged: the record has each test, and every report can be made of it."""
    fabric = example("lab")
    nodes = [fabric.name(node) for node in fabric.nodes()]
    pairs = [pair for found in placement.rounds(fabric, "rails", nodes) for pair in found]
    asked = [records.asked("rails", pair) for pair in pairs]
    answers: Any = [
        {"id": one["id"], "side": side, "state": "measured", "sentence": "", "gbps": 391.0, "latency": None,
         "transport": "roce", "memory": "host", "counters": {}, "seconds": 10.0}
        for one in asked
        for side in ("client", "server")
    ]  # fmt: skip
    answers[0]["gbps"] = answers[1]["gbps"] = 200.0
    tests = verdict.judge(fabric, asked, measurements=answers, baselines={})
    run = {**runs.of(fabric, levels=[]), "levels": ["rails"], "tests": tests, "not_run": []}
    record = results.complete(fabric, run)
    assert record["summary"]["counts"]["fail"] == 2, "the pair, and the spread of its rail"
    assert results.read(reports.write(str(tmp_path), record))["tests"] == tests


def test_a_switch_is_no_node() -> None:
    with pytest.raises(FabricError, match="is a switch: name nodes only"):
        runs.of(example("lab"), nodes=["spine-p1-s01"])
