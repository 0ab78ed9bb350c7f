# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The topology as a picture: tiers from the nodes upwards, SUs and pods side by side, one plane.

A small fabric is drawn cable by cable. Of a large one the first SU is, and every other SU and pod is
a box with a bundle of its cables and their number; many boxes are the first ones, a gap and the last.
One leaf's uplinks and one node's rails are set off.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..._pages.svg import MARGIN, WIDTH, Svg, number, per_row, some, width_of
from ..plan.topology.cabling import Node, Switch
from ..report.report import sizes

if t.TYPE_CHECKING:
    from ..plan.fabric import Fabric

_LABELS = 190
_MOST_CABLES = 64
"""Cables between leaves and spines up to which every SU is drawn in full."""
_SPINES, _SPINES_OF_A_POD, _LEAVES, _GROUPS = 32, 20, 12, 6
_GAP = 10
_BOX, _NODE = 22, 18
_CELL, _SU, _POD = 21, 58, 76
"""The least widths of a node with its number in it, and of the boxes of an SU and a pod."""


@dataclasses.dataclass(frozen=True)
class Spot:
    """A drawn box: its left edge, width and the middle of it."""

    x: float
    width: float

    @property
    def middle(self) -> float:
        """Position where cables meet it."""
        return self.x + self.width / 2

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width


Row = list[tuple[int | None, Spot]]
"""Selection of many things, each with its spot; None is the gap."""


def draw(fabric: Fabric) -> Svg:
    """The picture of a fabric's first plane, with a note on the others."""
    return _Drawing(fabric).svg


def spread(count: int, x: float, width: float, *, most: float = 1e9, gap: float = 3) -> list[Spot]:
    """Spots that divide a width evenly, each in the middle of its share and at most so wide."""
    share = width / count
    each = min(share - gap, most)
    return [Spot(x + share * (n + 0.5) - each / 2, each) for n in range(count)]


def _row(count: int, fit: int, spot: Spot, *, most: float) -> Row:
    shown = some(count, fit)
    return list(zip(shown, spread(len(shown), spot.x, spot.width, most=most)))


