# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Several small files and the units that follow from them: read, compare, replace at once, reload.

wanted = [DesiredFile("/etc/spectrum-x/desired.json", "{}\n", 0o644), DesiredFile("/etc/old", None)]
outcome = apply_files(host, wanted)

Every file belongs to root. A folder of ours that others can write is corrected. Nothing is
written below any other such folder.
"""

from __future__ import annotations

import base64
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

from .. import _files
from .._nic.check import each, fields_of
from .._nic.errors import NicError
from .._nic.ownership import exposures, judged
from .._nic.state import FOLDER, KEPT
from .._nic.tools import Host, Step
from .places import UNITS, Rival, of_all_units, rivals
from .records import FileResult
from .units import RELOAD, orders, pattern_of, rows_from, stale, unit_states

# Where a changed file takes a reload to be seen: prefix -> command.
UDEV = ("udevadm", "control", "--reload")
RELOADS = {f"{UNITS}/": RELOAD, "/etc/udev/rules.d/": UDEV, "/etc/systemd/network/": UDEV}
SHOWN = 20_000  # longest text that a difference shows, characters
OURS = "spectrum-x"
"""Name of the folders that are ours alone, such as /etc/spectrum-x."""
NOTES = (FOLDER, KEPT)


@dataclass(frozen=True)
class DesiredFile:
    """A file; `content` None means that it is absent, unless `digest` says what is in it."""

    path: str
    content: bytes | None
    mode: int = 0o644
    digest: str = ""

    @property
    def stays(self) -> bool:
        """Is there such a file afterwards?"""
        return self.content is not None or bool(self.digest)


@dataclass
class Outcome:
    """Steps that were, or would be, taken, with sentences that give the reason.

    `texts` are those of `files` whose text changed, by itself or by a file beside it. What is `left`
    is not ours, and is only reported.
    """

    files: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    diff: list[dict[str, str]] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    wrong_files: list[str] = field(default_factory=list)
    wrong_units: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Was anything different?"""
        return bool(self.files or self.commands)

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(
            *(mine + more for mine, more in zip(vars(self).values(), vars(other).values()))
        )

    def as_result(self) -> FileResult:
        """The plain part of a module's answer."""
        fields = {name: value for name, value in vars(self).items() if name != "texts"}
        return cast("FileResult", {"changed": self.changed, **fields})


@dataclass(frozen=True)
class PresentFile:
    """File at a path as it is now; `content` is None where there is none."""

    content: bytes | None = None
    link: bool = False
    mode: int = 0
    owner: tuple[int, int] = (0, 0)

    @property
    def rights(self) -> str:
        """Format mode and owner for a difference."""
        return f"mode {self.mode:04o}, owner {self.owner[0]}:{self.owner[1]}"


def wanted_from(data: object) -> list[DesiredFile]:
    """The option `files` of the module, typed; NicError with one sentence."""
    return [_wanted(entry, f"files[{n}]") for n, entry in enumerate(each(data))]


def _wanted(data: object, where: str) -> DesiredFile:
    known = fields_of(data, where, ("path", "content", "base64", "sha256", "mode", "state"))
    path = str(known.get("path") or "")
    if not path.startswith("/"):
        raise NicError(f"{where}.path: '{path}' is not an absolute path.")
    mode = _mode(known.get("mode") or "0644", where)
    if known.get("state") == "absent":
        return DesiredFile(path, None, mode)
    if known.get("base64") is not None:
        return DesiredFile(path, base64.b64decode(str(known["base64"])), mode)
    if known.get("sha256"):
        return DesiredFile(path, None, mode, str(known["sha256"]))
    if known.get("content") is None:
        raise NicError(f"{where}: {path} needs its content, or state absent.")
    return DesiredFile(path, str(known["content"]).encode(), mode)


def _mode(text: object, where: str) -> int:
    try:
        return int(str(text), 8)
    except ValueError:
        raise NicError(f"{where}.mode: '{text}' is not an octal mode such as 0644.") from None


