# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that files which root runs or reads belong to root, and that no other user can write them or their folders.

Only a process of root has to look: what another user runs has the rights of that user.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

LINKS = 40
"""Limit of symbolic links in one path, as in the kernel."""

Locate = Callable[[str], Path]


def exposures(name: str, locate: Locate = Path) -> Iterator[tuple[str, str]]:
    """(path, sentence) for each part of an absolute path that another user than root can write.

    `locate` gives the place of an absolute path on this machine. What does not exist is left out.
    """
    if os.geteuid() != 0:
        return
    seen, links = "/", 0
    parts = ["", *_parts(name)]
    while parts:
        seen = os.path.normpath(os.path.join(seen, parts.pop(0)))
        try:
            found = locate(seen).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return
        wrong = judged(seen, found)
        if wrong:
            yield seen, wrong
        if stat.S_ISLNK(found.st_mode):
            links += 1
            if links > LINKS:
                yield seen, f"{seen} leads to itself by symbolic links."
                return
            parts = _parts(os.readlink(locate(seen))) + parts
            seen = "/" if os.readlink(locate(seen)).startswith("/") else os.path.dirname(seen)


def exposure(name: str, locate: Locate = Path) -> str:
    """The first sentence of `exposures`, "" where only root can write."""
    return next((sentence for _path, sentence in exposures(name, locate)), "")


def judged(name: str, found: os.stat_result) -> str:
    """One sentence on a file or folder that others can write, "" where only root can.

    In a folder with the sticky bit others cannot replace what is root's. A link has no mode. The
    group of root is root's own: packages bring folders that it may write.
    """
    mode = found.st_mode
    if found.st_uid != 0:
        return f"{name} belongs to user {found.st_uid}, not to root."
    shared = stat.S_ISDIR(mode) and mode & stat.S_ISVTX
    others = mode & (0o022 if found.st_gid else 0o002)
    if others and not stat.S_ISLNK(mode) and not shared:
        return f"{name} has mode {mode & 0o7777:04o}, so users other than root can write it."
    return ""


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part]
