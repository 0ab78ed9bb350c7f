# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`racks.csv`: where the racks are on the floor.

    rack,row,position,units,kw
    G01,A,1,48,40
    N1,B,4,,

Rows are parallel, one row pitch apart, in the order in which the file first names them. Position 1 is
the same end of every row. `units` and `kw`, the power that the rack may take, are optional.
"""

from __future__ import annotations

import re
import typing as t

from . import tables
from .devices import MOST_UNITS
from .errors import FabricError, shown

if t.TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = ("rack", "row", "position", "units", "kw")
FORM = tables.Form("cabling.racks", COLUMNS, COLUMNS[:3])
MOST_CHARACTERS = 64
"""Limit of a rack or a row; the same as in devices.csv."""
MOST_POSITION = 999
_FORMULA = ("=", "+", "-", "@")


class Rack(t.NamedTuple):
    """A rack of the file; `position` is one-based, `units` and `kw` are 0 where the file says nothing."""

    name: str
    row: str
    position: int
    units: int
    kw: float = 0.0


def read(path: str) -> list[Rack]:
    """All racks; FabricError with a sentence for every value that is wrong or occurs twice."""
    table = tables.read(path, FORM)
    name, wrong = table.name, table.wrong
    racks: list[Rack] = []
    lines: dict[object, int] = {}
    for line, cells in table.rows:
        found = [f"{name} line {line}, {sentence}" for sentence in _wrong(cells)]
        wrong += found
        if found:
            continue
        kw = float(cells["kw"].replace(",", ".") or 0)
        numbers = int(cells["position"]), int(cells["units"] or 0), kw
        rack = Rack(cells["rack"], cells["row"], *numbers)
        for key, column in ((rack.name, "rack"), ((rack.row, rack.position), "position")):
            if key in lines:
                place = f"{rack.position} of row {shown(rack.row)}"
                value = shown(rack.name) if column == "rack" else place
                wrong.append(
                    f"{name} line {line}, {column}: {value} is in line {lines[key]} already: give every "
                    "rack a name and a place of its own."
                )
            lines.setdefault(key, line)
        racks.append(rack)
    if wrong:
        raise FabricError(wrong)
    return racks


def _wrong(cells: dict[str, str]) -> Iterator[str]:
    for column in ("rack", "row"):
        value = cells[column]
        fits = 0 < len(value) <= MOST_CHARACTERS and value.isprintable()
        if not fits or value.startswith(_FORMULA):
            yield (
                f"{column}: {shown(value)} is not a name of 1 to {MOST_CHARACTERS} printable characters "
                "that begins with a letter or digit: correct it."
            )
    for column, most in (("position", MOST_POSITION), ("units", MOST_UNITS)):
        value = cells[column]
        number = int(value) if re.fullmatch("[0-9]{1,4}", value) else 0
        if not 1 <= number <= most and (value or column == "position"):
            yield f"{column}: {shown(value)} is not a whole number from 1 to {most}: correct it."
    if cells["kw"] and not re.fullmatch(r"[0-9]{1,4}([.,][0-9]{1,3})?", cells["kw"]):
        yield f"kw: {shown(cells['kw'])} is not a number of kilowatts such as 17.5: correct it."
