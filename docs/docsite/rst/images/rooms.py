# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rooms of the Python code, and the imports between them, as one picture drawn from the sources."""

from __future__ import annotations

import ast
import functools
import typing as t
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
HOUSES = ("_fabric", "_nvue")
"""Packages whose folders are rooms of their own; any other package is one room."""
_HIGH, _BOX, _TOP, _GAP = 62, 34, 96, 10

Graph = dict[str, set[str]]


def room_of(path: Path) -> str:
    """Return the room of a module: `_fabric/plan`, `_jobs`; empty for a file outside of all rooms."""
    parts = path.relative_to(ROOT / "plugins").parts[1:]
    if parts[0] in HOUSES and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0] if len(parts) > 1 and parts[1] != "__init__.py" else ""


def imports() -> Graph:
    """Return the rooms that each room imports."""
    graph: Graph = {}
    for folder in ("plugin_utils", "module_utils"):
        base = ROOT / "plugins" / folder
        for path in sorted(base.rglob("*.py")):
            room = room_of(path)
            if room:
                others = filter(None, map(room_of, _modules(path)))
                graph.setdefault(room, set()).update(others)
    return {room: {other for other in others if other != room} for room, others in graph.items()}


def _modules(path: Path) -> t.Iterator[Path]:
    """Yield the files and folders that a module imports by a relative import."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for name in node.names:
                below = above / name.name
                where = below if below.is_dir() else below.with_suffix(".py")
                where = where if where.exists() else above.with_suffix(".py")
                yield where / "__init__.py" if where.is_dir() or not where.exists() else where


def direct(graph: Graph) -> Graph:
    """Return the imports that do not follow from others."""

    @functools.cache
    def below(room: str) -> frozenset[str]:
        return frozenset(graph[room]).union(*(below(other) for other in graph[room]))

    return {
        room: {other for other in others if not any(other in below(via) for via in others)}
        for room, others in graph.items()
    }


def floors(graph: Graph) -> dict[str, int]:
    """Return the floor of each room, counted from the top: below all rooms that import it."""
    users = {room: [user for user in graph if room in graph[user]] for room in graph}

    @functools.cache
    def floor(room: str) -> int:
        return 1 + max(map(floor, users[room]), default=-1)

    return {room: floor(room) for room in graph}


def draw() -> str:
    """Return the picture."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._pages.svg import (
        MARGIN,
        WIDTH,
        Svg,
    )

    graph = imports()
    level = floors(graph)
    top = max(level.values())
    svg = Svg(
        f"{len(graph)} rooms on {top + 1} floors",
        "A line leads down to what a room imports; imports that follow from others are not drawn.",
    )
    lines, middles = direct(graph), dict[str, tuple[float, float]]()

    def beneath(room: str) -> tuple[float, str]:
        """Return where a room stands best: in the middle of those that import it."""
        users = [middles[user][0] for user in middles if room in lines[user]]
        return sum(users) / len(users) if users else 0, room

    for floor in range(top + 1):
        rooms = sorted((room for room, number in level.items() if number == floor), key=beneath)
        each = (WIDTH - 2 * MARGIN) / len(rooms)
        for place, room in enumerate(rooms):
            middles[room] = (MARGIN + (place + 0.5) * each, _TOP + floor * _HIGH)
    for room, others in sorted(lines.items()):
        x, y = middles[room]
        for other in sorted(others):
            below, under = middles[other]
            svg.path(f"M{x:.1f} {y + _BOX}L{below:.1f} {under}", "bundle")
    for room, (x, y) in middles.items():
        wide = max(86.0, 8.2 * len(room) + 2 * _GAP)
        svg.rect(x - wide / 2, y, wide, _BOX, "box")
        svg.text(x, y + 21, room, "middle")
    svg.height = _TOP + top * _HIGH + _BOX + 20
    return "".join(svg.lines())
