# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The owners of VRFs on the networks of the converged fabric: their VRF, VNIs, VLAN and subnet there.

    of(row, owner, description)
    -> [Net(network="front-end", vrf="t21-acme", l3vni=4100021, l2vni=4300021, vlan=21, subnet="10.208.14.0/23"),
        Net(network="storage", vrf="s21-acme", l3vni=4200021, l2vni=4400021, vlan=2021, subnet="10.216.14.0/23")]

All of it follows from the id, unless the row states VLAN or subnet. What does not depend on the description's
block `networks` is there without it.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import typing as t

from ..plan.topology.converged import MEMBERS, STORAGE_LEAF
from . import owners, schema

if t.TYPE_CHECKING:
    from ..description.description import Description
    from ..plan.topology.cabling import Switch
    from .owners import Owner

HOUSE_VLANS = {
    (schema.QUARANTINE, "front-end"): 11,
    (schema.REST, "front-end"): 12,
    (schema.QUARANTINE, "storage"): 13,
}
STORAGE_VLAN = 2000
"""Distance between the VLANs of an owner on its two networks."""
LAST_ID_WITH_VLANS = 1999
SUBINTERFACE_VLAN = 3000
LAST_ID_WITH_SUBINTERFACES = 999
ARRAYS_VRF = "s"
"""Prefix of the VRF of a storage network; that of a front end has the name of the east-west one."""


@dataclasses.dataclass(frozen=True)
class Net:
    """An owner on one network. `vlan` is 0 and `subnet` empty where neither the id nor the row gives one."""

    owner: Owner
    network: t.Literal["east-west", "front-end", "storage"]
    vrf: str
    l3vni: int
    l2vni: int
    vlan: int
    subnet: str
    imports: tuple[str, ...]
    exports: tuple[str, ...]
    vips: tuple[str, ...] = ()

    @property
    def gateway(self) -> str:
        """The first host of the subnet, on every leaf that has it; empty without a subnet."""
        return str(ipaddress.ip_network(self.subnet)[1]) if self.subnet else ""


def east_west(owner: Owner) -> Net:
    """An owner on the east-west network, where nothing is bridged."""
    return Net(owner, "east-west", owner.vrf, owner.l3vni, 0, 0, "", owner.imports, owner.exports)


def of(
    row: schema.Tenant | schema.Service | schema.RetiredTenant,
    owner: Owner,
    description: Description,
) -> list[Net]:
    """A row on the networks that it is entitled to; a former tenant on both, as it may have been there."""
    entitled = schema.OTHERS if isinstance(row, schema.RetiredTenant) else row.entitled
    return [
        _net(owner, network, description, stated=_stated(row, network))
        for network in schema.OTHERS
        if network in entitled
    ]


def house(description: Description) -> list[Net]:
    """Quarantine on both networks, and rest on the front end: nobody has storage there."""
    quarantine, rest = owners.house(description)
    return [
        _net(quarantine, "front-end", description),
        _net(rest, "front-end", description),
        _net(quarantine, "storage", description),
    ]


def _stated(
    row: schema.Tenant | schema.Service | schema.RetiredTenant, network: str
) -> schema.FrontEnd | schema.Storage | None:
    if isinstance(row, schema.RetiredTenant):
        return None
    return row.front_end if network == "front-end" else row.storage


def _net(
    owner: Owner,
    network: t.Literal["front-end", "storage"],
    description: Description,
    *,
    stated: schema.FrontEnd | schema.Storage | None = None,
) -> Net:
    number = owner.id
    l3vni = owners.vni(schema.L3VNI_BASE[network], number, description)
    target = (f"{owners.rt_asn(description)}:{l3vni}",)
    return Net(
        owner,
        network,
        vrf=owner.vrf if network == "front-end" else storage_vrf(owner),
        l3vni=l3vni,
        l2vni=owners.vni(schema.L2VNI_BASE[network], number, description),
        vlan=(stated and stated.vlan) or _vlan(owner, network),
        subnet=(stated and stated.subnet) or subnet(number, network, description),
        imports=target,
        exports=target,
        vips=tuple(stated.vips) if isinstance(stated, schema.Storage) else (),
    )


