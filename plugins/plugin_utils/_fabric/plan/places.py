# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The identity of a device: who and where it is, as plain zero-based data."""

from __future__ import annotations

import typing as t

from ..catalog.roles import ROLES
from .addressing import codec
from .topology.cabling import Device, Node

if t.TYPE_CHECKING:
    from ..description.description import Description
    from .devices import Devices


class Site(t.TypedDict, total=False):
    """Additions of the site's own file of devices."""

    serial: str
    mac: str
    site_rack: str
    site_unit: str


class Coordinates(Site):
    """Role and zero-based coordinates of a device, with what the site adds."""

    role: str
    plane: t.NotRequired[int]
    pod: t.NotRequired[int]
    su: t.NotRequired[int]
    slot: t.NotRequired[int]
    rack: t.NotRequired[int]
    group: t.NotRequired[int]
    index: t.NotRequired[int]
    rails: t.NotRequired[list[int]]
    pair: t.NotRequired[int]
    member: t.NotRequired[int]


class Identity(Coordinates):
    """Name and place of a device; `asn` and `loopback` are a switch's."""

    fabric: str
    name: str
    management: str
    management_gateway: str | None
    asn: t.NotRequired[int]
    loopback: t.NotRequired[str]


def coordinates(fabric: Devices, device: Device) -> Coordinates:
    """Role and zero-based coordinates of a device; only those that it has."""
    c = fabric.clos
    if isinstance(device, Node):
        return {
            "role": "node",
            "pod": device.pod,
            "su": device.su,
            "slot": device.slot,
            "rack": device.slot // c.nodes_per_rack,
        }
    if ROLES[device.role].pairs:
        return {"role": device.role, "pair": device.pod, "member": device.index}
    if ROLES[device.role].beside:
        return {"role": device.role, "index": device.index}
    place: Coordinates = {"role": device.role, "plane": device.plane}
    if device.role == "super_spine":
        return {**place, "group": device.pod, "index": device.index}
    place |= {"pod": device.pod, "index": device.index}
    if device.role == "leaf":
        su, within = divmod(device.index, c.leaves_per_su)
        place |= {"su": su, "rails": rails_of(fabric, device.plane, within)}
    return place


def pod_of(device: Device) -> int | None:
    """The pod of a device; None of one that belongs to none: a super-spine, and what the other networks are made of."""
    if isinstance(device, Node) or device.role in ("leaf", "spine"):
        return device.pod
    return None


def rails_of(fabric: Devices, plane: int, within: int) -> list[int]:
    """The rails that a leaf serves, by its place in the SU."""
    c = fabric.clos
    if c.by_rail:
        return [plane]
    if c.top_of_rack:
        return list(range(c.rails))
    return list(range(within * c.rails_per_leaf, (within + 1) * c.rails_per_leaf))


def identity(fabric: Devices, device: Device) -> Identity:
    """Name, place, management address, and for switches ASN and loopback."""
    own = fabric.addresses.management(device)
    made: Identity = {
        "fabric": fabric.description.name,
        "name": fabric.name(device),
        **coordinates(fabric, device),  # type: ignore[typeddict-item]  # keys that need not be there
        "management": own.whole,
        "management_gateway": codec.text(own.gateway, 4) if own.gateway else None,
    }
    if not isinstance(device, Node):
        made["asn"] = fabric.addresses.asn(device)
        made["loopback"] = codec.text(fabric.addresses.loopback(device), 4)
    return {**made, **site(fabric, device)}


def site(fabric: Devices, device: Device) -> Site:
    """Return the site's values for a device."""
    row = fabric.rows.get(device)
    if not row:
        return {}
    own = {"serial": row.serial, "mac": row.mac, "site_rack": row.rack, "site_unit": row.unit}
    return t.cast("Site", {key: value for key, value in own.items() if value})


def rack_name(fabric: Devices, node: Node) -> str:
    """`su01-rack03`, with the pod in front where there are several."""
    c = fabric.clos
    pod = f"pod{node.pod + 1:0{max(2, len(str(c.pods)))}}-" if c.tiers == 3 else ""
    return f"{pod}su{node.su + 1:0{max(2, len(str(c.sus)))}}-rack{node.slot // c.nodes_per_rack + 1:02}"


def label(kind: str, device: str, port: str) -> str:
    """The DNS label of an address: `leaf-p1-su001-r1`, `swp1s0.leaf-...`, `lo.leaf-...`, `vtep.leaf-...`."""
    own = "" if kind == "management" else f"{'vtep' if kind == 'vtep' else port}."
    return own + device


def domain(description: Description) -> str:
    """The DNS domain of the devices: the description's, else one under .example made of the name."""
    return description.management.domain or f"{description.name}.example"
