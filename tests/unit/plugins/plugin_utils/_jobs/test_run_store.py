# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of a run: its own, by chapter, replaced as a whole, private, and of their shape."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.evidence import (
    Evidence,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import run_store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.kinds import (
    BATCHES,
    VARIABLES,
    Batches,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.run_store import Kind
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.tenant.kinds import EVIDENCE
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.validate.records import (
    LEAF,
    LeafFacts,
)

ONE = Evidence("wiped", "bmc", "h01", "job 4711", "2026-11-29T22:00:00Z")


def test_a_record_is_read_as_it_was_kept(begin):
    begin(variables={"spx_wait": 5})
    batches = Batches(["leaf-1"], [1], [], [], [], [])
    store.put(BATCHES, batches)
    assert store.get(VARIABLES) == {"spx_wait": 5}
    assert store.get(BATCHES) == batches
    assert store.at("batches.first") == ["leaf-1"]
    assert store.at("batches.rest") is store.at("batches.none") is store.at("job") is None


def test_each_device_has_a_record_of_its_own_whatever_its_name(begin):
    begin()
    names = ["leaf-1", "../leaf-1", "a/b", ".", "ä"]
    for name in names:
        store.put(LEAF, LeafFacts(segments={name: {}}), of=name)
    assert [list(store.get(LEAF, of=name).segments) for name in names] == [[n] for n in names]
    assert store.get(LEAF, of="leaf-2") == LeafFacts()


def test_a_new_chapter_has_none_of_the_records_before(begin):
    begin(variables={"spx_wait": 5})
    store.put(EVIDENCE, [ONE])
    begin(variables={})
    assert (store.get(EVIDENCE), store.get(VARIABLES)) == ([], {})


def test_before_a_playbook_begins_nothing_is_kept(begin):
    assert not store.begun()
    store.put(EVIDENCE, [ONE])
    assert store.get(EVIDENCE) == []
    begin()
    assert store.begun()


def test_a_full_disk_is_one_sentence(begin, monkeypatch):
    begin()

    def full(*_arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(run_store._files, "replace", full)
    with pytest.raises(FabricError, match=r"^run store: .*\(No space left on device\): make room"):
        store.put(EVIDENCE, [ONE])


def test_nobody_else_can_read_it(begin, tmp_path):
    begin(variables={})
    folders = [path for path in (tmp_path / "ansible-local").rglob("*") if path.is_dir()]
    assert folders
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}


def test_a_record_that_is_none_is_a_sentence(begin):
    begin()
    with pytest.raises(
        FabricError, match="'works' is not a record of a run: use variables, fabric, batches"
    ):
        store.put(Kind("works", dict, dict), {})


def test_a_record_of_another_shape_is_no_empty_record(begin):
    begin(evidence=[{"what": "wiped"}])
    with pytest.raises(
        FabricError, match=r"^run store: evidence\[0\].by: 'no value' is not allowed"
    ):
        store.get(EVIDENCE)


def test_what_a_run_needs_and_does_not_have_is_a_sentence(begin):
    begin()
    with pytest.raises(FabricError, match="no batch is planned: run the whole playbook"):
        store.get(BATCHES)


@pytest.mark.parametrize("name", ["chapter", "1/evidence.json"])
@pytest.mark.parametrize("text", ["", '{"nodes": [', "\xff", None])
def test_a_record_that_is_cut_off_or_gone_is_a_sentence(begin, tmp_path, name, text):
    begin()
    assert store.get(EVIDENCE) == []
    store.put(EVIDENCE, [])
    (file,) = tmp_path.rglob(f"{name}")
    file.unlink() if text is None else file.write_bytes(text.encode("latin-1"))
    with pytest.raises(FabricError, match=r"^run store: .*: it .*: run again\.$"):
        store.get(EVIDENCE)
