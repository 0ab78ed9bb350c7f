# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Only small regular files are read, and a file is replaced by a draft that nobody else has made."""

from __future__ import annotations

import ast
import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils import _files

SOURCES = Path(_files.__file__).parent
READS = ("open", "read_text", "read_bytes", "ZipFile", "FileIO", "fdopen")
"""Names of calls that open a file."""
ELSEWHERE = {"_nic/agent.py": {"ZipFile", "open"}, "_perf/serve.py": {"open"}}
"""Files that open something else: a member of bytes that were read, the null device."""


def a_pipe(place: Path) -> None:
    os.mkfifo(place)


def a_link(place: Path) -> None:
    place.symlink_to("/dev/zero")


def a_large_file(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(2 << 30)


def a_socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))


def a_folder(place: Path) -> None:
    place.mkdir()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (a_pipe, "it is a named pipe"),
        (a_link, "it is a symbolic link"),
        (a_large_file, "it is larger than 1 MiB"),
        (a_socket, "it is a socket"),
        (a_folder, "it is a folder"),
    ],
)
def test_only_a_small_regular_file_is_read(tmp_path, make, words):
    place = tmp_path / "desired.json"
    make(place)
    with pytest.raises(_files.IrregularError) as caught:
        _files.content(place)
    assert caught.value.strerror == words


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_read_where_it_is_asked_for_alone(device):
    with pytest.raises(_files.IrregularError, match="it is a device"):
        _files.content(device)
    if device == "/dev/null":
        assert _files.content(device, device=True) == b""
    else:
        with pytest.raises(_files.IrregularError, match="it is larger than 1 MiB"):
            _files.content(device, device=True)


def test_a_link_is_followed_where_it_is_asked_for_alone(tmp_path):
    (tmp_path / "real").write_bytes(b"a\n")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert _files.content(tmp_path / "link", links=True) == b"a\n"
    with pytest.raises(_files.IrregularError, match="it is a device"):
        _files.content(tmp_path / "zero", links=True)


def test_a_file_that_systemd_masks_says_nothing(tmp_path):
    (tmp_path / "masked").symlink_to("/dev/null")
    assert _files.content(tmp_path / "masked", links=True) == b""


def test_a_file_of_the_kernel_is_read_whatever_its_size_says():
    assert Path("/proc/self/status").stat().st_size == 0
    assert b"PPid:" in _files.content("/proc/self/status")


def test_what_is_missing_is_no_irregular_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        _files.content(tmp_path / "x")


def calls(tree: ast.AST) -> Iterator[str]:
    """The names of the functions that a module calls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "attr", None) or getattr(node.func, "id", "")


def test_what_runs_on_hosts_opens_files_by_one_function():
    opened = {
        str(path.relative_to(SOURCES)): names
        for path in sorted(SOURCES.rglob("*.py"))
        if path.name != "_files.py"
        and (names := {*calls(ast.parse(path.read_text(encoding="utf-8")))} & {*READS})
    }
    assert opened == ELSEWHERE


# Replacement


def test_a_draft_that_somebody_left_is_neither_followed_nor_filled(tmp_path):
    victim, target = tmp_path / "victim", tmp_path / "x"
    victim.write_text("mine\n")
    (tmp_path / ".x.part").symlink_to(victim)
    _files.replace(target, b"new\n")
    assert (victim.read_text(), target.read_text()) == ("mine\n", "new\n")
    assert not target.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["victim", "x"]


def test_a_draft_that_another_makes_meanwhile_is_refused(tmp_path, monkeypatch):
    """Check that a file put there between the removal and the creation is not opened."""
    victim, link = tmp_path / "victim", tmp_path / ".x.part"
    victim.write_text("mine\n")
    link.symlink_to(victim)
    monkeypatch.setattr(os, "unlink", lambda *_args, **_more: None)
    monkeypatch.setattr(Path, "unlink", lambda *_args, **_more: None)
    with pytest.raises(FileExistsError):
        _files.replace(tmp_path / "x", b"new\n")
    assert victim.read_text() == "mine\n"


def test_the_rights_of_the_file_stay(tmp_path):
    target = tmp_path / "x"
    target.write_text("old\n")
    target.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(target, 1234, 2345)
    before = target.stat()
    _files.replace(target, b"new\n")
    after = target.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )


def test_a_new_file_has_the_rights_that_the_umask_leaves(tmp_path):
    before = os.umask(0o027)
    try:
        _files.replace(tmp_path / "x", b"new\n")
    finally:
        os.umask(before)
    assert (tmp_path / "x").stat().st_mode & 0o7777 == 0o640


def test_no_draft_is_left_beside_a_target_that_cannot_be_replaced(tmp_path, monkeypatch):
    """As a file is that its file system holds immutable."""

    def refuse(*_args: object, **_more: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "replace", refuse)
    for write in (
        lambda: _files.replace(tmp_path / "x", b"new\n"),
        lambda: _files.put(tmp_path / "y", b"new\n", 0o644),
    ):
        with pytest.raises(PermissionError):
            write()
    assert list(tmp_path.iterdir()) == []


def test_a_lock_is_no_file_that_a_link_leads_to(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine\n")
    (tmp_path / "lock").symlink_to(victim)
    with pytest.raises(OSError, match="symbolic links"):
        _files.lock(tmp_path / "lock")
    assert victim.read_text() == "mine\n"
    handle = _files.lock(tmp_path / "new" / "lock")
    os.close(handle)
    assert (tmp_path / "new/lock").stat().st_mode & 0o7777 == 0o600