def storage_vrf(owner: Owner) -> str:
    """The VRF of an owner's storage; its id makes it unique where the slug is cut."""
    return f"{ARRAYS_VRF}{owner.id}-{owner.slug}"[: schema.VRF_NAME_LENGTH].rstrip("-")


def _vlan(owner: Owner, network: str) -> int:
    if (owner.slug, network) in HOUSE_VLANS:
        return HOUSE_VLANS[owner.slug, network]
    vlan = owner.id if network == "front-end" else STORAGE_VLAN + owner.id
    return vlan if owner.id <= LAST_ID_WITH_VLANS and vlan >= schema.FIRST_VLAN else 0


def subinterface(owner: Owner, peer: schema.ExternalPeer) -> int | None:
    """The VLAN of a session's subinterface: None where the port itself is in the VRF, 0 where the id gives none."""
    if not peer.tagged:
        return None
    computed = owner.id <= LAST_ID_WITH_SUBINTERFACES
    return peer.vlan or (SUBINTERFACE_VLAN + owner.id if computed else 0)


def interface(port: str, vlan: int | None) -> str:
    """The interface of a session to the outside: the port, or the subinterface of a VLAN on it (`swp1s0.3021`)."""
    return port if vlan is None else f"{port}.{vlan}"


def index(number: int, count: int) -> int | None:
    """Return an id's number of `count` subnets: quarantine, rest, tenants in turn, services from the end; None:
    none."""
    if number < schema.FIRST_SERVICE_ID:
        return number - 1 if count >= schema.FIRST_SERVICE_ID else None
    services = schema.FIRST_TENANT_ID - schema.FIRST_SERVICE_ID
    if number < schema.FIRST_TENANT_ID:
        at = count - 1 - (number - schema.FIRST_SERVICE_ID)
        return at if at >= schema.REST_ID else None
    at = number - schema.FIRST_TENANT_ID + schema.REST_ID
    return at if at < count - services else None


def subnet(number: int, network: str, description: Description) -> str:
    """The subnet of an id, cut from the network's prefix; empty where it has none left, or there is no network."""
    block = block_of(network, description)
    if block is None:
        return ""
    whole, length = ipaddress.ip_network(block.prefix), block.length
    at = index(number, 1 << max(length - whole.prefixlen, 0))
    if at is None or length < whole.prefixlen:
        return ""
    first = int(whole.network_address) + (at << (32 - length))
    return f"{ipaddress.ip_address(first)}/{length}"


def own_number(leaf: Switch) -> int:
    """Return a leaf's number among its own addresses of a subnet: storage leaves have the odd ones, all others the even
    ones."""
    return (leaf.pod * MEMBERS + leaf.index) * 2 + (leaf.role == STORAGE_LEAF)


def own_address(prefix: str, leaf: Switch) -> str:
    """The own address of a leaf in a subnet, beside the gateway that all leaves share.

    They are the last ones of the subnet, counted from its end, so that more pairs move none.
    """
    return str(ipaddress.ip_network(prefix).broadcast_address - 1 - own_number(leaf))


def block_of(network: str, description: Description) -> t.Any:
    """The block `subnets` of a network; None where the description does not have the network."""
    part = part_of(network, description)
    return part.subnets if part else None


def part_of(network: str, description: Description) -> t.Any:
    """The part of the description's `networks` that a network, or the border, is described by; None without it."""
    return getattr(description.networks, network.replace("-", "_"), None)


def of_arrays(description: Description, version: int) -> list[str]:
    """Return the prefixes of storage arrays, of one version of IP: hosts have routes to these prefixes."""
    part = part_of("storage", description)
    found = [part.subnets.prefix, *part.array_prefixes] if part else []
    return [prefix for prefix in found if ipaddress.ip_network(prefix).version == version]


def as_data(
    row: schema.Tenant | schema.Service, owner: Owner, description: Description
) -> list[dict[str, t.Any]]:
    """The VRF of each network that a row is entitled to, as plain data."""
    found: dict[str, Net | Owner] = {net.network: net for net in of(row, owner, description)}
    return [
        {
            "network": network,
            "vrf": (net := found.get(network, owner)).vrf,
            "l3vni": net.l3vni,
            "imports": list(net.imports),
            "exports": list(net.exports),
        }
        for network in sorted(set(row.entitled))
    ]
