# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A site's own values must not collide with what the plan gives to others.

`devices.csv` may name, number and address devices as the site has them. Each such value is held
against the computed ones of every other device, and against the blocks of the plan.
"""

from __future__ import annotations

import bisect
import ipaddress
import itertools
import typing as t

from ...catalog.roles import ROLES
from ..topology.cabling import Device, Node
from ..topology.converged import WITH_VTEP
from . import codec
from .pools import CONVERGED, OOB, RESERVED

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...description.devices import Row
    from ..topology.cabling import Switch
    from ..topology.names import Names
    from .addresses import Addresses
    from .table import Table


def table_clashes(table: Table, addresses: Addresses) -> Iterator[str]:
    """A sentence for the first address of a table in each block that is not the table's."""
    lowest = sorted(table.places)
    reserved = [(f"{use} addresses", ipaddress.ip_network(p)) for p, use in RESERVED.items()]
    for name, prefix in [*reserved, *addresses.blocks(table.version)]:
        at = bisect.bisect_left(lowest, int(prefix.network_address))
        if prefix.version != table.version or at == len(lowest):
            continue
        if lowest[at] <= int(prefix.broadcast_address):
            yield (
                f"{codec.text(lowest[at], table.version)} lies in {prefix}, the block of {name}: "
                "use another address, or move the block in addressing.pools."
            )


_HOMES = {
    "loopback": ("loopback", CONVERGED, OOB),
    "vtep": ("vtep", CONVERGED),
    "management": ("host_oob", "switch_oob", CONVERGED, OOB),
}


def collisions(rows: Mapping[Device, Row], addresses: Addresses, names: Names) -> Iterator[str]:
    """A sentence for every value that collides, each beginning with the row's line."""
    numbered: dict[int, dict[Switch, int]] = {}
    addressed: dict[tuple[int, int], Row] = {}
    for device, row in rows.items():
        found = itertools.chain(
            _meaning(device, row),
            _name(device, row, rows, names),
            _asn(device, row, addresses, numbered),
            _addresses(device, row, addresses, addressed),
        )
        yield from (f"line {row.line}, {sentence}" for sentence in found)


def _meaning(device: Device, row: Row) -> Iterator[str]:
    role = device.role
    barred: tuple[str, ...] = ("asn", "loopback", "vtep") if role == "node" else ("vtep",)
    barred = () if role in WITH_VTEP else barred
    for column in barred:
        if getattr(row, column):
            yield (
                f"{column}: '{getattr(row, column)}' has no meaning for a {role.replace('_', '-')}: "
                "leave the cell empty."
            )


def _name(device: Device, row: Row, rows: Mapping[Device, Row], names: Names) -> Iterator[str]:
    other = names.device(row.name) if row.name else None
    own = rows.get(other) if other else None
    if other not in (None, device) and (own is None or not own.name):
        yield f"name: '{row.name}' is the plan's name of another device: use a name of its own."


def _asn(
    device: Device, row: Row, addresses: Addresses, numbered: dict[int, dict[Switch, int]]
) -> Iterator[str]:
    """A leaf has its own ASN. Spines may have one each, or share it within their pod or plane."""
    if not row.asn or isinstance(device, Node):
        return
    others = numbered.setdefault(row.asn, {})
    for other, first in others.items():
        if {device.role, other.role} & set(WITH_VTEP):
            yield f"asn: {row.asn} is already in line {first}: give every leaf its own."
            break
        if other.plane == device.plane and _tier(other) != _tier(device):
            yield (
                f"asn: {row.asn} is already in line {first} for another pod or tier, which would drop its "
                "routes: use another."
            )
            break
    if all((one.plane, _tier(one)) != (device.plane, _tier(device)) for one in others):
        others[device] = row.line
    if addresses.leaf_with(row.asn) not in (None, device):
        yield f"asn: {row.asn} is the plan's AS number of another leaf: use one of its own."
    owner = addresses.converged_with(row.asn)
    if owner and _tier_of_all(owner) != _tier_of_all(device):
        role = owner.role.replace("_", "-")
        yield f"asn: {row.asn} is the plan's AS number of another switch ({role}): use one of its own."
    found = addresses.tier_with(row.asn)
    if found and found.plane == device.plane and _tier(found) != _tier(device):
        role = found.role.replace("_", "-")
        yield f"asn: {row.asn} is the plan's AS number of {role}s in the same plane: use another."


def _tier(switch: Switch) -> tuple[str, int]:
    """Super-spines of a plane are one tier, whatever their group."""
    return switch.role, 0 if switch.role == "super_spine" else switch.pod


def _tier_of_all(switch: Switch) -> Switch:
    """The switch, or the first of the converged spines, which share an ASN."""
    return switch._replace(index=0) if ROLES[switch.role].asn.shared else switch


def _addresses(
    device: Device, row: Row, addresses: Addresses, addressed: dict[tuple[int, int], Row]
) -> Iterator[str]:
    for column in _HOMES:
        text = getattr(row, column)
        if not text:
            continue
        said = f"{column}: '{text}'"
        number = codec.number(text)
        first = addressed.setdefault(number, row)
        if first is not row:
            yield f"{said} is already in line {first.line}: give every address to one device."
        yield from (f"{said} {wrong}" for wrong in _place(device, column, number, addresses))


def _place(
    device: Device, column: str, number: tuple[int, int], addresses: Addresses
) -> Iterator[str]:
    address = ipaddress.ip_address(codec.text(*number))
    if addresses.oob and number[1] == 6:
        yield "is of IPv6, and the network of key oob has IPv4 alone: use an address of IPv4."
    for reserved, use in RESERVED.items():
        if address in ipaddress.ip_network(reserved):
            yield f"lies in {reserved} ({use}): use another address."
    for name, prefix in addresses.blocks(number[1]):
        if name not in _HOMES[column] and address in prefix:
            yield (
                f"lies in {prefix}, the block of {name}: use another address, or move the block in "
                "addressing.pools."
            )
            return
    for found in addresses.computed(*number):
        if found.device != device:
            yield "is the plan's address of another device: use another address."
