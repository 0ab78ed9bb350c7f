# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Owners of the fields of a DCIM: the one table, for pushes and for pulls.

plan    the plan is right: a push writes the field
once    a push writes the field when it creates the thing, and leaves it alone afterwards
dcim    as once; and a pull proposes the DCIM's value to the project
fixed   a push writes the field when it creates the thing; a difference is always a conflict
"""

from __future__ import annotations

import typing as t
from collections.abc import Mapping

from ...description.errors import FabricError, nearest

OWNERS = ("plan", "once", "dcim", "fixed")
"""The words above."""


def _fields(**by: str) -> Mapping[str, str]:
    return {field: owner for owner, fields in by.items() for field in fields.split()}


FIELDS: Mapping[str, Mapping[str, str]] = {
    "rack": _fields(plan="name", fixed="location"),
    "tenant": _fields(plan="name", once="description"),
    "route_target": _fields(plan="name"),
    "vrf": _fields(plan="exports imports name rd tenant", once="description"),
    "asn": _fields(plan="asn rir", once="description"),
    "vlan": _fields(plan="name tenant vid vlan_group", once="description"),
    "prefix": _fields(plan="container dhcp prefix tenant vlan vrf", once="description"),
    "device": _fields(
        plan="device_type name platform role",
        dcim="asset_tag face rack serial status unit",
        fixed="location",
    ),
    "interface": _fields(
        plan="device enabled lag management mode mtu name role tagged_vlans type untagged_vlan vrf",
        once="description parent",
        dcim="mac",
    ),
    "address": _fields(
        plan="address dhcp dns_name interfaces role tenant vrf", once="description status"
    ),
    "cable": _fields(plan="ends", once="label status type"),
    "primary": _fields(plan="device", dcim="address"),
}
"""Owner of each field, by kind. Kinds that are shared are never changed."""

PULLED: Mapping[str, str] = {
    "device.serial": "column serial of devices.csv",
    "device.rack": "column rack of devices.csv",
    "device.unit": "column unit of devices.csv",
    "device.status": "absent and out_of_service of the description",
    "interface.mac": "column mac of devices.csv, of the management port",
    "primary.address": "column management of devices.csv",
}
"""Fields of which a pull proposes the DCIM's value."""


class Rules(t.NamedTuple):
    """The table with a site's own choices; a choice is `kind.field` or `kind`, and `plan` or `dcim`.

    A choice for a kind is for the fields of which the plan decides: what is of the DCIM or written once stays so.
    `kind: plan` also takes over what is the same by nature and does not carry our key.
    """

    chosen: Mapping[str, str] = {}

    @classmethod
    def of(cls, chosen: Mapping[str, str]) -> Rules:
        """Checked choices; FabricError where one is not of that form."""
        for name, owner in chosen.items():
            kind, dot, field = name.partition(".")
            if kind not in FIELDS:
                raise FabricError.of(
                    f"variable spx_dcim.rules: {name!r} does not begin with a kind that has owners"
                    f"{nearest(kind, FIELDS)}: use one of {', '.join(FIELDS)}."
                )
            if dot and field not in FIELDS[kind]:
                raise FabricError.of(
                    f"variable spx_dcim.rules: {name!r} is not a field of "
                    f"{kind}{nearest(field, FIELDS[kind])}: use one of {', '.join(sorted(FIELDS[kind]))}."
                )
            if FIELDS[kind].get(field) == "fixed":
                raise FabricError.of(
                    f"variable spx_dcim.rules.{name}: an object elsewhere may be of another fabric with this "
                    "name: leave the rule out."
                )
            if owner not in ("plan", "dcim"):
                raise FabricError.of(
                    f"variable spx_dcim.rules.{name}: {owner!r} is not an owner: use plan or dcim."
                )
        return cls(dict(chosen))

    def of_kind(self, kind: str) -> str:
        """Return the site's own choice for a kind; a primary address is a field of its device."""
        return self.chosen.get(kind) or (self.of_kind("device") if kind == "primary" else "")

    def stated(self, kind: str, field: str) -> str:
        """Return the site's own choice for a field; empty where there is none."""
        of_kind = self.of_kind(kind) if owner(kind, field) == "plan" else ""
        return self.chosen.get(f"{kind}.{field}") or of_kind

    def owner(self, kind: str, field: str) -> str:
        """Owner of a field."""
        return self.stated(kind, field) or owner(kind, field)


TABLE = Rules()
"""The table where a site chose nothing."""


def owner(kind: str, field: str) -> str:
    """Return the owner of a field where a site chose none."""
    return FIELDS.get(kind, {}).get(field, "plan")
