# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tenants over SUs as a picture: every node a square, or every SU a bar of shares where many.

A tenant is a colour of a palette that colour-blind people can distinguish, and from the eighth on a
colour with a pattern; its slug stands in the legend beside its number of nodes.
"""

from __future__ import annotations

import functools
import itertools
import typing as t

from ..tenancy.registry import Registry
from ..tenancy.schema import QUARANTINE, REST
from ..topology.cabling import Node
from .svg import MARGIN, PALETTE, Svg, number

if t.TYPE_CHECKING:
    from ..fabric import Fabric

WIDTH = 1180
MOST_NODES = 2048
_INNER = WIDTH - 2 * MARGIN
_LEGEND_ROW = 22
_LEGEND_COLUMNS = 4
_NONE = "not built"
_HOUSE = {QUARANTINE: "soft", REST: "box", _NONE: "unbuilt"}


def draw(fabric: Fabric, registry: Registry | None = None) -> Svg:
    """The picture of who holds what; the registry beside the description unless another is given."""
    registry = registry or Registry.load(fabric)
    return _Drawing(fabric, registry).done()


def holders(fabric: Fabric, registry: Registry) -> dict[tuple[int, int], list[str]]:
    """The holder of each slot, by (pod, SU): a slug, or `not built`."""
    c = fabric.clos
    return {
        (pod, su): [
            registry.holding(node).slug if fabric.present(node) else _NONE
            for node in (Node(pod, su, slot) for slot in range(c.slots))
        ]
        for pod in range(c.pods)
        for su in range(c.sus)
    }


class _Drawing:
    def __init__(self, fabric: Fabric, registry: Registry) -> None:
        self.fabric, self.c = fabric, fabric.clos
        self.by_su = holders(fabric, registry)
        self.counts = self._count()
        tenants = [slug for slug in registry.owners if slug in self.counts and slug not in _HOUSE]
        self.order = [*tenants, *(slug for slug in _HOUSE if slug in self.counts)]
        self.place = {slug: n for n, slug in enumerate(tenants)}
        self.legend_height = -(-len(self.order) // _LEGEND_COLUMNS) * _LEGEND_ROW
        self.body = 92 + self.legend_height + 12
        nodes = [f"{self.counts[slug]:,} {slug}" for slug in self.order]
        self.words = f"{self.c.nodes:,} nodes: " + ", ".join(nodes)
        draw_body = self._few if self.c.nodes <= MOST_NODES else self._many
        self.drawn: dict[str, tuple[list[str], list[str]]] = {}
        self.shapes: list[t.Callable[[], None]] = []
        self.height = draw_body()
        name = fabric.description.name
        self.svg = Svg(WIDTH, self.height, title=f"{name}: tenants", description=self.words)

    def _count(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for slugs in self.by_su.values():
            for slug in slugs:
                counts[slug] = counts.get(slug, 0) + 1
        return counts

    def done(self) -> Svg:
        svg, c = self.svg, self.c
        svg.text(MARGIN, 38, f"{self.fabric.description.name}: tenants", "head")
        what = (
            "a square is a node" if c.nodes <= MOST_NODES else f"a bar is an SU of {c.slots} nodes"
        )
        svg.text(MARGIN, 60, f"{c.nodes:,} nodes of {c.rails} GPUs; {what}", "quiet")
        self._legend()
        for shape in self.shapes:
            shape()
        self._paint()
        return svg

    def _legend(self) -> None:
        each = _INNER / _LEGEND_COLUMNS
        for n, slug in enumerate(self.order):
            row, column = divmod(n, _LEGEND_COLUMNS)
            x, y = MARGIN + column * each, 80 + row * _LEGEND_ROW
            self._cell(slug, x, y, 14, 14)
            nodes = self.counts[slug]
            words = f"{slug}: {nodes:,} node{'s' * (nodes != 1)}"
            self.svg.text(x + 22, y + 12, words, "small")

    def _cell(self, slug: str, x: float, y: float, width: float, height: float) -> None:
        """A holder's mark: a colour, a colour with stripes, or the house's own shades."""
        cells, hatches = self.drawn.setdefault(slug, ([], []))
        w, h = number(width), number(height)
        cells.append(f"M{number(x)} {number(y)}h{w}v{h}h-{w}z")
        if slug == QUARANTINE:
            hatches.append(f"M{number(x)} {number(y + height)}l{w}-{h}")
        stripes = self.place.get(slug, 0) // len(PALETTE)
        for n in range(1, stripes + 1):
            hatches.append(f"M{number(x + width * n / (stripes + 1))} {number(y)}v{h}")

    def _paint(self) -> None:
        """One path for all cells of a holder, so that thousands of them stay a small file."""
        for slug in self.order:
            cells, hatches = self.drawn[slug]
            css = _HOUSE.get(slug)
            fill = None if css else PALETTE[self.place[slug] % len(PALETTE)]
            self.svg.path("".join(cells), css or "rule", fill=fill, tip=slug)
            if hatches:
                self.svg.path("".join(hatches), "hatch")

    # Every node

    def _few(self) -> float:
        """Squares in panels, one for each SU; returns the height of the picture."""
        c = self.c
        columns = min(8, c.slots)
        wanted = 4 if c.pods * c.sus <= 32 else 8
        panels = min(wanted, c.pods * c.sus)
        room = _INNER / panels
        side = min(26.0, (room - 24) / columns)
        rows = -(-c.slots // columns)
        tall = rows * side + 44
        for n, ((pod, su), slugs) in enumerate(self.by_su.items()):
            x, y = MARGIN + n % panels * room, self.body + n // panels * tall
            self.shapes.append(functools.partial(self._panel, pod, su, slugs, x, y, side, columns))
        return self.body + -(-len(self.by_su) // panels) * tall + 6

    def _panel(
        self, pod: int, su: int, slugs: list[str], x: float, y: float, side: float, columns: int
    ) -> None:
        self.svg.text(x, y + 14, self._su_name(pod, su), "small strong")
        for slot, slug in enumerate(slugs):
            row, column = divmod(slot, columns)
            self._cell(slug, x + column * side, y + 22 + row * side, side - 2.5, side - 2.5)

    def _su_name(self, pod: int, su: int) -> str:
        name = f"su{su + 1:02}"
        return f"pod{pod + 1:02} {name}" if self.c.pods > 1 else name

    # Shares of SUs

    def _many(self) -> float:
        """A row of bars for each pod, several pods side by side; returns the height."""
        c = self.c
        columns = 4 if c.pods > 8 else 1
        room = _INNER / columns
        bars = (room - 66) / c.sus
        tall = 19
        rows = -(-c.pods // columns)
        for pod in range(c.pods):
            x = MARGIN + pod // rows * room
            y = self.body + 8 + pod % rows * tall
            self.shapes.append(functools.partial(self._pod, pod, x, y, bars))
        return self.body + rows * tall + 26

    def _pod(self, pod: int, x: float, y: float, room: float) -> None:
        self.svg.text(x, y + 11, f"pod{pod + 1:03}", "tiny quiet")
        for su in range(self.c.sus):
            at = x + 44 + su * room
            width = room - 3
            for slug, share in self._shares(self.by_su[pod, su]):
                self._cell(slug, at, y, width * share, 13)
                at += width * share

    def _shares(self, slugs: list[str]) -> list[tuple[str, float]]:
        """Holders of an SU in the legend's order, each with its share."""
        ordered = sorted(slugs, key=self.order.index)
        groups = itertools.groupby(ordered)
        return [(slug, sum(1 for _slug in same) / len(slugs)) for slug, same in groups]
