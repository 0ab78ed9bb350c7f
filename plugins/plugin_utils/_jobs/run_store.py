# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The store of a run: its variables, its plan and its progress, as files that only this run reads. Private.

    store = RunStore(folder)
    store.begin(variables=..., fabric=...)     a playbook begins: a new chapter, without the records of the one before
    store.put("job", job)                      keep a record
    store.get("job")                           read it; {} where the chapter has none
    store.put("leaf", read, of="leaf-1")       keep that of one device

Ansible keeps facts by host, and an answer of a device can replace them. A record of the store is written by an action
of this collection and by nothing else. A record is replaced as a whole, in check mode too.
"""

from __future__ import annotations

import json
import typing as t
from pathlib import Path
from urllib.parse import quote

from ...module_utils import _files, _json
from .._fabric.description.errors import FabricError

RECORDS = {
    "variables": "the typed variables of the run, by name",
    "fabric": "facts of the fabric: path, git, hooks, manage and others",
    "batches": "switches in batches: first, first_sizes, rest, sizes",
    "host_batches": "hosts that go out of work, in batches: hosts, sizes",
    "leaf": "what a leaf said for the checks of others, by leaf",
    "job": "the plan of a tenant's job",
    "steps": "the steps of the job that are done: step, when, proof",
    "hook": "the hook at work: name, node, step",
    "evidence": "what hooks confirmed: what, node, by, note, when",
    "failures": "why nodes did not pass a hook of the step, by node",
    "registry": "edits of the registry: asked, committed, uncommitted",
    "performance": "the plan of a measurement",
    "rounds": "keys of the next rounds",
    "round": "who does what in the round at hand",
}
"""What each record of a chapter is."""
_CHAPTER = "chapter"


class RunStore:
    """The records of a run, in the folder that `place` names each time: a test has a run of its own."""

    def __init__(self, place: t.Callable[[], Path]) -> None:
        self._place = place

    def begin(self, **records: t.Any) -> None:
        """Open the chapter of a playbook, with these records and no others."""
        number = self._chapter() + 1
        folder = self._place()
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / str(number)).mkdir(mode=0o700)
        _write(folder / _CHAPTER, number)
        for name, record in records.items():
            self.put(name, record)

    def put(self, name: str, record: t.Any, *, of: str = "") -> None:
        """Keep a record of the chapter, `of` a device where each has one; nothing before a playbook has begun."""
        path = self._path(name, of)
        if path is not None:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            _write(path, record)

    def get(self, name: str, *, of: str = "") -> t.Any:
        """Return a record of the chapter as plain data; {} where there is none."""
        path = self._path(name, of)
        if path is None or not path.exists():
            return {}
        return _json.parse(path.read_bytes())

    def at(self, place: str) -> t.Any:
        """Return what is at a place such as ``batches.first``; None where nothing is there."""
        name, *keys = place.split(".")
        found = self.get(name)
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return found or None

    def begun(self) -> bool:
        """Return whether a playbook of the collection has begun in this run."""
        return self._chapter() > 0

    def _chapter(self) -> int:
        try:
            return int(_json.parse((self._place() / _CHAPTER).read_bytes()))
        except FileNotFoundError:
            return 0

    def _path(self, name: str, of: str) -> Path | None:
        if name not in RECORDS:
            raise FabricError.of(
                f"run store: '{name}' is no record of a run: use {', '.join(RECORDS)}."
            )
        if not (chapter := self._chapter()):
            return None
        place = f"{name}/{quote(of, safe='')}" if of else name
        return self._place() / str(chapter) / f"{place}.json"


def _write(path: Path, record: t.Any) -> None:
    _files.replace(path, json.dumps(record).encode())
