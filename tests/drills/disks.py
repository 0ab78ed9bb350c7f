# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks of a few pages, which only this process and what it starts can see."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import tempfile
import typing as t
from pathlib import Path

import pytest

NEWNS = 0x20000  # linux/sched.h
PRIVATE, DETACH = 0x4000 | 0x40000, 2  # MS_REC | MS_PRIVATE, MNT_DETACH: linux/mount.h, sys/mount.h
BALLAST = "ballast"


def _call(name: str, *arguments: t.Any) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


class Disk:
    """A file system of its own on a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self) -> None:
        """Leave no room at all."""
        with pytest.raises(OSError, match="No space left on device"):
            self._write_on()

    def _write_on(self) -> None:
        with (self.folder / BALLAST).open("ab", buffering=0) as stream:
            while True:
                stream.write(bytes(4096))

    def empty(self) -> None:
        """Make room."""
        (self.folder / BALLAST).unlink(missing_ok=True)

    def files(self) -> dict[str, bytes]:
        """What is on it."""
        found = {path for path in self.folder.rglob("*") if path.is_file() and path.name != BALLAST}
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in found}


@contextlib.contextmanager
def small_disk(folder: Path, size: str = "256k") -> t.Iterator[Disk]:
    """A small file system on a folder, with what was in it."""
    folder.mkdir(exist_ok=True)
    kept = Path(tempfile.mkdtemp()) / folder.name
    shutil.copytree(folder, kept)
    _call("unshare", NEWNS)
    _call("mount", b"none", b"/", None, PRIVATE, None)
    _call("mount", b"tmpfs", bytes(folder), b"tmpfs", 0, f"size={size}".encode())
    try:
        shutil.copytree(kept, folder, dirs_exist_ok=True)
        yield Disk(folder)
    finally:
        _call("umount2", bytes(folder), DETACH)
        shutil.rmtree(kept.parent)
