# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`links.csv`, `addresses.csv`, `/etc/hosts`, and for each device a JSON slice and its cables for PTM."""

from __future__ import annotations

import json
import typing as t

from ..catalog.roles import ROLES
from ..plan.places import coordinates, label
from ..plan.slices import of_device
from ..plan.topology.cabling import Device
from ..plan.topology.oob import ACCESS
from ..report.report import csv_lines
from . import rows

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plan.fabric import Fabric
    from ..plan.slices import AnySlice

LINK_COLUMNS = "kind,plane,rail,speed,a_device,a_port,a_address,a_rack,a_unit,b_device,b_port,b_address,b_rack,b_unit"
ADDRESS_COLUMNS = "address,length,kind,plane,device,port"


def links_csv(fabric: Fabric, pods: rows.Pods) -> Iterator[str]:
    """One cable a line; plane and rail are one-based, as in names."""
    return csv_lines(LINK_COLUMNS, map(_cable, rows.all_links(fabric, pods)))


def _cable(x: rows.Link) -> tuple[object, ...]:
    low = (x.a.device, x.a.port, x.a_address, x.a.rack, x.a.unit)
    high = (x.b.device, x.b.port, x.b_address, x.b.rack, x.b.unit)
    return (
        rows.KINDS[x.kind],
        "" if x.plane is None else x.plane + 1,
        "" if x.rail is None else x.rail + 1,
        x.speed,
        *low,
        *high,
    )


def addresses_csv(fabric: Fabric, pods: rows.Pods) -> Iterator[str]:
    """One address a line."""
    return csv_lines(
        ADDRESS_COLUMNS,
        (
            (x.address, x.length, x.kind, "" if x.plane is None else x.plane + 1, x.device, x.port)
            for x in rows.addresses(fabric, pods)
        ),
    )


def hosts(fabric: Fabric, pods: rows.Pods) -> Iterator[str]:
    """Lines for `/etc/hosts`: management under the bare name, the rest under port-name."""
    for x in rows.addresses(fabric, pods):
        yield f"{x.address}\t{label(x.kind, x.device, x.port)}\n"


def slice_path(fabric: Fabric, device: Device) -> str:
    """Return the path of a device's slice: sharded by pod and SU, so that no folder grows large."""
    place = coordinates(fabric, device)
    if "group" in place:
        shard = f"super-spine/group-{place['group'] + 1:03}"
    elif "pod" not in place:
        side = "oob" if ROLES[place["role"]].oob else "converged"
        shard = f"{side}/{place['role'].replace('_', '-')}"
    else:
        inner = f"su-{place['su'] + 1:04}" if "su" in place else "spine"
        shard = f"pod-{place['pod'] + 1:03}/{inner}"
    return f"slices/{shard}/{fabric.name(device)}.json"


def slices(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, Iterator[str]]]:
    """(path, chunks) for each device."""
    for device in rows.all_devices(fabric, pods):
        yield slice_path(fabric, device), iter([json.dumps(fabric.slice(device), indent=1) + "\n"])


def ptm(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, Iterator[str]]]:
    """(path, chunks) for each switch: a Graphviz file of its own cables only.

    Cumulus Linux compares LLDP neighbours with `/etc/ptm.d/topology.dot`. One file with the cables of
    the whole fabric grows to millions of lines, so each switch gets the part that it can see.
    """
    for switch in fabric.switches(pods=pods):
        name = fabric.name(switch)
        yield f"ptm/{name}.dot", _dot(name, of_device(fabric, switch))


def _dot(name: str, data: AnySlice) -> Iterator[str]:
    """The cables to known ports: what is outside of the fabric has none. A BMC sends no LLDP that names its port."""
    yield f'graph "{data["fabric"]}" {{\n'
    for port in data["ports"]:
        peer = port["peer"]
        bmc = port.get("kind") == ACCESS and peer["role"] == "node"
        if port.get("present") and peer["port"] and not bmc:
            yield f'  "{name}":"{port["port"]}" -- "{peer["device"]}":"{peer["port"]}"\n'
    yield "}\n"
