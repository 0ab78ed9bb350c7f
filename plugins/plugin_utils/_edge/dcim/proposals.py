# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of a project's files as unified diffs, for `git apply` or `patch -p1` in the project's folder. Private.

A diff is of the file as it is; comments and other cells stay.
"""

from __future__ import annotations

import csv
import datetime
import difflib
import io
import os
import typing as t

from ..._fabric._third_party import ruamel
from ..._fabric.model import places
from ..._fabric.model.errors import FabricError
from ..._fabric.model.words import count
from ..._fabric.tenancy.edit import Place, edit
from ..._fabric.tenancy.registry import FILE
from ..._fabric.topology.cabling import Node

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..._fabric.fabric import Fabric
    from ..._fabric.topology.cabling import Device

NEW = "devices.csv"
"""Beside the description where it names no table of devices."""
Cells = t.Mapping["Device", t.Mapping[str, str]]


class Proposal(t.NamedTuple):
    """The name of a diff file, what it proposes, and the diff, empty where nothing is proposed."""

    file: str
    about: str
    diff: str


def _proposal(fabric: Fabric, path: str, before: str, after: str, about: str) -> Proposal:
    """A proposal for a file of the project; its folder is the one above that of the description."""
    name = os.path.relpath(
        path, os.path.dirname(os.path.dirname(os.path.abspath(fabric.source.path)))
    )
    return Proposal(f"{os.path.basename(path)}.diff", about, unified(before, after, name))


def unified(before: str, after: str, name: str) -> str:
    """The diff of a file; of a new one where `before` is empty."""
    old = f"a/{name}" if before else "/dev/null"
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), old, f"b/{name}"
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def of_devices(fabric: Fabric, cells: Cells) -> Proposal:
    """Cells of devices.csv; FabricError where the file is an export of NetBox, which has other columns."""
    path = fabric.beside(fabric.description.devices or NEW)
    before = _read(path)
    about = f"{count(cells, 'device')} with other values in the DCIM"
    return _proposal(fabric, path, before, _table(fabric, before, cells), about)


def _table(fabric: Fabric, before: str, cells: Cells) -> str:
    """The table with the cells; rows keep their order, and new ones follow in the order of the plan."""
    rows = list(csv.reader(io.StringIO(before))) or [["place"]]
    header = [text.strip().lower() for text in rows[0]]
    if not cells:
        return before
    if "place" not in header:
        raise FabricError.of(
            f"{fabric.description.devices}: it is an export of NetBox: export it again there, or give it a column "
            "place."
        )
    lines = {row.line: device for device, row in fabric.rows.items()}
    for column in sorted({column for values in cells.values() for column in values}):
        if column not in header:
            header.append(column)
            rows[0].append(column)
    left = dict(cells)
    reader = csv.reader(io.StringIO(before))
    for number, _row in enumerate(reader):
        device = lines.get(reader.line_num)
        if device in left:
            _fill(rows[number], header, left.pop(device))
    for device, values in left.items():
        row = [""] * len(header)
        row[header.index("place")] = _place(fabric, device)
        _fill(row, header, values)
        rows.append(row)
    return _csv(before, rows)


def _fill(row: list[str], header: Sequence[str], values: Mapping[str, str]) -> None:
    row.extend([""] * (len(header) - len(row)))
    for column, value in values.items():
        row[header.index(column)] = value


def _csv(before: str, rows: Iterable[Sequence[str]]) -> str:
    stream = io.StringIO()
    end = "\r\n" if "\r\n" in before else "\n"
    csv.writer(stream, lineterminator=end).writerows(rows)
    return stream.getvalue()


def _place(fabric: Fabric, device: Device) -> str:
    if isinstance(device, Node):
        return places.text_of(tuple(device), pods=fabric.clos.pods)
    return fabric.names.name(device)


def of_description(
    fabric: Fabric,
    *,
    out_of_service: Sequence[str],
    absent: Sequence[Node],
    reason: str,
    devices: bool,
) -> Proposal:
    """Devices that rest and nodes that are not there; `devices` is whether a table of devices is proposed."""
    path = fabric.source.path
    about = f"{len(out_of_service)} out of service, {len(absent)} absent"
    table = devices and not fabric.description.devices
    before = _read(path)
    if not (out_of_service or absent or table):
        return _proposal(fabric, path, before, before, about)
    yaml = ruamel().YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    data = yaml.load(before)
    if table:
        data["devices"] = NEW
        about = f"{about}, and the new file {NEW}"
    today = datetime.date.today().isoformat()
    for name in out_of_service:
        row = {"device": name, "since": today, "reason": reason}
        data.setdefault("out_of_service", []).append(row)
    for node in absent:
        data.setdefault("absent", []).append(_place(fabric, node))
    stream = io.StringIO()
    yaml.dump(data, stream)
    return _proposal(fabric, path, before, stream.getvalue(), about)


def of_registry(fabric: Fabric, owners: Mapping[str, Sequence[str]]) -> Proposal:
    """Nodes under other owners; FabricError where the registry would not take them."""
    path = fabric.beside(FILE)
    before = _read(path)
    nodes = sum(len(names) for names in owners.values())
    about = f"{nodes} nodes under other owners; a proposal, since only tenant_move moves a node"
    moves = [Place(slug, tuple(names)) for slug, names in sorted(owners.items())]
    after = edit(fabric, before, moves, path=path) if moves else before
    return _proposal(fabric, path, before, after, about)


def _read(path: str) -> str:
    """The text of a file, empty where there is none."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8-sig", newline="") as handle:
        return handle.read()
