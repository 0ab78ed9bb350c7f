# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disturbances of applying a change: the effects, and whether apply asks first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from . import tree
from .release import Release

_TABLE = yaml.safe_load((Path(__file__).parent / "data" / "changes.yml").read_text("utf-8"))


@dataclass(frozen=True)
class Effect:
    """One effect of a change, e.g. ("switchd_reload", "router.adaptive-routing", True)."""

    kind: str
    path: str
    prompts: bool

    @property
    def warning(self) -> str:
        """The question apply asks."""
        return (
            f"{self.path}: {self.kind.replace('_', ' ')} is needed, "
            "traffic on the ports will be impacted. Are you sure?"
        )


def effects(old: dict[str, Any], new: dict[str, Any], release: Release) -> list[Effect]:
    """The effects of going from `old` to `new` (newer spelling), each kind and path once."""
    before, after = tree.leaves(old), tree.leaves(new)
    changed = [
        path
        for path in {**before, **after}
        if before.get(path, tree.MISSING) != after.get(path, tree.MISSING)
    ]
    found: dict[tuple[str, str], Effect] = {}
    for row in _TABLE:
        if any(_matches(row["path"].split("."), list(path)) for path in changed):
            kind = row["effect"]
            if "restart_until" in row and release.up_to(row["restart_until"]):
                kind = "switchd_restart"
            path = row["path"].removesuffix(".**")
            found[kind, path] = Effect(kind, path, row["prompt"])
    return list(found.values())


def _matches(pattern: list[str], path: list[str]) -> bool:
    if not pattern or pattern[0] == "**":
        return True
    if not path:
        return False
    return pattern[0] in ("*", path[0]) and _matches(pattern[1:], path[1:])
