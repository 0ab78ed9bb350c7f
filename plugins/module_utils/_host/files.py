# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Several small files and the units that live by them: read, compare, replace at once, reload.

wanted = [Wanted("/etc/spectrum-x/desired.json", "{}\n", 0o644), Wanted("/etc/old", None)]
outcome = apply_files(host, wanted)
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._nic.check import fields_of, flag, mapping
from .._nic.errors import NicError
from .._nic.tools import Host, Step

Plain = dict[str, Any]

# Where a changed file takes a reload to be seen: prefix -> command.
RELOADS = {
    "/etc/systemd/system/": ("systemctl", "daemon-reload"),
    "/etc/udev/rules.d/": ("udevadm", "control", "--reload"),
    "/etc/systemd/network/": ("udevadm", "control", "--reload"),
}
SHOWN = 20_000  # longest text that a difference shows, characters


@dataclass(frozen=True)
class Wanted:
    """A file; `content` None means that it is absent."""

    path: str
    content: bytes | None
    mode: int = 0o644


@dataclass
class Outcome:
    """What was, or would be, done."""

    files: list[str] = field(default_factory=list)
    diff: list[dict[str, str]] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Was anything different?"""
        return bool(self.files or self.commands)

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(
            self.files + other.files, self.diff + other.diff, self.commands + other.commands
        )

    def as_result(self) -> Plain:
        """The plain part of a module's answer."""
        return {
            "changed": self.changed,
            "files": self.files,
            "commands": self.commands,
            "diff": self.diff,
        }


def wanted_from(data: Any) -> list[Wanted]:
    """The option `files` of the module, typed; NicError with one sentence."""
    return [_wanted(entry, f"files[{n}]") for n, entry in enumerate(data or ())]


def _wanted(data: Any, where: str) -> Wanted:
    known = fields_of(data, where, ("path", "content", "base64", "mode", "state"))
    path = str(known.get("path") or "")
    if not path.startswith("/"):
        raise NicError(f"{where}.path: '{path}' is not an absolute path.")
    mode = _mode(known.get("mode") or "0644", where)
    if known.get("state") == "absent":
        return Wanted(path, None, mode)
    if known.get("base64") is not None:
        return Wanted(path, base64.b64decode(str(known["base64"])), mode)
    if known.get("content") is None:
        raise NicError(f"{where}: {path} needs its content, or state absent.")
    return Wanted(path, str(known["content"]).encode(), mode)


def _mode(text: Any, where: str) -> int:
    try:
        return int(str(text), 8)
    except ValueError:
        raise NicError(f"{where}.mode: '{text}' is not an octal mode such as 0644.") from None


def apply_files(host: Host, wanted: Iterable[Wanted]) -> Outcome:
    """Write what differs, then reload what has to see it; check mode only tells."""
    outcome = Outcome()
    reloads: list[tuple[str, ...]] = []
    try:
        for one in wanted:
            if not _differs(host, one):
                continue
            outcome.files.append(one.path)
            outcome.diff.append(_difference(host, one))
            _write(host, one)
            reloads += [order for prefix, order in RELOADS.items() if one.path.startswith(prefix)]
    finally:  # the next run finds the files written and would not reload
        for command in dict.fromkeys(reloads):
            host.perform(Step(" ".join(command), "reload", "", "", argv=command))
    return outcome


def _present(host: Host, path: str) -> bytes | None:
    try:
        return host.path(path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise NicError(f"{path}: it cannot be read: {exc.strerror}.") from exc


def _differs(host: Host, one: Wanted) -> bool:
    found = _present(host, one.path)
    if found is None or one.content is None:
        return found is not one.content
    return found != one.content or (host.path(one.path).stat().st_mode & 0o7777) != one.mode


def _difference(host: Host, one: Wanted) -> dict[str, str]:
    return {
        "before_header": one.path,
        "after_header": one.path,
        "before": _text(_present(host, one.path)),
        "after": _text(one.content),
    }


def _text(content: bytes | None) -> str:
    if content is None:
        return ""
    if b"\0" in content or len(content) > SHOWN:
        return f"({len(content)} bytes)\n"
    return content.decode("utf-8", errors="replace")


def _write(host: Host, one: Wanted) -> None:
    host.writes.append(f"write {one.path}")
    if host.check_mode:
        return
    target = host.path(one.path)
    try:
        if one.content is None:
            target.unlink()
        else:
            _replace(target, one.content, one.mode)
        _sync(target.parent)
    except OSError as exc:
        raise NicError(f"{one.path}: it cannot be written: {exc.strerror}.") from exc
    host.done.append(f"write {one.path}")


def _replace(target: Path, content: bytes, mode: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())
    fresh.chmod(mode)
    fresh.replace(target)


def _sync(folder: Path) -> None:
    """The names in it reach the disk: a power cycle may follow at once."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def apply_units(host: Host, units: Any, changed: Sequence[str] = ()) -> Outcome:
    """Enable, start, stop or disable units; `restart_for` names files whose change restarts one.

    {name: {enabled: bool, running: bool, restart_for: [path]}}; what is absent is left alone.
    """
    rows = {
        str(name): fields_of(row, f"units.{name}", ("enabled", "running", "restart_for"))
        for name, row in mapping(units or {}, "units").items()
    }
    outcome = Outcome()
    found = unit_states(host, list(rows))
    for name, row in rows.items():
        for command in _unit_commands(name, row, found.get(name, {}), changed):
            host.perform(Step(name, command[1], "", "", argv=command))
            outcome.commands.append(" ".join(command))
    return outcome


def unit_states(host: Host, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Name -> {load, enabled, active} as systemctl tells, in one call."""
    if not names:
        return {}
    keys = "Id,LoadState,UnitFileState,ActiveState"
    said = host.ask("systemctl", "show", "--property", keys, *names).out
    blocks = [block for block in said.split("\n\n") if block.strip()]
    made = {}
    for name, block in zip(names, blocks):
        pairs = dict(line.partition("=")[::2] for line in block.splitlines())
        made[name] = {
            "load": pairs.get("LoadState", ""),
            "enabled": pairs.get("UnitFileState", ""),
            "active": pairs.get("ActiveState", ""),
        }
    return made


def _unit_commands(
    name: str, row: Mapping[Any, Any], found: Mapping[str, str], changed: Sequence[str]
) -> list[tuple[str, ...]]:
    commands: list[tuple[str, ...]] = []
    if row.get("enabled") is not None:
        wanted = flag(row["enabled"], f"units.{name}.enabled")
        if wanted != (found.get("enabled") == "enabled") and (
            wanted or found.get("load") != "not-found"
        ):
            commands.append(("systemctl", "enable" if wanted else "disable", name))
    if row.get("running") is not None:
        wanted = flag(row["running"], f"units.{name}.running")
        runs = found.get("active") in ("active", "activating", "reloading")
        if wanted and runs and set(row.get("restart_for") or ()) & set(changed):
            commands.append(("systemctl", "restart", name))
        elif wanted != runs:
            commands.append(("systemctl", "start" if wanted else "stop", name))
    return commands
