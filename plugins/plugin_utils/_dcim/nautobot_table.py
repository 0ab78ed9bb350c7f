# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Table of Nautobot's names for the plan: one row for each kind, one column for each field.

Paths, columns and content types are those of Nautobot's REST API, which writes; what a column asks for
is a selection of its GraphQL, which reads (docs.nautobot.com, REST API and GraphQL overview).
"""

from __future__ import annotations

import typing as t

from .._fabric.export.dcim.things import FIELD, TAG, UNTAGGED
from .columns import called, id_in, order, referred, same, several

if t.TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...module_utils._json import Doc, Json
    from .._fabric.export.dcim.things import Thing, Value
    from .port import Index


class Names(t.NamedTuple):
    """Names of a site for the two objects that every thing of a sort needs and none refers to."""

    namespace: str = "Global"
    location_type: str = "Site"


class Column(t.NamedTuple):
    """One neutral field: its column, what GraphQL is asked for, how its value is written and read."""

    field: str
    column: str
    asked: str
    write: Callable[[Value, Index], Json]
    read: Callable[[Json, Index], Value]


class Row(t.NamedTuple):
    """One kind: its path below ``/api/``, its list in GraphQL, its columns, what is always sent."""

    path: str
    listed: str
    columns: tuple[Column, ...] = ()
    fixed: Callable[[Thing, Names], Doc] = lambda _thing, _names: {}
    extra: str = ""
    """Selection of GraphQL beside the columns."""


def name_in(found: Json) -> str:
    """Return what people call a nested object; empty where there is none."""
    if not isinstance(found, dict):
        return ""
    return next((str(found[each]) for each in ("name", "model", "address") if found.get(each)), "")


def _text(found: Json, _index: Index) -> Value:
    return "" if found is None else str(found)


def _plain(found: Json, _index: Index) -> Value:
    return found if isinstance(found, (str, int)) else None


def _choice(found: Json, _index: Index) -> Value:
    """Read a choice, which GraphQL shows as a name: ``A_400GBASE_X_OSFP`` is 400gbase-x-osfp."""
    return str(found or "").removeprefix("A_").lower().replace("_", "-")


def _mac(found: Json, _index: Index) -> Value:
    return str(found or "").lower()


def plain(field: str, column: str = "") -> Column:
    """A number or a truth."""
    return Column(field, column or field, column or field, same, _plain)


def text(field: str, column: str = "") -> Column:
    """A text."""
    return Column(field, column or field, column or field, same, _text)


def choice(field: str) -> Column:
    """A choice of Nautobot's own list."""
    return Column(field, field, field, same, _choice)


def named(field: str, words: Mapping[str, str]) -> Column:
    """A status or a role, written by its name in Nautobot; ``""`` is none."""
    known = {name: word for word, name in words.items()}

    def write(value: Value, _index: Index) -> Json:
        return {"name": words[str(value)]} if value else None

    def read(found: Json, _index: Index) -> Value:
        return known.get(name_in(found), name_in(found))

    return Column(field, field, f"{field}{{name}}", write, read)


def write_ref(value: Value, index: Index) -> Json:
    """Write a reference as the id of what it refers to; ``""`` is none."""
    return referred(value, index)


def read_ref(kind: str, found: Json, index: Index) -> Value:
    """Read a nested object as a reference where the index knows it, else as its name."""
    return called(kind, id_in(found), name_in(found), index)


def ref(field: str, kind: str = "", *, called: str = "name") -> Column:
    """A reference to one object, whose name is in column ``called``."""
    to = kind or field
    return Column(
        field,
        field,
        f"{field}{{id {called}}}",
        write_ref,
        lambda found, index: read_ref(to, found, index),
    )


def read_refs(kind: str, found: Json, index: Index) -> tuple[Value, ...]:
    """Read a list of nested objects."""
    rows = found if isinstance(found, list) else []
    return tuple(sorted((read_ref(kind, each, index) for each in rows), key=order))


