# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of validations, by device."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    atlas_results,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
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
    assert atlas_results.read(str(tmp_path / "none"), "lab") == {}
    assert atlas_results.read(None, "lab") == {}


BROKEN = [
    ("{", "is not a file of results (Expecting property name"),
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
