# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences on addresses of rails that the plan does not have, with the node or tenant to which they belong."""

from __future__ import annotations

import typing as t

from .....module_utils._host.definitions import sentence
from ...description.errors import FabricError
from ...plan.addressing import codec
from ...plan.topology.cabling import Node
from ...tenants import tenant_addresses

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from .....module_utils._host.records import Definition
    from ...plan.fabric import Fabric
    from ...tenants.registry import Registry


def sentences(
    fabric: Fabric, registry: Registry, rows: Iterable[Definition], *, manage: Collection[str]
) -> list[str]:
    """Return a sentence for each record of module host that counts.

    Where `manage` leaves rails to the site, a file of the site may give a rail the planned address.
    """
    ours = "dpu_interfaces" in manage
    due = [row for row in rows if ours or not row["file"] or _others(row)]
    return [sentence(row, _owners(fabric, registry, row["addresses"])) for row in due]


def _others(row: Definition) -> list[str]:
    return [one for one in row["addresses"] if one != row["planned"]]


def _owners(fabric: Fabric, registry: Registry, addresses: t.Sequence[str]) -> t.Mapping[str, str]:
    owners = {cidr: _owner(fabric, registry, cidr.partition("/")[0]) for cidr in addresses}
    return {cidr: owner for cidr, owner in owners.items() if owner}


def _owner(fabric: Fabric, registry: Registry, address: str) -> str:
    """Return whose address it is, "" where neither plan nor registry has it."""
    try:
        places = fabric.addresses.find(*codec.number(address))
    except FabricError:
        return _tenant(fabric, registry, address)
    for place in places:
        device = place.device
        if place.side:
            return "the other end of a cable of the plan"
        if isinstance(device, Node):
            return f"{fabric.name(device)}, {registry.holding(device).slug}"
        return fabric.name(device)
    return ""


def _tenant(fabric: Fabric, registry: Registry, address: str) -> str:
    try:
        return f"tenant {tenant_addresses.places(fabric, registry, address)[0]['tenant']}"
    except (FabricError, ValueError):
        return ""
