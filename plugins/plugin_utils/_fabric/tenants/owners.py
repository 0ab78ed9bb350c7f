# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The owners of VRFs: quarantine, rest, services and tenants, each with its numbers.

    Owner(id=21, slug="acme", kind="tenant", vrf="t21-acme", l3vni=4000021, rd_id=21, ...)

Numbers follow from the id unless the registry takes over existing ones. Route targets are explicit,
`rt_asn:l3vni`, because those derived from a 4-byte ASN keep only its lower half.
"""

from __future__ import annotations

import dataclasses
import typing as t

from . import schema

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ..description.description import Description

RAIL_STEP = 10_000_000
"""Distance between the route targets of two rails; no site's L3VNI is that far from another one's rail."""


@dataclasses.dataclass(frozen=True)
class Owner:
    """One VRF's numbers; `l3vni` is 0 for a VRF that stays on its leaf."""

    id: int
    slug: str
    kind: t.Literal["quarantine", "rest", "service", "tenant"]
    vrf: str
    l3vni: int
    rd_id: int
    imports: tuple[str, ...]
    exports: tuple[str, ...]
    routes: str = "exact"
    reaches: tuple[str, ...] = ()

    @property
    def customer(self) -> bool:
        """Check whether only tenant playbooks may take ports out of the VRF."""
        return self.kind in ("tenant", "service")

    def exported(self, rails: Iterable[int]) -> tuple[str, ...]:
        """Route targets that a leaf of these rails attaches to its routes."""
        if self.routes != "rail":
            return self.exports
        return (*self.exports, *(rail_target(rt, rail) for rt in self.exports for rail in rails))

    def imported(self, rails: Iterable[int]) -> tuple[str, ...]:
        """Route targets whose routes a leaf of these rails takes from the VRF itself."""
        if self.routes != "rail":
            return self.imports
        return tuple(rail_target(rt, rail) for rt in self.imports for rail in rails)


def rail_target(route_target: str, rail: int) -> str:
    """The route target of one rail: `64512:4000021`, rail 2 -> `64512:34000021`."""
    administrator, number = route_target.split(":")
    return f"{administrator}:{int(number) + (rail + 1) * RAIL_STEP}"


def rt_asn(description: Description) -> int:
    """The 2-byte administrator of route targets."""
    return description.routing.rt_asn or 64512 + description.site


def house(description: Description) -> list[Owner]:
    """The VRFs of nodes that nobody rents. Quarantine has no L3VNI: nothing leaves the leaf."""
    l3vni = vni(schema.L3VNI_BASE["east-west"], schema.REST_ID, description)
    target = (f"{rt_asn(description)}:{l3vni}",)
    return [
        Owner(1, schema.QUARANTINE, "quarantine", "t1-quarantine", 0, 1, (), ()),
        Owner(2, schema.REST, "rest", "t2-rest", l3vni, 2, target, target),
    ]


def vni(base: int, number: int, description: Description) -> int:
    """The VNI of an owner's id: the site is in it, so that two fabrics can be joined later."""
    return base + number + description.site * schema.SITE_STEP


def unlisted(services: Collection[schema.Service], description: Description) -> list[Owner]:
    """The VRFs that are there without being listed: the house's, and services that no row replaces."""
    made = (of(row, description) for row in unlisted_services(services))
    return [*house(description), *made]


def unlisted_services(services: Collection[schema.Service]) -> list[schema.Service]:
    """The services that are there without being listed."""
    listed: set[str | int] = {value for row in services for value in (row.slug, row.id)}
    return [
        schema.Service(id=number, slug=slug)
        for slug, number in schema.DEFAULT_SERVICES.items()
        if not listed & {slug, number}
    ]


def of(
    row: schema.Tenant | schema.Service | schema.RetiredTenant, description: Description
) -> Owner:
    """The VRF of a row on the east-west network.

    Whether the routes of a former tenant went by rail is forgotten, so they may have.
    """
    l3vni = row.l3vni or vni(schema.L3VNI_BASE["east-west"], row.id, description)
    target = (f"{rt_asn(description)}:{l3vni}",)
    taken = row.route_targets
    unrented = "rail" if isinstance(row, schema.RetiredTenant) else "exact"
    return Owner(
        id=row.id,
        slug=row.slug,
        kind="service" if isinstance(row, schema.Service) else "tenant",
        vrf=row.vrf or f"t{row.id}-{row.slug}",
        l3vni=l3vni,
        rd_id=row.rd_id or row.id,
        imports=tuple(taken.imports) if taken else target,
        exports=tuple(taken.exports) if taken else target,
        routes=row.routes if isinstance(row, schema.Tenant) else unrented,
        reaches=tuple(row.shared) if isinstance(row, schema.Tenant) else (),
    )
