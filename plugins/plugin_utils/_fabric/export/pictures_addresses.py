# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bit layout of the addresses as a picture, with a worked example.

A bar of 32 bits (or of 16 bytes) is cut into the profile's fields; below it a place's numbers, the
bits that they make, and the address. The pools for switches and out-of-band ports follow.
"""

from __future__ import annotations

import dataclasses
import itertools
import typing as t

from ..._pages.svg import MARGIN, PALETTE, WIDTH, Svg, width_of
from ..plan.addressing import codec
from ..plan.addressing.codec import Bits, Layout
from ..plan.topology.cabling import NicPort, Node

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plan.fabric import Fabric

_BAR = WIDTH - 2 * MARGIN
_WORDS = {
    "su": "SU",
    "index": "port",
    "ordinal": "number",
}
_COLOURS = {
    "site": PALETTE[6],
    "plane": PALETTE[1],
    "rail": PALETTE[0],
    "pod": PALETTE[6],
    "su": PALETTE[2],
    "slot": PALETTE[3],
    "side": PALETTE[5],
    "role": PALETTE[0],
    "ordinal": PALETTE[2],
    "tier": PALETTE[0],
    "link": PALETTE[2],
    "index": PALETTE[5],
}
_OF = {
    "loopback": "loopback of a switch",
    "vtep": "VXLAN tunnel end of a leaf",
    "dpu": "DPU",
    "storage": "front-end and storage links",
    "host_oob": "out-of-band ports of nodes",
    "switch_oob": "management of switches",
    "services": "services of tenants",
    "inter_switch": "numbered links between switches",
}


@dataclasses.dataclass(frozen=True)
class Part:
    """A run of bits of an address: the prefix, an unused run, or a field."""

    name: str
    width: int
    shift: int
    field: Bits | None = None


def parts(layout: Layout) -> Iterator[Part]:
    """The runs of a layout, most significant first."""
    yield Part("prefix", layout.prefix_length, layout.bits - layout.prefix_length)
    used = sum(field.width for field in layout.fields)
    free = layout.bits - layout.prefix_length - used
    if free:
        yield Part("0" if layout.fields else "free", free, used)
    for at, field in layout.placed:
        yield Part("0" if field.value is not None else field.name, field.width, at, field)


def draw(fabric: Fabric) -> Svg:
    """The picture of a fabric's address plan."""
    return _Drawing(fabric).svg


