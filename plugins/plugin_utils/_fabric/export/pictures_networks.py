# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of the other networks: spines, the pairs of leaves below them, and what each pair is cabled to.

    networks.svg                             all of them
    front-end.svg, storage.svg, border.svg   the first pair of leaves of one, with everything that is cabled to it

Of many spines or pairs the first ones and the last are drawn. Every line between two boxes is one bundle of links.
A core is drawn as its two switches, with lines to what is cabled to each.
"""

from __future__ import annotations

import functools
import typing as t

from ..._pages.svg import MARGIN, WIDTH, Svg, some
from ..plan.topology.cabling import HOST, UP, Port, Switch
from ..plan.topology.converged import (
    CORE,
    MEMBERS,
    Leaves,
)
from ..plan.topology.converged_cabling import ConvergedCabling, FarEnd

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..plan.fabric import Fabric
    from ..plan.topology.converged import Converged

_INNER = WIDTH - 2 * MARGIN
_SPINES, _PAIRS = 8, 3
"""Boxes of a row, and pairs of a role, that are drawn at most."""
_TOP, _LEAF, _BELOW = 84, 210, 290
"""Top of the rows of spines, of leaves, and of the devices below them."""
_BOX = 34
_CORE, _AROUND = 220, 10
"""The width of one of two switches, and how many things below them are drawn at most."""
_MIDDLES = tuple(WIDTH * (1 + 2 * member) / 4 for member in range(MEMBERS))
_THINGS = 330
"""The middle of each of two switches, and where what is below two leaves begins."""
_LINES = 5
"""Lines below a pair."""


class Thing(t.NamedTuple):
    """Device at a pair: its name, lines about it, and the members that it is cabled to."""

    name: str
    about: tuple[str, ...]
    members: tuple[int, ...]


def pictures(fabric: Fabric) -> dict[str, Callable[[Fabric], Svg]]:
    """The pictures of a fabric that has other networks, by name; a core has all networks, and one picture."""
    made: dict[str, Callable[[Fabric], Svg]] = {"networks": draw}
    for role in fabric.others.leaves:
        if role != CORE:
            made[_network(role).replace(" ", "-")] = functools.partial(draw_pair, role=role)
    return made


def _network(role: str) -> str:
    """Return the network of a role of leaves in words: `front end`."""
    return role.removesuffix("_leaf").replace("_", " ")


def draw(fabric: Fabric) -> Svg:
    """The picture of all other networks."""
    counts = fabric.others
    picture = _Picture(fabric, "networks", f"{_words_of(counts)}; {counts.nodes:,} nodes")
    if counts.spines:
        picture.whole()
    else:
        picture.core(counts.leaves[CORE])
    return picture.svg


def draw_pair(fabric: Fabric, *, role: str) -> Svg:
    """The picture of the first pair of leaves of a role, with everything that is cabled to it."""
    counts = fabric.others
    leaves = counts.leaves[role]
    up = leaves.blocks[UP].count
    words = f"pair 1 of {leaves.pairs}, each leaf with {up} links to {counts.spines} spines"
    picture = _Picture(fabric, _network(role), words)
    picture.pair(leaves)
    return picture.svg


def _words_of(counts: Converged) -> str:
    if not counts.spines:
        return "a core of two switches"
    leaves = sum(one.count for one in counts.leaves.values())
    return f"{leaves:,} leaves in pairs below {counts.spines} spines"


class _Picture:
    def __init__(self, fabric: Fabric, title: str, words: str) -> None:
        self.fabric = fabric
        self.net = t.cast(ConvergedCabling, fabric.converged)
        self.svg = Svg(f"{fabric.description.name}: {title}", words)
        self.spines: dict[int, float] = {}

    def whole(self) -> None:
        """Spines, and a column for each role of leaves."""
        counts = self.net.counts
        self.spines = self._row_of_spines()
        each = _INNER / len(counts.leaves)
        for number, one in enumerate(counts.leaves.values()):
            self._role(one, MARGIN + number * each, each)
        self.svg.height = _BELOW + 24 + _LINES * 18

    def core(self, leaves: Leaves) -> None:
        """The two switches, the links between them, and below them what is cabled to one or both."""
        y, (left, right) = _TOP + _BOX / 2, _MIDDLES
        self.svg.path(f"M{left:.1f} {y}L{right:.1f} {y}", "bundle")
        self.svg.text(WIDTH / 2, y - 8, f"{leaves.links} links", "small middle")
        self._switches(CORE, _TOP)
        nodes = [
            Thing(f"{self.net.counts.nodes:,} nodes", (network,), (*range(MEMBERS),))
            for network in leaves.hosts
        ]
        self._things([*nodes, *self._outside(leaves)], _TOP + _BOX, _LEAF)

    def pair(self, leaves: Leaves) -> None:
        """Spines, the two leaves, and below them what is cabled to one or both."""
        self.spines = self._row_of_spines()
        for leaf in _MIDDLES:
            for middle in self.spines.values():
                self.svg.path(f"M{leaf:.1f} {_LEAF}L{middle:.1f} {_TOP + _BOX}")
        self._switches(leaves.role, _LEAF)
        self._things([*self._nodes(leaves), *self._outside(leaves)], _LEAF + _BOX, _THINGS)

    def _switches(self, role: str, y: float) -> None:
        for member, middle in enumerate(_MIDDLES):
            name = self.fabric.name(Switch(role, 0, 0, member))
            self._box(middle - _CORE / 2, y, _CORE, name, name)

    def _things(self, things: list[Thing], above: float, y: float) -> None:
        """A row of what is cabled to two switches, with lines to them."""
        drawn = some(len(things), _AROUND)
        each = _INNER / max(1, len(drawn))
        for place, number in enumerate(drawn):
            x = MARGIN + place * each
            if number is None:
                self.svg.text(x + each / 2, y + 22, "...", "quiet middle")
                continue
            thing = things[number]
            for member in thing.members:
                self.svg.path(f"M{x + each / 2:.1f} {y}L{_MIDDLES[member]:.1f} {above}")
            self.svg.rect(x + 4, y, each - 8, _BOX, "soft")
            self.svg.text(x + each / 2, y + 22, thing.name, "small middle")
            for line, words in enumerate(thing.about):
                self.svg.text(x + each / 2, y + _BOX + 18 + line * 16, words, "small quiet middle")
        lines = max((len(thing.about) for thing in things), default=0)
        self.svg.height = y + _BOX + 26 + lines * 16

    def _nodes(self, leaves: Leaves) -> Iterator[Thing]:
        """The nodes of the first pair, each with how it attaches and the port of the leaf."""
        first = Switch(leaves.role, 0, 0, 0)
        for node in self.net.nodes_of(first) if leaves.nodes_per_pair else ():
            ports = [port for port in self.net.node_ports() if port.network in leaves.hosts]
            met = [self.net.leaf_of(node, port) for port in ports]
            routed = self.fabric.addresses.ends(node, ports[0]).low
            how = "a link each" if routed else f"bond {self.fabric.names.bond(ports[0].network)}"
            name = self.fabric.port_name(met[0][0], Port(HOST, met[0][1]))
            place = f"su{node.su + 1:02}/h{node.slot + 1:02}"
            place = f"pod{node.pod + 1:02}/{place}" if self.net.clos.pods > 1 else place
            yield Thing(place, (how, name), tuple(leaf.index for leaf, _index in met))

    def _outside(self, leaves: Leaves) -> Iterator[Thing]:
        """The arrays and links to the outside of the first pair, or of a core."""
        found: dict[str, tuple[FarEnd, list[tuple[int, str]]]] = {}
        for (switch, port), outside in sorted(self.net.outside.items()):
            if switch.role == leaves.role and not switch.pod:
                row = found.setdefault(outside.name, (outside, []))
                row[1].append((switch.index, self.fabric.port_name(switch, port)))
        for name, (outside, ports) in found.items():
            how = "bonds" if outside.bond else outside.kind
            names = ", ".join(dict.fromkeys(port for _member, port in ports))
            yield Thing(name, (how, names), tuple(dict.fromkeys(member for member, _port in ports)))

    def _row_of_spines(self) -> dict[int, float]:
        """The middle of each drawn spine."""
        drawn = some(self.net.counts.spines, _SPINES)
        each, middle = _INNER / len(drawn), {}
        for place, index in enumerate(drawn):
            x = MARGIN + place * each
            if index is None:
                self.svg.text(x + each / 2, _TOP + 22, "...", "quiet middle")
                continue
            name = self.fabric.name(self.net.spine(index))
            self._box(x + 4, _TOP, each - 8, name)
            middle[index] = x + each / 2
        return middle

    def _role(self, leaves: Leaves, x: float, width: float) -> None:
        """A role in its column: pair by pair, with the cables up."""
        share = f", {leaves.nodes_per_pair} nodes at each" if leaves.nodes_per_pair else ""
        number = f"{leaves.pairs} pair{'s' * (leaves.pairs != 1)}"
        self.svg.text(
            x + 4, _BELOW - 22, f"{_network(leaves.role)}: {number}{share}", "small strong"
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
        """List the devices that are cabled to a pair: nodes by their number, arrays and providers by name."""
        found: dict[str, None] = {}
        for member in range(MEMBERS):
            leaf = Switch(leaves.role, 0, pair, member)
            for (device, _port), outside in self.net.outside.items():
                if device == leaf:
                    found[self._words(outside, member)] = None
        nodes = sum(1 for _node in self.net.nodes_of(Switch(leaves.role, 0, pair, 0)))
        return [*([f"{nodes} nodes"] if nodes else []), *found]

    @staticmethod
    def _words(outside: FarEnd, member: int) -> str:
        return f"{outside.name} (leaf {member + 1})" if outside.kind == "external" else outside.name

    def _box(self, x: float, y: float, width: float, name: str, words: str = "") -> None:
        self.svg.rect(x, y, width, _BOX, tip=name)
        short = words or name.rpartition("-")[2]
        self.svg.text(x + width / 2, y + 22, short, "small middle")
