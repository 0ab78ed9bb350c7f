# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Context of the streams of things: the fabric, its registry, the part, names of a site, and keys."""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from ...catalog.data import table
from ...plan.topology.cabling import Node
from .part import WHOLE, Part
from .things import BORDER, Ref

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Device, NicPort
    from ...tenants.holdings import Holding
    from ...tenants.nets import Net
    from ...tenants.owners import Owner
    from ...tenants.registry import Registry


@dataclasses.dataclass(frozen=True)
class Names:
    """Names of a site for the things that a fabric only refers to; empty is the default.

    `location` is the NetBox site or Nautobot location, by default the fabric's name: two fabrics at one
    location must not have devices with equal names. `rd` is `none` or `target`, see `shared.py`. `link_vrfs`
    is whether the prefixes of node links are in VRFs.
    """

    location: str = ""
    location_type: str = "Site"
    namespace: str = "Global"
    rir: str = "RFC 6996"
    rd: t.Literal["none", "target"] = "none"
    link_vrfs: bool = True


DEFAULT = Names()
"""Names of a site that states none."""


@dataclasses.dataclass(frozen=True)
class Context:
    """A part of a fabric and how to refer to its things."""

    fabric: Fabric
    registry: Registry
    part: Part = WHOLE
    names: Names = DEFAULT

    @functools.cached_property
    def location(self) -> Ref:
        """Location of all devices."""
        return Ref("location", self.names.location or self.fabric.description.name)

    def key(self, *parts: str) -> str:
        """`lab/leaf-p1-su001-r1/swp1s0`."""
        return "/".join((self.fabric.description.name, *parts))

    def place(self, device: Device) -> str:
        """The plan's name of a device, which stays when the site gives it another one."""
        return self.fabric.names.name(device)

    def device(self, device: Device) -> Ref:
        """A device."""
        return Ref("device", self.key(self.place(device)))

    def interface(self, device: Device, port: str) -> Ref:
        """An interface by its name at the site."""
        return Ref("interface", self.key(self.place(device), port))

    def vrf(self, owner: Owner) -> Ref:
        """The VRF of an owner."""
        return self.named_vrf(owner.vrf)

    def named_vrf(self, name: str) -> Ref:
        """A VRF by its name."""
        return Ref("vrf", self.key(name))

    def vlan(self, net: Net) -> Ref:
        """The VLAN of an owner on a network of the converged fabric."""
        return Ref("vlan", self.key("vlan", net.vrf))

    def border_vlan(self, vid: int) -> Ref:
        """The VLAN of subinterfaces to the outside."""
        return Ref("vlan", self.key("vlan", BORDER, str(vid)))

    def tenant(self, owner: Owner) -> Ref | str:
        """The tenant of an owner; none for the house and its services."""
        return Ref("tenant", self.key(owner.slug)) if owner.kind == "tenant" else ""

    def owner(self, holding: Holding) -> Owner:
        """The owner that a holding is of."""
        return self.registry.owners[holding.slug]

    def host_links(self, node: Node) -> Iterator[tuple[NicPort, ...]]:
        """The NIC ports of a node, those that share one pair of addresses together (hardware balancing)."""
        same: dict[tuple[int, int], list[NicPort]] = {}
        for nic in self.fabric.cabling.nic_ports():
            same.setdefault(self.fabric.addresses.link(node, nic), []).append(nic)
        for nics in same.values():
            yield tuple(nics)


def words() -> dict[str, t.Any]:
    """Return the names of things in a DCIM: `catalog/dcim.yaml`."""
    return t.cast("dict[str, t.Any]", table("dcim"))