def refs(field: str, kind: str, column: str) -> Column:
    """References to any number of objects."""

    def write(value: Value, index: Index) -> Json:
        return [write_ref(each, index) for each in several(value)]

    return Column(
        field,
        column,
        f"{column}{{id name}}",
        write,
        lambda found, index: read_refs(kind, found, index),
    )


DEVICE = {"active": "Active", "planned": "Planned", "failed": "Failed", "offline": "Offline"}
CABLE = {
    "connected": "Connected",
    "planned": "Planned",
    "disconnected": "Disconnected",
    "wrong": "Invalid",
}
"""NVIDIA Config Manager writes Connected, Disconnected and Invalid, and reads them."""
STATUSES = {**DEVICE, **CABLE}
SIDES = {"uplink": "Uplink", "downlink": "Downlink", "loopback": "Loopback"}
"""Roles of interfaces, as NVIDIA Config Manager reads them."""
PURPOSES = {"loopback": "Loopback", "vip": "VIP", "anycast": "Anycast"}
"""Roles of addresses, which Nautobot has from the beginning."""

MARKED = (
    "dcim.cable", "dcim.device", "dcim.interface", "dcim.rack", "ipam.ipaddress", "ipam.prefix",
    "ipam.routetarget", "ipam.vlan", "ipam.vrf", "tenancy.tenant",
)  # fmt: skip
"""The models that carry our field."""
_TAGGED = tuple(each for each in MARKED if each.rpartition(".")[2] not in UNTAGGED)
"""Kinds that have our tag too."""
_PLACED = (
    "dcim.interface",
    "dcim.location",
    "dcim.rack",
    "ipam.ipaddress",
    "ipam.prefix",
    "ipam.vlan",
)
_STATUS_TYPES = {
    "active": ("dcim.device", *_PLACED),
    "planned": ("dcim.cable", "dcim.device"),
    **dict.fromkeys(("failed", "offline"), ("dcim.device",)),
    **dict.fromkeys(("connected", "disconnected", "wrong"), ("dcim.cable",)),
}
_TYPES: Mapping[str, tuple[str, ...]] = {
    "tag": _TAGGED,
    "field": MARKED,
    "location_type": ("dcim.device", "dcim.rack"),
    "role": ("dcim.device",),
}
DHCP = {"prefix": "dhcp-subnet", "address": "dhcp-reserve"}
"""Tags by which NVIDIA Config Manager knows what its DHCP serves (its page "DHCP Modeling in Nautobot")."""


class Word(t.NamedTuple):
    """A role or a tag, and the content type that it must be for."""

    kind: str
    name: str
    model: str


WORDS: Mapping[str, tuple[Word, ...]] = {
    "interface": tuple(Word("role", name, "dcim.interface") for name in SIDES.values()),
    "prefix": (Word("tag", DHCP["prefix"], "ipam.prefix"),),
    "address": (
        *(Word("role", name, "ipam.ipaddress") for name in PURPOSES.values()),
        Word("tag", DHCP["address"], "ipam.ipaddress"),
    ),
}
"""Words that things of a kind need and that are no thing of the plan."""
BGP, _ASN = "nautobot_bgp_models", "nautobot_bgp_models.autonomoussystem"
"""The app that has AS numbers, and the content type of one."""


def types_of(kind: str, key: str, *, asns: bool = False) -> tuple[str, ...] | None:
    """Return the content types that a shared thing must be for; None where it has none at all.

    ``asns`` is whether Nautobot has AS numbers.
    """
    found = _STATUS_TYPES.get(key, ()) if kind == "status" else _TYPES.get(kind)
    on_all = kind in ("tag", "field") or (kind, key) == ("status", "active")
    return (*found, _ASN) if found is not None and asns and on_all else found


def tags(kind: str, values: Mapping[str, Value], held: Mapping[str, str]) -> list[Json]:
    """Return the tags to write where some are held, ids by name; empty where nothing is to change.

    A list of tags replaces the one that is there, so that those of others are repeated.
    """
    if kind in UNTAGGED:
        return []
    dhcp, asked = DHCP.get(kind, ""), values.get("dhcp")
    gone = {dhcp} if asked is False else set()
    new = sorted(({TAG, dhcp} if asked else {TAG}) - held.keys())
    if not new and not gone & held.keys():
        return []
    kept = [held[name] for name in held if name not in gone]
    return [*({"id": each} for each in kept), *({"name": name} for name in new)]


