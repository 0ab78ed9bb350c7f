# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of validations, by device."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    atlas_results,
)


def result(device: str, state: str, **more: Any) -> dict[str, Any]:
    row = {"schema": 1, "id": "switch.lldp", "fabric": "lab", "device": device, "state": state}
    return {**row, "port": None, "sentence": f"{device} {state}.", **more}


def test_results_by_device(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    rows = [
        result("leaf-p1-su001-r1", "pass"),
        result("leaf-p1-su001-r1", "fail", port="swp1"),
        result("leaf-p1-su001-r1", "fail", fabric="other"),
        *(result("spine-p1-s01", "not_run") for _n in range(atlas_results.MOST_ROWS + 5)),
    ]
    (tmp_path / "results" / "a.json").write_text(json.dumps(rows))
    found = atlas_results.read(str(tmp_path), "lab")
    leaf, spine = found["leaf-p1-su001-r1"], found["spine-p1-s01"]
    assert leaf.counts == [1, 1, 0, 0, 0]
    assert leaf.rows == [[1, "switch.lldp", "swp1", "leaf-p1-su001-r1 fail."]]
    assert (len(spine.rows), spine.left_out) == (atlas_results.MOST_ROWS, 5)
    assert atlas_results.total(found.values()) == [1, 1, 0, 205, 0]
    assert atlas_results.read(None, "lab") == {}


STATES = [
    ([1, 0, 0, 0, 0], "passed"),
    ([1, 0, 0, 0, 1], "passed"),
    ([1, 0, 0, 1, 0], "partly"),
    ([1, 0, 1, 1, 0], "waived"),
    ([0, 0, 1, 0, 0], "waived"),
    ([5, 1, 1, 1, 1], "failed"),
    ([0, 0, 0, 3, 0], "unchecked"),
    ([0, 0, 0, 0, 3], "unchecked"),
    ([0, 0, 0, 0, 0], "unchecked"),
]


@pytest.mark.parametrize("counts, state", STATES)
def test_state_of_a_device(counts: list[int], state: str) -> None:
    assert atlas_results.Verdicts(counts).state == state


def test_failures_come_before_what_is_left_out(tmp_path: Path) -> None:
    rows = [result("a", "not_run") for _n in range(atlas_results.MOST_ROWS)]
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "a.json").write_text(json.dumps([*rows, result("a", "fail")]))
    found = atlas_results.read(str(tmp_path), "lab")["a"]
    assert (found.rows[0][0], found.left_out) == (1, 1)


def verdicts(*rows: dict[str, Any]) -> dict[str, atlas_results.Verdicts]:
    found: dict[str, atlas_results.Verdicts] = {}
    for row in rows:
        found.setdefault(row["device"], atlas_results.Verdicts()).add(row)
    return found


def test_causes() -> None:
    """Sentences that differ only in names and numbers are one cause; failures come first."""
    nodes = [result(f"h{n}", "not_run", sentence=f"h{n} has no password.") for n in range(48)]
    down = result("h1", "fail", port="rail1p1", sentence="rail1p1 is down.")
    causes = atlas_results.Causes(verdicts(*nodes, down, result("h2", "pass")))
    assert causes.table == [
        [1, "switch.lldp", "rail1p1 is down.", True, 1],
        [3, "switch.lldp", "h0 has no password.", False, 48],
    ]
    found = causes.of(["h1"])["h1"]
    assert found["rows"] == [[1, "", "h1 has no password."], [0, "rail1p1", ""]]
    assert found["state"] == "failed"


def test_links_are_checked_where_a_check_of_links_ran() -> None:
    rows = [
        result("a", "pass", id="switch.lldp.neighbour"),
        result("b", "not_run", id="switch.lldp.neighbour"),
        result("c", "pass", id="switch.release"),
        result("d", "fail", id="host.link"),
    ]
    assert [one.links for one in verdicts(*rows).values()] == [True, False, False, True]


def test_times_of_a_page() -> None:
    early, late = "2026-11-24T23:35:10+00:00", "2026-11-25T01:00:00+00:00"
    rows = [result("a", "pass", at=late), result("b", "fail", at=early), result("c", "pass")]
    assert atlas_results.checked(verdicts(*rows).values()) == [early, late]
    assert atlas_results.checked(verdicts(rows[2]).values()) == []
    assert atlas_results.devices(verdicts(*rows).values()) == [2, 1, 0, 0, 0]


BROKEN = [
    ("{", "is not a file of results (it is not JSON"),
    ("[" * 100_000, "is not a file of results (it has more than 64 levels"),
    ('{"id": 1}', "is not a list of results with id, fabric, device, state, sentence"),
    (json.dumps([result("x", "green")]), "a state out of pass, fail, waived, not_run, not_realised"),
]  # fmt: skip


@pytest.mark.parametrize("text, words", BROKEN)
def test_broken_results(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "a.json").write_text(text)
    with pytest.raises(FabricError) as caught:
        atlas_results.read(str(tmp_path), "lab")
    assert words in str(caught.value)
    assert "run the checks again" in str(caught.value)


def test_a_report_without_results_is_no_report(tmp_path: Path) -> None:
    """The page would show every device as not checked, and nobody would know why."""
    with pytest.raises(FabricError, match="has no folder results: name a report of validate"):
        atlas_results.read(str(tmp_path), "lab")
    assert atlas_results.read(None, "lab") == {}
