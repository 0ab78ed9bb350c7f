# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of the devices: racks in rows where the site states them, else the parts of the plan.

handover/racks/row-01.html           the racks of the first row of racks.csv
handover/racks/pod-001-su-0003.html  racks that have no row, and switches that have no rack
handover/devices/pod-001-su-0003.html
handover/devices/front-end-leaves-001.html
handover/devices/oob-leaf-001.html
"""

from __future__ import annotations

import typing as t

from ...catalog.roles import ROLES
from ...plan.topology.cabling import Node
from ...plan.topology.converged import CORE
from ...plan.topology.converged_cabling import is_converged
from .. import rows

if t.TYPE_CHECKING:
    from ...plan.topology.cabling import Device, Switch
    from .cables import Cables


PAIRS = 16
"""Pairs of leaves on a page."""
OOB_SWITCHES = 2 * PAIRS
"""Switches of the out-of-band network on a page."""


class Rack(t.NamedTuple):
    """A rack with what is in it; without a name the devices have no rack."""

    name: str
    devices: list[Device]


class Sheet(t.NamedTuple):
    """A page: its file without folder and ending, what people call it, and its racks in order."""

    file: str
    title: str
    racks: dict[str, Rack]


def part(cables: Cables, device: Device) -> tuple[str, str]:
    """(file, title) of the part of the plan that a device is in."""
    c = cables.fabric.clos
    if not isinstance(device, Node) and ROLES[device.role].oob:
        page = device.index // OOB_SWITCHES + 1
        return (
            f"{ROLES[device.role].label}-{page:03}",
            f"{ROLES[device.role].plural.capitalize()}, page {page}",
        )
    if is_converged(device):
        return _converged(t.cast("Switch", device))
    if not isinstance(device, Node) and device.role == "super_spine":
        return f"super-spine-group-{device.pod + 1:03}", f"Super-spines, group {device.pod + 1}"
    pod = f"Pod {device.pod + 1}, " if c.pods > 1 else ""
    if not isinstance(device, Node) and device.role == "spine":
        return f"pod-{device.pod + 1:03}-spines", f"{pod}spines" if pod else "Spines"
    su = device.su if isinstance(device, Node) else device.index // c.leaves_per_su
    return f"pod-{device.pod + 1:03}-su-{su + 1:04}", f"{pod}SU {su + 1}"


def _converged(switch: Switch) -> tuple[str, str]:
    """The pages of the converged fabric: its spines or core, and of each role the leaves of PAIRS pairs."""
    if switch.role == CORE:
        return "converged-core", "Converged core"
    if not ROLES[switch.role].pairs:
        return "converged-spines", "Converged spines"
    page, role = switch.pod // PAIRS, switch.role.removesuffix("_leaf").replace("_", "-")
    first = page * PAIRS + 1
    title = f"{role.capitalize()} leaves, pairs {first} to {first + PAIRS - 1}"
    return f"{role}-leaves-{page + 1:03}", title


def of_racks(cables: Cables, pods: rows.Pods = None) -> list[Sheet]:
    """The pages of racks: rows first, then the parts of the plan, each in its order."""
    floor, sheets = cables.floor, dict[str, Sheet]()
    for row, number in floor.rows.items():
        file = f"row-{number + 1:02}"
        racks = sorted((r for r in floor.racks.values() if r.row == row), key=lambda r: r.position)
        sheets[file] = Sheet(file, f"Row {row}", {r.name: Rack(r.name, []) for r in racks})
    for device in rows.all_devices(cables.fabric, pods):
        rack = floor.spot(device).rack
        file, title = part(cables, device)
        if rack in floor.racks:
            file = f"row-{floor.rows[floor.racks[rack].row] + 1:02}"
        elif rack and cables.fabric.rows.get(device, None) and cables.fabric.rows[device].rack:
            file, title = "racks-without-a-row", "Racks without a row"
        sheet = sheets.setdefault(file, Sheet(file, title, {}))
        sheet.racks.setdefault(rack, Rack(rack, [])).devices.append(device)
    return list(sheets.values())


def of_devices(cables: Cables, pods: rows.Pods = None) -> dict[str, tuple[str, list[Device]]]:
    """The pages of devices: file -> (title, devices)."""
    found: dict[str, tuple[str, list[Device]]] = {}
    for device in rows.all_devices(cables.fabric, pods):
        file, title = part(cables, device)
        found.setdefault(file, (title, []))[1].append(device)
    return found