def keep(host: Host, wanted: Sequence[DesiredFile], units: object) -> Outcome:
    """The files, and then their units: enabled or not, running or not, by the text of the files.

    {name: {enabled: bool, running: bool, restart_for: [path]}}; what is absent is left alone.
    """
    rows = rows_from(units)
    kept = [one.path.rpartition("/")[2] for one in wanted if _is_unit(one)]
    names = [*rows, *(name for name in kept if "@." not in name and name not in rows)]
    states, more = unit_states(host, names, [pattern_of(name) for name in kept if "@." in name])
    outcome = apply_files(host, wanted)
    outcome.left += of_all_units(host, [one.path for one in wanted if _is_unit(one)])
    late = stale([*(states[name] for name in kept if name in states), *more])
    if late and not any(path.startswith(f"{UNITS}/") for path in outcome.texts):
        _command(host, outcome, RELOAD)
        outcome.wrong_units += late
    for order in list(
        orders(rows, states, outcome.texts)
    ):  # all are checked before the first is run
        _command(host, outcome, order.argv)
        outcome.wrong_units.append(order.sentence)
    return outcome


def _is_unit(one: DesiredFile) -> bool:
    return one.stays and one.path.startswith(f"{UNITS}/")


def _command(host: Host, outcome: Outcome, argv: tuple[str, ...]) -> None:
    host.perform(Step(argv[-1], argv[1], "", "", argv=argv))
    outcome.commands.append(" ".join(argv))


def apply_files(host: Host, wanted: Iterable[DesiredFile]) -> Outcome:
    """Write what differs, remove what changes its meaning, then reload; check mode only reports."""
    files = list(wanted)
    outcome = Outcome()
    folders = _folders(host, files)
    found = [(one, _found(host, one.path)) for one in files]
    try:
        for folder in folders:
            _correct_folder(host, outcome, folder)
        for one, there in found:
            _apply(host, outcome, one, there)
        for rival in rivals(host, [one.path for one in files if one.stays]):
            _remove(host, outcome, rival)
    finally:  # the next run finds the files written and would not reload
        reloads = [
            o for prefix, o in RELOADS.items() for p in outcome.texts if p.startswith(prefix)
        ]
        for command in dict.fromkeys(reloads):
            host.perform(Step(" ".join(command), "reload", "", "", argv=command))
    return outcome


def _folders(host: Host, files: Iterable[DesiredFile]) -> list[str]:
    """Our folders that others can write; NicError for such a folder that is not ours."""
    wrong: list[str] = []
    names = [one.path.rpartition("/")[0] for one in files]
    names += NOTES if any(f"/{OURS}" in name for name in names) else ()
    for name in dict.fromkeys(names):
        for path, sentence in exposures(name, host.path):
            if path.rpartition("/")[2] != OURS or os.path.islink(host.path(path)):
                raise NicError(
                    f"{sentence} Nothing is written below it as root: give it to root alone "
                    f"(chown root, chmod go-w)."
                )
            wrong.append(path)
    return list(dict.fromkeys(wrong))


def _correct_folder(host: Host, outcome: Outcome, name: str) -> None:
    there = host.path(name).stat()
    rights = PresentFile(mode=there.st_mode & 0o7777, owner=(there.st_uid, there.st_gid)).rights
    good = PresentFile(mode=_files.FOLDER_MODE).rights
    outcome.files.append(name)
    outcome.wrong_files.append(judged(name, there))
    shown = {"before": f"{rights}\n", "after": f"{good}\n"}
    outcome.diff.append({"before_header": name, "after_header": name, **shown})

    def correct(folder: Path) -> None:
        os.chown(folder, 0, 0)
        folder.chmod(_files.FOLDER_MODE)

    _change(host, outcome, f"chmod {_files.FOLDER_MODE:04o}", name, correct)


