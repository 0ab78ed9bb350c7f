# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one way to read a file of a host, and to replace a file on a host or on the controller.

content("/etc/spectrum-x/desired.json")     bytes; IrregularError for a pipe, a device, a link, 2 GiB
replace(target, b"text")                    as a whole, by way of a draft beside it

Who can write in a folder may leave a pipe there, on which a reader waits for ever, or a link in the
place of the draft, by which a writer fills another file. Neither is opened.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO, Union

MOST = 1 << 20
"""Bytes of the largest file of settings, notes, units or a tool that is read."""
KERNEL = 16 << 20
"""Bytes of the largest file below /proc or /sys: a busy host lists many connections."""
BLOCK = 1 << 16
MASK = os.makedev(1, 3)
"""The null device: a link to it says that a file of its name is empty (systemd.unit(5), sysctl.d(5))."""
FOLDER_MODE = 0o755
KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
UNOPENED = {errno.ELOOP: "a symbolic link", errno.ENXIO: "a socket"}

Place = Union[str, Path]


class IrregularError(OSError):
    """Something that is not read; `strerror` says what it is."""


def content(place: Place, *, most: int = MOST, links: bool = False, device: bool = False) -> bytes:
    """The bytes of a regular file of at most `most` bytes; IrregularError for anything else.

    A file of the kernel may be longer than its size says, so what is read counts. `links` follows a
    link in the place of the file itself, `device` allows a character device.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        handle = os.open(place, flags if links else flags | os.O_NOFOLLOW)
    except OSError as exc:
        if exc.errno in UNOPENED:
            raise IrregularError(exc.errno, f"it is {UNOPENED[exc.errno]}") from exc
        raise
    try:
        found = os.fstat(handle)
        if links and stat.S_ISCHR(found.st_mode) and found.st_rdev == MASK:
            return b""
        if not (stat.S_ISREG(found.st_mode) or (device and stat.S_ISCHR(found.st_mode))):
            kind = KINDS.get(stat.S_IFMT(found.st_mode), "no file")
            raise IrregularError(errno.EINVAL, f"it is {kind}")
        return _bytes(handle, most)
    finally:
        os.close(handle)


def _bytes(handle: int, most: int) -> bytes:
    blocks: list[bytes] = []
    size = 0
    while size <= most:
        block = os.read(handle, BLOCK)
        if not block:
            return b"".join(blocks)
        blocks.append(block)
        size += len(block)
    raise IrregularError(errno.EFBIG, f"it is larger than {most >> 20} MiB")


@contextmanager
def draft(target: Place, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A new file beside `target`, for `settle`; it is gone after the block where it was not settled.

    It has `mode` from its beginning, less what the umask takes. Its name is always the same, so that the
    next writer clears what a killed one left.
    """
    place = Path(target)
    name = place.with_name(f".{place.name}.part")
    with suppress(FileNotFoundError):
        name.unlink()
    with open(name, "x+b", opener=partial(_itself, mode=mode)) as file:
        try:
            yield file
        finally:
            with suppress(OSError):
                if _is_at(file, name):
                    name.unlink()


def _is_at(file: BinaryIO, name: Place) -> bool:
    return os.path.samestat(os.fstat(file.fileno()), os.lstat(name))


def _itself(name: str, flags: int, *, mode: int) -> int:
    return os.open(name, flags | os.O_EXCL | os.O_NOFOLLOW, mode)


def settle(file: BinaryIO, target: Place, *, sync: bool = False) -> None:
    """Give a draft the place of `target`, with the mode and, where the user may, the owner of the file there.

    A link in that place is replaced; who writes to what it leads to resolves it first. With `sync` the
    text is on the disk before the name is.
    """
    with suppress(FileNotFoundError):
        before = os.lstat(target)
        if stat.S_ISREG(before.st_mode):
            with suppress(PermissionError):
                os.fchown(file.fileno(), -1, before.st_gid)
                os.fchown(file.fileno(), before.st_uid, -1)
            os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
    _place(file, target, sync=sync)


def _place(file: BinaryIO, target: Place, *, sync: bool) -> None:
    file.flush()
    if sync:
        os.fsync(file.fileno())
    if not _is_at(file, file.name):
        raise OSError(errno.EBUSY, "another process writes it")
    os.replace(file.name, target)


def replace(target: Place, text: bytes, *, sync: bool = False) -> None:
    """Replace a file as a whole; see `settle`."""
    with draft(target) as file:
        file.write(text)
        settle(file, target, sync=sync)


def put(target: Path, text: bytes, mode: int, *, same: bool = False) -> None:
    """Replace a file of the host, which is root's where root writes, and make its folders.

    By a new file, so that no process keeps the old one open; the `same` text keeps its time, by which
    systemd sees a change. A power cycle may follow at once.
    """
    _make_folders(target.parent)
    with draft(target, mode) as file:
        file.write(text)
        file.flush()
        if os.geteuid() == 0:
            os.fchown(file.fileno(), 0, 0)
        os.fchmod(file.fileno(), mode)
        if same:
            before = target.stat()
            os.utime(file.fileno(), ns=(before.st_atime_ns, before.st_mtime_ns))
        _place(file, target, sync=True)
    sync_folder(target.parent)


def _make_folders(folder: Path) -> None:
    """With their mode, whatever the umask."""
    missing = [name for name in (folder, *folder.parents) if not name.exists()]
    for name in reversed(missing):
        name.mkdir(FOLDER_MODE)
        name.chmod(FOLDER_MODE)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock(place: Path) -> int:
    """The handle of a file that is locked, made where it is missing; a link is not followed."""
    place.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.open(place, flags, 0o600)
