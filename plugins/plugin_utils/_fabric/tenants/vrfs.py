# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The VRFs of one leaf: names, numbers, ports, and the routes that each should hold.

    tenant_vrfs(fabric, registry, leaf)
    -> [{vrf: t21-acme, id: 21, slug: acme, kind: tenant, l3vni: 4000021, rd: "10.128.0.1:21",
         imports: ["64512:4000021"], exports: ["64512:4000021"], ports: [...], routes: [...]}]

A leaf on which an owner has no port has none of its VRF. The cost follows the leaf's ports; only
`routes` follows the tenant's size, and is left out when not asked for.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..plan.addressing import codec
from ..plan.topology.cabling import HOST, NicPort, Node, Port, Switch
from . import prefixes
from .holdings import Holding
from .schema import QUARANTINE

if t.TYPE_CHECKING:
    from ..plan.fabric import Fabric
    from .owners import Owner
    from .registry import Registry


@dataclasses.dataclass(frozen=True)
class HostPort:
    """A host port of a leaf: its node, NIC port, who holds it, and whether it is built."""

    name: str
    node: Node
    nic: NicPort
    holding: Holding
    present: bool

    @property
    def slug(self) -> str:
        """Who has the port: quarantine, where its node is not built."""
        return self.holding.slug if self.present else QUARANTINE


class VrfPort(t.TypedDict):
    """A host port in a VRF, as plain data; `peer_address` is the node's."""

    port: str
    node: str
    nic: str
    rail: int
    address: str
    peer_address: str
    length: int
    up: bool
    present: bool
    group: str | None
    moving: bool


class Vrf(t.TypedDict):
    """A VRF of a leaf, as plain data; `l3vni` and `rd` are None in quarantine."""

    vrf: str
    id: int
    slug: str
    kind: str
    l3vni: int | None
    rd: str | None
    imports: list[str]
    exports: list[str]
    collapse: bool
    ports: list[VrfPort]
    routes: t.NotRequired[list[str]]


def host_ports(fabric: Fabric, registry: Registry, leaf: Switch) -> list[HostPort]:
    """The host ports of a leaf in the order of its cages."""
    made = []
    for index in range(fabric.clos.leaf_host.count):
        end = fabric.cabling.host_end(leaf, index)
        if end is None:
            continue
        node, nic = end
        name = fabric.port_name(leaf, Port(HOST, index))
        made.append(HostPort(name, node, nic, registry.holding(node), fabric.present(node)))
    return made


def rails_of(ports: list[HostPort]) -> list[int]:
    """The rails of a leaf's host ports."""
    return sorted({port.nic.rail for port in ports})


def tenant_vrfs(
    fabric: Fabric, registry: Registry, leaf: Switch, *, routes: bool = True
) -> list[Vrf]:
    """The VRFs of a leaf by id; see the module for the shape. Spines have none."""
    if leaf.role != "leaf":
        return []
    ports = host_ports(fabric, registry, leaf)
    rails = rails_of(ports)
    held: dict[str, list[HostPort]] = {QUARANTINE: []}
    for port in ports:
        held.setdefault(port.slug, []).append(port)
    loopback = codec.text(fabric.addresses.loopback(leaf), 4)
    made = []
    for owner in sorted((registry.owners[slug] for slug in held), key=lambda o: o.id):
        row = _vrf(fabric, registry, owner, rails=rails, loopback=loopback)
        row["ports"] = [_port(fabric, port) for port in held[owner.slug]]
        if routes:
            row["routes"] = expected_routes(fabric, registry, owner, leaf, rails=rails)
        made.append(row)
    return made


def _vrf(
    fabric: Fabric, registry: Registry, owner: Owner, *, rails: list[int], loopback: str
) -> Vrf:
    return {
        "vrf": owner.vrf,
        "id": owner.id,
        "slug": owner.slug,
        "kind": owner.kind,
        "l3vni": owner.l3vni or None,
        "rd": f"{loopback}:{owner.rd_id}" if owner.l3vni else None,
        "imports": sorted({*owner.imported(rails), *leaks(registry, owner)}),
        "exports": sorted(owner.exported(rails)),
        "collapse": owner.routes == "leaf",
        "ports": [],
    }


def leaks(registry: Registry, owner: Owner) -> list[str]:
    """Route targets of other VRFs that are imported too."""
    return [rt for slug in registry.leaked(owner) for rt in registry.owners[slug].exports]


