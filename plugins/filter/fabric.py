# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ..plugin_utils._edge.project import fabric
from ..plugin_utils._edge.refusals import Refusal, sentences
from ..plugin_utils._fabric.description.errors import FabricError
from ..plugin_utils._fabric.plan.locate import address_of
from ..plugin_utils._fabric.plan.topology.cabling import Switch
from ..plugin_utils._fabric.tenants import prefixes, vrfs
from ..plugin_utils._fabric.tenants.registry import Registry


@sentences(Refusal)
def address(
    place: str | dict[str, t.Any], description: str | None = None, side: str = "host"
) -> str:
    """The address of a place, as text."""
    return address_of(fabric(description), place, side=side)


@sentences(Refusal)
def locate(text: str, description: str | None = None) -> list[dict[str, t.Any]]:
    """The places of an address or name, as plain data."""
    return fabric(description).locate(str(text))


_VRF = ("vrf", "id", "slug", "kind", "l3vni", "rd", "imports", "exports", "collapse", "routes")
"""The keys of an east-west VRF, besides its ports."""


@sentences(Refusal)
def tenant_vrfs(
    leaf: str, description: str | None = None, registry: str | None = None, routes: bool = True
) -> list[dict[str, t.Any]]:
    """The VRFs of a leaf, as plain data."""
    plan = fabric(description)
    device = plan.known(str(leaf))
    if not isinstance(device, Switch):
        raise FabricError.of(f"'{leaf}' is a node: name a leaf.")
    if device.role != "leaf":
        return []
    rows = vrfs.of_leaf(plan, Registry.load(plan, registry), device, with_routes=routes)
    found: list[dict[str, t.Any]] = [{**row} for row in rows]
    return [
        {**{key: row[key] for key in _VRF if key in row}, "ports": row["routed"]} for row in found
    ]


@sentences(Refusal)
def tenant_prefixes(
    slug: str, description: str | None = None, registry: str | None = None
) -> list[dict[str, t.Any]]:
    """The prefix sets of a tenant, as plain data."""
    plan = fabric(description)
    return prefixes.tenant_prefixes(plan, Registry.load(plan, registry), str(slug))


@sentences(Refusal)
def tenant_of(
    text: str, description: str | None = None, registry: str | None = None
) -> list[dict[str, t.Any]]:
    """Return the tenants of a node, a port or an address, as plain data."""
    plan = fabric(description)
    return prefixes.tenant_of(plan, Registry.load(plan, registry), str(text))


class FilterModule:
    """Places to addresses and back; tenants of leaves and places, and their prefixes."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """By name."""
        return {
            made.__name__: made
            for made in (address, locate, tenant_vrfs, tenant_prefixes, tenant_of)
        }
