# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The store of a run: its variables, its plan and its progress, as files that only this run reads. Private.

    store = RunStore(folder)
    store.begin(variables=..., fabric=...)     a playbook begins: a new chapter, without the records of the one before
    store.put(JOB, job)                        keep a record
    store.get(JOB)                             read it; what JOB says where the chapter has none
    store.put(LEAF, facts, of="leaf-1")        keep that of one device
    store.at("batches.first")                  read a place of one, for playbooks

Ansible keeps facts by host, and an answer of a device can replace them. A record of the store is written by an action
of this collection and by nothing else. A record is replaced as a whole, in check mode too. A chapter begins with a file
of every record, empty or not: one of another shape, or that is gone, is an error and not an empty record.
"""

from __future__ import annotations

import dataclasses
import json
import typing as t
from pathlib import Path
from urllib.parse import quote

from ...module_utils import _files, _json
from .._fabric.description.errors import FabricError
from . import records

T = t.TypeVar("T")

RECORDS = {
    "variables": "the typed variables of the run, by name",
    "fabric": "facts of the fabric: path, git, hooks, manage and others",
    "batches": "switches in batches: first, first_sizes, rest, sizes",
    "host_batches": "hosts to drain, in batches: hosts, sizes",
    "leaf": "answers of leaves for the checks of others, by leaf",
    "job": "the plan of a tenant's job",
    "steps": "the steps of the job that are done: step, when, proof",
    "hook": "the running hook: name, node, step",
    "evidence": "confirmations of hooks: what, node, by, note, when",
    "failures": "reasons that nodes failed a hook of the step, by node",
    "registry": "edits of the registry: asked, committed, uncommitted",
    "accounts": "progress of automation accounts, by switch",
    "jobs": "the account that jobs move to: user, hook",
    "refusals": "logins that switches refused: until, sentence; by switch and user",
    "performance": "the plan of a measurement",
    "rounds": "keys of the next rounds",
    "round": "tasks of the hosts in the current round",
    "upgrade": "batches of switches that boot together: hosts, sizes, canary, batches, deferred",
    "upgrade_switch": "state of a switch before an upgrade, by switch",
    "upgrade_before": "sessions and ports that were up before a switch was drained, by switch",
}
"""Description of each record of a chapter."""
_CHAPTER = "chapter"


@dataclasses.dataclass(frozen=True)
class Kind(t.Generic[T]):
    """A kind of record: its name, its type, and what is read where the chapter has none."""

    name: str
    form: type[T]
    empty: t.Callable[[], T]


def required(sentence: str) -> t.Callable[[], t.NoReturn]:
    """Return what a kind is where the run needs its record: FabricError with a sentence."""

    def absent() -> t.NoReturn:
        raise FabricError.of(sentence)

    return absent


class RunStore:
    """The records of a run, in the folder that `place` names each time: a test has a run of its own."""

    def __init__(self, place: t.Callable[[], Path]) -> None:
        self._place = place

    def begin(self, **records: object) -> None:
        """Open the chapter of a playbook, with these records by name; the others are empty."""
        number = self._chapter() + 1
        _write(self._place() / _CHAPTER, number)
        for name, record in (dict.fromkeys(RECORDS) | records).items():
            self._put(name, record, "")

    def put(self, kind: Kind[T], record: T, *, of: str = "") -> None:
        """Keep a record of the chapter, `of` a device where each has one; nothing before a playbook has begun."""
        self._put(kind.name, record, of)

    def get(self, kind: Kind[T], *, of: str = "") -> T:
        """Return a record of the chapter; FabricError where it has another shape."""
        found = self._plain(kind.name, of)
        place = f"{kind.name}.{of}" if of else kind.name
        return kind.empty() if found is None else records.typed(kind.form, found, place)

    def _put(self, name: str, record: object, of: str) -> None:
        path = self._path(name, of)
        if path is not None:
            _write(path, records.plain(record))

    def _plain(self, name: str, of: str = "") -> object:
        """Return a record as JSON has it; None where there is none, FabricError where it is gone."""
        path = self._path(name, of)
        if path is None or (of and not path.exists()):
            return None
        return _read(path)

    def at(self, place: str) -> object:
        """Return what is at a place such as ``batches.first``, as playbooks read it; None where nothing is there."""
        name, *keys = place.split(".")
        found = self._plain(name)
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return found or None

    def begun(self) -> bool:
        """Return whether a playbook of the collection has begun in this run."""
        return self._chapter() > 0

    def _chapter(self) -> int:
        if not (folder := self._place()).exists():
            return 0
        number = _read(folder / _CHAPTER)
        return number if isinstance(number, int) else 0

    def _path(self, name: str, of: str) -> Path | None:
        if name not in RECORDS:
            raise FabricError.of(
                f"run store: '{name}' is not a record of a run: use {', '.join(RECORDS)}."
            )
        if not (chapter := self._chapter()):
            return None
        place = f"{name}/{quote(of, safe='')}" if of else name
        return self._place() / str(chapter) / f"{place}.json"


def _read(path: Path) -> object:
    """Return what a file of the store holds; FabricError where it was changed, cut off or removed meanwhile."""
    try:
        found: object = _json.parse(path.read_bytes())
    except FileNotFoundError as exc:
        raise FabricError.of(
            f"run store: {path}: it was removed while the run was at work: run again."
        ) from exc
    except _json.NoJsonError as exc:
        raise FabricError.of(
            f"run store: {path}: {exc}: it was changed while the run was at work: run again."
        ) from exc
    return found


def _write(path: Path, record: object) -> None:
    """Replace a file of the store; FabricError where that fails, as on a full disk."""
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        _files.replace(path, json.dumps(record).encode())
    except OSError as exc:
        raise FabricError.of(
            f"run store: {path}: it cannot be written ({exc.strerror}): make room, or name another folder by "
            "ANSIBLE_LOCAL_TEMP, and run again."
        ) from exc
