# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The VRFs of one leaf, whatever its network: names, numbers, ports, VLANs, sessions to the outside, routes.

    of_leaf(fabric, registry, leaf)
    -> [{vrf: t21-acme, id: 21, slug: acme, kind: tenant, network: east-west, l3vni: 4000021, rd: "10.128.0.1:21",
         imports: ["64512:4000021"], exports: ["64512:4000021"], routed: [...], segments: [], sessions: [], ...}]

A leaf has the VRFs of owners that have a node port, a VLAN of an array or server, or a session there, and quarantine
wherever it has ports of nodes. East-west VRFs have routed ports alone. The cost follows the leaf's ports; only
`routes` follows the tenant's size, and is left out when not asked for.
"""

from __future__ import annotations

import functools
import typing as t

from ..plan.addressing import codec
from ..plan.slices import mtu
from ..plan.topology.cabling import EAST_WEST
from ..plan.topology.converged import EQUIPMENT, LEAVES, STORAGE, WITH_VTEP
from . import attachments, capacity, converged, nets, routes, schema
from .schema import QUARANTINE, REST

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..plan.fabric import Fabric
    from ..plan.slices import ConvergedPort, ConvergedSlice
    from ..plan.topology.cabling import Switch
    from .attachments import Attachment
    from .nets import Net
    from .registry import Registry


class SegmentPort(t.TypedDict):
    """A bond, or the single port of an array or server, in a VLAN; `node` is who is behind it."""

    bond: str
    tagged: bool
    node: str
    up: bool


class Segment(t.TypedDict):
    """One VLAN of a VRF on a leaf. `isolated`: neighbours must not reach each other."""

    vlan: int
    l2vni: int
    subnet: str
    gateway: str
    mtu: int
    relay: list[str]
    ports: list[SegmentPort]
    isolated: bool


class RoutedPort(t.TypedDict):
    """A node's routed port; `address` is the leaf's. `rail` is None beyond the east-west network."""

    port: str
    node: str
    nic: str
    rail: int | None
    address: str
    peer_address: str
    length: int
    up: bool
    present: bool
    group: str | None
    moving: bool


class Session(t.TypedDict):
    """One BGP session to the outside.

    Without `vlan` the port itself is in the VRF; without addresses the session is unnumbered. With `local_as_added` the
    peer sees the leaf's own AS number behind `local_asn`.
    """

    name: str
    link: str
    port: str
    vlan: int | None
    address: str | None
    peer_address: str | None
    length: int
    local_asn: int
    local_as_added: t.NotRequired[bool]
    asn: int
    password: bool
    bfd: bool
    ttl_security: int | None
    accept_default: bool
    accept: list[str]
    announce: list[str]
    maximum: int
    warning: int
    reestablish: int


class Leak(t.TypedDict):
    """Routes that the VRF takes from another one of the same leaf: those prefixes, and no other."""

    vrf: str
    prefixes: list[str]


class Vrf(t.TypedDict):
    """A VRF of a leaf, as plain data.

    `version`: that of IP, 4 or 6. `l3vni` and `rd` are None where nothing leaves the leaf: in east-west quarantine.
    `l3vlan` is 0 where the switch chooses it, on the east-west network. `allowed`: in a VRF of the house the only
    destinations. `collapse`: the leaf announces the fewest prefixes.
    """

    vrf: str
    id: int
    slug: str
    kind: str
    network: str
    version: int
    l3vni: int | None
    l3vlan: int
    rd: str | None
    imports: list[str]
    exports: list[str]
    collapse: bool
    segments: list[Segment]
    routed: list[RoutedPort]
    sessions: list[Session]
    allowed: list[str]
    leaks: list[Leak]
    routes: t.NotRequired[list[str]]


def of_leaf(
    fabric: Fabric, registry: Registry, switch: Switch, *, with_routes: bool = False
) -> list[Vrf]:
    """The VRFs of a leaf by id; see the module. Other switches have none."""
    if switch.role not in WITH_VTEP:
        return []
    leaf = _Leaf(fabric, registry, switch)
    leaf.take_nodes()
    if switch.role not in LEAVES:
        leaf.take_quarantine()
    else:
        leaf.take_equipment()
        leaf.take_house()
        leaf.take_sessions()
    rows = leaf.rows()
    for row in rows if with_routes else ():
        owner = registry.owners[row["slug"]]
        row["routes"] = routes.expected_routes(fabric, registry, owner, switch, rails=leaf.rails)
    return rows


class _Leaf:
    """The VRFs of one leaf while they are collected."""

    def __init__(self, fabric: Fabric, registry: Registry, switch: Switch) -> None:
        self.fabric, self.registry, self.switch = fabric, registry, switch
        self.ports = list(attachments.on_leaf(fabric, switch))
        self.rails = attachments.rails_of(self.ports)
        self.made: dict[tuple[str, str], Vrf] = {}

    @functools.cached_property
    def own(self) -> ConvergedSlice:
        """The slice of the leaf."""
        return t.cast("ConvergedSlice", self.fabric.slice(self.switch))

    def rows(self) -> list[Vrf]:
        """Return the VRFs that were collected, by id, with the VLANs of the L3VNIs where the plan chooses them."""
        rows = sorted(self.made.values(), key=lambda row: (row["id"], row["network"]))
        chosen = [row for row in rows if not attachments.POLICIES[row["network"]].rails]
        for row, vlan in zip(chosen, l3vlans(chosen, self._vlan_range())):
            row["l3vlan"] = vlan
        return rows

    def take_nodes(self) -> None:
        """The ports of nodes, and quarantine wherever a leaf has such ports, also while nobody is in it."""
        for at in self.ports:
            slug, up = attachments.holder(self.registry, at)
            if not at.tagged:
                self._quarantine(at)
            elif slug == QUARANTINE:
                continue  # without the VLAN the bond has no storage
            net = self.registry.net(slug, at.network)
            if at.routed:
                self._vrf(net)["routed"].append(self._routed(at, up=up))
            else:
                name = self.fabric.name(at.node)
                port: SegmentPort = {"bond": at.port, "tagged": at.tagged, "node": name, "up": up}
                self._segment(net)["ports"].append(port)

    def take_quarantine(self) -> None:
        """East-west quarantine, also on a leaf without ports."""
        self._vrf(self.registry.net(QUARANTINE, EAST_WEST))

    def _routed(self, at: Attachment, *, up: bool) -> RoutedPort:
        holding = self.registry.holding(at.node)
        return {
            "port": at.port,
            "node": self.fabric.name(at.node),
            "nic": at.nic,
            "rail": at.rail,
            "address": at.gateway,
            "peer_address": at.address,
            "length": at.length,
            "up": up,
            "present": at.present,
            "group": holding.group,
            "moving": holding.moving is not None,
        }

    def _quarantine(self, at: Attachment) -> None:
        net = self.registry.net(QUARANTINE, at.network)
        if at.routed:
            self._vrf(net)
        else:
            self._segment(net)

    def take_equipment(self) -> None:
        """The ports of arrays and servers: a VLAN of every owner that they serve. A server of one has it untagged."""
        for port in self.own["ports"]:
            served = converged.served(self.fabric, self.registry, port)
            for net in served:
                self._segment(net)["ports"].append(
                    {
                        "bond": port.get("bond") or port["port"],
                        "tagged": len(served) > 1 or not EQUIPMENT[port["kind"]].untagged,
                        "node": port["peer"]["device"],
                        "up": True,
                    }
                )
        if converged.shared(self.fabric) and any("array" in port for port in self.own["ports"]):
            self._leak(list(converged.with_arrays(self.fabric, self.registry)))

    def _leak(self, services: Iterable[Net]) -> None:
        """Each tenant and the service learn of each other, and no tenant of another one."""
        tenants = [
            net for net in converged.with_storage(self.registry) if net.owner.kind == "tenant"
        ]
        for service in services:
            for tenant in tenants:
                for to, of in ((tenant, service), (service, tenant)):
                    found = converged.own_prefixes(self.fabric, self.registry, of)
                    if found:
                        self._vrf(to)["leaks"].append({"vrf": of.vrf, "prefixes": found})

    def take_house(self) -> None:
        """On the pair behind which the provisioning servers are: quarantine and rest."""
        provisioning = converged.provisioning_of(self.fabric)
        if provisioning and provisioning.border == self.fabric.names.pair(self.switch):
            for slug in (QUARANTINE, REST):
                self._vrf(self.registry.nets[slug, "front-end"])

    def take_sessions(self) -> None:
        """The sessions of tenants, and of the house."""
        ports = {port["link"]: port for port in self.own["ports"] if port.get("link")}
        for net, peer in converged.sessions(self.fabric, self.registry, ports):
            row = self._vrf(net)
            row["sessions"].append(self._session(ports[peer.link], net, peer))

    def _session(self, port: ConvergedPort, net: Net, peer: schema.ExternalPeer) -> Session:
        address, _slash, length = (peer.address or "").partition("/")
        made: Session = {
            "name": peer.name,
            "link": peer.link,
            "port": port["port"],
            "vlan": nets.subinterface(net.owner, peer),
            "address": address or None,
            "peer_address": peer.peer_address,
            "length": int(length or 0),
            "local_asn": converged.local_as(self.fabric, peer) or self.own["asn"],
            "asn": peer.asn,
            "password": peer.password,
            "bfd": peer.bfd,
            "ttl_security": peer.ttl_security,
            "accept_default": peer.default,
            "accept": list(peer.prefixes),
            "announce": converged.own_prefixes(self.fabric, self.registry, net),
            "maximum": peer.maximum,
            "warning": peer.warning,
            "reestablish": peer.reestablish_wait,
        }
        return made if peer.local_as_replaces else {**made, "local_as_added": True}

    def _vrf(self, net: Net) -> Vrf:
        key = (net.owner.slug, net.network)
        if key not in self.made:
            imports, exports = self._targets(net)
            self.made[key] = {
                "vrf": net.vrf,
                "id": net.owner.id,
                "slug": net.owner.slug,
                "kind": net.owner.kind,
                "network": net.network,
                "version": self.fabric.addresses.version_on(net.network),
                "l3vni": net.l3vni or None,
                "l3vlan": 0,
                "rd": self._distinguisher(net) if net.l3vni else None,
                "imports": imports,
                "exports": exports,
                "collapse": attachments.POLICIES[net.network].rails and net.owner.routes == "leaf",
                "segments": [],
                "routed": [],
                "sessions": [],
                "allowed": converged.allowed(self.fabric, net),
                "leaks": [],
            }
        return self.made[key]

    def _targets(self, net: Net) -> tuple[list[str], list[str]]:
        """The route targets that the VRF imports and exports here."""
        owner = net.owner
        if not attachments.POLICIES[net.network].rails:
            return list(net.imports), list(net.exports)
        leaked = routes.leaks(self.registry, owner)
        return sorted({*owner.imported(self.rails), *leaked}), sorted(owner.exported(self.rails))

    def _distinguisher(self, net: Net) -> str:
        """A switch has one RD for each VRF: its loopback and its VTEP keep the networks of an owner apart."""
        addresses = self.fabric.addresses
        own = addresses.vtep if net.network == STORAGE else addresses.loopback
        return f"{codec.text(own(self.switch), 4)}:{net.owner.rd_id}"

    def _segment(self, net: Net) -> Segment:
        row = self._vrf(net)
        if not row["segments"]:
            row["segments"].append(
                {
                    "vlan": net.vlan,
                    "l2vni": net.l2vni,
                    "subnet": net.subnet,
                    "gateway": net.gateway,
                    "mtu": mtu()["host"],
                    "relay": converged.relay(self.fabric, net),
                    "ports": [],
                    "isolated": not net.owner.customer,
                }
            )
        return row["segments"][0]

    def _vlan_range(self) -> tuple[int, int]:
        return capacity.vlan_range(self.fabric, self.registry.file.vrfs_per_leaf)


def l3vlans(rows: Iterable[Mapping[str, t.Any]], within: tuple[int, int]) -> list[int]:
    """The VLAN of each VRF's L3VNI, of those that a switch reserves for them.

    It follows from the id and not from who else is on the leaf, except where two ids of a leaf mean the same one.
    """
    first, last = within
    size, taken, made = last - first + 1, set[int](), []
    for row in rows:
        at = (2 * row["id"] + (row["network"] == "storage")) % size
        at = next((n % size for n in range(at, at + size) if n % size not in taken), at)
        taken.add(at)
        made.append(first + at)
    return made
