# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All switches of a run: in batches, none where one of them was not compared, and their changes in one file."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch import fleet
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

LEAF, SPINES = "leaf-p1-su001-r1", ["spine-p1-s01", "spine-p1-s02"]
DIFFERS, SAME = {"changes": [{}], "due": True}, {"changes": []}


def ordered(found, *, approved=False, check=False):
    fabric = Fabric.load(str(INVENTORIES / "lab" / "model" / "fabric.yml"))
    return fleet.order(fabric, found, approved=approved, check=check)


def test_what_differs_is_in_a_batch_and_spines_are_never_in_one():
    order = ordered(dict.fromkeys(SPINES, DIFFERS) | {LEAF: SAME})
    assert (order["first"], order["rest"]) == (SPINES[:1], SPINES[1:])


def test_check_mode_shows_the_batches_and_has_none():
    order = ordered(dict.fromkeys(SPINES, DIFFERS), check=True)
    assert (order["first"], order["rest"]) == ([], [])
    assert "batches 1 to 2 of 2: each 1 spine of plane 1" in " ".join(order["lines"])


@pytest.mark.parametrize("check", [False, True])
def test_what_the_changes_disturb_is_said_with_the_batches(check):
    """Before the question of spx_ask; a check warns of it at its end. Of switches that stay nothing is said."""
    warned = {"warnings": ["Disruptive: every port.", "Known bug 1."]}
    found = dict.fromkeys(SPINES, DIFFERS | warned) | {LEAF: SAME | warned}
    lines = ordered(found, check=check)["lines"]
    said = [f"{', '.join(SPINES)}: {text}" for text in warned["warnings"]]
    assert lines[1:] == ([] if check else said)


@pytest.mark.parametrize(
    "row, approved, holds",
    [
        (SAME, False, False),
        ({"skipped": True}, False, False),
        ({"changes": [], "would_refuse": ["x"]}, False, True),
        ({}, False, True),
        ({"failed": True}, False, True),
        ({"failed": True, "unapproved": True}, True, False),
        ({"failed": True, "unapproved": True}, False, True),
        ({"failed": True}, True, True),
        ({"failed": True, "unreachable": True}, True, True),
    ],
)
def test_which_result_keeps_every_switch_unchanged(row, approved, holds):
    order = ordered({SPINES[0]: DIFFERS, LEAF: row}, approved=approved)
    assert order["first"] == ([] if holds else SPINES[:1])
    assert (f"no switch is changed, because of {LEAF}: " in " ".join(order["lines"])) is holds


def test_a_run_that_stops_has_its_changes_in_the_report(tmp_path):
    """They are joined again at its end."""
    put(tmp_path, LEAF, paths=["system/hostname"])
    fabric = Fabric.load(str(INVENTORIES / "lab" / "model" / "fabric.yml"))
    found = {LEAF: DIFFERS}
    fleet.order(fabric, found, approved=False, check=False, report=str(tmp_path))
    joined = json.loads((tmp_path / "changes.json").read_text())
    assert [row["device"] for row in joined["devices"]] == [LEAF]


def put(report, name, **row):
    path = report / "changes" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"device": name, "base": "", "diff": "", **row}))


def test_changes_are_joined(tmp_path):
    row = {"path": "system/hostname", "set": "leaf-b"}
    put(tmp_path, "leaf-b", paths=["system/hostname"], commands=[row])
    put(tmp_path, "leaf-a", paths=[])
    found = fleet.join({}, str(tmp_path), list)
    assert (found["devices"], found["differing"]) == (2, ["leaf-b"])
    joined = json.loads((tmp_path / "changes.json").read_text())
    assert [row["device"] for row in joined["devices"]] == ["leaf-a", "leaf-b"]
    assert "commands" not in str(joined)
    assert "nv set system hostname leaf-b" in (tmp_path / "changes.txt").read_text()


@pytest.mark.parametrize("text", ["{", "[" * 100_000])
def test_changes_that_cannot_be_read_are_named(text, tmp_path):
    put(tmp_path, LEAF)
    (tmp_path / "changes" / f"{LEAF}.json").write_text(text)
    with pytest.raises(FabricError, match=rf"changes/{LEAF}.json cannot be read"):
        fleet.join({}, str(tmp_path), list)


@pytest.mark.parametrize(
    "row, sentence",
    [
        ({}, f"{LEAF} was not compared with the plan"),
        ({**SAME, "would_refuse": ["no"]}, "no"),
        ({**SAME, "drift": ["somebody's"]}, "somebody's"),
        ({"failed": True}, ""),
        (SAME, ""),
    ],
)
def test_what_is_left_to_do_fails(row, sentence):
    found = fleet.join({LEAF: row}, None, list)
    assert found.get("failed", False) is bool(sentence)
    assert found.get("msg", "").startswith(sentence)


def test_earlier_changes_go_but_not_what_is_approved(tmp_path):
    put(tmp_path, "leaf-a")
    with pytest.raises(FabricError, match=r"^spx_approved: "):
        fleet.empty(str(tmp_path), str(tmp_path / "changes.json"))
    (tmp_path / "diffs").mkdir()
    (tmp_path / "diffs" / "leaf-a.diff").write_text("")
    fleet.join({}, str(tmp_path), list)
    assert len(list(tmp_path.glob("changes.*"))) == 4
    fleet.empty(str(tmp_path), None)
    assert list(tmp_path.rglob("*.*")) == []


@pytest.mark.parametrize("text", ['{"device": "x"}', "[]", "{", '{"name": "release 7"}'])
def test_a_folder_with_changes_of_the_user_is_not_emptied(tmp_path, text):
    """Such names are common, and nobody who gives a folder for a report gives its files away."""
    put(tmp_path, "leaf-a")
    own = [tmp_path / "changes" / name for name in ("leaf-x.json", "notes.txt")]
    own.append(tmp_path / "diffs" / "release.diff")
    own[-1].parent.mkdir()
    for path in own:
        path.write_text(text)
    with pytest.raises(FabricError, match=r"^report: .+/changes/leaf-x.json (is no|cannot be)"):
        fleet.empty(str(tmp_path), None)
    assert [path.read_text() for path in own] == [text] * 3
    assert (tmp_path / "changes" / "leaf-a.json").exists()
    own[0].unlink()
    fleet.empty(str(tmp_path), None)
    assert [path.read_text() for path in own[1:]] == [text] * 2
    assert not (tmp_path / "changes" / "leaf-a.json").exists()


@pytest.mark.parametrize("name", ["changes.json", "changes.txt", "changes.md", "changes.html"])
def test_a_list_of_changes_of_the_user_stays(tmp_path, name):
    (tmp_path / name).write_text('["mine"]')
    with pytest.raises(FabricError, match=rf"^report: .+/{name} is not a file of a report"):
        fleet.empty(str(tmp_path), None)
    assert (tmp_path / name).read_text() == '["mine"]'
