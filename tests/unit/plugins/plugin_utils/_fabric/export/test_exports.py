# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports: streams that agree with the plan, files that other programs read, no byte that moves."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.modules import plan
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import data
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    exports,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    OOB,
    build,
    example,
)

from .exported import export, tree


def test_a_second_run_changes_nothing(fabric, tmp_path):
    first = export(fabric, tmp_path)
    before = tree(tmp_path)
    assert sorted(map(str, before)) == sorted(first.changed)
    times = {path: (tmp_path / path).stat().st_mtime_ns for path in before}
    assert export(fabric, tmp_path).changed == []
    assert tree(tmp_path) == before
    assert {path: (tmp_path / path).stat().st_mtime_ns for path in before} == times


def test_a_dry_run_writes_nothing(tmp_path):
    fabric = example("lab")
    output = Output(str(tmp_path), dry=True)
    exports.write(fabric, output)
    assert tree(tmp_path) == {}
    assert len(output.changed) == output.files
    export(fabric, tmp_path)
    dry = Output(str(tmp_path), dry=True)
    exports.write(fabric, dry)
    assert dry.changed == []


def test_growth_changes_only_what_it_touches(tmp_path):
    capacity = {"capacity": {"sus_per_pod": 3, "slots_per_su": 3}, "switches": {"usable_ports": 32}}
    export(build(**capacity, absent=["su03"]), tmp_path, kinds=["slices"])
    before = tree(tmp_path)
    output = export(build(**capacity), tmp_path, kinds=["slices"])
    after = tree(tmp_path)
    new = {path for path in after if path not in before}
    assert {str(path).split("/")[2] for path in new} == {"su-0003"}
    moved = {str(path).split("/")[2] for path in before if before[path] != after[path]}
    assert moved == {"spine"}, "only the spines see new leaves"
    assert len(output.changed) == len(new) + sum(before[path] != after[path] for path in before)


def test_files_of_devices_that_are_gone_are_removed(tmp_path):
    capacity = {"capacity": {"sus_per_pod": 3, "slots_per_su": 3}, "switches": {"usable_ports": 32}}
    export(build(**capacity), tmp_path, kinds=["slices"])
    output = export(build(**capacity, absent=["su03"]), tmp_path, kinds=["slices"])
    assert not any("su-0003" in str(path) for path in tree(tmp_path))
    assert sum("su-0003" in name for name in output.changed) == 8 + 3


def test_long_work_says_how_far_it_is():
    """Each kind as it begins, and every 5,000 files of it."""
    told: list[str] = []
    sink = Output(None, tell=told.append)
    for number in range(12_000):
        sink.write(str(number), [])
    assert told == ["5000 files ...", "10000 files ..."]
    exports.write(example("lab"), sink, kinds=["links", "hosts"], progress=sink.tell)
    assert told[2:] == ["links ...", "hosts ..."]


def test_unknown_exports_are_refused(tmp_path):
    with pytest.raises(FabricError, match="export 'slice' is not known, did you mean 'slices'"):
        export(example("lab"), tmp_path, kinds=["slice"])
    assert tree(tmp_path) == {}


def test_the_playbook_knows_every_export():
    assert data.table("variables")["spx_exports"]["choices"] == list(exports.EXPORTS)
    options = yaml.safe_load(plan.DOCUMENTATION)["options"]
    assert options["exports"]["choices"] == list(exports.EXPORTS)


def test_pods_written_one_by_one_are_the_whole(tmp_path):
    fabric = example("lab-3tier")
    export(fabric, tmp_path / "whole", kinds=["slices", "ptm"])
    for pod in (0, 1):
        export(fabric, tmp_path / "parts", kinds=["slices", "ptm"], pods=[pod])
    whole = {path for path in tree(tmp_path / "whole") if "super-spine" not in str(path)}
    assert set(tree(tmp_path / "parts")) == whole


def test_what_an_earlier_plan_left_is_named(tmp_path):
    """A cable that is gone would be pulled from a list that nobody has written again."""
    small = {"capacity": {"sus_per_pod": 2, "slots_per_su": 2}}
    export(build(**small), tmp_path, kinds=["links", "handover", "ptm"])
    said = exports.write(build(), Output(str(tmp_path)), kinds=["links", "slices"])
    assert [line.partition(":")[0] for line in said] == ["ptm, handover"]
    assert (
        "they differ from this plan, and this run did not write them: name their exports" in said[0]
    )
    assert exports.write(build(), Output(str(tmp_path)), kinds=["links", "slices"]) == []


@pytest.mark.large
def test_what_is_of_this_plan_is_not_named(tmp_path):
    """A hand-over after a plan into the same folder: who removed the zones would lose their serials."""
    export(build(), tmp_path, kinds=[*exports.DEFAULT, "air"])
    assert exports.write(build(), Output(str(tmp_path)), kinds=["handover"]) == []
    (tmp_path / "slices" / "leaf-of-an-earlier-plan.json").write_text(
        next((tmp_path / "slices").rglob("*.json")).read_text()
    )
    (tmp_path / "handover" / "index.html").unlink()
    said = exports.write(build(), Output(str(tmp_path)), kinds=["handover"])
    assert [line.partition(":")[0] for line in said] == ["slices"]


def test_each_export_is_where_its_place_says(tmp_path):
    fabric = build(oob=OOB)
    for kind in exports.EXPORTS:
        if exports.EXPORTS[kind].refusal(fabric):
            continue
        folder = tmp_path / kind
        folder.mkdir()
        export(fabric, folder, kinds=[kind])
        assert (folder / exports.PLACES[kind]).exists(), kind
