# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Several contributors, one transaction: each stages a document and what it owns.

    {"switch_roce": {"config": {...}, "owns": ["qos"], "run": "5f0c..."}}
    {"switch_roce": {"file": "/root/.ansible/tmp/.../switch_roce.json", "run": "5f0c..."}}

Staging is plain data and touches no switch. ``run`` tells the run that staged it, so that a fact
cache never carries yesterday's wish into today's change. A part may be put away in a file of the run:
Ansible copies and cleans the facts of a host for every task, which a document of 128 ports makes slow.
The file is encrypted, since documents hold secrets and a killed run leaves its files behind. A cache of
facts is on disk too, so the document is not in the fact either.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any

from .errors import RefusedError
from .paths import to_text
from .ranges import expand
from .tree import Doc, leaves, merge, normalise, same

_KEY = base64.urlsafe_b64encode(os.urandom(32))
"""Made before Ansible forks its workers, and only in their memory: it ends with the run."""


def add(
    staged: Any,
    role: str,
    config: Doc,
    owns: Sequence[str],
    *,
    run: str,
    guard: Sequence[Mapping[str, Any]] = (),
) -> Doc:
    """Return what is staged with one more contribution; a role's earlier one is replaced."""
    kept = {name: part for name, part in _mine(staged, run).items() if name != role}
    part: Doc = {"config": config, "owns": sorted(set(owns)), "run": run}
    if guard:
        part["guard"] = [dict(rule) for rule in guard]
    return {**kept, role: part}


def collect(staged: Any, *, run: str) -> tuple[Doc, tuple[str, ...]]:
    """Return (config, owns) of everything staged in this run; refuse contradictions."""
    parts = contents(staged, run=run)
    config: Doc = {}
    owns: set[str] = set()
    said: dict[tuple[str, ...], tuple[str, Any]] = {}
    for role in sorted(parts):
        mine = expand(normalise(parts[role]["config"], where=f"staged {role}"))
        for path, value in leaves(mine):
            other, before = said.setdefault(path, (role, value))
            if not same(before, value):
                raise RefusedError(
                    f"{other} and {role} contradict each other: {to_text(path)} is {before!r} and "
                    f"{value!r}; only one of them may set it."
                )
        config = merge(config, mine)
        owns.update(parts[role]["owns"])
    return config, tuple(sorted(owns))


def guards(staged: Any, *, run: str) -> tuple[Mapping[str, Any], ...]:
    """Return the guard rules of everything staged in this run."""
    return tuple(
        rule
        for _role, part in sorted(contents(staged, run=run).items())
        for rule in part.get("guard", ())
    )


def put_away(part: Doc, file: FilePath) -> Doc:
    """Write a part into a file that only this run can read, and return what stands for it."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.write_bytes(_fernet().encrypt(json.dumps(part).encode()))
    return {"file": str(file), "run": part["run"]}


def contents(staged: Any, *, run: str | None = None) -> Doc:
    """Return what is staged (in one run) by role, with what was put away."""
    return {role: _opened(role, part) for role, part in _mine(staged, run).items()}


def _opened(role: str, part: Doc) -> Doc:
    if "file" not in part:
        return part
    cryptography = importlib.import_module("cryptography.fernet")
    try:
        found: Doc = json.loads(_fernet().decrypt(FilePath(part["file"]).read_bytes()))
    except (OSError, ValueError, cryptography.InvalidToken) as exc:
        reason = str(exc) or "another run wrote it"
        raise RefusedError(
            f"What {role} staged cannot be read from {part['file']} ({reason}); run the playbook again."
        ) from exc
    return found


def _fernet() -> Any:
    """The cipher of this run. Ansible itself needs the library, for its vault."""
    return importlib.import_module("cryptography.fernet").Fernet(_KEY)


def _mine(staged: Any, run: str | None) -> Doc:
    if not isinstance(staged, Mapping):
        return {}
    return {
        str(role): part
        for role, part in staged.items()
        if isinstance(part, Mapping) and run in (None, part.get("run"))
    }
