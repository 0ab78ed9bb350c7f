# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The topology as a picture: tiers from the nodes upwards, SUs and pods side by side, one plane.

Few things are drawn one by one; many as the first ones, a gap and the last. One leaf's uplinks and
one node's rails are set off, so that the pattern can be read where the lines run together.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..report import sizes
from ..topology.cabling import Node, Switch
from .svg import MARGIN, WIDTH, Svg, number, some

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..fabric import Fabric

_LABELS = 196
_SPINE_ROOM, _SPINES_IN_POD, _PODS, _SUS, _SUS_IN_POD, _LEAVES, _GROUPS = 32, 6, 4, 8, 3, 8, 6
_GAP = 14
_BOX = 22


@dataclasses.dataclass(frozen=True)
class Spot:
    """A drawn box: its left edge, width and the middle of it."""

    x: float
    width: float

    @property
    def middle(self) -> float:
        """Where cables meet it."""
        return self.x + self.width / 2


def draw(fabric: Fabric) -> Svg:
    """The picture of a fabric's first plane, with a note on the others."""
    return _Drawing(fabric).svg


def spread(
    shown: list[int | None], x: float, width: float, *, most: float = 1e9, gap: float = 3
) -> list[Spot]:
    """Spots for the shown things in a row, centred in the width; a gap counts as one."""
    each = min((width + gap) / len(shown) - gap, most)
    start = x + (width - len(shown) * (each + gap) + gap) / 2
    return [Spot(start + n * (each + gap), each) for n in range(len(shown))]


