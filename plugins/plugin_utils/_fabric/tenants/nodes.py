# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes as people write them in the registry: names, places, and ranges of both.

worker-su01-rack01-h03            a name
worker-su01-rack01-h[01-16,20]    a range of names
pod01/su02/h03, su02/03           a place
su02/[01-16], su02, */*/h01       ranges of places; slots that are not built are passed over
"""

from __future__ import annotations

import re
import typing as t

from ..description import places
from ..description.errors import FabricError, shown
from ..plan.topology.cabling import Node

if t.TYPE_CHECKING:
    from ..plan.fabric import Fabric

_RANGE = re.compile(r"\[([0-9,\-]+)\]")
ENOUGH = 1 << 40
"""More nodes than any fabric has; so many brackets are no number with so many digits."""
_PLACE = re.compile(r"(pod|su)[0-9\[*]|[^/]*/")


def expand(fabric: Fabric, text: str) -> list[Node]:
    """The built nodes that a text names, in order; FabricError says what is wrong with it."""
    if why := too_many(fabric, [text]):
        raise FabricError.of(f"{shown(text)}: {why}")
    if is_place(fabric, text):
        return _places(fabric, text)
    return [_named(fabric, name, text) for name in _names(text)]


def too_many(fabric: Fabric, texts: t.Iterable[str]) -> str:
    """Reason that the texts of a list name too many nodes, "" where they do not; see `places.too_many`."""
    return places.too_many((_size(fabric, text) for text in texts), limits=fabric.clos.limits)


def _size(fabric: Fabric, text: str) -> int:
    """Count the nodes that a text names; 0 where it is wrong, which `expand` reports."""
    try:
        if is_place(fabric, text):
            return places.size(text, limits=fabric.clos.limits)
        named = 1
        for ranges in _RANGE.findall(text):
            spans = _spans(ranges, text)
            named = min(named * sum(last - first + 1 for first, last, _width in spans), ENOUGH)
        return named
    except FabricError:
        return 0


def is_place(fabric: Fabric, text: str) -> bool:
    """Check whether a text is written as a place; a device of the name counts more."""
    return _PLACE.match(text) is not None and fabric.device(text) is None


def _places(fabric: Fabric, text: str) -> list[Node]:
    c = fabric.clos
    found: list[Node] = []
    explicit = text.count("/") >= (1 if c.pods == 1 else 2) and "*" not in text
    for place in places.expand(text, limits=(c.pods, c.sus, c.slots)):
        for node in slots(place, fabric):
            if fabric.present(node):
                found.append(node)
            elif explicit and len(place) == 3:
                raise FabricError.of(
                    f"'{text}' names {places.text_of(node)}, which is not built (it is listed in "
                    "absent): leave it out, or build it."
                )
    return found


def slots(place: places.Place, fabric: Fabric) -> list[Node]:
    """The nodes of a pod, an SU or a slot, built or not."""
    c = fabric.clos
    sus = [place[1]] if len(place) > 1 else range(c.sus)
    slots = [place[2]] if len(place) > 2 else range(c.slots)
    return [Node(place[0], su, slot) for su in sus for slot in slots]


def _names(text: str) -> list[str]:
    names = [""]
    for place, piece in enumerate(_RANGE.split(text)):  # text and ranges by turns
        choices = _numbers(piece, text) if place % 2 else [piece]
        names = [name + choice for name in names for choice in choices]
    return names


def _numbers(ranges: str, text: str) -> list[str]:
    return [
        str(n).zfill(width)
        for first, last, width in _spans(ranges, text)
        for n in range(first, last + 1)
    ]


def _spans(ranges: str, text: str) -> list[tuple[int, int, int]]:
    """The first and the last number of each part, and their width."""
    found = []
    for part, first, last in places.spans(ranges):
        if last < first:
            raise FabricError.of(
                f"'{text}' has '{part}', which is not a range: write it as [01-16] or [01,04-06]."
            )
        found.append((first, last, len(part.partition("-")[0])))
    return found


def _named(fabric: Fabric, name: str, text: str) -> Node:
    device = fabric.device(name)
    whose = f"'{name}'" if name == text else f"'{name}' of '{text}'"
    if not isinstance(device, Node):
        what = "is a switch" if device else "is not a node of the fabric"
        first = next(iter(fabric.nodes()), None)
        such = f" such as {fabric.name(first)}" if first else ""
        raise FabricError.of(
            f"{whose} {what}: use a node's name{such}, or a place such as su01/h01."
        )
    if not fabric.present(device):
        raise FabricError.of(
            f"{whose} is not built (it is listed in absent): leave it out, or build it."
        )
    return device


def compress(fabric: Fabric, nodes: t.Iterable[Node]) -> list[str]:
    """Few texts for many nodes: `['su01/[01-16]', 'su02/h03']`; `expand` gives the nodes back."""
    by_su: dict[tuple[int, int], list[int]] = {}
    for node in sorted(set(nodes)):
        by_su.setdefault((node.pod, node.su), []).append(node.slot)
    return [_one(fabric, pod, su, slots) for (pod, su), slots in by_su.items()]


def _one(fabric: Fabric, pod: int, su: int, slots: list[int]) -> str:
    head = f"su{su + 1:02}" if fabric.clos.pods == 1 else f"pod{pod + 1:02}/su{su + 1:02}"
    runs: list[list[int]] = []
    for slot in slots:
        if runs and runs[-1][1] == slot - 1:
            runs[-1][1] = slot
        else:
            runs.append([slot, slot])
    if len(slots) == 1:
        return f"{head}/h{slots[0] + 1:02}"
    parts = [f"{a + 1:02}" if a == b else f"{a + 1:02}-{b + 1:02}" for a, b in runs]
    return f"{head}/[{','.join(parts)}]"
