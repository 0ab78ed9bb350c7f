# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The registry's file: replaced as a whole, by one writer at a time."""

from __future__ import annotations

import errno
import fcntl
import os
import threading

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import files
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.edit import (
    DropTenant,
    SetTenant,
    Take,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

from .registry_text import TEXT


def test_the_file_is_replaced_whole(lab, tmp_path):
    """Mode kept, nothing left beside it, and no write without a change."""
    folder = tmp_path / "model"
    folder.mkdir()
    path = folder / "tenants.yml"
    path.write_text(TEXT)
    path.chmod(0o640)
    before, after = files.change_file(lab, str(path), [Take("acme", ("su02/h01",))])
    assert before == TEXT
    assert path.read_text() == after != TEXT
    assert path.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in folder.iterdir()] == ["tenants.yml"]
    stamp = path.stat().st_ino
    files.change_file(lab, str(path), [Take("acme", ("su02/h01",))])
    assert path.stat().st_ino == stamp


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_write_protected_file_is_not_replaced(lab, tmp_path, monkeypatch, number):
    """The folder would let it be; whoever protected the file meant it. A disk that is read-only is named as such."""
    path, opened = tmp_path / "tenants.yml", os.open
    path.write_text(TEXT)

    def refuse(where, flags, *more, **options):
        if where == path and flags & os.O_WRONLY:
            raise OSError(number, os.strerror(number))
        return opened(where, flags, *more, **options)

    monkeypatch.setattr(files.os, "open", refuse)
    why = os.strerror(number)
    with pytest.raises(FabricError, match=rf"cannot be edited \({why}\): make it a UTF-8"):
        files.change_file(lab, str(path), [SetTenant("new")])
    assert path.read_text() == TEXT
    files.change_file(lab, str(path), [SetTenant("new")], write=False)


def test_check_mode_writes_nothing(lab, tmp_path):
    """The new text is told and not written."""
    path = tmp_path / "tenants.yml"
    path.write_text(TEXT)
    leave = [Take("acme", ("su01", "su02")), DropTenant("acme")]
    _before, after = files.change_file(lab, str(path), leave, write=False)
    assert "retired" in after
    assert path.read_text() == TEXT


def test_a_second_writer_waits_and_then_is_refused(lab, tmp_path):
    """While another holds the lock nothing is written, and the sentence says why."""
    path = tmp_path / "tenants.yml"
    path.write_text(TEXT)
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        with pytest.raises(FabricError, match="is being edited by another run"):
            files.change_file(lab, str(path), [SetTenant("new")], wait=0.2)
        assert path.read_text() == TEXT
    finally:
        os.close(handle)
    files.change_file(lab, str(path), [SetTenant("new")], wait=0.2)


def test_two_operators_at_once_lose_nothing(lab, tmp_path):
    """Eight edits at the same time are all there afterwards."""
    path = tmp_path / "tenants.yml"
    path.write_text("tenants: []\n")

    def add(number):
        files.change_file(lab, str(path), [SetTenant(f"t{number}")])

    threads = [threading.Thread(target=add, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    owners = Registry.parse(lab, path.read_text()).owners.values()
    assert sorted(o.id for o in owners if o.kind == "tenant") == list(range(16, 24))


def test_what_a_killed_edit_left_is_gone_after_the_next(lab, tmp_path):
    path = tmp_path / "tenants.yml"
    path.write_text("tenants: []\n", encoding="utf-8")
    (tmp_path / ".tenants.yml.part").write_text("ten", encoding="utf-8")
    (tmp_path / ".tenants.yml.swp").write_text("an editor's", encoding="utf-8")
    files.change_file(lab, str(path), [SetTenant("acme")])
    assert [p.name for p in tmp_path.glob(".*")] == [".tenants.yml.swp"]


def test_a_link_to_the_registry_stays_a_link(lab, tmp_path):
    real, link = tmp_path / "real.yml", tmp_path / "tenants.yml"
    real.write_text("tenants: []\n", encoding="utf-8")
    link.symlink_to(real)
    files.change_file(lab, str(link), [SetTenant("acme")])
    assert link.is_symlink()
    assert "slug: acme" in real.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "content"), [("folder", None), ("gone/tenants.yml", ""), ("latin.yml", b"# \xe9\n")]
)
def test_a_file_that_cannot_be_edited(lab, tmp_path, name, content):
    path = tmp_path / name
    if content is None:
        path.mkdir()
    elif content:
        path.write_bytes(content)
    with pytest.raises(FabricError, match="cannot be edited") as caught:
        files.change_file(lab, str(path), [SetTenant("acme")])
    assert len(caught.value.sentences) == 1


@pytest.mark.parametrize("target", ["nowhere.yml", "tenants.yml"])
def test_a_link_to_nothing_is_no_empty_registry(lab, tmp_path, target):
    """Check that the target of a link may not be mounted; a loop leads nowhere at all."""
    path = tmp_path / "tenants.yml"
    path.symlink_to(tmp_path / target)
    with pytest.raises(FabricError, match=r"tenants\.yml cannot be edited \(.+\): make it"):
        files.change_file(lab, str(path), [SetTenant("new")])
    assert not path.exists()


def test_a_link_in_the_place_of_the_draft_is_not_followed(lab, tmp_path):
    """Check a writer of the folder, who could fill any file of the operator, and become the registry."""
    path, victim = tmp_path / "tenants.yml", tmp_path / "victim"
    path.write_text("tenants: []\n", encoding="utf-8")
    victim.write_text("mine", encoding="utf-8")
    (tmp_path / ".tenants.yml.part").symlink_to(victim)
    files.change_file(lab, str(path), [SetTenant("acme")])
    assert victim.read_text(encoding="utf-8") == "mine"
    assert not path.is_symlink()
    assert "slug: acme" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_the_ends_of_lines_and_the_mark_of_the_file_stay(lab, tmp_path, mark, end):
    """Editors of other systems wrote them, and version control compares bytes."""
    path = tmp_path / "tenants.yml"
    path.write_bytes(mark + b"# ours" + end + b"tenants: []" + end)
    before, after = files.change_file(lab, str(path), [SetTenant("acme")])
    text = path.read_bytes()
    assert text == mark + after.encode().replace(b"\n", end)
    assert text.startswith(mark + b"# ours" + end)
    assert (before, "\r" in after) == ("# ours\ntenants: []\n", False)
