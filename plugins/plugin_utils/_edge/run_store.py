# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The store of a run: its variables, its plan and its progress, as files that only this run reads. Private.

    begin(variables=..., fabric=...)     a playbook begins: a new chapter, without the records of the one before
    put("job", job)                      keep a record
    get("job")                           read it; {} where the chapter has none
    put("leaf", read, of="leaf-1")       keep that of one device

Ansible keeps facts by host, and an answer of a device can replace them. A record of the store is written by an action
of this collection and by nothing else. The store is below Ansible's temporary folder of the run, which Ansible makes
with mode 0700 before it forks, and removes at its end. A record is replaced as a whole, in check mode too.
"""

from __future__ import annotations

import hashlib
import json
import typing as t
from pathlib import Path
from urllib.parse import quote

from ansible import constants

from ...module_utils import _files, _json
from .._fabric.description.errors import FabricError
from .._jobs import runs

Plain = dict[str, t.Any]

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


def begin(**records: t.Any) -> None:
    """Open the chapter of a playbook, with these records and no others."""
    number = _chapter() + 1
    folder = _folder()
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / str(number)).mkdir(mode=0o700)
    _write(folder / _CHAPTER, number)
    for name, record in records.items():
        put(name, record)


def put(name: str, record: t.Any, *, of: str = "") -> None:
    """Keep a record of the chapter, `of` a device where each has one; without a playbook of the collection nothing."""
    path = _path(name, of)
    if path is not None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        _write(path, record)


def get(name: str, *, of: str = "") -> t.Any:
    """Return a record of the chapter as plain data; {} where there is none."""
    path = _path(name, of)
    if path is None or not path.exists():
        return {}
    return _json.parse(path.read_bytes())


def at(place: str) -> t.Any:
    """Return what is at a place such as ``batches.first``; None where nothing is there."""
    name, *keys = place.split(".")
    found = get(name)
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found or None


def begun() -> bool:
    """Return whether a playbook of the collection has begun in this run."""
    return _chapter() > 0


def _folder() -> Path:
    own = hashlib.sha256(runs.this().encode()).hexdigest()[:16]
    return Path(constants.DEFAULT_LOCAL_TMP) / f"spectrum_x.fabric-{own}"


def _chapter() -> int:
    try:
        return int(_json.parse((_folder() / _CHAPTER).read_bytes()))
    except FileNotFoundError:
        return 0


def _path(name: str, of: str) -> Path | None:
    if name not in RECORDS:
        raise FabricError.of(
            f"run store: '{name}' is no record of a run: use {', '.join(RECORDS)}."
        )
    if not (chapter := _chapter()):
        return None
    place = f"{name}/{quote(of, safe='')}" if of else name
    return _folder() / str(chapter) / f"{place}.json"


def _write(path: Path, record: t.Any) -> None:
    _files.replace(path, json.dumps(record).encode())
