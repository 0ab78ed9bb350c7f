# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was or would be changed, in a form that can be approved: hashes, diff, impact."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

import yaml

from ...module_utils._json import Doc, Json
from .paths import to_text
from .secrets import mask, mask_change
from .tree import Change


@dataclass(frozen=True)
class Approval:
    """The hashes of a diff that somebody has read and approved."""

    base: str
    diff: str


def digest(value: Json) -> str:
    """Return the SHA-256 of plain data; the same data give the same digest everywhere."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def as_list(changes: Iterable[Change]) -> list[Doc]:
    """Return masked changes as plain data: path, before, after."""
    masked = (mask_change(change) for change in changes)
    return [
        {"path": to_text(change.path), "before": change.before, "after": change.after}
        for change in masked
    ]


def hashes(managed: Doc, changes: Iterable[Change]) -> Approval:
    """Return those of the managed part before the change, and of the sorted changes; secrets masked."""
    return Approval(digest(mask(managed)), digest(as_list(changes)))


def text(managed: Doc) -> str:
    """Return a document as sorted YAML, secrets masked."""
    if not managed:
        return ""
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return str(yaml.dump(mask(managed), Dumper=dumper, default_flow_style=False, sort_keys=True))


def lines(changes: Iterable[Change]) -> str:
    """Return the changes one per line: ``+ path: value``, ``- path: value``, ``~ path: a -> b``."""
    return "".join(_line(entry) + "\n" for entry in as_list(changes))


def _line(entry: Doc) -> str:
    before, after = (json.dumps(entry[key]) for key in ("before", "after"))
    if entry["before"] is None:
        return f"+ {entry['path']}: {after}"
    if entry["after"] is None:
        return f"- {entry['path']}: {before}"
    return f"~ {entry['path']}: {before} -> {after}"
