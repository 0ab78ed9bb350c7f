# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""devices.csv with what a DCIM says of each device.

A file with the columns of the project keeps its order; an export of a DCIM is written with the project's.
"""

from __future__ import annotations

import ipaddress
import typing as t

from ...description import devices as file
from ...description import tables
from ...plan.topology.cabling import Node
from ...report.report import csv_lines
from .equipment import MANAGEMENT, rack_of
from .mark import tail
from .things import Ref

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Device
    from .dcim_state import DcimState

COLUMNS = ("serial", "mac", "management", "rack", "unit")
"""Columns that are pulled."""


def text(fabric: Fabric, read: DcimState, before: str) -> tuple[str, list[str]]:
    """The file with what differs, and a sentence for each value that it cannot have."""
    changes, notes = {}, list[str]()
    for device, found in read.devices.items():
        said = {**_of_device(found.values), **_of_port(fabric, device, read)}
        new = {
            column: cell
            for column, cell in said.items()
            if cell and _differs(fabric, device, column, cell)
        }
        wrong = file.wrong({"place": fabric.names.name(device), **new}) if new else []
        notes += [f"{fabric.name(device)}, {sentence}" for sentence in wrong]
        refused = {sentence.partition(":")[0] for sentence in wrong}
        new = {column: cell for column, cell in new.items() if column not in refused}
        if not new.get("rack") and not rack_of(fabric, device):
            new.pop("unit", None)  # a unit of no rack says nothing
        if new:
            changes[device] = new
    notes += _twice(fabric, changes)
    changes = {device: new for device, new in changes.items() if new}
    return (_written(fabric, before, changes) if changes else before), notes


def _twice(fabric: Fabric, changes: dict[Device, dict[str, str]]) -> Iterator[str]:
    """A sentence for each cell that another device has already or would have too; no change keeps it."""
    for column in ("serial", "mac", "management"):
        holders: dict[str, list[Device]] = {}
        for device in {**fabric.rows, **changes}:
            cell = changes.get(device, {}).get(column) or str(
                getattr(fabric.rows.get(device), column, "") or ""
            )
            alike = file.mac(cell) if column == "mac" else cell.partition("/")[0].lower()
            if alike:
                holders.setdefault(alike, []).append(device)
        for cell, devices in holders.items():
            if len(devices) == 1:
                continue
            refused = [changes[one].pop(column, "") for one in devices if one in changes]
            if any(refused):
                names = " and ".join(fabric.name(one) for one in devices)
                yield (
                    f"{names}, {column}: '{cell}' is the value of each of them, and only one can have it: "
                    f"correct the others."
                )


def _of_device(values: t.Mapping[str, t.Any]) -> dict[str, str]:
    """The cells that the device itself has in the DCIM."""
    rack, unit = values.get("rack"), values.get("unit")
    name = tail(rack.key) if isinstance(rack, Ref) else str(rack or "")
    return {"serial": str(values.get("serial") or ""), "rack": name, "unit": str(unit or "")}


def _of_port(fabric: Fabric, device: Device, read: DcimState) -> dict[str, str]:
    """MAC and management address, as they are at the management port and as the primary address."""
    key = f"{fabric.description.name}/{fabric.names.name(device)}"
    port = read.others.get(("interface", f"{key}/{MANAGEMENT[isinstance(device, Node)]}"))
    primary = read.others.get(("primary", key))
    address = primary.values.get("address") if primary else None
    if isinstance(address, Ref):
        own = read.others.get(("address", address.key))
        address = own.values.get("address") if own else None
    mac = str(port.values.get("mac") or "") if port else ""
    return {"mac": file.mac(mac), "management": str(address or "")}


def _differs(fabric: Fabric, device: Device, column: str, cell: str) -> bool:
    """Check whether a cell differs from the project; a primary address of the other version of IP is not its."""
    row = fabric.rows.get(device)
    if column == "rack":
        return cell != rack_of(fabric, device)
    if column == "management":
        own = fabric.addresses.management(device)
        return _version(cell) == own.version and cell != own.whole
    old = str(getattr(row, column)) if row else ""
    if column == "unit":
        return file.unit_of(cell) != file.unit_of(old)
    return cell.lower() != (file.mac(old) if column == "mac" else old.lower())


def _version(cell: str) -> int:
    try:
        return ipaddress.ip_interface(cell).version
    except ValueError:
        return 0


def _written(fabric: Fabric, before: str, changes: dict[Device, dict[str, str]]) -> str:
    """The file with the changed cells: in its own rows where it has them, else below."""
    lines = before.splitlines(keepends=True)
    table = tables.Table(lines, file.FORM.key, file.FORM) if before else None
    columns, rows = _cells(fabric, table)
    used = {column for new in changes.values() for column in new}
    columns += [column for column in COLUMNS if column in used and column not in columns]
    left = dict(changes)
    for row in rows:
        device = fabric.names.device(row["place"]) or fabric.slot(row["place"])
        row.update(left.pop(device, {}) if device else {})
    for device in sorted(left, key=fabric.names.name):
        rows.append({"place": fabric.names.name(device), **left[device]})
    cells = ([row.get(column, "") for column in columns] for row in rows)
    begin, separator = (table.begin, table.separator) if table else ([], ",")
    return "".join([*begin, *csv_lines(separator.join(columns), cells, separator)])


def _cells(fabric: Fabric, table: tables.Table | None) -> tuple[list[str], list[dict[str, str]]]:
    """Columns and rows of the file; those of the project where it is an export of a DCIM, or not there."""
    if table and not table.exported:
        return table.columns, [row.cells for row in table.rows]
    made = []
    for device, row in fabric.rows.items():
        stated = {column: str(getattr(row, column) or "") for column in file.COLUMNS}
        made.append({**stated, "place": fabric.names.name(device), **_management(row)})
    full = [c for c in file.COLUMNS if c == "place" or any(row[c] for row in made)]
    return full, made


def _management(row: file.Row) -> dict[str, str]:
    whole = f"{row.management}/{row.management_length}"
    return {"management": whole if row.management else ""}
