# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nautobot's import files, in the order of import: the first ones prepare Nautobot for the others.

A related object is found by its natural key: columns such as `device__location__name` (docs.nautobot.com,
Importing and Exporting Objects). So devices may have equal names at two locations. AS numbers
need the application nautobot-bgp-models. Cables, the interfaces of addresses, and the VRFs of prefixes and
interfaces are found by ids, or need them first: a push writes them. So it does with roles of interfaces, as the role
Loopback is there for addresses alone, and with the tags for DHCP. Nautobot 3.2.7 took every file of a laboratory with
other networks.

A prefix or an address is in a namespace once. Where sessions of two tenants have equal addresses, the first has rows.
"""

from __future__ import annotations

import typing as t

from .dcim.ids import new_id
from .dcim.prefixes import is_session
from .dcim.things import FIELD
from .dcim_files import (
    Cell,
    Cells,
    Table,
    begins,
    chosen,
    files,
    fixed,
    listed,
    named,
    of,
    owned,
    vids,
    vlans,
)
from .netbox import maker

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..plan.fabric import Fabric
    from . import rows
    from .dcim.things import Thing, Value

_TAGGED = (
    "dcim.device,dcim.rack,ipam.ipaddress,ipam.prefix,ipam.routetarget,ipam.vlan,ipam.vrf,"
    "tenancy.tenant"
)
_MARKED = f"{_TAGGED},dcim.interface"
_NAME: Mapping[str, Cell] = {"name": of("name")}
_STATUS: Mapping[object, str] = {
    word: word.capitalize() for word in ("active", "planned", "failed", "offline")
}
_ROLES: Mapping[object, str] = {
    "loopback": "Loopback",
    "vip": "VIP",
    "anycast": "Anycast",
}
_AT: Mapping[str, Cell] = {
    "device__name": named("device"),
    "device__location__name": lambda cells, _thing: cells.context.location.key,
}


_NONE = "NoObject"
"""Word that Nautobot reads as no related object; an empty cell would be one without a name."""


def _related(field: str) -> Cell:
    return lambda cells, thing: cells.name(thing.values.get(field)) or _NONE


def _port(field: str) -> dict[str, Cell]:
    """Another interface of the same device, by its natural key."""
    other = named(field)

    def at(cell: Cell) -> Cell:
        return lambda cells, thing: cell(cells, thing) if other(cells, thing) else _NONE

    column = {"parent": "parent_interface"}.get(field, field)
    own: dict[str, Cell] = {**_AT, "name": _related(field)}
    return {f"{column}__{key}": at(cell) for key, cell in own.items()}


def _vlans(field: str) -> dict[str, Cell]:
    """VLANs by number and group: of several, lists of the same length."""
    found = vlans(field)

    def groups(cells: Cells, thing: Thing) -> str:
        return ",".join(group for _vid, group in found(cells, thing)) or _NONE

    return {f"{field}__vid": vids(field, none=_NONE), f"{field}__vlan_group__name": groups}


def _role(_cells: Cells, thing: Thing) -> str:
    return _ROLES.get(thing.values["role"], _NONE)


def _namespace() -> Cell:
    return lambda cells, _thing: cells.context.names.namespace


def _id(_cells: Cells, thing: Thing) -> str:
    return new_id(thing.kind, thing.key)


def _ours(kind: str = "", **lacking: Value) -> dict[str, Cell]:
    """Return the cells that mark a thing as ours, with the id that a push gives it: Nautobot takes no id twice."""
    return {"id": _id, **owned(kind, **lacking)}


TABLES = (
    Table("tags", "tag", {**_NAME, "content_types": fixed(_TAGGED)}),
    Table(
        "custom-fields",
        "field",
        {
            "key": of("name"),
            "label": fixed(FIELD),
            "type": fixed("text"),
            "content_types": fixed(_MARKED),
        },
    ),
    Table(
        "location-types",
        "location_type",
        {**_NAME, "content_types": fixed("dcim.device,dcim.rack")},
    ),
    Table(
        "locations",
        "location",
        {
            **_NAME,
            "location_type__name": lambda cells, _thing: cells.context.names.location_type,
            "status__name": fixed("Active"),
        },
    ),
    Table("vlan-groups", "vlan_group", _NAME),
    Table("manufacturers", "manufacturer", _NAME),
    Table("platforms", "platform", {**_NAME, "manufacturer__name": named("manufacturer")}),
    Table("roles", "role", {**_NAME, "content_types": fixed("dcim.device")}),
    Table(
        "device-types",
        "device_type",
        {
            "manufacturer__name": named("manufacturer"),
            "model": of("name"),
            "u_height": lambda _cells, thing: thing.values["height"] or 1,
        },
    ),
    Table(
        "racks",
        "rack",
        {
            **_NAME,
            "location__name": named("location"),
            "status__name": fixed("Active"),
            **_ours(),
        },
    ),
    Table("tenants", "tenant", {**_NAME, **_ours()}),
    Table("route-targets", "route_target", {**_NAME, **_ours()}),
    Table(
        "vrfs",
        "vrf",
        {
            **_NAME,
            "rd": of("rd"),
            "namespace__name": _namespace(),
            "tenant__name": _related("tenant"),
            "import_targets": listed("imports"),
            "export_targets": listed("exports"),
            "description": of("description"),
            **_ours(),
        },
    ),
    Table(
        "vlans",
        "vlan",
        {
            "vid": of("vid"),
            **_NAME,
            "vlan_group__name": named("vlan_group"),
            "status__name": fixed("Active"),
            "tenant__name": _related("tenant"),
            "description": of("description"),
            **_ours(),
        },
    ),
    Table(
        "prefixes",
        "prefix",
        {
            "prefix": of("prefix"),
            "namespace__name": _namespace(),
            "type": chosen("container", {True: "container", False: "network"}),
            "status__name": fixed("Active"),
            "tenant__name": _related("tenant"),
            **_vlans("vlan"),
            "description": of("description"),
            **_ours(vrf="", dhcp=False),
        },
        once=lambda thing: str(thing.values["prefix"]) if is_session(thing.key) else "",
    ),
    Table(
        "devices",
        "device",
        {
            **_NAME,
            "location__name": named("location"),
            "role__name": named("role"),
            "device_type__manufacturer__name": maker,
            "device_type__model": named("device_type"),
            "platform__name": _related("platform"),
            "serial": of("serial"),
            "rack__name": _related("rack"),
            "rack__location__name": lambda cells, thing: (
                cells.context.location.key if thing.values["rack"] else _NONE
            ),
            "position": of("unit"),
            "face": of("face"),
            "status__name": chosen("status", _STATUS),
            **_ours(),
        },
    ),
    Table(
        "interfaces",
        "interface",
        {
            **_AT,
            **_NAME,
            "type": of("type"),
            "enabled": of("enabled"),
            "mtu": of("mtu"),
            "mgmt_only": of("management"),
            "mac_address": of("mac"),
            **_port("lag"),
            **_port("parent"),
            "mode": of("mode"),
            **_vlans("untagged_vlan"),
            **_vlans("tagged_vlans"),
            "status__name": fixed("Active"),
            **_ours("interface", role="", vrf=""),
        },
    ),
    Table(
        "ip-addresses",
        "address",
        {
            "address": of("address"),
            "namespace__name": _namespace(),
            "type": fixed("host"),
            "status__name": fixed("Active"),
            "role__name": _role,
            "tenant__name": _related("tenant"),
            "dns_name": of("dns_name"),
            **_ours(vrf=None, interfaces=(), dhcp=False),
        },
        once=lambda thing: "" if thing.values["dns_name"] else str(thing.values["address"]),
    ),
)
"""In the order of import."""
BEGINS = begins(TABLES)


def nautobot(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, Iterable[str]]]:
    """(path, chunks) for each file."""
    return files(fabric, pods, "nautobot", TABLES)
