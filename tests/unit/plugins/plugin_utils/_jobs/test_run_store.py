# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of a run: its own, by chapter, replaced as a whole, private."""

from __future__ import annotations

import stat

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)


def test_a_record_is_read_as_it_was_kept(begin):
    begin(variables={"spx_wait": 5})
    store.put("batches", {"first": ["leaf-1"], "rest": []})
    assert store.get("variables") == {"spx_wait": 5}
    assert store.at("batches.first") == ["leaf-1"]
    assert store.at("batches.rest") is store.at("batches.none") is store.at("job") is None


def test_each_device_has_a_record_of_its_own_whatever_its_name(begin):
    begin()
    names = ["leaf-1", "../leaf-1", "a/b", ".", "ä"]
    for name in names:
        store.put("leaf", {"name": name}, of=name)
    assert [store.get("leaf", of=name)["name"] for name in names] == names
    assert store.get("leaf", of="leaf-2") == {}


def test_a_new_chapter_has_none_of_the_records_before(begin):
    begin(variables={"spx_wait": 5})
    store.put("job", {"steps": ["drain"]})
    begin(variables={})
    assert store.get("job") == store.get("variables") == {}


def test_before_a_playbook_begins_nothing_is_kept(begin):
    assert not store.begun()
    store.put("job", {"steps": []})
    assert store.get("job") == {}
    begin()
    assert store.begun()


def test_nobody_else_can_read_it(begin, tmp_path):
    begin(variables={})
    folders = [path for path in (tmp_path / "ansible-local").rglob("*") if path.is_dir()]
    assert folders
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}


def test_a_record_that_is_none_is_a_sentence(begin):
    begin()
    with pytest.raises(
        FabricError, match="'jobs' is no record of a run: use variables, fabric, batches"
    ):
        store.put("jobs", {})
