# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files are replaced only where they differ, and a folder has one writer."""

from __future__ import annotations

import os
import resource
import tempfile
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

from .exported import TINY, export, tree


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FabricError, match=r"cannot be written .*: move what has that name"):
        export(example("lab"), tmp_path / "file", kinds=["links"])


def test_what_stands_in_the_way_of_a_file(tmp_path):
    """A folder is refused; a link is not followed, a pipe not read: neither is the plan's.

    So it is in the place of the draft.
    """
    victim = tmp_path / "victim"
    victim.write_text("mine")
    for name, put in (
        ("folder/links.csv", Path.mkdir),
        ("draft/.links.csv.part", Path.mkdir),
    ):
        path = tmp_path / name
        path.parent.mkdir()
        put(path)
        with pytest.raises(FabricError, match="move what has that name, or choose another folder"):
            export(example("lab"), path.parent, kinds=["links"])
    for name, put in (
        ("link/links.csv", lambda path: path.symlink_to(victim)),
        ("pipe/links.csv", os.mkfifo),
        ("linked/.links.csv.part", lambda path: path.symlink_to(victim)),
    ):
        path = tmp_path / name
        path.parent.mkdir()
        put(path)
        export(example("lab"), path.parent, kinds=["links"])
        path = path.with_name("links.csv")
        assert path.is_file()
        assert not path.is_symlink()
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("name", ["file", "file/plan", "folder"])
def test_a_dry_run_refuses_what_a_run_would(name, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder" / "links.csv").mkdir(parents=True)
    for dry in (True, False):
        with pytest.raises(FabricError, match="move what has that name, or choose another folder"):
            Output(str(tmp_path / name), dry=dry).write("links.csv", ["a"])
    assert (tmp_path / "file").read_text() == ""


@pytest.mark.parametrize("kind", ["links", "dns"])
def test_a_full_disk(kind, tmp_path, monkeypatch):
    """Also the one for drafts. Nothing is left half written; with room again all is there."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(FabricError, match="make room, or choose another folder"):
            export(example("lab"), tmp_path / "plan", kinds=[kind])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert tree(tmp_path) == {}
    assert export(example("lab"), tmp_path / "plan", kinds=[kind]).changed


def test_files_of_the_site_are_not_removed(tmp_path):
    own = [tmp_path / "dns" / "corp.zone", tmp_path / "ptm" / "README", tmp_path / "slices" / "x"]
    for path in own:
        path.parent.mkdir()
        path.write_text("$ORIGIN corp.example.\n", encoding="utf-8")
    export(example("lab"), tmp_path)
    assert all(path.exists() for path in own)
    assert export(example("lab"), tmp_path).changed == []


@pytest.mark.parametrize("kind", ["slices", "ptm", "dns"])
def test_what_an_earlier_plan_left_is_removed(kind, tmp_path):
    before = build(**TINY, name="before", addressing={"profile": "nvidia-guide-v6"})
    export(before, tmp_path, kinds=[kind])
    old = set(tree(tmp_path))
    fabric = build(**TINY, naming={"leaf": "tor-{plane}-{su}-{rail}"}, absent=["su02/h02"])
    export(fabric, tmp_path / "alone", kinds=[kind])
    wanted = set(tree(tmp_path / "alone"))
    export(fabric, tmp_path, kinds=[kind])
    left = {path for path in tree(tmp_path) if path.parts[0] != "alone"}
    assert left == wanted
    assert old - wanted


def test_a_folder_has_one_writer(tmp_path):
    with Output(str(tmp_path / "new")).alone():
        with (
            pytest.raises(FabricError, match="being written by another run"),
            Output(str(tmp_path / "new")).alone(),
        ):
            pass
        with Output(str(tmp_path / "new"), dry=True).alone(), Output(None).alone():
            pass
    with Output(str(tmp_path / "new")).alone():
        pass
    assert list((tmp_path / "new").iterdir()) == []


def test_a_failure_on_the_way_leaves_no_draft(tmp_path):
    def chunks():
        yield "half\n" * 100_000
        raise FabricError.of("no more")

    output = Output(str(tmp_path))
    output.write("a.txt", ["before"])
    with pytest.raises(FabricError, match="no more"):
        output.write("a.txt", chunks())
    assert tree(tmp_path) == {Path("a.txt"): b"before"}


def test_what_an_earlier_run_wrote(tmp_path):
    (tmp_path / "a").write_text("x" * 100_000)
    os.mkfifo(tmp_path / "pipe")
    output = Output(str(tmp_path))
    assert b"".join(output.earlier("a")) == b"x" * 100_000
    assert list(output.earlier("none")) == list(output.earlier("pipe")) == []
    assert list(Output(None).earlier("a")) == []


def test_what_is_compared_is_read_to_its_end(tmp_path):
    """A difference that is found early would hide from a counter what comes after it."""
    counted = []
    rows = (counted.append(n) or f"row {n}\n" for n in range(50_000))
    (tmp_path / "rows.csv").write_text("another\n" * 50_000)
    output = Output(str(tmp_path), dry=True)
    output.write("rows.csv", rows)
    assert (len(counted), output.changed) == (50_000, ["rows.csv"])
