# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Doubts about the racks and units that a site states: each one once, with a count."""

from __future__ import annotations

import typing as t

from ...description.words import count
from .. import rows
from . import elevation, labels
from .floor import Floor

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...plan.fabric import Fabric


def doubts(fabric: Fabric) -> Iterator[str]:
    """Sentences for a person; none where the site states no place at all."""
    stated = any(row.rack or row.unit for row in fabric.rows.values())
    if not (stated or fabric.description.cabling.racks):
        return
    floor = Floor(fabric)
    racks: dict[str, list[elevation.Box]] = {}
    open_, unpowered, total = [], [], 0
    powered = any(rack.kw for rack in fabric.racks)
    power = fabric.description.cabling.power if powered else {}
    for device in rows.all_devices(fabric):
        (rack, unit), name = floor.spot(device), fabric.name(device)
        total += 1
        if rack and unit:
            box = elevation.Box(name, labels.role(device), "", unit, floor.height(device))
            racks.setdefault(rack, []).append(box)
        else:
            open_.append(name)
        if rack not in floor.racks and device.role in power:
            unpowered.append(name)
    wrong = [
        f"in rack {rack}, {sentence.rstrip('.')}"
        for rack, boxes in racks.items()
        for sentence in elevation.overlaps(boxes, floor.units(rack))
    ]
    if wrong:
        yield f"{count(wrong, 'place')} cannot be as stated, first: {wrong[0]}: correct devices.csv."
    if open_:
        have = "has" if len(open_) == 1 else "have"
        yield (
            f"{len(open_)} of {total} devices {have} no rack or no unit in devices.csv, first {open_[0]}: parts and "
            "lengths of their cables are to be chosen."
        )
    if unpowered:
        are = "is" if len(unpowered) == 1 else "are"
        yield (
            f"{count(unpowered, 'device')} of a kind in cabling.power {are} in no rack of cabling.racks, first "
            f"{unpowered[0]}: no kw counts them: state their racks in devices.csv."
        )
