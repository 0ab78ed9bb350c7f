# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rack from the front: its units from bottom to top, what is in them, and what is empty."""

from __future__ import annotations

import html
import typing as t

from ...catalog.roles import ROLES

if t.TYPE_CHECKING:
    from collections.abc import Sequence

_ROW, _LEFT, _WIDTH, _TOP = 13, 26, 300, 6
_FILL = {role.label: role.colour for role in ROLES.values()}
"""Light enough for black ink; roles are also written out."""


class Box(t.NamedTuple):
    """A device: `unit` is its lowest; `height` in units, 0 where it is not known."""

    name: str
    role: str
    serial: str
    unit: int
    height: int


def draw(name: str, units: int, boxes: Sequence[Box]) -> str:
    """The picture. A device of unknown height has one unit with an open top edge."""
    total = _TOP * 2 + units * _ROW
    shapes = [_unit(unit, units) for unit in range(1, units + 1)]
    shapes += [_box(box, units) for box in sorted(boxes, key=lambda box: box.unit)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {total}" role="img" '
        f'aria-label="{html.escape(f"Front of rack {name}, {units} units")}">'
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH - _LEFT - 1}" height="{units * _ROW}" fill="none" '
        f'stroke="#14181f"/>{"".join(shapes)}</svg>\n'
    )


def overlaps(boxes: Sequence[Box], units: int) -> list[str]:
    """Find overlaps: two devices in a unit, or one above the top of the rack; a sentence each."""
    found, taken = [], dict[int, str]()
    for box in sorted(boxes, key=lambda box: (box.unit, box.name)):
        for unit in range(box.unit, box.unit + max(1, box.height)):
            if unit > units:
                found.append(f"{box.name} reaches above unit {units}, the highest.")
                break
            if unit in taken:
                found.append(f"{box.name} and {taken[unit]} are both in unit {unit}.")
                break
            taken[unit] = box.name
    return found


def _unit(unit: int, units: int) -> str:
    y = _TOP + (units - unit) * _ROW
    return (
        f'<text x="{_LEFT - 5}" y="{y + 9.5}" font-size="8.5" text-anchor="end">{unit}</text>'
        f'<path d="M{_LEFT} {y}H{_WIDTH - 1}" stroke="#d9dee5" fill="none"/>'
    )


def _box(box: Box, units: int) -> str:
    height = max(1, box.height)
    y = _TOP + (units - box.unit - height + 1) * _ROW
    where = (
        f'x="{_LEFT + 1}" y="{y + 0.5}" width="{_WIDTH - _LEFT - 3}" height="{height * _ROW - 1}"'
    )
    dash = "" if box.height else ' stroke-dasharray="3 2"'
    middle = y + height * _ROW / 2 + 3.5
    serial = f"{box.role}  {box.serial}" if box.serial else box.role
    return (
        f'<rect {where} fill="{_FILL[box.role]}" stroke="#14181f"{dash}/>'
        f'<text x="{_LEFT + 7}" y="{middle:g}" font-size="10" font-weight="600">{html.escape(box.name)}</text>'
        f'<text x="{_WIDTH - 8}" y="{middle:g}" font-size="8.5" text-anchor="end">{html.escape(serial)}</text>'
    )
