# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files on the controller: the report of a device, and the approved hashes."""

from __future__ import annotations

import json
import re
from pathlib import Path as FilePath

from ...module_utils._json import Doc, Json
from .. import _reports
from .errors import NvueError, RefusedError
from .report import Approval


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
        found: Json = json.loads(FilePath(name).expanduser().read_text(encoding="utf-8"))
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
