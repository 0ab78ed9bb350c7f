# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Table of NetBox's names for the plan: one row for each kind, one column for each field.

Paths, columns and choices are those of NetBox's REST API (docs.netbox.dev, model reference).
"""

from __future__ import annotations

import re
import typing as t

from .._fabric.export.dcim.things import FIELD, TAG, UNTAGGED
from .columns import called, id_in, order, referred, same, several

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ...module_utils._json import Doc, Json
    from .._fabric.export.dcim.things import Thing, Value
    from .port import Index


class Column(t.NamedTuple):
    """One neutral field: its column, and how its value is written and read."""

    field: str
    column: str
    write: Callable[[Value, Index], Json]
    read: Callable[[Json, Index], Value]


class Row(t.NamedTuple):
    """One kind: its path below ``/api/``, its columns, and what a new object needs beside them."""

    path: str
    columns: tuple[Column, ...]
    fixed: Callable[[Thing], Doc] = lambda _thing: {}
    marked: bool = True
    """Setting for kinds whose objects have our field, and our tag unless they are UNTAGGED."""


def slug(name: str) -> str:
    """Return a slug as NetBox's own forms make it: lower case, digits, dashes; at most 100."""
    return re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:100]


def choice(found: Json) -> str:
    """Return the value of a choice, which NetBox shows as ``{"value": ..., "label": ...}``."""
    value = found.get("value") if isinstance(found, dict) else found
    return "" if value is None else str(value)


def _text(found: Json, _index: Index) -> Value:
    return choice(found)


def _plain(found: Json, _index: Index) -> Value:
    """Read a number or a truth; a rack unit such as 12.0 is a whole number."""
    if isinstance(found, float):
        return int(found) if found.is_integer() else str(found)
    return found if isinstance(found, (str, int)) else None


def plain(field: str, column: str = "") -> Column:
    """A number or a truth."""
    return Column(field, column or field, same, _plain)


def text(field: str, column: str = "") -> Column:
    """A text or a choice."""
    return Column(field, column or field, same, _text)


def write_ref(value: Value, index: Index) -> Json:
    """Write a reference as the id of what it refers to; ``""`` is none."""
    found = referred(value, index)
    return None if found is None else int(found)


def read_ref(kind: str, found: Json, index: Index) -> Value:
    """Read a nested object as a reference where the index knows it, else as its name."""
    if not isinstance(found, dict):
        return ""
    name = str(found.get("name") or found.get("display") or "")
    return called(kind, id_in(found), name, index)


def ref(field: str, kind: str = "", column: str = "") -> Column:
    """A reference to one object."""
    to = kind or field
    return Column(
        field, column or field, write_ref, lambda found, index: read_ref(to, found, index)
    )


def refs(field: str, kind: str, column: str) -> Column:
    """References to any number of objects."""

    def write(value: Value, index: Index) -> Json:
        return [write_ref(each, index) for each in several(value)]

    def read(found: Json, index: Index) -> Value:
        rows = found if isinstance(found, list) else []
        return tuple(sorted((read_ref(kind, each, index) for each in rows), key=order))

    return Column(field, column, write, read)


def _container(found: Json, _index: Index) -> Value:
    return choice(found) == "container"


def _state_of_prefix(value: Value, _index: Index) -> Json:
    return "container" if value else "active"


_CABLE = {"planned": "planned", "wrong": "decommissioning"}
"""NetBox has connected, planned and decommissioning: a wrong cable is one to take away."""


def _state_of_cable(value: Value, _index: Index) -> Json:
    return _CABLE.get(str(value), "connected")


def _cable_state(found: Json, _index: Index) -> Value:
    known = {column: field for field, column in _CABLE.items()}
    return known.get(choice(found), choice(found))


def cable_ends(value: Value, index: Index) -> Doc:
    """Return both ends of a cable; the lower one is NetBox's end A."""
    low, high = value if isinstance(value, tuple) and len(value) == 2 else (None, None)
    return {
        f"{side}_terminations": [
            {"object_type": "dcim.interface", "object_id": write_ref(end, index)}
        ]
        for side, end in (("a", low), ("b", high))
    }


