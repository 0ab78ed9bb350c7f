# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of owners on the converged fabric: VLANs, subnets and addresses of storage, each given once."""

from __future__ import annotations

import ipaddress
import typing as t

from ..description.errors import Breach, nearest
from ..plan.topology.converged import EQUIPMENT, FRONT_END, SERVER
from . import capacity, nets, owners, schema

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..description.yaml_source import Key
    from .holdings import Holdings
    from .nets import Net

Listed = tuple["Key", "Net"]
"""A net, with the key of its row; that of an unlisted owner is empty."""
KEYS = {"front-end": "front_end", "storage": "storage"}


def breaches(registry: Holdings) -> Iterator[Breach]:
    """Every broken rule of the networks that the description has."""
    found = [row for row in listed(registry) if nets.part_of(row[1].network, _d(registry))]
    yield from _vlans(registry, found)
    for key, net in found:
        yield from _subnet(registry, key, net)
    yield from _overlaps(registry, found)
    yield from _vips(registry, found)
    yield from _servers(registry)


def _servers(registry: Holdings) -> Iterator[Breach]:
    """Servers of the description are of owners that have a front end; the registry is where these are listed."""
    for server in EQUIPMENT[SERVER].stated(_d(registry).networks):
        for slug in server.tenants:
            net = registry.nets.get((slug, FRONT_END))
            if net is None or not net.owner.customer:
                yield Breach(
                    ("tenants",),
                    f"server {server.name} of the description (networks.front_end.servers) is of '{slug}', and no "
                    f"tenant or service of that slug has the network front-end"
                    f"{nearest(slug, [owner for owner, _network in registry.nets])}: add it, or correct the server.",
                )


def listed(registry: Holdings) -> Iterator[Listed]:
    """Every owner on each network of it: those without a row first."""
    for net in nets.house(_d(registry)):
        yield (), net
    for service in owners.unlisted_services(registry.file.services):
        for net in nets.of(service, owners.of(service, _d(registry)), _d(registry)):
            yield (), net
    for key, row, owner in registry.rows():
        for net in nets.of(row, owner, _d(registry)):
            yield key, net


def _d(registry: Holdings) -> t.Any:
    return registry.fabric.description


def _vlans(registry: Holdings, found: list[Listed]) -> Iterator[Breach]:
    seen: dict[int, Listed] = {}
    first, last = capacity.vlan_range(registry.fabric, registry.file.vrfs_per_leaf)
    for key, net in found:
        here = (*key, KEYS[net.network], "vlan")
        if not net.vlan:
            yield Breach(
                here,
                f"no VLAN follows from the id {net.owner.id} of {net.owner.slug}, as it does from {schema.FIRST_VLAN} "
                f"to {nets.LAST_ID_WITH_VLANS}: add a VLAN of its own, {schema.FIRST_VLAN} to 3999.",
            )
            continue
        if first <= net.vlan <= last:
            yield Breach(
                here,
                f"{net.vlan} of {net.owner.slug} is one of the VLANs {first} to {last}, which leaves keep for L3VNIs: "
                "state another one, or a smaller vrfs_per_leaf.",
            )
        other = seen.setdefault(net.vlan, (key, net))
        if other[1] is not net:
            yield Breach(
                here,
                f"{net.vlan} of {net.owner.slug} is already the VLAN of {_whose(registry, other)}: give each its own.",
            )


def _whose(registry: Holdings, other: Listed) -> str:
    key, net = other
    line = f" (line {registry.source.line(key)})" if key else ""
    return f"{net.owner.slug} on the network {net.network}{line}"


def _subnet(registry: Holdings, key: Key, net: Net) -> Iterator[Breach]:
    """An owner has a subnet: computed as long as the prefix has one for its id."""
    if net.subnet:
        return
    block = nets.block_of(net.network, _d(registry))
    count = 1 << max(block.length - ipaddress.ip_network(block.prefix).prefixlen, 0)
    where = f"networks.{KEYS[net.network]}.subnets"
    yield Breach(
        (*key, KEYS[net.network], "subnet") if key else ("tenants",),
        f"{net.owner.slug} (id {net.owner.id}) has none of the {count} subnets of length {block.length} in "
        f"{block.prefix}: state a subnet here, or make {where} of the description wider.",
    )


def _overlaps(registry: Holdings, found: list[Listed]) -> Iterator[Breach]:
    """No two owners have the same address, on whichever network: one may leak to the other."""
    spans = sorted(
        ((ipaddress.IPv4Network(net.subnet), key, net) for key, net in found if net.subnet),
        key=lambda row: (int(row[0].network_address), row[0].prefixlen),
    )
    wide: tuple[ipaddress.IPv4Network, Key, Net] | None = None
    for one in spans:
        if wide is not None and one[0].overlaps(wide[0]):
            yield _overlap(registry, one, wide)
        if wide is None or one[0].broadcast_address > wide[0].broadcast_address:
            wide = one


def _overlap(registry: Holdings, one: t.Any, two: t.Any) -> Breach:
    """About the later of two rows, and of those the one that states its subnet."""
    first, second = sorted((one, two), key=lambda row: (_states(registry, row), row[1] or ("",)))
    key = (*second[1], KEYS[second[2].network], "subnet")
    return Breach(
        key,
        f"{second[0]} of {second[2].owner.slug} overlaps {first[0]} of {_whose(registry, first[1:])}: give each a "
        "subnet of its own.",
    )


def _states(registry: Holdings, row: t.Any) -> bool:
    net = row[2]
    return bool(net.subnet != nets.subnet(net.owner.id, net.network, _d(registry)))


def _vips(registry: Holdings, found: list[Listed]) -> Iterator[Breach]:
    """Addresses that the array has for an owner are hosts of its own subnet, which no gateway has."""
    for key, net in found:
        if not net.vips or not net.subnet:
            continue
        subnet, seen = ipaddress.IPv4Network(net.subnet), set[str]()
        for number, vip in enumerate(net.vips):
            why = _wrong_vip(vip, net, subnet) or ("stands twice" if vip in seen else "")
            seen.add(vip)
            if why:
                yield Breach(
                    (*key, "storage", "vips", number),
                    f"'{vip}' of {net.owner.slug} {why}: use hosts of {net.subnet} behind {net.gateway}, each once.",
                )


def _wrong_vip(vip: str, net: Net, subnet: ipaddress.IPv4Network) -> str:
    address = ipaddress.ip_address(vip)
    if address not in subnet:
        return "is not in its subnet"
    if vip == net.gateway:
        return "is the gateway"
    if int(address) >= int(subnet.network_address) + 3 * subnet.num_addresses // 4:
        return "is in the last quarter of its subnet, where the leaves have addresses"
    ends = (subnet.network_address, subnet.broadcast_address)
    return "is not a host of its subnet" if address in ends else ""
