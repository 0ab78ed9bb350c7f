# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The registry's file: edited as a whole, by one writer at a time."""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import os
import time
import typing as t
from pathlib import Path

from ....module_utils import _files
from ..description.errors import FabricError, unreadable
from .edit import Change, edit

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..plan.fabric import Fabric


def change_file(
    fabric: Fabric, path: str, changes: Sequence[Change], *, write: bool = True, wait: float = 30.0
) -> tuple[str, str]:
    """Edit a registry file: (text before, text after). Nothing is written when they are equal.

    The file is replaced as a whole, so a reader sees the old or the new text; `wait` is how many
    seconds to wait for another writer. Of a link, the file that it leads to is replaced, in its own folder.
    Owner, mode, ends of lines and a byte order mark stay.
    """
    try:
        # A link stays one, and leads somewhere.
        where = Path(path).resolve(strict=os.path.islink(path))
        with locked(where, wait=wait):
            stored = where.read_bytes() if where.exists() else b""
            before = _plain(stored)
            after = edit(fabric, before, changes, path=str(where))
            if write and after != before:
                if where.exists():  # a file that may not be written to is not replaced either
                    os.close(os.open(where, os.O_WRONLY))
                _files.replace(where, _stored(after, like=stored), sync=True)
    except (OSError, UnicodeDecodeError, RuntimeError) as exc:  # RuntimeError: a loop of links
        raise FabricError.of(
            f"{path} cannot be edited ({unreadable(exc)}): make it a UTF-8 file that the user may "
            "write to, in such a folder, with room on its disk. The file is as it was."
        ) from exc
    return before, after


@contextlib.contextmanager
def locked(where: Path, *, wait: float) -> Iterator[None]:
    """Hold the folder's lock, which leaves no file behind; FabricError when another holds it on."""
    handle, until = os.open(where.parent, os.O_RDONLY), time.monotonic() + wait
    try:
        while not _lock(handle):
            if time.monotonic() >= until:
                raise FabricError.of(
                    f"{where.name} is being edited by another run: wait until it has finished, and "
                    "run again."
                )
            time.sleep(0.1)
        yield
    finally:
        os.close(handle)


def _lock(handle: int) -> bool:
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _plain(stored: bytes) -> str:
    """The text of a file, without its mark and with the ends of lines that all else relies on."""
    return stored.decode("utf-8-sig").replace("\r\n", "\n")


def _stored(text: str, *, like: bytes) -> bytes:
    """The bytes of a text, with the mark and the ends of lines of those that it replaces."""
    mark = codecs.BOM_UTF8 if like.startswith(codecs.BOM_UTF8) else b""
    end = b"\r\n" if b"\r\n" in like else b"\n"
    return mark + text.encode().replace(b"\n", end)