def interface_of(value: Value, index: Index) -> Doc:
    """Return to which interface an address belongs: the first, as NetBox has but one."""
    first = value[0] if isinstance(value, tuple) and value else None
    if first is None:
        return {"assigned_object_type": None, "assigned_object_id": None}
    return {
        "assigned_object_type": "dcim.interface",
        "assigned_object_id": write_ref(t.cast("Value", first), index),
    }


def parent_of(value: Value, index: Index) -> Doc:
    """Return the interface that a subinterface is on; its name says so too, and nobody reads it back."""
    return {"parent": write_ref(value, index)}


SPECIAL: Mapping[tuple[str, str], Callable[[Value, Index], Doc]] = {
    ("cable", "ends"): cable_ends,
    ("interface", "parent"): parent_of,
    ("address", "interfaces"): interface_of,
}
"""Fields that are several columns of NetBox, or that are written alone."""
SPECIAL_COLUMNS = {"address": ("assigned_object_type", "assigned_object_id")}

_NAMED = (text("name"),)
_TYPES = (
    "ipam.asn", "ipam.ipaddress", "ipam.prefix", "ipam.vrf", "tenancy.tenant", "ipam.routetarget",
    "dcim.rack", "dcim.device", "dcim.interface", "dcim.cable", "ipam.vlan",
)  # fmt: skip
"""The models that carry our field."""
FIELD_TYPES = tuple(sorted(_TYPES))


def _with_slug(thing: Thing) -> Doc:
    return {"slug": slug(thing.name)}


def _field(thing: Thing) -> Doc:
    return {
        "label": "Place in the fabric",
        "type": "text",
        "object_types": list(FIELD_TYPES),
        "filter_logic": "exact",
        "search_weight": 0,  # who searches for a device does not want each of its ports
        "ui_editable": "yes",  # import files write it too
        "description": f"Written by spectrum_x.fabric; what carries it and tag {TAG} is its own.",
    }


ROWS: Mapping[str, Row] = {
    "tag": Row("extras/tags", _NAMED, _with_slug, marked=False),
    "field": Row("extras/custom-fields", _NAMED, _field, marked=False),
    "location": Row("dcim/sites", _NAMED, _with_slug, marked=False),
    "rir": Row("ipam/rirs", _NAMED, lambda x: {**_with_slug(x), "is_private": True}, marked=False),
    "vlan_group": Row("ipam/vlan-groups", _NAMED, _with_slug, marked=False),
    "manufacturer": Row("dcim/manufacturers", _NAMED, _with_slug, marked=False),
    "platform": Row("dcim/platforms", (*_NAMED, ref("manufacturer")), _with_slug, marked=False),
    "role": Row("dcim/device-roles", _NAMED, _with_slug, marked=False),
    "device_type": Row(
        "dcim/device-types",
        (text("name", "model"), ref("manufacturer"), plain("height", "u_height")),
        _with_slug,
        marked=False,
    ),
    "rack": Row("dcim/racks", (text("name"), ref("location", column="site"))),
    "tenant": Row("tenancy/tenants", (text("name"), text("description")), _with_slug),
    "route_target": Row("ipam/route-targets", (text("name"),)),
    "vrf": Row(
        "ipam/vrfs",
        (
            text("name"),
            text("rd"),
            ref("tenant"),
            refs("imports", "route_target", "import_targets"),
            refs("exports", "route_target", "export_targets"),
            text("description"),
        ),
    ),
    "asn": Row("ipam/asns", (plain("asn"), ref("rir"), text("description"))),
    "vlan": Row(
        "ipam/vlans",
        (
            ref("vlan_group", column="group"),
            plain("vid"),
            text("name"),
            ref("tenant"),
            text("description"),
        ),
    ),
    "prefix": Row(
        "ipam/prefixes",
        (
            text("prefix"),
            ref("vrf"),
            ref("tenant"),
            Column("container", "status", _state_of_prefix, _container),
            ref("vlan"),
            text("description"),
        ),
    ),
    "device": Row(
        "dcim/devices",
        (
            text("name"),
            ref("location", column="site"),
            ref("role"),
            ref("device_type"),
            ref("platform"),
            ref("rack"),
            plain("unit", "position"),
            text("face"),
            text("serial"),
            text("asset_tag"),
            text("status"),
        ),
    ),
    "interface": Row(
        "dcim/interfaces",
        (
            ref("device"),
            text("name"),
            text("type"),
            plain("enabled"),
            plain("mtu"),
            plain("management", "mgmt_only"),
            Column("mac", "mac_address", same, _text),
            ref("vrf"),
            ref("lag", "interface"),
            Column("mode", "mode", lambda value, _index: str(value) or None, _text),
            ref("untagged_vlan", "vlan"),
            refs("tagged_vlans", "vlan", "tagged_vlans"),
            text("description"),
        ),
    ),
    "address": Row(
        "ipam/ip-addresses",
        (
            text("address"),
            ref("vrf"),
            ref("tenant"),
            text("status"),
            text("role"),
            text("dns_name"),
            text("description"),
        ),
    ),
    "cable": Row(
        "dcim/cables",
        (Column("status", "status", _state_of_cable, _cable_state), text("type"), text("label")),
    ),
    "primary": Row("dcim/devices", ()),
}

