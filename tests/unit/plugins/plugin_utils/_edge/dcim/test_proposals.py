# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Diffs are of the file as it is: rows keep their order, and cells that nobody proposes stay."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.dcim.proposals import (
    of_description,
    of_devices,
    of_registry,
    unified,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._edge.dcim.memory import (
    of_folder,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

ROWS = "place,name,serial\r\nsu01/h01,gpu-1,\r\nspine-p1-s01,,S9\r\n"


def project(tmp_path: Path, rows: str) -> Path:
    folder = Path(shutil.copytree(INVENTORIES / "lab", tmp_path / "lab"))
    (folder / "model" / "devices.csv").write_text(rows, encoding="utf-8", newline="")
    description = folder / "model" / "fabric.yml"
    text = description.read_text(encoding="utf-8") + "devices: devices.csv\n"
    description.write_text(text, encoding="utf-8")
    return folder


def test_cells_go_into_their_rows_and_new_rows_follow(tmp_path: Path) -> None:
    fabric = of_folder(project(tmp_path, ROWS))
    cells = {
        fabric.known("gpu-1"): {"serial": "S1"},
        fabric.known("leaf-p1-su001-r1"): {"rack": "R1"},
    }
    diff = of_devices(fabric, cells).diff
    added = [line.strip() for line in diff.splitlines() if line.startswith("+")]
    assert added == [
        "+++ b/model/devices.csv",
        "+place,name,serial,rack",
        "+su01/h01,gpu-1,S1,",
        "+leaf-p1-su001-r1,,,R1",
    ]
    assert " spine-p1-s01,,S9" in diff


def test_an_export_of_netbox_is_exported_again_there(tmp_path: Path) -> None:
    rows = "spx_place,Name,Serial number\nsu01/h01,gpu-1,\n"
    fabric = of_folder(project(tmp_path, rows))
    with pytest.raises(FabricError, match="export it again there"):
        of_devices(fabric, {fabric.known("gpu-1"): {"serial": "S1"}})


def test_nothing_proposed_is_an_empty_diff(tmp_path: Path) -> None:
    fabric = of_folder(project(tmp_path, ROWS))
    made = of_description(fabric, out_of_service=[], absent=[], reason="", devices=True)
    assert [made.diff, of_devices(fabric, {}).diff, of_registry(fabric, {}).diff] == ["", "", ""]


def test_a_missing_end_of_line_is_said_as_patch_wants_it() -> None:
    assert unified("a", "b", "x").splitlines()[3:] == [
        "-a",
        "\\ No newline at end of file",
        "+b",
        "\\ No newline at end of file",
    ]
