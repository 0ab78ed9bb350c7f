# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The environment of git for a folder, also where git itself runs the playbook, as in a hook of a server. Private."""

from __future__ import annotations

import os

ELSEWHERE = frozenset(
    {"GIT_COMMON_DIR", "GIT_DIR", "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY"}
    | {"GIT_PREFIX", "GIT_WORK_TREE"}
)
"""Variables that git sets for its hooks, and that would lead it to another repository."""


def environment(**more: str) -> dict[str, str]:
    """Return the environment in which git finds the repository of its folder; `more` is added."""
    kept = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    return {**kept, **more}