_ACTIVE: Doc = {"status": {"name": "Active"}}


def _active(_thing: Thing, _names: Names) -> Doc:
    return dict(_ACTIVE)


def _in_namespace(_thing: Thing, names: Names) -> Doc:
    return {"namespace": {"name": names.namespace}}


def _address(thing: Thing, names: Names) -> Doc:
    return {**_ACTIVE, **_in_namespace(thing, names)}


def _location(_thing: Thing, names: Names) -> Doc:
    return {**_ACTIVE, "location_type": {"name": names.location_type}}


def _container(found: Json, index: Index) -> Value:
    return _choice(found, index) == "container"


def _field(_thing: Thing, _names: Names) -> Doc:
    return {
        "key": FIELD,
        "label": "Place in the fabric",
        "type": "text",
        "description": f"Written by spectrum_x.fabric; what carries it and tag {TAG} is its own.",
    }


_NAMED = (text("name"),)
ROWS: Mapping[str, Row] = {
    "tag": Row("extras/tags", "tags", _NAMED),
    "field": Row("extras/custom-fields", "", (text("name", "key"),), _field),
    "namespace": Row("ipam/namespaces", "namespaces", _NAMED),
    "status": Row("extras/statuses", "statuses", _NAMED),
    "location_type": Row("dcim/location-types", "location_types", _NAMED),
    "location": Row("dcim/locations", "locations", _NAMED, _location),
    "vlan_group": Row("ipam/vlan-groups", "vlan_groups", _NAMED),
    "manufacturer": Row("dcim/manufacturers", "manufacturers", _NAMED),
    "platform": Row("dcim/platforms", "platforms", (*_NAMED, ref("manufacturer"))),
    "role": Row("extras/roles", "roles", _NAMED),
    "device_type": Row(
        "dcim/device-types",
        "device_types",
        (text("name", "model"), ref("manufacturer"), plain("height", "u_height")),
    ),
    "rack": Row("dcim/racks", "racks", (*_NAMED, ref("location")), _active),
    "tenant": Row("tenancy/tenants", "tenants", (*_NAMED, text("description"))),
    "route_target": Row("ipam/route-targets", "route_targets", _NAMED),
    "vrf": Row(
        "ipam/vrfs",
        "vrfs",
        (
            text("name"),
            text("rd"),
            ref("tenant"),
            refs("imports", "route_target", "import_targets"),
            refs("exports", "route_target", "export_targets"),
            text("description"),
        ),
        _in_namespace,
    ),
    "asn": Row(
        "plugins/bgp/autonomous-systems",
        "autonomous_systems",
        (plain("asn"), text("description")),
        _active,
    ),
    "vlan": Row(
        "ipam/vlans",
        "vlans",
        (ref("vlan_group"), plain("vid"), text("name"), ref("tenant"), text("description")),
        _active,
    ),
    "prefix": Row(
        "ipam/prefixes",
        "prefixes",
        (
            text("prefix"),
            ref("tenant"),
            Column(
                "container",
                "type",
                "type",
                lambda value, _index: "container" if value else "network",
                _container,
            ),
            ref("vlan"),
            text("description"),
        ),
        _address,
        "vrfs{id name}",
    ),
    "device": Row(
        "dcim/devices",
        "devices",
        (
            text("name"),
            ref("location"),
            ref("role"),
            ref("device_type", called="model"),
            ref("platform"),
            ref("rack"),
            plain("unit", "position"),
            choice("face"),
            text("serial"),
            text("asset_tag"),
            named("status", DEVICE),
        ),
    ),
    "interface": Row(
        "dcim/interfaces",
        "interfaces",
        (
            ref("device"),
            text("name"),
            choice("type"),
            plain("enabled"),
            plain("mtu"),
            plain("management", "mgmt_only"),
            Column("mac", "mac_address", "mac_address", same, _mac),
            ref("vrf"),
            named("role", SIDES),
            ref("lag", "interface"),
            choice("mode"),
            ref("untagged_vlan", "vlan"),
            refs("tagged_vlans", "vlan", "tagged_vlans"),
            text("description"),
        ),
        _active,
    ),
    "address": Row(
        "ipam/ip-addresses",
        "ip_addresses",
        (
            text("address"),
            ref("tenant"),
            named("status", {"active": "Active"}),
            named("role", PURPOSES),
            text("dns_name"),
            text("description"),
        ),
        _address,
        "interfaces{id name}",
    ),
    "cable": Row(
        "dcim/cables",
        "cables",
        (named("status", CABLE), choice("type"), text("label")),
        extra="interfaces{id name} termination_a_type termination_b_type",
    ),
    "primary": Row(
        "dcim/devices", "devices", extra="primary_ip4{id address} primary_ip6{id address}"
    ),
}