class _Drawing:
    def __init__(self, fabric: Fabric) -> None:
        self.fabric, self.addresses = fabric, fabric.addresses
        d, links = fabric.description, self.addresses.links
        source = f"in {links.base}" if links else "from a table"
        length = self.addresses.link_length
        words = f"profile {d.addressing.profile}: host links {source}, each a /{length}"
        self.svg = Svg(f"{d.name}: addresses", words)
        node, nic = self._example(), list(fabric.cabling.nic_ports())[-1]
        if links:
            self._layout(links, node, nic)
        else:
            self._table(node, nic)
        self._pools(336 if links else 150)

    def _example(self) -> Node:
        """The last node of the last SU that is built: no number in it is zero by chance."""
        c = self.fabric.clos
        places = itertools.product(*(range(most - 1, -1, -1) for most in c.limits))
        return next(filter(self.fabric.present, itertools.starmap(Node, places)), Node(0, 0, 0))

    def _table(self, node: Node, nic: NicPort) -> None:
        host, leaf = self.addresses.link(node, nic)
        text = (
            f"{self.fabric.name(node)} {self.fabric.names.nic(nic)} has "
            f"{codec.text(host, self.addresses.version)}, its leaf {codec.text(leaf, self.addresses.version)}: "
            "each from its row of the table"
        )
        self.svg.text(MARGIN, 96, text)

    # The host links

    def _layout(self, layout: Layout, node: Node, nic: NicPort) -> None:
        svg, y = self.svg, 100
        host, leaf = self.addresses.link(node, nic)
        numbers = {"rail": nic.rail, "pod": node.pod, "su": node.su, "slot": node.slot}
        if self.addresses.plane_in_address or self.fabric.clos.planes == 1:
            numbers["plane"] = nic.plane
        shown = {name: str(value + 1) for name, value in numbers.items()}
        shown |= {"site": str(self.fabric.description.site), "side": "NIC"}
        self._units(layout, y)
        for part, x, width in self._spans(layout):
            self._bar(part, x, y, width, 34, layout)
            if part.name in shown:
                self.svg.text(x + width / 2, y + 62, shown[part.name], "middle strong")
            self._bits(part, host, x, y + 86, width, layout)
        svg.text(MARGIN, y + 128, codec.text(host, layout.version), "head mono otherink")
        where = f"{self.fabric.name(node)} port {self.fabric.names.nic(nic)}"
        svg.text(MARGIN, y + 150, f"is {where}: {self._spoken(node, nic, layout)}")
        switch, _port = self.fabric.cabling.leaf_of(node, nic)
        other = f"the other end, {codec.text(leaf, layout.version)}, is {self.fabric.name(switch)}"
        svg.text(MARGIN, y + 170, other + ": only the side differs", "quiet")
        counted = "Numbers of a place begin at 1, those in the bits at 0."
        svg.text(MARGIN, y + 190, f"{counted} {self._not_carried(layout)}".strip(), "quiet")

    def _spoken(self, node: Node, nic: NicPort, layout: Layout) -> str:
        words = [f"plane {nic.plane + 1}"] if self.addresses.plane_in_address else []
        words.append(f"rail {nic.rail + 1}")
        if layout.carries("pod"):
            words.append(f"pod {node.pod + 1}")
        return ", ".join([*words, f"SU {node.su + 1}", f"slot {node.slot + 1}, NIC side"])

    def _not_carried(self, layout: Layout) -> str:
        c = self.fabric.clos
        if c.planes == 1 or self.addresses.plane_in_address:
            return ""
        if c.by_rail:
            return "The plane is not in the address: it is the rail."
        return f"The plane is not in the address: the {c.planes} leaves of a rail share their end."

    def _spans(self, layout: Layout, left: float = MARGIN) -> Iterator[tuple[Part, float, float]]:
        """Each part with its left edge and width: bits to scale, those of IPv6 by their bytes."""
        each = (WIDTH - MARGIN - left) / layout.bits
        for part in parts(layout):
            start = layout.bits - part.shift - part.width
            yield part, left + each * start, each * part.width

    def _units(self, layout: Layout, y: float) -> None:
        """Octets (or groups of 16 bits) above the bar."""
        each = 8 if layout.version == 4 else 16
        for n in range(layout.bits // each):
            x = MARGIN + _BAR * n * each / layout.bits
            self.svg.path(f"M{x:.2f} {y - 16}v12", "rule")
            word = f"octet {n + 1}" if layout.version == 4 else f"group {n + 1}"
            self.svg.text(x + 4, y - 7, word, "tiny quiet")

    def _bar(
        self, part: Part, x: float, y: float, width: float, height: float, layout: Layout
    ) -> None:
        colour, word = _COLOURS.get(part.name), _WORDS.get(part.name, part.name)
        tip = f"{word}: {part.width} bit{'s' * (part.width > 1)}"
        css = "rule" if colour else "box"
        self.svg.rect(x + 1, y, width - 2, height, css, fill=colour, tip=tip)
        if width < 12:
            return
        ink = "" if not colour else (" white" if part.name in ("side", "index") else " black")
        words = layout.base if part.name == "prefix" else word
        fitting = (css for css in ("small strong", "tiny strong") if width_of(words, css) < width)
        if size := next(fitting, ""):
            self.svg.text(x + width / 2, y + height / 2 - 2, words, f"{size} middle{ink}")
        self.svg.text(x + width / 2, y + height - 3, str(part.width), f"tiny middle{ink}")

    def _bits(
        self, part: Part, address: int, x: float, y: float, width: float, layout: Layout
    ) -> None:
        value = address >> part.shift & (1 << part.width) - 1
        if layout.version == 4:
            each = width / part.width
            for n, digit in enumerate(f"{value:0{part.width}b}"):
                self.svg.text(x + each * (n + 0.5), y, digit, "mono small middle")
            return
        words = f"{value:0{part.width // 4}x}" if part.width <= 16 else f"…{value:x}"
        self.svg.text(x + width / 2, y, words, "mono small middle")

    # The pools

    def _pools(self, y: float) -> None:
        svg, left = self.svg, 200
        svg.path(f"M{MARGIN} {y - 30}h{_BAR}", "rule")
        svg.text(MARGIN, y - 6, "and the pools beside them", "strong")
        top = y + 10
        for name, layout in self.addresses.pools.items():
            if not layout.fields:
                continue
            svg.text(MARGIN, top + 13, name.replace("_", " "), "strong small")
            svg.text(MARGIN, top + 26, _OF.get(name, ""), "tiny quiet")
            for part, x, width in self._spans(layout, left):
                self._bar(part, x, top, width, 28, layout)
            top += 40
        svg.height = top + 34
