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
from .svg import MARGIN, Svg, number, some

if t.TYPE_CHECKING:
    from ..fabric import Fabric

WIDTH = 1180
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
    return _Drawing(fabric).done()


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
        self.tall = 96 if self.c.tiers == 3 else 0
        self.top = 96 + 8 * (min(self.c.planes, 4) - 1)
        self.spine_y = self.top + self.tall + 18
        self.leaf_y = self.spine_y + 150
        self.node_y = self.leaf_y + 84
        self.below = 30 if self.c.tiers == 3 else 0
        height = self.node_y + 112 + self.below - 8
        self.svg = Svg(
            WIDTH, height, title=f"{fabric.description.name}: topology", description=self._words()
        )
        self.groups: dict[int, Spot] = {}

    def _words(self) -> str:
        c, parts = self.c, sizes(self.fabric)
        mode = " (plane r carries rail r)" if c.by_rail else ""
        parts.append(f"{c.planes} plane{'s' * (c.planes > 1)}{mode}")
        if c.tiers == 3:
            parts.append(f"{c.pods} pods")
        return " · ".join([*parts, f"{c.rails} rails"])

    def done(self) -> Svg:
        svg, d = self.svg, self.fabric.description
        svg.text(MARGIN, 38, f"{d.name}: topology", "head")
        svg.text(MARGIN, 60, self._words(), "quiet")
        self._sheets()
        left = MARGIN + _LABELS
        inner = WIDTH - MARGIN - 12 - left - 8 * (min(self.c.planes, 4) - 1)
        self._labels()
        if self.c.tiers == 3:
            self._super_spines(left, inner)
            self._pods(left, inner)
        else:
            self._pod(0, left, inner, spines=_SPINE_ROOM, sus=_SUS)
        self._legend()
        return svg

    def _sheets(self) -> None:
        """The planes as sheets behind one another; the first lies in front."""
        c, svg = self.c, self.svg
        behind = min(c.planes, 4) - 1
        height = self.node_y + 46 + self.below - self.top
        for n in range(behind, -1, -1):
            svg.rect(
                MARGIN + n * 8, self.top - n * 8, WIDTH - 2 * MARGIN - behind * 8, height, "soft",
                round_by=6,
            )  # fmt: skip
        if c.planes > 1:
            words = f"plane 1 of {c.planes}, each a fabric of its own"
            svg.text(
                WIDTH - MARGIN - behind * 8 - 12,
                self.top - behind * 8 - 6,
                words,
                "small quiet end",
            )

    def _labels(self) -> None:
        f, c = self.fabric, self.c
        planes = c.planes
        counts = c.switches()
        rows: list[tuple[float, int, str, Switch | Node]] = [
            (self.spine_y, counts["spine"] // planes, "spine", Switch("spine", 0, 0, 0)),
            (self.leaf_y, counts["leaf"] // planes, "leaf", Switch("leaf", 0, 0, 0)),
            (self.node_y, c.nodes, "node", Node(0, 0, 0)),
        ]
        if c.tiers == 3:
            top = Switch("super_spine", 0, 0, 0)
            rows.insert(0, (self.top + 20, counts["super_spine"] // planes, "super-spine", top))
        for y, count, word, first in rows:
            plural = {"leaf": "leaves"}.get(word, word + "s") if count != 1 else word
            self.svg.text(MARGIN + 12, y + 9, f"{count:,} {plural}", "strong")
            self.svg.text(MARGIN + 12, y + 24, f.name(first), "tiny mono quiet")
            last = self._last(first)
            if last is not None:
                self.svg.text(MARGIN + 12, y + 36, f"… {f.name(last)}", "tiny mono quiet")

    def _last(self, first: Switch | Node) -> Switch | Node | None:
        c = self.c
        if isinstance(first, Node):
            found: Switch | Node = Node(c.pods - 1, c.sus - 1, c.slots - 1)
        elif first.role == "super_spine":
            found = Switch("super_spine", 0, c.groups - 1, c.members - 1)
        else:
            found = Switch(first.role, 0, c.pods - 1, c.per_pod(first.role) - 1)
        return found if found != first else None

    # Tiers

    def _super_spines(self, x: float, width: float) -> None:
        shown = some(self.c.groups, _GROUPS)
        y = self.top + 14
        for index, spot in zip(shown, spread(shown, x, width, most=112, gap=_GAP)):
            if index is None:
                self.svg.text(spot.middle, y + 18, "…", "middle")
                continue
            self.groups[index] = spot
            self.svg.rect(spot.x, y, spot.width, 28, "box")
            words = f"g{index + 1:02}: {self.c.members} switch{'es' * (self.c.members > 1)}"
            self.svg.text(spot.middle, y + 18, words, "small middle")

    def _pods(self, x: float, width: float) -> None:
        shown = some(self.c.pods, _PODS)
        gaps = shown.count(None)
        each = (width - gaps * 40 - (len(shown) - 1) * _GAP) / (len(shown) - gaps)
        for index in shown:
            if index is None:
                self.svg.text(x + 20, self.leaf_y + 8, "…", "head middle")
                x += 40 + _GAP
                continue
            built = self.fabric.present(Switch("spine", 0, index, 0))
            top = self.spine_y - 12
            self.svg.rect(
                x, top, each, self.node_y + 38 - top, "panel" if built else "unbuilt", round_by=5
            )
            words = f"pod {index + 1}" + ("" if built else ", not built")
            self.svg.text(x + each / 2, self.node_y + 62, words, "small middle strong")
            self._pod(index, x + 8, each - 16, spines=_SPINES_IN_POD, sus=_SUS_IN_POD)
            x += each + _GAP

    def _pod(self, pod: int, x: float, width: float, *, spines: int, sus: int) -> None:
        spots = self._spines(pod, x, width, most=spines)
        shown = some(self.c.sus, sus)
        first_leaf: Spot | None = None
        cables: list[str] = []
        for index, spot in zip(shown, spread(shown, x, width, most=330, gap=_GAP)):
            if index is None:
                self.svg.text(spot.middle, self.leaf_y + 14, "…", "middle")
                continue
            leaves = self._su(pod, index, spot)
            first_leaf = first_leaf or leaves[0]
            cables += [self._cable(leaf, up) for leaf in leaves.values() for up in spots.values()]
        self.svg.path("".join(cables), "cable")
        self._to_super_spines(pod, spots)
        if pod == 0 and first_leaf is not None:
            self.svg.path("".join(self._cable(first_leaf, s) for s in spots.values()), "marked")
            self.svg.rect(first_leaf.x, self.leaf_y, first_leaf.width, _BOX, "markbox")
            self._leaf_label(first_leaf, 0, "onmark")

    def _spines(self, pod: int, x: float, width: float, *, most: int) -> dict[int, Spot]:
        shown = some(self.c.spines, most)
        found: dict[int, Spot] = {}
        for index, spot in zip(shown, spread(shown, x, width, most=44, gap=4)):
            if index is None:
                self.svg.text(spot.middle, self.spine_y + 15, "…", "middle")
                continue
            found[index] = spot
            switch = Switch("spine", 0, pod, index)
            css = "box" if self.fabric.present(switch) else "unbuilt"
            self.svg.rect(spot.x, self.spine_y, spot.width, _BOX, css, tip=self.fabric.name(switch))
            if spot.width >= 18:
                css = "tiny middle" if spot.width < 30 else "small middle"
                self.svg.text(spot.middle, self.spine_y + 15, f"s{index + 1:02}", css)
        return found

    def _su(self, pod: int, su: int, spot: Spot) -> dict[int, Spot]:
        """Leaves and nodes of an SU; returns the spots of the leaves."""
        c, svg = self.c, self.svg
        leaf = Switch("leaf", 0, pod, su * c.leaves_per_su)
        built = self.fabric.present(leaf)
        shown = some(c.leaves_per_su, _LEAVES)
        found: dict[int, Spot] = {}
        for index, place in zip(shown, spread(shown, spot.x, spot.width, most=44)):
            if index is None:
                svg.text(place.middle, self.leaf_y + 14, "…", "tiny middle")
                continue
            found[index] = place
            name = self.fabric.name(leaf._replace(index=leaf.index + index))
            svg.rect(
                place.x, self.leaf_y, place.width, _BOX, "box" if built else "unbuilt", tip=name
            )
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
        svg, y = self.svg, self.node_y
        slots = self._slots(pod, su, spot, built=built)
        svg.text(spot.middle, y + 35, f"su{su + 1:02}", "tiny middle quiet")
        bottom = self.leaf_y + _BOX
        if slots:
            svg.path(
                "".join(self._fan(leaf, s) for leaf in leaves.values() for s in slots), "cable"
            )
        elif pod or su:
            fan = "".join(
                f"M{number(at.middle)} {bottom}L{number(at.middle)} {y}" for at in leaves.values()
            )
            svg.path(fan, "cable")
        if not (pod or su):
            self._mark(slots[0] if slots else Spot(spot.x + 2, 14), leaves, whole=bool(slots))

    def _mark(self, node: Spot, leaves: dict[int, Spot], *, whole: bool) -> None:
        """Sets the first node and its rails off."""
        mine = {
            self.fabric.cabling.leaf_of(Node(0, 0, 0), nic)[0].index
            for nic in self.fabric.cabling.nic_ports()
            if nic.plane == 0
        }
        fan = "".join(self._fan(leaves[n], node) for n in sorted(mine & set(leaves)))
        self.svg.path(fan, "other")
        inset, y = 0 if whole else 2, self.node_y
        self.svg.rect(
            node.x, y + inset, node.width, _BOX - 2 * inset, "otherbox",
            tip=self.fabric.name(Node(0, 0, 0)),
        )  # fmt: skip
        if whole:
            self.svg.text(node.middle, y + 15, "h01", "small middle onmark")

    def _slots(self, pod: int, su: int, spot: Spot, *, built: bool) -> list[Spot]:
        """The nodes of an SU: each by itself where they are few, and then their spots."""
        c, svg, y = self.c, self.svg, self.node_y
        if c.slots <= 8 and spot.width / c.slots > 30:
            places = spread(list(range(c.slots)), spot.x, spot.width)
            for slot, place in enumerate(places):
                node = Node(pod, su, slot)
                css = "box" if self.fabric.present(node) else "unbuilt"
                svg.rect(place.x, y, place.width, _BOX, css, tip=self.fabric.name(node))
                svg.text(place.middle, y + 15, f"h{slot + 1:02}", "small middle")
            return places
        svg.rect(spot.x, y, spot.width, _BOX, "box" if built else "unbuilt")
        words = f"{c.slots} nodes" if spot.width > 52 else f"{c.slots}"
        middle = spot.middle + (7 if pod == su == 0 and spot.width < 90 else 0)
        svg.text(middle, y + 15, words, "tiny middle" if spot.width < 90 else "small middle")
        return []

    def _fan(self, leaf: Spot, node: Spot) -> str:
        return f"M{number(leaf.middle)} {self.leaf_y + _BOX}L{number(node.middle)} {self.node_y}"

    def _cable(self, leaf: Spot, spine: Spot) -> str:
        return f"M{number(leaf.middle)} {self.leaf_y}L{number(spine.middle)} {self.spine_y + _BOX}"

    def _to_super_spines(self, pod: int, spines: dict[int, Spot]) -> None:
        """A spine meets the members of the group of its own number."""
        pairs = [(spot, self.groups[n]) for n, spot in spines.items() if n in self.groups]
        bottom = self.top + 42
        lines = [
            f"M{number(s.middle)} {self.spine_y}L{number(g.middle)} {bottom}" for s, g in pairs
        ]
        if lines:
            self.svg.path("".join(lines), "cable")
        if lines and pod == 0:
            self.svg.path(lines[0], "marked")

    def _legend(self) -> None:
        c, d = self.c, self.fabric.description
        y = self.node_y + 84 + self.below
        links = f"{c.leaf_links} × {d.switches.fabric_speed}"
        one = self.fabric.name(Switch("leaf", 0, 0, 0))
        self.svg.path(f"M{MARGIN} {y - 4}h26", "marked")
        self.svg.text(MARGIN + 34, y, f"{one}: {links} to each spine", "small")
        node = self.fabric.name(Node(0, 0, 0))
        here = 1 if c.by_rail else c.rails
        per_plane = f" in each of {c.planes} planes" if c.planes > 1 and not c.by_rail else ""
        rest = ", its other rails in the other planes" if c.by_rail and c.planes > 1 else ""
        rails = f"{here} rail{'s' * (here > 1)} of {d.switches.host_speed}{per_plane}{rest}"
        middle = WIDTH / 2 - 40
        self.svg.path(f"M{number(middle)} {y - 4}h26", "other")
        self.svg.text(middle + 34, y, f"{node}: {rails}", "small")
