# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Target of an export: a folder, a dry run over it, or a sink that only counts.

A file whose content would stay the same is not touched, so a second run changes nothing.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import errno
import fcntl
import functools
import os
import re
import stat
import tempfile
import typing as t

from ....module_utils import _files
from ..description.errors import FabricError

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BLOCK = 1 << 16
_LINES = 1000
_HEAD = 512
_OFTEN = 5000
"""Files after which a person wants to hear that the work goes on."""
_ROOM = "make room, or choose another folder"
_OTHER = "move what has that name, or choose another folder"
_REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _ROOM),
    **dict.fromkeys((errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ELOOP), _OTHER),
}


@dataclasses.dataclass
class Output:
    """Collects files below `folder`; `dry` compares without writing; no folder only counts."""

    folder: str | None
    dry: bool = False
    tell: t.Callable[[str], None] = lambda _text: None
    changed: list[str] = dataclasses.field(default_factory=list)
    files: int = 0
    size: int = 0
    _kept: set[str] = dataclasses.field(default_factory=set)

    def write(self, name: str, chunks: Iterable[str]) -> None:
        """Stream text to a file below the folder; the old file stays when the bytes are the same."""
        self.files += 1
        if self.files % _OFTEN == 0:
            self.tell(f"{self.files} files ...")
        blocks = _blocks(chunks)
        if self.folder is None:
            self.size += sum(len(block) for block in blocks)
            return
        path = os.path.join(self.folder, name)
        self._kept.add(path)
        try:
            same = self._compare(path, blocks) if self.dry else self._replace(path, blocks)
            collections.deque(blocks, maxlen=0)  # who makes the rest may be counting it
        except OSError as exc:
            raise _refusal(path, exc) from exc
        if not same:
            self.changed.append(name)

    def earlier(self, name: str) -> Iterator[bytes]:
        """The bytes of a file below the folder; none where there is no such regular file."""
        path = os.path.join(self.folder or "", name)
        if self.folder is None or not os.path.isfile(path):
            return
        try:
            with open(path, "rb") as old:
                yield from iter(functools.partial(old.read, _BLOCK), b"")
        except OSError as exc:
            raise _refusal(path, exc) from exc

    def unwritten(self, names: Iterable[str]) -> list[str]:
        """Return those of some files and folders that exist, and of which this run wrote nothing."""
        if self.folder is None:
            return []
        written = {os.path.relpath(path, self.folder).partition(os.sep)[0] for path in self._kept}
        there = [name for name in names if os.path.lexists(os.path.join(self.folder, name))]
        return [name for name in there if name not in written]

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the folder against a second writer; the lock leaves no file and ends with the process."""
        if self.folder is None or self.dry:
            yield
            return
        try:
            os.makedirs(self.folder, exist_ok=True)
            handle = os.open(self.folder, os.O_RDONLY)
        except OSError as exc:
            raise _refusal(self.folder, exc) from exc
        try:
            _lock(handle, self.folder)
            yield
        finally:
            os.close(handle)

    def _compare(self, path: str, blocks: Iterable[bytes]) -> bool:
        try:
            kind = os.stat(path).st_mode
        except FileNotFoundError:
            return False
        if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
            return False  # it would be replaced
        with open(path, "rb") as old:  # refuses a folder, as a run that writes does
            return all(old.read(len(block)) == block for block in blocks) and not old.read(1)

    def _replace(self, path: str, blocks: Iterable[bytes]) -> bool:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with _files.draft(path) as new:
            for block in blocks:
                new.write(block)
                self.size += len(block)
            new.seek(0)
            same = self._compare(path, iter(functools.partial(new.read, _BLOCK), b""))
            if not same:
                _files.settle(new, path)
        return same

    def remove_others(self, below: str, begins: re.Pattern[bytes]) -> None:
        """Remove files of an earlier plan below a subfolder that this run did not write.

        Only what begins as such a file does: a site may keep files of its own there.
        """
        if self.folder is None:
            return
        for folder, _folders, names in os.walk(os.path.join(self.folder, below)):
            for path in sorted({os.path.join(folder, name) for name in names} - self._kept):
                try:
                    with open(path, "rb") as old:
                        ours = begins.match(old.read(_HEAD))
                    if ours and not self.dry:
                        os.unlink(path)
                except OSError as exc:
                    raise _refusal(path, exc) from exc
                if ours:
                    self.changed.append(os.path.relpath(path, self.folder))


def gathered(lines: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Iterator[str]]]:
    """(file name, chunks) of (file name, text) pairs, which may be of any number of files in turn.

    The drafts are in the system's place for such; its errors are reported as any other's.
    """
    parts: dict[str, list[str]] = {}
    drafts: dict[str, str] = {}
    try:
        with tempfile.TemporaryDirectory(prefix="spx-") as folder:
            for name, text in lines:
                part = parts.setdefault(name, [])
                part.append(text)
                if len(part) >= _LINES:
                    _spill(drafts.setdefault(name, os.path.join(folder, str(len(drafts)))), part)
            for name, part in parts.items():
                _spill(drafts.setdefault(name, os.path.join(folder, str(len(drafts)))), part)
            for name, path in drafts.items():
                with open(path, encoding="utf-8") as draft:
                    yield name, iter(functools.partial(draft.read, _BLOCK), "")
    except OSError as exc:
        raise _refusal(tempfile.gettempdir(), exc) from exc


def _spill(path: str, part: list[str]) -> None:
    """Append lines to a draft; closed at once, since there can be more drafts than open files."""
    with open(path, "a", encoding="utf-8") as draft:
        draft.write("".join(part))
    part.clear()


def _refusal(path: str, exc: OSError) -> FabricError:
    remedy = _REMEDIES.get(exc.errno or 0, "choose a folder that the user may write to")
    return FabricError.of(f"{path} cannot be written ({exc.strerror}): {remedy}.")


def _lock(handle: int, folder: str) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FabricError.of(
            f"{folder} is being written by another run: wait until that one has ended."
        ) from None
    except OSError:  # a file system without locks
        return


def _blocks(chunks: Iterable[str]) -> Iterator[bytes]:
    pending: list[str] = []
    size = 0
    for chunk in chunks:
        pending.append(chunk)
        size += len(chunk)
        if size >= _BLOCK:
            yield "".join(pending).encode()
            pending, size = [], 0
    if pending:
        yield "".join(pending).encode()
