# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stopped measurement is resumed; that of another fabric, of other nodes or of a live run is refused."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import runs
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.measure import state

NOW = 1_800_000_000.0


def made(**changes):
    """A state in which one round is finished and one is next."""
    return {
        "schema": 1,
        "run": "20261125T031000Z",
        "fabric": "lab",
        "described": "d1",
        "site": {"launcher": "", "command": "", "nccl_plugin": ""},
        "nodes": ["h01", "h02"],
        "levels": ["pairs"],
        "at_work": "m/1/a",
        "began": NOW - 100,
        "until": NOW + 500,
        "rounds": {
            "one": {"level": "pairs", "seconds": 10, "done": True, "gone": False},
            "two": {"level": "pairs", "seconds": 10, "done": False, "gone": False},
        },
        "gone": {"h02": "h02 did not answer."},
        "counters": {},
        "scratch": {},
        **changes,
    }


def new(**changes):
    return made(run="20261125T040000Z", at_work="m/2/b", began=NOW, rounds={}, gone={}, **changes)


def resumed(found, wanted, at_work=()):
    return state.resumed(found, wanted, file="state.json", at_work=lambda run: run in at_work)


def test_finished_rounds_are_taken_over_and_lost_nodes_asked_again():
    begun, taken = resumed(made(), new())
    assert taken == 1
    assert begun["run"] == "20261125T031000Z"
    assert begun["at_work"] == "m/2/b"
    assert list(begun["rounds"]) == ["one"]
    assert begun["gone"] == {}
    assert begun["until"] == NOW + 600


@pytest.mark.parametrize("found", [None, made(began=NOW - 2 * state.OLDEST)])
def test_a_run_begins_where_nothing_is_to_be_gone_on_with(found):
    assert resumed(found, new()) == (new(), 0)


def test_nodes_in_tenants_of_a_test_are_not_forgotten():
    begun, _taken = resumed(made(began=0.0, scratch={"quiet": ["h01"]}), new())
    assert begun == new(scratch={"quiet": ["h01"]})


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"fabric": "prod"}, "a stopped measurement of fabric prod"),
        ({"nodes": ["h01", "h03"]}, "a stopped measurement of the nodes h01, h03"),
        ({"levels": ["rails"]}, "a stopped measurement of the levels rails"),
        ({"described": "d2"}, "a stopped measurement of another state of the description"),
        (
            {"site": {"launcher": "srun", "command": ""}},
            r"a stopped measurement of other variables \(spx_launcher srun\)",
        ),
        (
            {"site": {}},
            r"other variables \(none of the site\)",
        ),
    ],
)
def test_what_is_of_something_else_is_refused(changes, words):
    with pytest.raises(FabricError, match=words):
        resumed(made(**changes), new())


def test_a_run_that_is_still_at_work_is_refused():
    with pytest.raises(FabricError, match="the run m/1/a is still measuring"):
        resumed(made(), new(), at_work=["m/1/a"])


def test_a_file_is_written_read_and_removed(tmp_path):
    file = state.path(str(tmp_path))
    assert state.read(file) is None
    mine = made(at_work=runs.this())
    state.write(file, mine)
    assert state.kept(file) == mine
    row = {"level": "pairs", "asked": [], "load": []}
    state.keep(file, "pairs/bandwidth/1", row)
    assert state.round_of(file, "pairs/bandwidth/1") == row
    state.remove(file)
    assert list(tmp_path.rglob("*.json")) == []
    assert not (tmp_path / "performance" / "rounds").exists()
    own = tmp_path / "performance" / "rounds" / "of_golf.json"
    own.parent.mkdir()
    own.write_text("[]")
    state.remove(file)
    assert own.exists()
    with pytest.raises(FabricError, match="no longer exists"):
        state.kept(file)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"schema": 1}', "[" * 100_000, "\xff"])
def test_what_the_playbook_did_not_write_is_named(tmp_path, text):
    file = tmp_path / "state.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(
        FabricError, match=rf"{file} is not the state of a measurement \(.*\): remove {file}"
    ):
        state.read(str(file))


def test_a_file_of_another_release_is_named(tmp_path):
    file = str(tmp_path / "state.json")
    state.write(file, made(schema=9))
    with pytest.raises(FabricError, match="another release"):
        state.read(file)


@pytest.mark.parametrize("old, new", [("20261125", "20261126"), ('"done": true', '"done": false')])
def test_a_state_that_was_edited_is_not_gone_on_with(tmp_path, old, new):
    file = tmp_path / "state.json"
    state.write(str(file), made())
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(FabricError, match="or was edited"):
        state.read(str(file))


def test_a_round_that_is_missing_names_the_state_that_has_to_go(tmp_path):
    file = state.path(str(tmp_path))
    with pytest.raises(FabricError, match=rf"pairs.1.json is not the state .*: remove {file}"):
        state.round_of(file, "pairs/1")


def test_a_state_that_another_run_has_replaced_is_left_alone(tmp_path):
    file = state.path(str(tmp_path))
    state.write(file, made())
    with pytest.raises(FabricError, match="another run has begun to measure into"):
        state.kept(file)
