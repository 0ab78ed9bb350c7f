# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of devices, and the length of a cable's way between two of them.

    floor = Floor(fabric)
    floor.spot(device)        Spot(rack="G01", unit=4)
    floor.route(a, b)         metres, or None where a rack, a position or a unit is not known

Within a rack: the units between both ends. Between racks: from each end up to the tray, then along
the row and across the rows. Spare length at both ends comes on top.
"""

from __future__ import annotations

import itertools
import typing as t

from ...catalog.data import table
from ...description.devices import unit_of
from ...plan.places import rack_name
from ...plan.topology.cabling import Node

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Device


class Spot(t.NamedTuple):
    """A place: the rack, empty where it is not known, and the lowest unit, 0 where it is not known."""

    rack: str
    unit: int


class _Corner(t.NamedTuple):
    """A spot with positions: metres up to the tray, along the row, and across the rows."""

    climb: float
    along: float
    across: float


class Floor:
    """The racks of a fabric."""

    def __init__(self, fabric: Fabric) -> None:
        self._fabric = fabric
        stated, data = fabric.description.cabling, table("cabling")
        self.unit: float = data["unit"]
        self.terms: dict[str, float] = {
            name: term["value"] if getattr(stated, name) is None else getattr(stated, name)
            for name, term in data["floor"].items()
        }
        self.racks = {rack.name: rack for rack in fabric.racks}
        names = dict.fromkeys(rack.row for rack in fabric.racks)
        self.rows: Mapping[str, int] = {row: number for number, row in enumerate(names)}

    def spot(self, device: Device) -> Spot:
        """Return the place of a device: the site's statement, else the rack that the plan computes for a node."""
        row = self._fabric.rows.get(device)
        rack, unit = (row.rack, row.unit) if row else ("", "")
        if not rack and isinstance(device, Node):
            rack = rack_name(self._fabric, device)
        return Spot(rack, unit_of(unit))

    def units(self, rack: str) -> int:
        """The height of a rack."""
        found = self.racks.get(rack)
        return (found.units if found else 0) or int(self.terms["rack_units"])

    def height(self, device: Device) -> int:
        """The height of a device in units; 0 where the description does not state it."""
        stated = self._fabric.description.cabling
        return (stated.node_units if isinstance(device, Node) else stated.switch_units) or 0

    def route(self, one: Spot, two: Spot) -> float | None:
        """Metres between two spots."""
        if not (one.unit and two.unit):
            return None
        slack = 2 * self.terms["slack"]
        if one.rack and one.rack == two.rack:
            return abs(one.unit - two.unit) * self.unit + slack
        a, b = self._corner(one), self._corner(two)
        if a is None or b is None:
            return None
        return a.climb + b.climb + abs(a.along - b.along) + abs(a.across - b.across) + slack

    def longest(self, ones: Iterable[Device], twos: Iterable[Device]) -> float | None:
        """The longest way between a device of the first and one of the second; None unless all are known."""
        ends = []
        for devices in (ones, twos):
            corners = [self._corner(self.spot(device)) for device in devices]
            if not corners or None in corners:
                return None
            ends.append(t.cast("list[_Corner]", corners))
        return 2 * self.terms["slack"] + max(
            max(c.climb + x * c.along + y * c.across for c in ends[0])
            + max(c.climb - x * c.along - y * c.across for c in ends[1])
            for x, y in itertools.product((1, -1), repeat=2)
        )

    def _corner(self, spot: Spot) -> _Corner | None:
        rack = self.racks.get(spot.rack)
        if not rack or not spot.unit:
            return None
        climb = max(0, self.units(rack.name) - spot.unit) * self.unit + self.terms["tray"]
        along = rack.position * self.terms["rack_pitch"]
        return _Corner(climb, along, self.rows[rack.row] * self.terms["row_pitch"])
