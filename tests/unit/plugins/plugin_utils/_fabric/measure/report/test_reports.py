# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All files of a run, of which the record is written last."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
    reports,
    results,
)

from ...fabrics import example
from .. import runs


def test_files_and_the_run_before(tmp_path: Path) -> None:
    fabric = example("lab")
    earlier = runs.of(fabric, seed=2, run="20261101T000000Z")
    reports.write(str(tmp_path), earlier)
    path = reports.write(str(tmp_path), runs.of(fabric))
    folder = tmp_path / "performance"
    names = sorted(one.name for one in folder.iterdir() if one.name.startswith(runs.RUN))
    assert names == [f"{runs.RUN}{end}" for end in ("-handover.html", ".html", ".json", ".xml")]
    assert results.read(path)["run"] == runs.RUN
    assert "The earlier run 20261101T000000Z ended" in (folder / f"{runs.RUN}.html").read_text()
    assert "earlier run" not in (folder / "20261101T000000Z.html").read_text()


def test_a_broken_record_leaves_no_file(tmp_path: Path) -> None:
    record = runs.of(example("lab"), began="today")
    with pytest.raises(FabricError, match="began: 'today' is not allowed"):
        reports.write(str(tmp_path), record)
    assert list(tmp_path.iterdir()) == []
