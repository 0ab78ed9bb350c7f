# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes, made or planned, in a form that can be approved: hashes, diff, and their files.

The files are on the controller: the report of a device, and the approved hashes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path as FilePath

import yaml

from ....module_utils import _json
from ....module_utils._json import Doc, Json
from ... import _reports
from ..document.paths import to_text
from ..document.secrets import mask, mask_change
from ..document.tree import Change
from ..errors import NvueError, RefusedError


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


def write_report(folder: str, device: str, entry: Doc, diff: str) -> list[str]:
    """Write ``changes/<device>.json`` and ``diffs/<device>.diff``; return the files written."""
    name = re.sub(r"[^\w.-]", "_", device)
    return [
        _reports.put_json(f"{folder}/changes/{name}.json", entry, NvueError),
        _reports.put(f"{folder}/diffs/{name}.diff", diff, NvueError),
    ]


def read_approval(approved: Json, device: str) -> Approval | None:
    """Return what was approved for a device, ``None`` when it is not in the file.

    ``approved`` is a file, or its content: one entry, a list of entries, or ``{"devices": ...}``.
    """
    found = _load(approved) if isinstance(approved, str) else approved
    for entry in _entries(found):
        if entry.get("device") == device or entry.keys() == {"base", "diff"}:
            base, diff = entry.get("base"), entry.get("diff")
            if isinstance(base, str) and isinstance(diff, str):
                return Approval(base, diff)
            raise RefusedError(
                f"approved holds no hashes for {device}: base and diff are missing; "
                "give the changes.json of a report."
            )
    return None


def _load(name: str) -> Json:
    try:
        found: Json = _json.parse(FilePath(name).expanduser().read_bytes())
    except (OSError, ValueError) as exc:
        raise RefusedError(
            f"approved is {name!r}, which could not be read ({exc}); give the changes.json of a "
            "report."
        ) from exc
    return found


def _entries(found: Json) -> list[Doc]:
    if isinstance(found, dict) and "devices" in found:
        found = found["devices"]
    if isinstance(found, dict) and not {"base", "diff"} <= found.keys():
        found = [
            {"device": name, **entry} for name, entry in found.items() if isinstance(entry, dict)
        ]
    entries = found if isinstance(found, list) else [found]
    return [entry for entry in entries if isinstance(entry, dict)]