def _port(fabric: Fabric, port: HostPort) -> VrfPort:
    ends = fabric.addresses.ends(port.node, port.nic)
    return {
        "port": port.name,
        "node": fabric.name(port.node),
        "nic": fabric.names.nic(port.nic),
        "rail": port.nic.rail,
        "address": ends.high,
        "peer_address": ends.low,
        "length": ends.length,
        "up": port.holding.up and port.present,
        "present": port.present,
        "group": port.holding.group,
        "moving": port.holding.moving is not None,
    }


def expected_routes(
    fabric: Fabric, registry: Registry, owner: Owner, leaf: Switch, *, rails: list[int]
) -> list[str]:
    """The prefixes that an owner's VRF on a leaf holds.

    Quarantine holds the leaf's own links only. Others hold the links of every node of theirs in
    the leaf's plane: all rails, or the leaf's own where routes are scoped by rail. Where routes are
    collapsed, every leaf announces the fewest prefixes, and holds its own links besides.
    """
    if not owner.l3vni:
        return _own(fabric, registry, leaf, owner)
    seen = _rails_seen(fabric, leaf)
    wanted = [rail for rail in seen if owner.routes != "rail" or rail in rails]
    made = _caused(fabric, registry, owner, plane=leaf.plane, rails=wanted)
    made += leaked_routes(fabric, registry, owner, leaf)
    if owner.routes == "leaf":
        made += _own(fabric, registry, leaf, owner)
    return list(dict.fromkeys(made))


def leaked_routes(fabric: Fabric, registry: Registry, owner: Owner, leaf: Switch) -> list[str]:
    """What an owner's VRF on a leaf holds of others, by leaking."""
    rails, made = _rails_seen(fabric, leaf), list[str]()
    for slug in registry.leaked(owner):
        made += _caused(fabric, registry, registry.owners[slug], plane=leaf.plane, rails=rails)
    return made


def _rails_seen(fabric: Fabric, leaf: Switch) -> list[int]:
    return [leaf.plane] if fabric.clos.by_rail else list(range(fabric.clos.rails))


def _own(fabric: Fabric, registry: Registry, leaf: Switch, owner: Owner) -> list[str]:
    ports = host_ports(fabric, registry, leaf)
    own = [port for port in ports if port.slug == owner.slug and port.present and port.holding.up]
    return [str(fabric.addresses.ends(port.node, port.nic).prefix) for port in own]


def _caused(
    fabric: Fabric, registry: Registry, owner: Owner, *, plane: int, rails: list[int]
) -> list[str]:
    """The routes that an owner's nodes cause on one plane."""
    if owner.routes == "leaf":
        return list(_collapsed(fabric, registry, owner, plane=plane, rails=rails))
    made: list[str] = []
    for rail in rails:
        made += _rail(fabric, registry, owner, plane=plane, rail=rail)
    return made


def _rail(fabric: Fabric, registry: Registry, owner: Owner, *, plane: int, rail: int) -> list[str]:
    """The links of an owner's nodes on one plane and rail, computed once a registry."""

    def work() -> list[str]:
        version = fabric.addresses.version
        links = prefixes.links_of(fabric, _up(registry, owner), plane=plane, rail=rail)
        return [f"{codec.text(first, version)}/{length}" for first, length in links]

    return registry.cached(("routes", owner.slug, plane, rail), work)


def _collapsed(
    fabric: Fabric, registry: Registry, owner: Owner, *, plane: int, rails: list[int]
) -> list[str]:
    """The links of an owner's nodes on one plane, collapsed by leaf; computed once a registry."""

    def work() -> list[str]:
        by_leaf: dict[Switch, list[tuple[int, int]]] = {}
        for rail in rails:
            nic = NicPort(rail, plane)
            for node in _up(registry, owner):
                leaf, _index = fabric.cabling.leaf_of(node, nic)
                by_leaf.setdefault(leaf, []).append(prefixes.link_prefix(fabric, node, nic))
        return [p for links in by_leaf.values() for p in prefixes.collapsed(fabric, links)]

    return registry.cached(("collapsed", owner.slug, plane, *rails), work)


def _up(registry: Registry, owner: Owner) -> list[Node]:
    return [node for node in registry.nodes_of(owner.slug) if registry.holding(node).up]
