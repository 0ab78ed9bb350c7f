# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prefix sets: what a tenant's hosts are, collapsed, for storage systems and access lists.

    prefixes(fabric, registry, "acme")
    -> [{network: east-west, plane: 0, rail: 0, prefixes: ["172.16.0.0/29"]}, ...]

East-west addresses depend on the place alone, so a move changes these sets and no address.
"""

from __future__ import annotations

import typing as t

from ..description._third_party import netaddr
from ..description.errors import NotInFabric
from ..plan.addressing import codec
from ..plan.topology.cabling import HOST, NicPort, Node, Port, Switch
from . import attachments, schema

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ..plan.fabric import Fabric
    from ..plan.locate import Place
    from .registry import Registry


def link_prefix(fabric: Fabric, node: Node, nic: NicPort) -> tuple[int, int]:
    """(first address, prefix length) of a host link."""
    return _link(fabric, fabric.addresses.link(node, nic)[0])


def link_at(fabric: Fabric, address: str) -> tuple[int, int]:
    """The host link that an address of its node or leaf is in, as `link_prefix` has it."""
    return _link(fabric, codec.number(address)[0])


def _link(fabric: Fabric, host: int) -> tuple[int, int]:
    length = fabric.addresses.link_length
    free = (32 if fabric.addresses.version == 4 else 128) - length
    return host >> free << free, length


def collapsed(fabric: Fabric, links: Iterable[tuple[int, int]]) -> list[str]:
    """Links as the fewest prefixes that hold exactly them, in order."""
    version = t.cast("t.Literal[4, 6]", fabric.addresses.version)
    networks = [netaddr.IPNetwork((first, length), version) for first, length in set(links)]
    return [str(network) for network in netaddr.cidr_merge(networks)]


def explained(
    prefixes: Collection[str], links: Collection[str], others: Collection[str] = ()
) -> set[str]:
    """The prefixes that hold some of the links, and nothing besides links and others."""
    made = set(prefixes) & set(links)
    if not links or len(made) == len(prefixes):
        return made
    some = netaddr.IPSet(links)
    left = [p for p in prefixes if p not in made and not some.isdisjoint(netaddr.IPSet([p]))]
    whole = some | netaddr.IPSet(others if left else ())
    return made | {prefix for prefix in left if netaddr.IPNetwork(prefix) in whole}


def links_of(
    fabric: Fabric, nodes: Iterable[Node], *, plane: int, rail: int
) -> Iterator[tuple[int, int]]:
    """The host links of nodes on one plane and rail."""
    nic = NicPort(rail, plane)
    return (link_prefix(fabric, node, nic) for node in nodes)


def tenant_prefixes(fabric: Fabric, registry: Registry, slug: str) -> list[Prefixes]:
    """The prefix set of a tenant for each network, plane and rail; planes and rails from 0.

    Where nodes are on a bond their addresses are the tenant's: its subnet.
    """
    owner = registry.owner(slug)
    return of_nodes(fabric, registry.nodes_of(owner.slug), nets=_nets(registry, slug))


class Prefixes(t.TypedDict):
    """A prefix set of a network; the east-west one has a set for each plane and rail."""

    network: str
    plane: t.NotRequired[int]
    rail: t.NotRequired[int]
    prefixes: list[str]


_Subnets = dict[str, list[str]]
"""The subnets of an owner by network."""


def _nets(registry: Registry, slug: str) -> _Subnets:
    owner = registry.owners[slug]
    entitled = registry.tenant(slug).entitled if owner.kind == "tenant" else ("east-west",)
    found = {network: registry.nets.get((slug, network)) for network in sorted(set(entitled))}
    return {network: [net.subnet] if net and net.subnet else [] for network, net in found.items()}


def of_node(
    fabric: Fabric, registry: Registry, node: Node, slug: str, *, without: Collection[Node] = ()
) -> list[Prefixes]:
    """Return a node's part of the set of one owner, as a storage hook gets it for a move.

    The subnet of the owner is in it, unless the owner has other nodes than those of `without`: they need it.
    """
    needed = without and not {*registry.nodes_of(slug)} <= {*without}
    found = _nets(registry, slug)
    return of_nodes(fabric, [node], nets={name: [] for name in found} if needed else found)


def of_nodes(
    fabric: Fabric, nodes: Iterable[Node], *, nets: Mapping[str, list[str]] | None = None
) -> list[Prefixes]:
    """Return prefixes like `tenant_prefixes`, of any nodes on `nets` with their subnets there: east-west by default."""
    held, made = list(nodes), list[Prefixes]()
    for network, subnets in (nets or {"east-west": []}).items():
        if network == "east-west":
            made += [
                {
                    "network": network,
                    "plane": nic.plane,
                    "rail": nic.rail,
                    "prefixes": collapsed(
                        fabric, links_of(fabric, held, plane=nic.plane, rail=nic.rail)
                    ),
                }
                for nic in fabric.cabling.nic_ports()
            ]
        else:
            found = [*subnets, *attachments.routed_prefixes(fabric, held, network)]
            made.append({"network": network, "prefixes": found})
    return made


def tenant_of(fabric: Fabric, registry: Registry, text: str) -> list[NodePrefixes]:
    """Return the tenants of a node, `leaf:port` or address: one row for each place that it means.

    Each row: {node, slug, id, vrf, kind, up, group, moving}. NotInFabric when it is not a place of a
    node, such as a spine.
    """
    nodes = {_node(fabric, place) for place in fabric.locate(text)} - {None}
    if not nodes:
        raise NotInFabric.of(
            f"'{text}' is not a place of a node, so it has no tenant: use a node, a leaf's host port "
            f"such as {_some_port(fabric)}, or an address of either."
        )
    return [describe(fabric, registry, node) for node in sorted(t.cast("set[Node]", nodes))]


def _some_port(fabric: Fabric) -> str:
    leaf = next(fabric.switches(), next(fabric.cabling.switches()))
    return f"{fabric.name(leaf)}:{fabric.port_name(leaf, Port(HOST, 0))}"


def _node(fabric: Fabric, place: Place) -> Node | None:
    device = fabric.device(place.get("node") or place["device"])
    return device if isinstance(device, Node) and not isinstance(device, Switch) else None


class NodePrefixes(t.TypedDict):
    """Holding of a node, as plain data."""

    node: str
    present: bool
    slug: str
    id: int
    kind: str
    vrf: str
    up: bool
    group: str | None
    moving: dict[str, str] | None
    managed: bool


def describe(fabric: Fabric, registry: Registry, node: Node) -> NodePrefixes:
    """Holding of a node, as plain data."""
    holding = registry.holding(node)
    owner = registry.owners[holding.slug]
    record = holding.moving
    return {
        "node": fabric.name(node),
        "present": fabric.present(node),
        "slug": owner.slug,
        "id": owner.id,
        "kind": owner.kind,
        "vrf": owner.vrf,
        "up": holding.up,
        "group": holding.group,
        "moving": {"from": record.from_, "to": record.to, "step": record.step} if record else None,
        "managed": owner.kind != "tenant" or registry.tenant(owner.slug).host_access == "managed",
    }


def is_house(slug: str) -> bool:
    """Check whether this slug has nodes that nobody rents."""
    return slug in (schema.QUARANTINE, schema.REST)
