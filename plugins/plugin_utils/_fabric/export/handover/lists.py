# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`cables.csv`, one cable a row, and `labels.csv`, one label a row, for spreadsheets and label printers.

Both begin with a byte order mark: without it a spreadsheet takes UTF-8 for another encoding.
"""

from __future__ import annotations

import typing as t

from ...report.report import csv_lines
from .. import rows
from . import labels

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from .cables import Cable, Cables, Plug

MARK = "\ufeff"
_CABLE = "Cable,Kind,Plane,Rail,Ports,Speed of a port,Medium,Part,Length to order (m),Way (m),Bundle,Remark"
_PLUG = ("device", "rack", "unit", "port", "cage", "leg", "transceiver", "label")


def cables_csv(cables: Cables, pods: rows.Pods) -> Iterator[str]:
    """One cable a row; a breakout cable has its head as end A and its legs as ends B1, B2, ..."""
    most = cables.most_ends()
    ends = ["A", *(f"B{n + 1}" if most > 1 else "B" for n in range(most))]
    columns = [f"{end} {column}" for end in ends for column in _PLUG]
    yield MARK
    yield from csv_lines(
        ",".join((_CABLE, *columns)), (_row(cables, cable, most) for cable in cables.all(pods))
    )


def _row(cables: Cables, cable: Cable, most: int) -> tuple[object, ...]:
    own = (
        cable.id,
        rows.KINDS[cable.kind],
        "" if cable.plane is None else cable.plane + 1,
        "" if cable.rail is None else cable.rail + 1,
        cable.links,
        cable.speed,
        labels.medium(cable),
        labels.parts(cables, cable).cable,
        labels.metres(labels.length(cable)),
        labels.metres(cable.route),
        labels.bundle(cables, cable),
        " ".join(labels.remarks(cables, cable)),
    )
    built = [plug for plug in cable.plugs if plug.built]
    cells = [cell for plug in built for cell in _end(cables, cable, plug)]
    return (*own, *cells, *[""] * (len(_PLUG) * (1 + most) - len(cells)))


def _end(cables: Cables, cable: Cable, plug: Plug) -> tuple[object, ...]:
    spot = cables.spot(plug.device)
    return (
        cables.name(plug.device),
        spot.rack,
        spot.unit or "",
        labels.port(plug),
        plug.cage or "",
        labels.legs(plug),
        labels.transceiver(cables, cable, plug),
        labels.label(cables, cable, plug).text,
    )


def labels_csv(cables: Cables, pods: rows.Pods) -> Iterator[str]:
    """One label a row, with a column for each of its lines."""
    columns = ["Cable", "Rack", "Unit", *(f"Line {n}" for n in range(1, cables.most_ends() + 3))]
    yield MARK
    yield from csv_lines(
        ",".join(columns), (row for cable in cables.all(pods) for row in _labels(cables, cable))
    )


def _labels(cables: Cables, cable: Cable) -> Iterator[tuple[object, ...]]:
    for plug in cable.plugs:
        if plug.built:
            spot, lines = cables.spot(plug.device), labels.label(cables, cable, plug).lines
            spare = [""] * (cables.most_ends() + 2 - len(lines))
            yield (cable.id, spot.rack, spot.unit or "", *lines, *spare)
