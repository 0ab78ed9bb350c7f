# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks of a few pages, which only this process and what it starts can see."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import tempfile
import time
import typing as t
from pathlib import Path

NEWNS = 0x20000  # linux/sched.h
PRIVATE, DETACH = 0x4000 | 0x40000, 2  # MS_REC | MS_PRIVATE, MNT_DETACH: linux/mount.h, sys/mount.h
BALLAST = "ballast"
LARGEST = 1 << 20
"""Bytes that a disk may have at most: nothing larger is ever filled."""


def _call(name: str, *arguments: t.Any) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


class Disk:
    """A file system of its own on a folder.

    It is reached by a handle: another thread may see the machine's own disk at the same path.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self.pages = os.fstatvfs(self.handle).f_blocks
        assert os.fstatvfs(self.handle).f_frsize * self.pages <= LARGEST, (
            f"{folder} is no small disk"
        )

    def fill(self) -> None:
        """Leave no room at all."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        ballast = os.open(BALLAST, flags, dir_fd=self.handle)
        with contextlib.suppress(OSError), os.fdopen(ballast, "ab", buffering=0) as stream:
            for dummy in range(self.pages + 1):
                stream.write(bytes(4096))
        assert not os.fstatvfs(self.handle).f_bavail

    def empty(self) -> None:
        """Make room."""
        os.unlink(BALLAST, dir_fd=self.handle)

    def files(self) -> dict[str, bytes]:
        """Return its files."""
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
        disk = Disk(folder)
        try:
            yield disk
        finally:
            os.close(disk.handle)
    finally:
        _call("umount2", bytes(folder), DETACH)
        shutil.rmtree(kept.parent)


BIND, REMOUNT, READ_ONLY = 0x1000, 0x20, 0x1  # MS_BIND, MS_REMOUNT, MS_RDONLY: linux/mount.h


class Locked:
    """A folder that is a mount of its own, in the mount namespace of the thread that made it."""

    def __init__(self, folder: Path) -> None:
        self._folder = bytes(folder)

    def lock(self) -> None:
        """Make it read-only, as soon as nobody writes there."""
        until = time.monotonic() + 5
        while True:
            try:
                self._remount(READ_ONLY)
                break
            except OSError as exc:
                if exc.errno != errno.EBUSY or time.monotonic() > until:
                    raise
            time.sleep(0.005)

    def unlock(self) -> None:
        """Let it be written to."""
        self._remount(0)

    def _remount(self, how: int) -> None:
        _call("mount", b"none", self._folder, None, REMOUNT | BIND | how, None)


@contextlib.contextmanager
def lockable(folder: Path) -> t.Iterator[Locked]:
    """A folder that can be made read-only for what this thread starts, root's processes too."""
    folder.mkdir(exist_ok=True)
    _call("unshare", NEWNS)
    _call("mount", b"none", b"/", None, PRIVATE, None)
    _call("mount", bytes(folder), bytes(folder), None, BIND, None)
    try:
        yield Locked(folder)
    finally:
        _call("umount2", bytes(folder), DETACH)
