# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tenants over SUs as a picture: every node a square, or every SU a bar of shares where many.

A tenant is a colour of a palette that colour-blind people can distinguish, and from the eighth on a
colour with a pattern; its slug stands in the legend beside its number of nodes.
"""

from __future__ import annotations

import collections
import itertools
import typing as t

from ..tenancy.registry import Registry
from ..tenancy.schema import QUARANTINE, REST
from ..topology.cabling import Node
from .svg import MARGIN, PALETTE, WIDTH, Svg, number

if t.TYPE_CHECKING:
    from ..fabric import Fabric

MOST_NODES = 2048
_INNER = WIDTH - 2 * MARGIN
_LEGEND_ROW = 22
_LEGEND_COLUMNS = 4
_NONE = "not built"
_HOUSE = {QUARANTINE: "soft", REST: "box", _NONE: "unbuilt"}


def draw(fabric: Fabric, registry: Registry | None = None) -> Svg:
    """The picture of who holds what; the registry beside the description unless another is given."""
    return _Drawing(fabric, registry or Registry.load(fabric)).svg


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
        self.c = c = fabric.clos
        self.by_su = holders(fabric, registry)
        self.counts = collections.Counter(itertools.chain.from_iterable(self.by_su.values()))
        tenants = [slug for slug in registry.owners if slug in self.counts and slug not in _HOUSE]
        self.order = [*tenants, *(slug for slug in _HOUSE if slug in self.counts)]
        self.place = {slug: n for n, slug in enumerate(tenants)}
        self.body = 104 + -(-len(self.order) // _LEGEND_COLUMNS) * _LEGEND_ROW
        nodes = [f"{self.counts[slug]:,} {slug}" for slug in self.order]
        few = c.nodes <= MOST_NODES
        what = "a square is a node" if few else f"a bar is an SU of {c.slots} nodes"
        self.svg = Svg(
            f"{fabric.description.name}: tenants",
            f"{c.nodes:,} nodes of {c.rails} GPUs; {what}",
            f"{c.nodes:,} nodes: " + ", ".join(nodes),
        )
        self.drawn: dict[str, tuple[list[str], list[str]]] = {}
        self._legend()
        self.svg.height = self._few() if few else self._many()
        self._paint()

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
        panels = min(4 if c.pods * c.sus <= 32 else 8, c.pods * c.sus)
        room = _INNER / panels
        side = min(26.0, (room - 24) / columns)
        tall = -(-c.slots // columns) * side + 44
        for n, ((pod, su), slugs) in enumerate(self.by_su.items()):
            x, y = MARGIN + n % panels * room, self.body + n // panels * tall
            name = (f"pod{pod + 1:02} " if c.pods > 1 else "") + f"su{su + 1:02}"
            self.svg.text(x, y + 14, name, "small strong")
            for slot, slug in enumerate(slugs):
                row, column = divmod(slot, columns)
                self._cell(slug, x + column * side, y + 22 + row * side, side - 2.5, side - 2.5)
        return self.body + -(-len(self.by_su) // panels) * tall + 6

    # Shares of SUs

    def _many(self) -> float:
        """A row of bars for each pod, several pods side by side; returns the height."""
        c = self.c
        columns = 4 if c.pods > 8 else 1
        room = _INNER / columns
        width = (room - 66) / c.sus
        rows, tall = -(-c.pods // columns), 19
        for pod in range(c.pods):
            x = MARGIN + pod // rows * room
            y = self.body + 8 + pod % rows * tall
            self.svg.text(x, y + 11, f"pod{pod + 1:03}", "tiny quiet")
            for su in range(c.sus):
                self._bar(self.by_su[pod, su], x + 44 + su * width, y, width - 3)
        return self.body + rows * tall + 26

    def _bar(self, slugs: list[str], x: float, y: float, width: float) -> None:
        """The holders of an SU in the legend's order, each by its share."""
        for slug, same in itertools.groupby(sorted(slugs, key=self.order.index)):
            share = sum(1 for _slug in same) / len(slugs)
            self._cell(slug, x, y, width * share, 13)
            x += width * share