SLUGS: Mapping[str, str] = {
    **dict.fromkeys(("tag", "location", "rir", "manufacturer"), ""),
    **dict.fromkeys(("platform", "device_type"), "manufacturer"),
    "role": "parent",
    "tenant": "group",
}
"""Kinds of which NetBox keeps a slug once, and the column within whose value it does."""
REPEATABLE = ("vlan_group", "rack", "vrf")
"""Kinds that NetBox makes again by the same name, where it has no scope, location or route distinguisher."""

READ_ONLY = {("interface", "mac")}
"""Fields that are read and never written: in NetBox an object of its own, which its people own."""
NO_PLACE: Mapping[str, tuple[str, ...]] = {
    "interface": ("role", "mac"),
    "prefix": ("dhcp",),
    "address": ("dhcp",),
}
"""Fields that NetBox has no place for, or that are never pushed."""


def columns(kind: str) -> str:
    """Return the columns that a read of a kind asks for, as parameter ``fields``."""
    row = ROWS[kind]
    own = (*(each.column for each in row.columns), *SPECIAL_COLUMNS.get(kind, ()))
    tags = ("tags",) if row.marked and kind not in UNTAGGED else ()
    marks = ("custom_fields", "last_updated") if row.marked else ()
    return ",".join(dict.fromkeys(("id", *own, *tags, *marks)))


def body(kind: str, values: Mapping[str, Value], index: Index) -> Doc:
    """Return the columns of NetBox for some neutral fields; those that are None are left out."""
    found: Doc = {}
    for column in ROWS[kind].columns:
        value = values.get(column.field)
        if value is not None and (kind, column.field) not in READ_ONLY:
            found[column.column] = column.write(value, index)
    for (of, field), write in SPECIAL.items():
        if of == kind and values.get(field) is not None:
            found.update(write(values[field], index))
    return found


def answered(bodies: Iterable[Doc]) -> str:
    """Return the parameter ``fields`` of a write: NetBox takes and answers these columns alone.

    A whole object in the answer costs the server more than what is looked at: its cable, its peers,
    its counts. A column that is missing here would not be written.
    """
    sent = {name for body in bodies for name in body} - {"add_tags"}
    return ",".join(("id", *sorted(sent | {"custom_fields"})))


def marks(kind: str, written: str, tag: Json) -> Doc:
    """Return what makes a new object ours: the tag and the field."""
    tags: Doc = {} if kind in UNTAGGED else {"tags": [tag]}
    return {**tags, "custom_fields": {FIELD: written}}
