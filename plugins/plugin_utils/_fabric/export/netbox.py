# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NetBox's bulk-import files, in the order of import: the first ones prepare NetBox for the others.

Columns are those of NetBox's own import forms (github.com/netbox-community/netbox, bulk_import.py of each
application). A column such as `vrf.name` says by which attribute the other object is found. The custom
field is unique, so that a file that is imported twice is refused and VRFs are not there twice.

NetBox finds the device of an interface or an address by its name alone: where another site has devices of
these names, only a push can know whose they are.
"""

from __future__ import annotations

import typing as t

from ..catalog.data import table
from .dcim.equipment import MANAGEMENT
from .dcim_files import (
    Cell,
    Cells,
    Table,
    begins,
    chosen,
    end,
    files,
    fixed,
    listed,
    named,
    of,
    others,
    owned,
    slug,
    vids,
    vlans,
)

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..plan.fabric import Fabric
    from . import rows
    from .dcim.things import Thing

_TYPES = (
    "dcim.cable,dcim.device,dcim.interface,dcim.rack,ipam.asn,ipam.ipaddress,ipam.prefix,ipam.routetarget,"
    "ipam.vlan,ipam.vrf,tenancy.tenant"
)
_COLOUR = "76b900"
_NAMED: Mapping[str, Cell] = {"name": of("name"), "slug": slug}


def _group(*fields: str) -> Cell:
    """The group in which NetBox looks up the VLANs of a row; none where they are of several groups."""
    found = vlans(*fields)

    def cell(cells: Cells, thing: Thing) -> str:
        groups = {group for _vid, group in found(cells, thing)}
        return groups.pop() if len(groups) == 1 else ""

    return cell


def _units(cells: Cells, thing: Thing) -> int:
    """The height of a rack: of racks.csv, else what lengths of cables are computed with."""
    stated = {rack.name: rack.units for rack in cells.context.fabric.racks}
    return stated.get(thing.name) or table("cabling")["floor"]["rack_units"]["value"]


def _side(letter: str, number: int) -> dict[str, Cell]:
    return {
        f"side_{letter}_site": lambda cells, _thing: cells.context.location.key,
        f"side_{letter}_device": end(number, "device"),
        f"side_{letter}_type": fixed("dcim.interface"),
        f"side_{letter}_name": end(number, "port"),
    }


def _is_management(thing: Thing) -> bool:
    return thing.key.rpartition("/")[2] in MANAGEMENT.values()


def maker(cells: Cells, thing: Thing) -> str:
    """Return the manufacturer of a device type."""
    made = table("dcim")
    role = "node" if cells.name(thing.values["device_type"]) == made["node_type"] else "switch"
    return str(made["manufacturer"][role])


TABLES = (
    Table("tags", "tag", {**_NAMED, "color": fixed(_COLOUR), "weight": fixed("1000")}),
    Table(
        "custom-fields",
        "field",
        {
            "name": of("name"),
            "label": fixed("Place in the fabric"),
            "type": fixed("text"),
            "object_types": fixed(_TYPES),
            "required": fixed("false"),
            "unique": fixed("true"),
            "search_weight": fixed("0"),
            "filter_logic": fixed("exact"),
            "weight": fixed("100"),
            "ui_visible": fixed("always"),
            "ui_editable": fixed("yes"),  # else no import form has the field
            "is_cloneable": fixed("false"),
        },
    ),
    Table("sites", "location", {**_NAMED, "status": fixed("active")}),
    Table("rirs", "rir", {**_NAMED, "is_private": fixed("true")}),
    Table("vlan-groups", "vlan_group", _NAMED),
    Table("manufacturers", "manufacturer", _NAMED),
    Table("platforms", "platform", {**_NAMED, "manufacturer": named("manufacturer")}),
    Table("device-roles", "role", {**_NAMED, "color": fixed(_COLOUR), "vm_role": fixed("false")}),
    Table(
        "device-types",
        "device_type",
        {
            "manufacturer": named("manufacturer"),
            "model": of("name"),
            "slug": slug,
            "u_height": lambda _cells, thing: thing.values["height"] or 1,
        },
    ),
    Table(
        "racks",
        "rack",
        {
            "site": named("location"),
            "name": of("name"),
            "status": fixed("active"),
            "width": fixed("19"),
            "u_height": _units,
            **owned(),
        },
    ),
    Table("tenants", "tenant", {**_NAMED, **owned()}),
    Table("route-targets", "route_target", {"name": of("name"), **owned()}),
    Table(
        "vrfs",
        "vrf",
        {
            "name": of("name"),
            "rd": of("rd"),
            "tenant": named("tenant"),
            "enforce_unique": fixed("false"),
            "import_targets": listed("imports"),
            "export_targets": listed("exports"),
            "description": of("description"),
            **owned(),
        },
    ),
    Table(
        "asns",
        "asn",
        {"asn": of("asn"), "rir": named("rir"), "description": of("description"), **owned()},
    ),
    Table(
        "vlans",
        "vlan",
        {
            "group": named("vlan_group"),
            "vid": of("vid"),
            "name": of("name"),
            "tenant": named("tenant"),
            "status": fixed("active"),
            "description": of("description"),
            **owned(),
        },
    ),
    Table(
        "prefixes",
        "prefix",
        {
            "prefix": of("prefix"),
            "vrf.name": named("vrf"),
            "tenant": named("tenant"),
            "vlan_group": _group("vlan"),
            "vlan": vids("vlan"),
            "status": chosen("container", {True: "container", False: "active"}),
            "is_pool": fixed("false"),
            "description": of("description"),
            **owned(),
        },
    ),
    Table(
        "devices",
        "device",
        {
            "name": of("name"),
            "role": named("role"),
            "manufacturer": maker,
            "device_type": named("device_type"),
            "platform": named("platform"),
            "serial": of("serial"),
            "site": named("location"),
            "rack": named("rack"),
            "position": of("unit"),
            "face": of("face"),
            "status": of("status"),
            **owned(),
        },
    ),
    Table(
        "interfaces",
        "interface",
        {
            "device": named("device"),
            "name": of("name"),
            "parent": named("parent"),
            "lag": named("lag"),
            "type": of("type"),
            "enabled": of("enabled"),
            "mtu": of("mtu"),
            "mgmt_only": of("management"),
            "mode": of("mode"),
            "vlan_group": _group("untagged_vlan", "tagged_vlans"),
            "untagged_vlan": vids("untagged_vlan"),
            "tagged_vlans": vids("tagged_vlans"),
            "vrf.name": named("vrf"),
            **owned("interface"),
        },
    ),
    Table(
        "mac-addresses",
        "interface",
        {
            "mac_address": of("mac"),
            "device": named("device"),
            "interface": of("name"),
            "is_primary": fixed("true"),
        },
        (lambda thing: bool(thing.values.get("mac")),),
    ),
    Table(
        "ip-addresses",
        "address",
        {
            "address": of("address"),
            "vrf.name": named("vrf"),
            "tenant": named("tenant"),
            "status": of("status"),
            "role": of("role"),
            "device": end(0, "device"),
            "interface": end(0, "port"),
            "is_primary": lambda _cells, thing: str(_is_management(thing)).lower(),
            "dns_name": of("dns_name"),
            "description": others,
            **owned(),
        },
        # In NetBox a row with is_primary false takes the device's primary address away.
        (lambda thing: not _is_management(thing), _is_management),
    ),
    Table(
        "cables",
        "cable",
        {**_side("a", 0), **_side("b", 1), "status": of("status"), **owned()},
    ),
)
"""In the order of import."""
BEGINS = begins(TABLES)


def netbox(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, Iterable[str]]]:
    """(path, chunks) for each file."""
    return files(fabric, pods, "netbox", TABLES)
