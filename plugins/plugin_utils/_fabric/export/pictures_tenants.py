# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tenants over SUs as a picture: every node a cell, or every SU a bar of shares where many.

A tenant is a colour of a palette that colour-blind people can distinguish, and from the eighth on a
colour with a pattern; its slug stands in the legend beside its number of nodes.
"""

from __future__ import annotations

import collections
import itertools
import typing as t

from ..._pages.svg import MARGIN, PALETTE, WIDTH, Svg, number, per_row, width_of
from ..plan.topology.cabling import Node
from ..tenants.registry import Registry
from ..tenants.schema import QUARANTINE, REST

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plan.fabric import Fabric

MOST_NODES = 512
_INNER = WIDTH - 2 * MARGIN
_CELL, _ROW = 24, 22
"""The least width of a node with its number in it, and the height of a row of nodes."""
_LEGEND_ROW = 22
_LEGEND_COLUMNS = 4
_DARK = "#0072b2"
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
        what = "a cell is a node" if few else f"a bar is an SU of {c.slots} nodes"
        self.svg = Svg(
            f"{fabric.description.name}: tenants",
            f"{c.nodes:,} nodes of {c.rails} GPUs; {what}",
            f"{c.nodes:,} nodes: " + ", ".join(nodes),
        )
        self.drawn: dict[str, tuple[list[str], list[str]]] = {}
        self.numbers: list[tuple[float, float, str, str]] = []
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
                self.svg.path("".join(hatches), "faint" if css else "hatch")
        for x, y, words, css in self.numbers:
            self.svg.text(x, y, words, css)

    # Every node

    def _few(self) -> float:
        """Cells in panels, one for each SU; returns the height of the picture."""
        sus = len(self.by_su)
        panels = -(-sus // -(-sus // (4 if sus <= 32 else 8)))
        room = _INNER / panels
        columns = per_row(self.c.slots, max(1, int((room - 12) // _CELL)))
        tall = -(-self.c.slots // columns) * _ROW + 36
        for n, ((pod, su), slugs) in enumerate(self.by_su.items()):
            x, y = MARGIN + n % panels * room, self.body + n // panels * tall
            name = (f"pod {pod + 1}, " if self.c.pods > 1 else "") + f"SU {su + 1}"
            self.svg.text(x, y + 14, name, "small strong")
            self._nodes(slugs, x, y + 22, columns, (room - 12 * (panels > 1)) / columns)
        return self.body + -(-sus // panels) * tall + 6

    def _nodes(self, slugs: list[str], x: float, y: float, columns: int, width: float) -> None:
        """The nodes of an SU, each with its number."""
        for slot, slug in enumerate(slugs):
            row, column = divmod(slot, columns)
            left, top = x + column * width, y + row * _ROW
            self._cell(slug, left, top, width - 2.5, _ROW - 2.5)
            dark = PALETTE[self.place.get(slug, 0) % len(PALETTE)] == _DARK
            ink = "" if slug in _HOUSE else (" white" if dark else " black")
            middle = left + width / 2 - 1.25
            self.numbers.append((middle, top + 13, f"h{slot + 1:02}", f"tiny middle{ink}"))

    # Shares of SUs

    def _many(self) -> float:
        """Rows of bars, a pod's SUs or eight SUs in each, side by side; returns the height."""
        lines = list(self._lines())
        columns = 4 if len(lines) > 12 else 1
        room = _INNER / columns
        label = max(width_of(words, "tiny") for words, _keys in lines) + 4
        width = (room - label - 12 * (columns > 1)) / max(len(keys) for _words, keys in lines)
        rows, tall = -(-len(lines) // columns), 20 if columns > 1 else 28
        for n, (words, keys) in enumerate(lines):
            x, y = MARGIN + n // rows * room, self.body + 8 + n % rows * tall
            self.svg.text(x, y + tall / 2, words, "tiny quiet")
            for place, key in enumerate(keys):
                self._bar(self.by_su[key], x + label + place * width, y, (width - 3, tall - 6))
        return self.body + rows * tall + 26

    def _lines(self) -> Iterator[tuple[str, list[tuple[int, int]]]]:
        c = self.c
        if c.pods > 1:
            yield from (
                (f"pod {pod + 1}", [(pod, su) for su in range(c.sus)]) for pod in range(c.pods)
            )
            return
        for first in range(0, c.sus, 8):
            last = min(c.sus, first + 8)
            yield f"SU {first + 1} to {last}", [(0, su) for su in range(first, last)]

    def _bar(self, slugs: list[str], x: float, y: float, size: tuple[float, float]) -> None:
        """The holders of an SU in the legend's order, each by its share."""
        for slug, same in itertools.groupby(sorted(slugs, key=self.order.index)):
            width = size[0] * sum(1 for _slug in same) / len(slugs)
            self._cell(slug, x, y, width, size[1])
            x += width
