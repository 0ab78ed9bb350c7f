# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of the other networks: spines, the pairs of leaves below them, and what each pair is cabled to.

Of many spines or pairs the first ones and the last are drawn. Every line between two boxes is one bundle of links.
A core is drawn as its two switches, with lines to what is cabled to each.
"""

from __future__ import annotations

import typing as t

from ..topology.cabling import Switch
from ..topology.converged import (
    BORDER_LEAF,
    CONVERGED_SPINE,
    CORE,
    FRONT_END_LEAF,
    MEMBERS,
    STORAGE_LEAF,
    Leaves,
)
from ..topology.converged_cabling import ConvergedCabling, Outside
from .svg import MARGIN, WIDTH, Svg, some

if t.TYPE_CHECKING:
    from ..fabric import Fabric
    from ..topology.converged import Converged

_INNER = WIDTH - 2 * MARGIN
_SPINES, _PAIRS = 8, 3
"""Boxes of a row, and pairs of a role, that are drawn at most."""
_TOP, _LEAF, _BELOW = 84, 210, 290
"""Where the rows of spines, of leaves, and of what is below them begin."""
_BOX = 34
_CORE, _AROUND = 220, 10
"""The width of a switch of a core, and how many things around it are drawn at most."""
_LINES = 5
"""Lines below a pair."""
_TITLES = {
    BORDER_LEAF: "border",
    STORAGE_LEAF: "storage",
    FRONT_END_LEAF: "front end",
}


def draw(fabric: Fabric) -> Svg:
    """The picture of a fabric that has other networks."""
    return _Picture(fabric).svg


def _words_of(counts: Converged) -> str:
    if not counts.spines:
        return "a core of two switches"
    leaves = sum(one.count for one in counts.leaves.values())
    return f"{leaves:,} leaves in pairs below {counts.spines} spines"


class _Picture:
    def __init__(self, fabric: Fabric) -> None:
        self.fabric = fabric
        self.net = t.cast(ConvergedCabling, fabric.converged)
        counts = self.net.counts
        self.svg = Svg(
            f"{fabric.description.name}: networks",
            f"{_words_of(counts)}; {counts.nodes:,} nodes",
        )
        if not counts.spines:
            self._core(counts.leaves[CORE])
            return
        self.spines = self._row_of_spines()
        each = _INNER / len(counts.leaves)
        for number, one in enumerate(counts.leaves.values()):
            self._role(one, MARGIN + number * each, each)
        self.svg.height = _BELOW + 24 + _LINES * 18

    def _core(self, leaves: Leaves) -> None:
        """The two switches, the links between them, and below them what is cabled to one or both."""
        middles = [WIDTH * (1 + 2 * member) / 4 for member in range(MEMBERS)]
        y, (left, right) = _TOP + _BOX / 2, middles
        self.svg.path(f"M{left:.1f} {y}L{right:.1f} {y}", "bundle")
        self.svg.text(WIDTH / 2, y - 8, f"{leaves.links} links", "small middle")
        for member, middle in enumerate(middles):
            name = self.fabric.name(Switch(CORE, 0, 0, member))
            self._box(middle - _CORE / 2, _TOP, _CORE, name, name)
        things = self._around(leaves)
        drawn = some(len(things), _AROUND)
        each = _INNER / max(1, len(drawn))
        for place, number in enumerate(drawn):
            x = MARGIN + place * each
            if number is None:
                self.svg.text(x + each / 2, _LEAF + 22, "...", "quiet middle")
                continue
            words, about, members = things[number]
            for member in members:
                self.svg.path(f"M{x + each / 2:.1f} {_LEAF}L{middles[member]:.1f} {_TOP + _BOX}")
            self.svg.rect(x + 4, _LEAF, each - 8, _BOX, "soft")
            self.svg.text(x + each / 2, _LEAF + 22, words, "small middle")
            self.svg.text(x + each / 2, _LEAF + _BOX + 18, about, "small quiet middle")
        self.svg.height = _LEAF + _BOX + 42

    def _around(self, leaves: Leaves) -> list[tuple[str, str, list[int]]]:
        """What is cabled to a core: name, network, and the members that it is cabled to."""
        found: dict[tuple[str, str], list[int]] = {}
        for network in leaves.hosts:
            found[f"{self.net.counts.nodes:,} nodes", network] = [*range(MEMBERS)]
        for (switch, _port), outside in sorted(self.net.outside.items()):
            members = found.setdefault((outside.name, outside.kind), [])
            if switch.index not in members:
                members.append(switch.index)
        return [(*key, members) for key, members in found.items()]

    def _row_of_spines(self) -> dict[int, float]:
        """The middle of each drawn spine."""
        drawn = some(self.net.counts.spines, _SPINES)
        each, middle = _INNER / len(drawn), {}
        for place, index in enumerate(drawn):
            x = MARGIN + place * each
            if index is None:
                self.svg.text(x + each / 2, _TOP + 22, "...", "quiet middle")
                continue
            name = self.fabric.name(Switch(CONVERGED_SPINE, 0, 0, index))
            self._box(x + 4, _TOP, each - 8, name)
            middle[index] = x + each / 2
        return middle

    def _role(self, leaves: Leaves, x: float, width: float) -> None:
        """A role in its column: pair by pair, with the cables up."""
        share = f", {leaves.nodes_per_pair} nodes at each" if leaves.nodes_per_pair else ""
        number = f"{leaves.pairs} pair{'s' * (leaves.pairs != 1)}"
        self.svg.text(
            x + 4, _BELOW - 22, f"{_TITLES[leaves.role]}: {number}{share}", "small strong"
        )
        drawn = some(leaves.pairs, _PAIRS)
        each = width / len(drawn)
        for place, pair in enumerate(drawn):
            left = x + place * each
            if pair is None:
                self.svg.text(left + each / 2, _LEAF + 22, "...", "quiet middle")
                continue
            self._pair(leaves, pair, left, each)

    def _pair(self, leaves: Leaves, pair: int, x: float, width: float) -> None:
        each = (width - 8) / MEMBERS
        for member in range(MEMBERS):
            leaf = Switch(leaves.role, 0, pair, member)
            left = x + 4 + member * each
            for middle in self.spines.values():
                self.svg.path(f"M{left + each / 2:.1f} {_LEAF}L{middle:.1f} {_TOP + _BOX}")
            words = f"{pair + 1}-{member + 1}"
            self._box(left, _LEAF, each - 4, self.fabric.name(leaf), words)
        for line, words in enumerate(self._below(leaves, pair)[:_LINES]):
            self.svg.text(x + 8, _BELOW + line * 18, words, "small")

    def _below(self, leaves: Leaves, pair: int) -> list[str]:
        """What a pair is cabled to: nodes by their number, arrays and providers by name."""
        found: dict[str, None] = {}
        for member in range(MEMBERS):
            leaf = Switch(leaves.role, 0, pair, member)
            for (device, _port), outside in self.net.outside.items():
                if device == leaf:
                    found[self._words(outside, member)] = None
        nodes = sum(1 for _node in self.net.nodes_of(Switch(leaves.role, 0, pair, 0)))
        return [*([f"{nodes} nodes"] if nodes else []), *found]

    @staticmethod
    def _words(outside: Outside, member: int) -> str:
        return f"{outside.name} (leaf {member + 1})" if outside.kind == "external" else outside.name

    def _box(self, x: float, y: float, width: float, name: str, words: str = "") -> None:
        self.svg.rect(x, y, width, _BOX, tip=name)
        short = words or name.rpartition("-")[2]
        self.svg.text(x + width / 2, y + 22, short, "small middle")
