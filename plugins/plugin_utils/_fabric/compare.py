# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a new description would change: devices, cables, addresses, ASNs and names.

    changes = against(old, new)      rows {what: device|link|address|asn|name, place, before, after}

Rows about equipment that exists in both are *renumbering*; rows about equipment that one of them
lacks are growth or removal.
"""

from __future__ import annotations

import typing as t

from .slices import of_device
from .topology.cabling import Node, Switch

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from .fabric import Fabric

Row = dict[str, t.Any]


def against(old: Fabric, new: Fabric) -> Iterator[Row]:
    """Every difference, in the order of the old plan, then what is new."""
    for device in old.devices():
        if not _exists(new, device):
            yield _row("device", old.name(device), "built", None)
            continue
        yield from _device(old, new, device)
    for device in new.devices():
        if not _exists(old, device):
            yield _row("device", new.name(device), None, "built")


def renumbers(row: Row) -> bool:
    """Whether a row touches equipment that stands in both."""
    return row["before"] is not None and row["after"] is not None


def _exists(fabric: Fabric, device: Node | Switch) -> bool:
    c = fabric.clos
    if isinstance(device, Node):
        inside = device.pod < c.pods and device.su < c.sus and device.slot < c.slots
    elif device.role == "super_spine":
        inside = device.pod < c.groups and device.index < c.members
    else:
        most = c.leaves_per_pod if device.role == "leaf" else c.spines
        inside = device.pod < c.pods and device.index < most
    if isinstance(device, Switch):
        inside = inside and device.plane < c.planes
    return inside and fabric.present(device)


def _device(old: Fabric, new: Fabric, device: Node | Switch) -> Iterator[Row]:
    name = old.name(device)
    before, after = of_device(old, device), of_device(new, device)
    if name != new.name(device):
        yield _row("name", name, name, new.name(device))
    for key, what in (
        ("asn", "asn"),
        ("loopback", "address"),
        ("vtep", "address"),
        ("management", "address"),
    ):
        if before.get(key) != after.get(key):
            yield _row(what, f"{name} {key}", before.get(key), after.get(key))
    yield from _ports(name, before, after)


def _ports(name: str, before: Row, after: Row) -> Iterator[Row]:
    was = {port["port"]: port for port in before["ports"] if port.get("present", True)}
    will = {port["port"]: port for port in after["ports"] if port.get("present", True)}
    for port, row in was.items():
        other = will.get(port)
        place = f"{name}:{port}"
        if other is None:
            yield _row("link", place, _peer(row), None)
            continue
        if _peer(row) != _peer(other):
            yield _row("link", place, _peer(row), _peer(other))
        if row.get("address") != other.get("address"):
            yield _row("address", place, row.get("address"), other.get("address"))
    for port in sorted(set(will) - set(was)):
        yield _row("link", f"{name}:{port}", None, _peer(will[port]))


def _peer(row: Row) -> str:
    return f"{row['peer']['device']}:{row['peer']['port']}"


def _row(what: str, place: str, before: t.Any, after: t.Any) -> Row:
    return {"what": what, "place": place, "before": before, "after": after}


__all__ = ["against", "renumbers"]
