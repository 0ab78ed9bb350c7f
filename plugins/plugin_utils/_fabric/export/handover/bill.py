# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bill of materials: how many of what, counted from the cables themselves."""

from __future__ import annotations

import collections
import typing as t

from ...plan.slices import model_of
from ...plan.topology.cabling import Node
from ...plan.topology.oob import ACCESS
from ...report.report import csv_lines
from .. import rows
from . import labels
from .lists import MARK

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...plan.topology.cabling import Device
    from .cables import Cable, Cables, Plug

COLUMNS = "What,Part,Where,Length (m),Count"
CAGE, NIC = "switch cages", "NIC ports"


class Item(t.NamedTuple):
    """A row: `length` is metres, None where a thing has none or it is not known."""

    what: str
    part: str
    where: str
    length: float | None
    amount: int


def items(cables: Cables, pods: rows.Pods = None) -> list[Item]:
    """All rows, in the order in which they are read. What is not built yet is not counted."""
    found: collections.Counter[tuple[str, str, str, float | None]] = collections.Counter()
    for device in rows.all_devices(cables.fabric, pods):
        if isinstance(device, Node):
            found["Node", "GPU node", "", None] += 1
            model = cables.fabric.stated(device).nics.model
            found["NIC", model, "", None] += cables.fabric.clos.rails
        else:
            found["Switch", model_of(cables.fabric, device), labels.role(device), None] += 1
        _count(cables, device, found)
    order = ["Switch", "Node", "NIC", "Cable", "Transceiver", "Plug to be chosen"]
    rows_of = sorted(
        found.items(),
        key=lambda row: (order.index(row[0][0]), *map(str, row[0][1:3]), row[0][3] or 0),
    )
    return [Item(*key, count) for key, count in rows_of]


def _count(
    cables: Cables, device: Device, found: collections.Counter[tuple[str, str, str, float | None]]
) -> None:
    """The cables whose head is in a device, and what is plugged into it; a cage holds one plug."""
    plugged: dict[object, tuple[str, str, str, None]] = {}
    for cable, plug in cables.at(device):
        parts = labels.parts(cables, cable)
        if plug is cable.head:
            found["Cable", parts.cable, rows.KINDS[cable.kind], labels.length(cable)] += 1
        plugged[cables.cage_of(plug)] = _plugged(cable, plug, parts)
    for kind in plugged.values():
        if kind[0]:
            found[kind] += 1


def _plugged(cable: Cable, plug: Plug, parts: labels.Parts) -> tuple[str, str, str, None]:
    where = CAGE if plug.cage else NIC
    if cable.kind == ACCESS:
        return "", "", where, None  # the cable has its plugs
    if cable.medium is None:
        return "Plug to be chosen", "with the cable", where, None
    part = parts.head if plug is cable.head else parts.ends
    return ("Transceiver" if part else ""), part, where, None


def bill_csv(found: Iterable[Item]) -> Iterator[str]:
    """The bill as a table."""
    yield MARK
    yield from csv_lines(
        COLUMNS,
        (
            (item.what, item.part, item.where, labels.metres(item.length), item.amount)
            for item in found
        ),
    )