def _found(host: Host, path: str) -> PresentFile:
    """Read the file at a path; a link is not followed."""
    place = host.path(path)
    try:
        there = place.lstat()
        content = b"" if stat.S_ISLNK(there.st_mode) else host.content(path)
    except (FileNotFoundError, NotADirectoryError):
        return PresentFile()
    except OSError as exc:
        raise NicError(f"{path}: it cannot be read: {exc.strerror}.") from exc
    owner = (there.st_uid, there.st_gid)
    return PresentFile(content, stat.S_ISLNK(there.st_mode), there.st_mode & 0o7777, owner)


def _apply(host: Host, outcome: Outcome, one: DesiredFile, there: PresentFile) -> None:
    wrong = list(_wrong(one, there))
    if not wrong:
        return
    outcome.files.append(one.path)
    outcome.wrong_files += wrong
    text = there.content if one.digest else one.content
    if there.link or there.content != text:
        outcome.texts.append(one.path)
    outcome.diff.append(_difference(one, there, text))
    same = text == there.content
    replace = partial(_files.put, text=text or b"", mode=one.mode, same=same)
    _change(host, outcome, "write", one.path, _unlink if text is None else replace)


def _wrong(one: DesiredFile, there: PresentFile) -> Iterator[str]:
    text = None if there.link else there.content
    if one.digest and (text is None or hashlib.sha256(text).hexdigest() != one.digest):
        raise NicError(
            f"{one.path}: it is not the file of {one.digest[:12]}, which is not at hand."
        )
    if there.content is None or not one.stays:
        if one.stays:
            yield f"{one.path}: it is missing."
        elif there.content is not None:
            yield f"{one.path}: it exists and is not planned."
        return
    if there.link:
        yield f"{one.path}: it is a symbolic link, expected a file."
        return
    if not one.digest and there.content != one.content:
        yield f"{one.path}: it is not the planned file."
    if there.mode != one.mode:
        yield f"{one.path}: its mode is {there.mode:04o}, expected {one.mode:04o}."
    if _owned() and there.owner != (0, 0):
        yield f"{one.path}: its owner is {there.owner[0]}:{there.owner[1]}, expected root."


def _owned() -> bool:
    """Another user than root can neither give files away nor make a tool of root."""
    return os.geteuid() == 0


def _difference(one: DesiredFile, there: PresentFile, text: bytes | None) -> dict[str, str]:
    """The text before and after; the rights above it where a file stays and only they are wrong."""
    good = PresentFile(mode=one.mode, owner=(0, 0) if _owned() else there.owner).rights
    stays = there.content is not None and text is not None and not there.link
    rights = stays and there.rights != good
    return {
        "before_header": one.path,
        "after_header": one.path,
        "before": (f"{there.rights}\n" if rights else "") + _text(there.content),
        "after": (f"{good}\n" if rights else "") + _text(text),
    }


def _text(content: bytes | None) -> str:
    if content is None:
        return ""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return f"({len(content)} bytes)\n"
    return text if len(text) <= SHOWN else f"({len(content)} bytes of text)\n"


def _remove(host: Host, outcome: Outcome, rival: Rival) -> None:
    """A file beside ours; what it was is shown, so that its owner can put it elsewhere."""
    wrong = outcome.wrong_units if rival.of.startswith(f"{UNITS}/") else outcome.wrong_files
    wrong.append(rival.sentence)
    outcome.files.append(rival.path)
    outcome.texts += [rival.of, rival.path]
    there = _found(host, rival.path)
    outcome.diff.append(_difference(DesiredFile(rival.path, None), there, None))
    _change(host, outcome, "remove", rival.path, _unlink)


def _change(
    host: Host, outcome: Outcome, verb: str, path: str, work: Callable[[Path], None]
) -> None:
    """A change that the last difference of the outcome shows; in check mode it is only announced."""
    host.writes.append(f"{verb} {path}")
    if host.check_mode:
        return
    try:
        work(host.path(path))
    except OSError as exc:
        raise NicError(f"{path}: it cannot be written: {exc.strerror}.") from exc
    host.done.append(f"{verb} {path}")
    host.written.append(outcome.diff[-1])


def _unlink(path: Path) -> None:
    path.unlink()
    _files.sync_folder(path.parent)