class _Drawing:
    def __init__(self, fabric: Fabric) -> None:
        self.fabric, self.c = fabric, fabric.clos
        c = self.c
        self.full = c.pods * c.per_pod("leaf") * c.spines <= _MOST_CABLES
        self.behind = 8 * (min(c.planes, 4) - 1)
        self.top = 84 + self.behind
        self.spine_y = self.top + (104 if c.tiers == 3 else 18)
        self.leaf_y = self.spine_y + 130
        self.node_y = self.leaf_y + 74
        left = MARGIN + _LABELS
        inner = Spot(left, WIDTH - MARGIN - 12 - left - self.behind)
        self.pods = self._shares(c.pods, inner, least=_POD, first=0.68)
        within = self._within(self.pods[0][1])
        self.sus = self._shares(c.sus, within, least=_SU, first=0.56)
        self.per_row = per_row(c.slots, int(self.sus[0][1].width // _CELL))
        rows = -(-c.slots // self.per_row)
        self.bottom = max(self.node_y + rows * _NODE + 20, self.node_y + 46)
        self.svg = Svg(f"{fabric.description.name}: topology", self._words())
        self._sheets(self.bottom + (26 if c.tiers == 3 else 0))
        self._labels()
        self.groups = self._super_spines(inner) if c.tiers == 3 else {}
        for pod, spot in self.pods:
            self._pod(pod, spot)
        self._legend(self.bottom + (26 if c.tiers == 3 else 0) + 26)

    def _within(self, panel: Spot) -> Spot:
        """The room inside a pod's panel; a fabric of two tiers has no panel."""
        inset = 8 if self.c.tiers == 3 else 0
        return Spot(panel.x + inset, panel.width - 2 * inset)

    def _shares(self, count: int, spot: Spot, *, least: float, first: float) -> Row:
        """All things equally where all are drawn in full, else a wide first one and some others."""
        if self.full or count == 1:
            return list(enumerate(spread(count, spot.x, spot.width, gap=_GAP)))
        wide = spot.width * first
        fit = max(3, int((spot.width - wide) // least))
        others = [None if n is None else n + 1 for n in some(count - 1, fit)]
        rest = spread(len(others), spot.x + wide, spot.width - wide, most=150, gap=_GAP)
        return [(0, Spot(spot.x, wide - _GAP)), *zip(others, rest)]

    def _words(self) -> str:
        c, parts = self.c, sizes(self.fabric)
        mode = " (plane r carries rail r)" if c.by_rail else ""
        parts.append(f"{c.planes} plane{'s' * (c.planes > 1)}{mode}")
        if c.tiers == 3:
            parts.append(f"{c.pods} pods")
        return " · ".join([*parts, f"{c.rails} rails"])

    def _sheets(self, bottom: float) -> None:
        """The planes as sheets behind one another; the first lies in front."""
        width = WIDTH - 2 * MARGIN - self.behind
        for by in range(self.behind, -1, -8):
            height = bottom - self.top
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
                ("super_spine", self.top + 14, "super-spines"),
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

    def _box(
        self, spot: Spot, y: float, words: str, *, tip: str, built: bool, css: str = ""
    ) -> None:
        """A device, with its short name where that fits."""
        self.svg.rect(spot.x, y, spot.width, _BOX, css or ("box" if built else "unbuilt"), tip=tip)
        ink = " onmark" if css else ""
        size = next((s for s in ("small", "tiny") if width_of(words, s) < spot.width), "")
        if size:
            self.svg.text(spot.middle, y + 15, words, f"{size} middle{ink}")

    # Bundles: many cables as one line with their number

    def _bus(self, row: t.Iterable[Spot], y: float) -> None:
        """The line below all switches of a row, at which bundles end."""
        spots = list(row)
        self.svg.path(f"M{number(spots[0].x)} {y}H{number(spots[-1].right)}", "bundle")

    def _bundle(
        self, spot: Spot, y: float, words: t.Sequence[str], *, cables: int, up: float, built: bool
    ) -> None:
        """A box of many devices, which `words` count, and its cables up to a bus."""
        height = self.bottom - 20 - y
        self.svg.rect(spot.x, y, spot.width, height, "box" if built else "unbuilt")
        lines = [*words, *([] if built else ["not built"])]
        for n, line in enumerate(lines):
            css = "small middle strong" if n == 0 else "tiny middle"
            self.svg.text(spot.middle, y + height / 2 + 16 * (n - len(lines) / 2) + 10, line, css)
        if built:
            self.svg.path(f"M{number(spot.middle)} {y}V{up}", "bundle")
            long = f"{cables:,} × {self.fabric.description.switches.fabric_speed}"
            label = long if width_of(long, "tiny") < spot.width + _GAP else f"{cables:,}"
            self.svg.text(spot.middle, (y + up) / 2 + 3, label, "tiny middle halo")

    def _gap(self, spot: Spot, y: float, left_out: int) -> None:
        self.svg.text(spot.middle, y, "…", "head middle")
        self.svg.text(spot.middle, y + 16, f"{left_out} more", "tiny middle quiet")

    # Tiers

    def _super_spines(self, room: Spot) -> dict[int, Spot]:
        y, found = self.top + 14, {}
        words = f"{self.c.members} switch{'es' * (self.c.members > 1)}"
        for index, spot in _row(self.c.groups, _GROUPS, room, most=150):
            if index is None:
                self.svg.text(spot.middle, y + 16, "…", "middle")
                continue
            found[index] = spot
            name = self.fabric.name(Switch("super_spine", 0, index, 0))
            self._box(spot, y, f"g{index + 1:02}: {words}", tip=f"{name} …", built=True)
        if not self.full:
            self._bus(found.values(), y + _BOX + 10)
        return found

    def _pod(self, pod: int | None, spot: Spot) -> None:
        c = self.c
        if pod is None:
            self._gap(spot, self.leaf_y, c.pods + 1 - len(self.pods))
        elif pod == 0 or self.full:
            self._whole_pod(pod, spot)
        else:
            counts = (c.spines, "spine"), (c.per_pod("leaf"), "leaf"), (c.sus * c.slots, "node")
            words = [f"pod {pod + 1}", f"{c.sus} SUs", *(_count(*pair) for pair in counts)]
            built = self.fabric.present(Switch("spine", 0, pod, 0))
            links = c.spines * c.members * c.spine_links
            up = self.top + 24 + _BOX
            self._bundle(spot, self.spine_y - 12, words, cables=links, up=up, built=built)

    def _whole_pod(self, pod: int, panel: Spot) -> None:
        if self.c.tiers == 3:
            built = self.fabric.present(Switch("spine", 0, pod, 0))
            css, top = "panel" if built else "unbuilt", self.spine_y - 12
            height = self.bottom - top
            self.svg.rect(panel.x, top, panel.width, height, css, round_by=5)
            words = f"pod {pod + 1}" + ("" if built else ", not built")
            self.svg.text(panel.middle, self.bottom + 17, words, "small middle strong")
        room = self._within(panel)
        spines = self._spines(pod, room)
        self._to_super_spines(pod, spines)
        for su, spot in self._shares(self.c.sus, room, least=_SU, first=0.56):
            self._su(pod, su, spot, spines)

    def _spines(self, pod: int, room: Spot) -> dict[int, Spot]:
        found: dict[int, Spot] = {}
        y, fit = self.spine_y, _SPINES if self.c.tiers == 2 else _SPINES_OF_A_POD
        for index, spot in _row(self.c.spines, fit, room, most=90):
            if index is None:
                self.svg.text(spot.middle, y + 15, "…", "middle")
                continue
            found[index] = spot
            one = Switch("spine", 0, pod, index)
            built = self.fabric.present(one)
            self._box(spot, y, f"s{index + 1:02}", tip=self.fabric.name(one), built=built)
        return found

    def _su(self, pod: int, su: int | None, spot: Spot, spines: dict[int, Spot]) -> None:
        c = self.c
        if su is None:
            self._gap(spot, self.leaf_y + 40, c.sus + 1 - len(self.sus))
        elif su == 0 or self.full:
            self._whole_su(pod, su, spot, spines)
        else:
            counts = (c.leaves_per_su, "leaf"), (c.slots, "node")
            words = [f"SU {su + 1}", *(_count(*pair) for pair in counts)]
            built = self.fabric.present(Switch("leaf", 0, pod, su * c.leaves_per_su))
            links = c.leaves_per_su * c.spines * c.leaf_links
            up = self.spine_y + _BOX + 10
            self._bundle(spot, self.leaf_y, words, cables=links, up=up, built=built)
            if su == 1:
                self._bus(spines.values(), up)

    def _whole_su(self, pod: int, su: int, spot: Spot, spines: dict[int, Spot]) -> None:
        """Leaves and nodes of an SU with their cables; the first leaf and node are set off."""
        first = Switch("leaf", 0, pod, su * self.c.leaves_per_su)
        row = _row(self.c.leaves_per_su, _LEAVES, spot, most=120)
        leaves = {index: place for index, place in row if index is not None}
        low, high = self.leaf_y, self.spine_y + _BOX
        ends = [(leaf, up) for leaf in leaves.values() for up in spines.values()]
        self.svg.path("".join(_line(a, low, b, high) for a, b in ends), "cable")
        if pod == su == 0:
            lines = (_line(leaves[0], low, up, high) for up in spines.values())
            self.svg.path("".join(lines), "marked")
        self._nodes(pod, su, spot, leaves)
        for index, place in leaves.items():
            one = first._replace(index=first.index + index)
            css = "markbox" if pod == su == index == 0 else ""
            words, built = self._rail(index), self.fabric.present(one)
            self._box(place, low, words, tip=self.fabric.name(one), built=built, css=css)
        self.svg.text(spot.middle, self.bottom - 7, f"SU {su + 1}", "tiny middle quiet")

    def _rail(self, within: int) -> str:
        c = self.c
        if c.top_of_rack:
            return f"t{within + 1}"
        return f"r{1 if c.by_rail else within * c.rails_per_leaf + 1}"

    def _nodes(self, pod: int, su: int, spot: Spot, leaves: dict[int, Spot]) -> None:
        """Every node of an SU; its cables one by one where they are few, else a bundle a leaf."""
        c, low, high = self.c, self.node_y, self.leaf_y + _BOX
        places = spread(self.per_row, spot.x, spot.width, gap=2)
        if len(leaves) * c.slots <= _MOST_CABLES and c.slots <= self.per_row:
            ends = [(node, leaf) for leaf in leaves.values() for node in places]
            self.svg.path("".join(_line(a, low, b, high) for a, b in ends), "cable")
        else:
            down = "".join(f"M{number(one.middle)} {high}V{low - 4}" for one in leaves.values())
            self.svg.path(f"{down}M{number(spot.x)} {low - 4}H{number(spot.right)}", "bundle")
        if pod == su == 0:
            self._mark(places[0], leaves)
        for slot in range(c.slots):
            place, y = places[slot % self.per_row], low + slot // self.per_row * _NODE
            node = Node(pod, su, slot)
            css = "otherbox" if node == Node(0, 0, 0) else "box"
            css = css if self.fabric.present(node) else "unbuilt"
            self.svg.rect(place.x, y, place.width, _NODE - 2, css, tip=self.fabric.name(node))
            ink = " onmark" if css == "otherbox" else ""
            self.svg.text(place.middle, y + 11.5, f"h{slot + 1:02}", f"tiny middle{ink}")

    def _mark(self, node: Spot, leaves: dict[int, Spot]) -> None:
        """Sets the first node's rails off."""
        cabling = self.fabric.cabling
        nics = [nic for nic in cabling.nic_ports() if nic.plane == 0]
        mine = {cabling.leaf_of(Node(0, 0, 0), nic)[0].index for nic in nics} & set(leaves)
        high = self.leaf_y + _BOX
        lines = (_line(node, self.node_y, leaves[n], high) for n in sorted(mine))
        self.svg.path("".join(lines), "other")

    def _to_super_spines(self, pod: int, spines: dict[int, Spot]) -> None:
        """A spine meets the members of the group of its own number."""
        lines = [
            _line(spot, self.spine_y, self.groups[n], self.top + 14 + _BOX)
            for n, spot in spines.items()
            if n in self.groups
        ]
        if lines:
            self.svg.path("".join(lines), "cable")
        if lines and pod == 0:
            self.svg.path(lines[0], "marked")

    def _legend(self, y: float) -> None:
        c, speeds = self.c, self.fabric.description.switches
        leaf, node = self.fabric.name(Switch("leaf", 0, 0, 0)), self.fabric.name(Node(0, 0, 0))
        here = 1 if c.by_rail else c.rails
        per_plane = f" in each of {c.planes} planes" if c.planes > 1 and not c.by_rail else ""
        rest = ", its other rails in the other planes" if c.by_rail and c.planes > 1 else ""
        rails = f"{here} rail{'s' * (here > 1)} of {speeds.host_speed}{per_plane}{rest}"
        links = f"{c.leaf_links} × {speeds.fabric_speed} to each spine"
        entries = [("marked", f"{leaf}: {links}"), ("other", f"{node}: {rails}")]
        entries += [] if self.full else [("bundle", "a bundle of cables")]
        x: float = MARGIN
        for css, words in entries:
            self.svg.path(f"M{number(x)} {y - 4}h26", css)
            self.svg.text(x + 34, y, words, "small")
            x += 54 + width_of(words, "small")
        self.svg.height = y + 20


def _count(number_of: int, what: str) -> str:
    many = {"leaf": "leaves"}.get(what, f"{what}s")
    return f"{number_of:,} {what if number_of == 1 else many}"


def _line(low: Spot, low_y: float, high: Spot, high_y: float) -> str:
    return f"M{number(low.middle)} {low_y}L{number(high.middle)} {high_y}"