ON_INTERFACE = "ipam/ip-address-to-interface"
IN_VRF = "ipam/vrf-prefix-assignments"
ON_DEVICE = "ipam/vrf-device-assignments"
LEFT: Mapping[str, tuple[str, ...]] = {
    "device": (
        "interfaces",
        "console_ports",
        "console_server_ports",
        "power_ports",
        "power_outlets",
        "front_ports",
        "rear_ports",
        "device_bays",
        "module_bays",
        "inventory_items",
        "services",
        "virtual_device_contexts",
    ),
    "address": ("nat_outside_list", "services", "vm_interfaces"),
    "interface": (
        "bridged_interfaces",
        "cable",
        "ip_addresses",
        "child_interfaces",
        "interface_redundancy_group_associations",
        "member_interfaces",
    ),
    "rack": ("rack_reservations",),
    "route_target": ("importing_vrfs", "exporting_vrfs"),
    "vlan": (
        "interfaces_as_untagged",
        "interfaces_as_tagged",
        "vminterfaces_as_untagged",
        "vminterfaces_as_tagged",
    ),
    "vrf": ("interfaces", "prefixes", "vm_interfaces"),
}
"""Dependents that a thing must not have when it is deleted: lists of GraphQL, and the cable of an interface."""

NO_PLACE: Mapping[str, tuple[str, ...]] = {"address": ("vrf",), "asn": ("rir",)}
"""Fields that Nautobot has no place for: an address is in the VRFs of its prefix."""


def selection(kind: str, *, left: bool = False) -> str:
    """Return what GraphQL is asked for of each object of a kind, with what a delete must know."""
    row = ROWS[kind]
    name = ("name",) if kind == "primary" else ()
    more = [f"{each}{{id}}" for each in LEFT.get(kind, ()) if left]
    words = (*name, *(each.asked for each in row.columns), row.extra, *more)
    tags = () if kind in UNTAGGED else ("tags{id name}",)
    return " ".join(("id", *filter(None, words), *tags, "_custom_field_data last_updated"))


def body(kind: str, values: Mapping[str, Value], index: Index) -> Doc:
    """Return the columns of Nautobot for some neutral fields; those that are None are left out."""
    found: Doc = {}
    for column in ROWS[kind].columns:
        value = values.get(column.field)
        if value is not None:
            found[column.column] = column.write(value, index)
    if kind == "cable" and values.get("ends") is not None:
        found.update(cable_ends(values["ends"], index))
    if kind == "interface" and values.get("parent"):
        # Its name says so too, and nobody reads it back.
        found["parent_interface"] = write_ref(values["parent"], index)
    return found


def cable_ends(value: Value, index: Index) -> Doc:
    """Return both ends of a cable; the lower one is Nautobot's end A."""
    low, high = value if isinstance(value, tuple) and len(value) == 2 else ("", "")
    found: Doc = {}
    for side, end in (("a", low), ("b", high)):
        found[f"termination_{side}_type"] = "dcim.interface"
        found[f"termination_{side}_id"] = write_ref(end, index)
    return found
