# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`links.csv`, `addresses.csv`, `/etc/hosts` and one JSON slice for each device."""

from __future__ import annotations

import json
import re
import typing as t

from ..places import coordinates
from ..topology.cabling import Device
from . import rows

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..fabric import Fabric

LINK_COLUMNS = "kind,plane,rail,speed,a_device,a_port,a_address,a_rack,a_unit,b_device,b_port,b_address,b_rack,b_unit"
ADDRESS_COLUMNS = "address,length,kind,plane,device,port"


_QUOTED = re.compile('[,"\r\n]')
"""What a cell of CSV must be quoted for."""


def links_csv(fabric: Fabric, scope: rows.Scope) -> Iterator[str]:
    """One cable a line; plane and rail are one-based, as in names."""
    yield LINK_COLUMNS + "\n"
    for x in rows.links(fabric, scope):
        rail = "" if x.rail is None else x.rail + 1
        yield (
            f"{x.kind},{x.plane + 1},{rail},{x.speed},"
            f"{_end(x.a, x.a_address)},{_end(x.b, x.b_address)}\n"
        )


def _end(end: rows.End, address: str) -> str:
    return f"{end.device},{end.port},{address},{_cell(end.rack)},{_cell(end.unit)}"


def _cell(text: str) -> str:
    """A site's own text, quoted where CSV needs it."""
    if not _QUOTED.search(text):
        return text
    return '"' + text.replace('"', '""') + '"'


def addresses_csv(fabric: Fabric, scope: rows.Scope) -> Iterator[str]:
    """One address a line."""
    yield ADDRESS_COLUMNS + "\n"
    for x in rows.addresses(fabric, scope):
        plane = "" if x.plane is None else x.plane + 1
        yield f"{x.address},{x.length},{x.kind},{plane},{x.device},{x.port}\n"


def hosts(fabric: Fabric, scope: rows.Scope) -> Iterator[str]:
    """Lines for `/etc/hosts`: management under the bare name, the rest under port-name."""
    for x in rows.addresses(fabric, scope):
        name = x.device if x.kind == "management" else dns_label(x)
        yield f"{x.address}\t{name}\n"


def dns_label(x: rows.Address) -> str:
    """The label of an address: `swp1s0.leaf-p1-su001-r1`, `lo.leaf-...`, `vtep.leaf-...`."""
    return f"{'vtep' if x.kind == 'vtep' else x.port}.{x.device}"


def slice_path(fabric: Fabric, device: Device) -> str:
    """Where the slice of a device goes: sharded by pod and SU, so that no folder grows large."""
    place = coordinates(fabric, device)
    if place["role"] == "super_spine":
        shard = f"super-spine/group-{place['group'] + 1:03}"
    else:
        inner = f"su-{place['su'] + 1:04}" if "su" in place else "spine"
        shard = f"pod-{place['pod'] + 1:03}/{inner}"
    return f"slices/{shard}/{fabric.name(device)}.json"


def slices(fabric: Fabric, scope: rows.Scope) -> Iterator[tuple[str, Iterator[str]]]:
    """(path, chunks) for each device."""
    for device in rows.devices(fabric, scope):
        yield slice_path(fabric, device), iter([json.dumps(fabric.slice(device), indent=1) + "\n"])