class _Drawing:
    def __init__(self, fabric: Fabric) -> None:
        self.fabric, self.c = fabric, fabric.clos
        self.behind = 8 * (min(self.c.planes, 4) - 1)
        self.top = 96 + self.behind
        self.spine_y = self.top + (96 if self.c.tiers == 3 else 0) + 18
        self.leaf_y = self.spine_y + 150
        self.node_y = self.leaf_y + 84
        self.below = 30 if self.c.tiers == 3 else 0
        self.svg = Svg(f"{fabric.description.name}: topology", self._words())
        self.svg.height = self.node_y + 104 + self.below
        self.groups: dict[int, Spot] = {}
        self._sheets()
        left = MARGIN + _LABELS
        inner = WIDTH - MARGIN - 12 - left - self.behind
        self._labels()
        if self.c.tiers == 3:
            self._super_spines(left, inner)
            self._pods(left, inner)
        else:
            self._pod(0, left, inner, spines=_SPINE_ROOM, sus=_SUS)
        self._legend()

    def _words(self) -> str:
        c, parts = self.c, sizes(self.fabric)
        mode = " (plane r carries rail r)" if c.by_rail else ""
        parts.append(f"{c.planes} plane{'s' * (c.planes > 1)}{mode}")
        if c.tiers == 3:
            parts.append(f"{c.pods} pods")
        return " · ".join([*parts, f"{c.rails} rails"])

    def _sheets(self) -> None:
        """The planes as sheets behind one another; the first lies in front."""
        width = WIDTH - 2 * MARGIN - self.behind
        height = self.node_y + 46 + self.below - self.top
        for by in range(self.behind, -1, -8):
            self.svg.rect(MARGIN + by, self.top - by, width, height, "soft", round_by=6)
        if self.c.planes > 1:
            words = f"plane 1 of {self.c.planes}, each a fabric of its own"
            right = MARGIN + width - 12
            self.svg.text(right, self.top - self.behind - 6, words, "small quiet end")

    def _labels(self) -> None:
        f, c = self.fabric, self.c
        counts = {role: count // c.planes for role, count in c.switches().items()}
        ends: list[tuple[float, int, str, Switch | Node, Switch | Node]] = [
            (y, counts[role], word, Switch(role, 0, 0, 0), self._last(role))
            for role, y, word in (
                ("super_spine", self.top + 20, "super-spines"),
                ("spine", self.spine_y, "spines"),
                ("leaf", self.leaf_y, "leaves"),
            )
            if counts[role]
        ]
        last = Node(c.pods - 1, c.sus - 1, c.slots - 1)
        ends.append((self.node_y, c.nodes, "nodes", Node(0, 0, 0), last))
        for y, count, word, first, end in ends:
            one = {"leaves": "leaf"}.get(word, word[:-1])
            self.svg.text(MARGIN + 12, y + 9, f"{count:,} {word if count != 1 else one}", "strong")
            self.svg.text(MARGIN + 12, y + 24, f.name(first), "tiny mono quiet")
            if end != first:
                self.svg.text(MARGIN + 12, y + 36, f"… {f.name(end)}", "tiny mono quiet")

    def _last(self, role: str) -> Switch:
        pods = self.c.groups if role == "super_spine" else self.c.pods
        return Switch(role, 0, pods - 1, self.c.per_pod(role) - 1)

    def _row(
        self,
        count: int,
        room: tuple[int, float, float],
        y: float,
        *,
        most: float,
        gap: float = 3,
        css: str = "middle",
    ) -> Iterator[tuple[int, Spot]]:
        """Index and spot of what is shown of `count` things; the gap between them is signed at `y`.

        `room` is how many fit, the left edge and the width of the row.
        """
        shown = some(count, room[0])
        for index, spot in zip(shown, spread(shown, *room[1:], most=most, gap=gap)):
            if index is None:
                self.svg.text(spot.middle, y, "…", css)
            else:
                yield index, spot

    def _box(self, spot: Spot, y: float, tip: str | None, *, built: bool) -> None:
        self.svg.rect(spot.x, y, spot.width, _BOX, "box" if built else "unbuilt", tip=tip)

    # Tiers

    def _super_spines(self, x: float, width: float) -> None:
        y = self.top + 14
        words = f"{self.c.members} switch{'es' * (self.c.members > 1)}"
        room = (_GROUPS, x, width)
        for index, spot in self._row(self.c.groups, room, y + 18, most=112, gap=_GAP):
            self.groups[index] = spot
            self.svg.rect(spot.x, y, spot.width, 28, "box")
            self.svg.text(spot.middle, y + 18, f"g{index + 1:02}: {words}", "small middle")

    def _pods(self, x: float, width: float) -> None:
        shown = some(self.c.pods, _PODS)
        gaps = shown.count(None)
        each = (width - gaps * 40 - (len(shown) - 1) * _GAP) / (len(shown) - gaps)
        top = self.spine_y - 12
        for index in shown:
            if index is None:
                self.svg.text(x + 20, self.leaf_y + 8, "…", "head middle")
                x += 40 + _GAP
                continue
            built = self.fabric.present(Switch("spine", 0, index, 0))
            css = "panel" if built else "unbuilt"
            self.svg.rect(x, top, each, self.node_y + 38 - top, css, round_by=5)
            words = f"pod {index + 1}" + ("" if built else ", not built")
            self.svg.text(x + each / 2, self.node_y + 62, words, "small middle strong")
            self._pod(index, x + 8, each - 16, spines=_SPINES_IN_POD, sus=_SUS_IN_POD)
            x += each + _GAP

    def _pod(self, pod: int, x: float, width: float, *, spines: int, sus: int) -> None:
        above = self._spines(pod, (spines, x, width))
        first_leaf: Spot | None = None
        cables: list[str] = []
        room = (sus, x, width)
        for index, spot in self._row(self.c.sus, room, self.leaf_y + 14, most=330, gap=_GAP):
            leaves = self._su(pod, index, spot)
            first_leaf = first_leaf or leaves[0]
            cables += [self._cable(leaf, up) for leaf in leaves.values() for up in above.values()]
        self.svg.path("".join(cables), "cable")
        self._to_super_spines(pod, above)
        if pod == 0 and first_leaf is not None:
            self.svg.path("".join(self._cable(first_leaf, s) for s in above.values()), "marked")
            self.svg.rect(first_leaf.x, self.leaf_y, first_leaf.width, _BOX, "markbox")
            self._leaf_label(first_leaf, 0, "onmark")

    def _spines(self, pod: int, room: tuple[int, float, float]) -> dict[int, Spot]:
        found: dict[int, Spot] = {}
        y = self.spine_y
        for index, spot in self._row(self.c.spines, room, y + 15, most=44, gap=4):
            found[index] = spot
            switch = Switch("spine", 0, pod, index)
            self._box(spot, y, self.fabric.name(switch), built=self.fabric.present(switch))
            if spot.width >= 18:
                css = "tiny middle" if spot.width < 30 else "small middle"
                self.svg.text(spot.middle, y + 15, f"s{index + 1:02}", css)
        return found

    def _su(self, pod: int, su: int, spot: Spot) -> dict[int, Spot]:
        """Leaves and nodes of an SU; returns the spots of the leaves."""
        first = Switch("leaf", 0, pod, su * self.c.leaves_per_su)
        built = self.fabric.present(first)
        found: dict[int, Spot] = {}
        room, y = (_LEAVES, spot.x, spot.width), self.leaf_y
        for index, place in self._row(
            self.c.leaves_per_su, room, y + 14, most=44, css="tiny middle"
        ):
            found[index] = place
            name = self.fabric.name(first._replace(index=first.index + index))
            self._box(place, y, name, built=built)
            self._leaf_label(place, index)
        self._nodes(pod, su, spot, found, built=built)
        return found

    def _leaf_label(self, spot: Spot, within: int, css: str = "") -> None:
        c = self.c
        if spot.width < 11:
            return
        if c.top_of_rack:
            words = f"t{within + 1}"
        else:
            words = f"r{1 if c.by_rail else within * c.rails_per_leaf + 1}"
        size = "tiny" if spot.width < 22 else "small"
        self.svg.text(spot.middle, self.leaf_y + 15, words, f"{size} middle {css}".strip())

    def _nodes(
        self, pod: int, su: int, spot: Spot, leaves: dict[int, Spot], *, built: bool
    ) -> None:
        first = pod == su == 0
        slots = self._slots(pod, su, spot, built=built)
        self.svg.text(spot.middle, self.node_y + 35, f"su{su + 1:02}", "tiny middle quiet")
        if slots:
            self._fan(((leaf, slot) for leaf in leaves.values() for slot in slots), "cable")
        elif not first:
            self._fan(((leaf, leaf) for leaf in leaves.values()), "cable")
        if first:
            self._mark(slots[0] if slots else Spot(spot.x + 2, 14), leaves, whole=bool(slots))

    def _mark(self, node: Spot, leaves: dict[int, Spot], *, whole: bool) -> None:
        """Sets the first node and its rails off."""
        cabling, one = self.fabric.cabling, Node(0, 0, 0)
        nics = [nic for nic in cabling.nic_ports() if nic.plane == 0]
        mine = sorted({cabling.leaf_of(one, nic)[0].index for nic in nics} & set(leaves))
        self._fan(((leaves[n], node) for n in mine), "other")
        inset, y = 0 if whole else 2, self.node_y
        height, name = _BOX - 2 * inset, self.fabric.name(one)
        self.svg.rect(node.x, y + inset, node.width, height, "otherbox", tip=name)
        if whole:
            self.svg.text(node.middle, y + 15, "h01", "small middle onmark")

    def _slots(self, pod: int, su: int, spot: Spot, *, built: bool) -> list[Spot]:
        """The nodes of an SU: each by itself where they are few, and then their spots."""
        c, y = self.c, self.node_y
        if c.slots <= 8 and spot.width / c.slots > 30:
            places = spread(list(range(c.slots)), spot.x, spot.width)
            for slot, place in enumerate(places):
                node = Node(pod, su, slot)
                self._box(place, y, self.fabric.name(node), built=self.fabric.present(node))
                self.svg.text(place.middle, y + 15, f"h{slot + 1:02}", "small middle")
            return places
        self._box(spot, y, None, built=built)
        words = f"{c.slots} nodes" if spot.width > 52 else f"{c.slots}"
        middle = spot.middle + (7 if pod == su == 0 and spot.width < 90 else 0)
        self.svg.text(middle, y + 15, words, f"{'tiny' if spot.width < 90 else 'small'} middle")
        return []

    def _fan(self, ends: Iterable[tuple[Spot, Spot]], css: str) -> None:
        """Cables between leaves and nodes."""
        top, bottom = self.leaf_y + _BOX, self.node_y
        self.svg.path("".join(_line(leaf, top, node, bottom) for leaf, node in ends), css)

    def _cable(self, leaf: Spot, spine: Spot) -> str:
        return _line(leaf, self.leaf_y, spine, self.spine_y + _BOX)

    def _to_super_spines(self, pod: int, spines: dict[int, Spot]) -> None:
        """A spine meets the members of the group of its own number."""
        lines = [
            _line(spot, self.spine_y, self.groups[n], self.top + 42)
            for n, spot in spines.items()
            if n in self.groups
        ]
        if lines:
            self.svg.path("".join(lines), "cable")
        if lines and pod == 0:
            self.svg.path(lines[0], "marked")

    def _legend(self) -> None:
        c, speeds = self.c, self.fabric.description.switches
        leaf, node = self.fabric.name(Switch("leaf", 0, 0, 0)), self.fabric.name(Node(0, 0, 0))
        here = 1 if c.by_rail else c.rails
        per_plane = f" in each of {c.planes} planes" if c.planes > 1 and not c.by_rail else ""
        rest = ", its other rails in the other planes" if c.by_rail and c.planes > 1 else ""
        rails = f"{here} rail{'s' * (here > 1)} of {speeds.host_speed}{per_plane}{rest}"
        links = f"{c.leaf_links} × {speeds.fabric_speed} to each spine"
        y = self.node_y + 84 + self.below
        for x, css, words in (
            (MARGIN, "marked", f"{leaf}: {links}"),
            (WIDTH / 2 - 40, "other", f"{node}: {rails}"),
        ):
            self.svg.path(f"M{number(x)} {y - 4}h26", css)
            self.svg.text(x + 34, y, words, "small")


def _line(low: Spot, low_y: float, high: Spot, high_y: float) -> str:
    return f"M{number(low.middle)} {low_y}L{number(high.middle)} {high_y}"
