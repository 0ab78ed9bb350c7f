# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants of a converged leaf: VRFs with their VLANs, routed ports, and BGP sessions to the outside.

    converged_vrfs(fabric, registry, switch)
    -> [{vrf: t21-acme, network: front-end, l3vni: 4100021, segments: [{vlan: 21, subnet: 10.208.14.0/23, ...}], ...}]

A leaf has the VRFs of owners that have a node port, an array's VLAN or a session there, and quarantine wherever it has
ports of nodes. The cost follows its ports.
"""

from __future__ import annotations

import typing as t

from ..plan.slices import mtu
from ..plan.topology.cabling import Node
from ..plan.topology.converged import LEAVES
from . import attachments, capacity, nets, schema
from .schema import QUARANTINE, REST

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..plan.fabric import Fabric
    from ..plan.slices import ConvergedPort, ConvergedSlice
    from ..plan.topology.cabling import Switch
    from .holdings import Holdings
    from .nets import Net


class SegmentPort(t.TypedDict):
    """A bond, or the single port of an array, in a VLAN; `node` is who is behind it."""

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


class Routed(t.TypedDict):
    """A node's routed port; `address` is the leaf's."""

    port: str
    node: str
    address: str
    peer_address: str
    length: int
    up: bool


class Session(t.TypedDict):
    """One BGP session to the outside.

    Without `vlan` the port itself is in the VRF; without addresses the session is unnumbered.
    """

    name: str
    link: str
    port: str
    vlan: int | None
    address: str | None
    peer_address: str | None
    length: int
    local_asn: int
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


class NetVrf(t.TypedDict):
    """A VRF of a converged leaf, as plain data.

    `version`: that of IP, 4 or 6. `allowed`: in a VRF of the house the only destinations.
    """

    vrf: str
    id: int
    slug: str
    kind: str
    network: str
    version: int
    l3vni: int
    l3vlan: int
    rd: str
    imports: list[str]
    exports: list[str]
    segments: list[Segment]
    routed: list[Routed]
    sessions: list[Session]
    allowed: list[str]
    leaks: list[Leak]


def converged_vrfs(fabric: Fabric, registry: Holdings, switch: Switch) -> list[NetVrf]:
    """The VRFs of a converged leaf by id; see the module. Other switches have none."""
    if switch.role not in LEAVES:
        return []
    leaf = _Leaf(fabric, registry, switch)
    leaf.take_nodes()
    leaf.take_arrays()
    leaf.take_house()
    leaf.take_sessions()
    return leaf.rows()


class _Leaf:
    """The VRFs of one leaf while they are collected."""

    def __init__(self, fabric: Fabric, registry: Holdings, switch: Switch) -> None:
        self.fabric, self.registry, self.switch = fabric, registry, switch
        self.own = t.cast("ConvergedSlice", fabric.slice(switch))
        self.made: dict[tuple[str, str], NetVrf] = {}

    def rows(self) -> list[NetVrf]:
        """What was collected, by id, with the VLANs of the L3VNIs."""
        rows = sorted(self.made.values(), key=lambda row: (row["id"], row["network"]))
        for row, vlan in zip(rows, l3vlans(rows, self._vlan_range())):
            row["l3vlan"] = vlan
        return rows

    def take_nodes(self) -> None:
        """The ports of nodes, and quarantine wherever a leaf has such ports, also while nobody is in it."""
        over = attachments.tagged(self.fabric, "storage")
        for port in self.own["ports"]:
            if port["kind"] != "host" or not port["present"]:
                continue
            node = t.cast("Node", self.fabric.known(port["peer"]["device"]))
            self._quarantine(port)
            self._node(port, node, port["network"])
            if over and port["network"] == "front-end":
                self._node(port, node, "storage", tagged=True)

    def _node(self, port: ConvergedPort, node: Node, network: str, *, tagged: bool = False) -> None:
        slug, up = attachments.placed(self.registry, node, network)
        if tagged and slug == QUARANTINE:
            return  # without the VLAN the bond has no storage
        net = self.registry.nets[slug, network]
        name = self.fabric.name(node)
        if "bond" in port:
            self._segment(net)["ports"].append(
                {"bond": port["bond"], "tagged": tagged, "node": name, "up": up}
            )
            return
        self._vrf(net)["routed"].append(
            {
                "port": port["port"],
                "node": name,
                "address": port["address"],
                "peer_address": port["peer_address"],
                "length": port["length"],
                "up": up,
            }
        )

    def _quarantine(self, port: ConvergedPort) -> None:
        net = self.registry.nets[QUARANTINE, port["network"]]
        if "bond" in port:
            self._segment(net)
        else:
            self._vrf(net)

    def take_arrays(self) -> None:
        """The ports of storage arrays: a VLAN of every owner that has storage there."""
        ports = [
            port for port in self.own["ports"] if port["kind"] == "array" and port.get("array")
        ]
        if not ports:
            return
        served = list(with_arrays(self.fabric, self.registry))
        for net in served:
            self._segment(net)["ports"] += [
                {
                    "bond": port.get("bond") or port["port"],
                    "tagged": True,
                    "node": port["array"],
                    "up": True,
                }
                for port in ports
            ]
        if shared(self.fabric):
            self._leak(served)

    def _leak(self, services: Iterable[Net]) -> None:
        """Each tenant and the service learn of each other, and no tenant of another one."""
        tenants = [net for net in with_storage(self.registry) if net.owner.kind == "tenant"]
        for service in services:
            for tenant in tenants:
                for to, of in ((tenant, service), (service, tenant)):
                    found = own_prefixes(self.fabric, self.registry, of)
                    if found:
                        self._vrf(to)["leaks"].append({"vrf": of.vrf, "prefixes": found})

    def take_house(self) -> None:
        """On the pair behind which the provisioning servers are: quarantine and rest."""
        provisioning = provisioning_of(self.fabric)
        if provisioning and provisioning.border == self.fabric.names.pair(self.switch):
            for slug in (QUARANTINE, REST):
                self._vrf(self.registry.nets[slug, "front-end"])

    def take_sessions(self) -> None:
        """The sessions of tenants, and of the house."""
        ports = {port["link"]: port for port in self.own["ports"] if port.get("link")}
        for net, peer in sessions(self.fabric, self.registry, ports):
            row = self._vrf(net)
            row["sessions"].append(self._session(ports[peer.link], net, peer))

    def _session(self, port: ConvergedPort, net: Net, peer: schema.ExternalPeer) -> Session:
        address, _slash, length = (peer.address or "").partition("/")
        return {
            "name": peer.name,
            "link": peer.link,
            "port": port["port"],
            "vlan": nets.subinterface(net.owner, peer),
            "address": address or None,
            "peer_address": peer.peer_address,
            "length": int(length or 0),
            "local_asn": self.own["asn"],
            "asn": peer.asn,
            "password": peer.password,
            "bfd": peer.bfd,
            "ttl_security": peer.ttl_security,
            "accept_default": peer.default,
            "accept": list(peer.prefixes),
            "announce": own_prefixes(self.fabric, self.registry, net),
            "maximum": peer.maximum,
            "warning": peer.warning,
            "reestablish": peer.reestablish_wait,
        }

    def _vrf(self, net: Net) -> NetVrf:
        key = (net.owner.slug, net.network)
        if key not in self.made:
            # A switch has one RD for each VRF: its loopback and its VTEP keep the two networks of an owner apart.
            own = self.own["loopback"] if net.network == "front-end" else self.own["vtep"]
            self.made[key] = {
                "vrf": net.vrf,
                "id": net.owner.id,
                "slug": net.owner.slug,
                "kind": net.owner.kind,
                "network": net.network,
                "version": self.fabric.addresses.version_on(net.network),
                "l3vni": net.l3vni,
                "l3vlan": 0,
                "rd": f"{own}:{net.owner.rd_id}",
                "imports": list(net.imports),
                "exports": list(net.exports),
                "segments": [],
                "routed": [],
                "sessions": [],
                "allowed": _allowed(self.fabric, net),
                "leaks": [],
            }
        return self.made[key]

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
                    "relay": _relay(self.fabric, net),
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


def shared(fabric: Fabric) -> bool:
    """Whether one service VRF has the storage of all tenants."""
    part = nets.part_of("storage", fabric.description)
    return part is not None and part.mode == "shared"


def with_arrays(fabric: Fabric, registry: Holdings) -> Iterator[Net]:
    """Whose VLANs are on the ports of arrays: those of all owners with storage, or of services alone."""
    for net in with_storage(registry):
        if net.owner.kind == "service" or not shared(fabric):
            yield net


def with_storage(registry: Holdings) -> Iterator[Net]:
    """Whose VRFs are on every leaf with arrays, whatever the mode: tenants and services with storage."""
    for (slug, network), net in registry.nets.items():
        if network == "storage" and net.owner.customer and slug not in registry.ending:
            yield net


def own_prefixes(fabric: Fabric, registry: Holdings, net: Net) -> list[str]:
    """What is an owner's on a network: its subnet, and the routed links of its nodes.

    A routed network has a subnet only where storage arrays are in it.
    """

    def work() -> list[str]:
        routed = attachments.mode(fabric, net.network) == attachments.ROUTED
        part = nets.part_of(net.network, fabric.description)
        arrays = net.network == "storage" and part is not None and bool(part.arrays)
        made = [net.subnet] if net.subnet and (arrays or not routed) else []
        if routed:
            nodes = registry.nodes_of(net.owner.slug)
            made += attachments.routed_prefixes(fabric, nodes, net.network)
        return made

    return registry.cached(("own", net.owner.slug, net.network), work)


def sessions(
    fabric: Fabric, registry: Holdings, links: t.Container[str]
) -> Iterator[tuple[Net, schema.ExternalPeer]]:
    """The sessions over some links: whose, and with whom. The house has the same neighbours in both of its VRFs."""
    for peer in house_peers(fabric, registry):
        for slug in (QUARANTINE, REST):
            if peer.link in links:
                yield registry.nets[slug, "front-end"], peer
    for row in registry.file.tenants:
        for peer in row.external_peers if row.slug not in registry.ending else ():
            if peer.link in links:
                yield registry.nets[row.slug, peer.network], peer


def house_peers(fabric: Fabric, registry: Holdings) -> list[schema.ExternalPeer]:
    """Who leads quarantine and rest to the provisioning servers: nothing else is accepted of them."""
    provisioning = provisioning_of(fabric)
    return [
        schema.ExternalPeer(
            name=row.name,
            link=row.link,
            asn=row.asn,
            password=row.password,
            bfd=row.bfd,
            default=False,
            prefixes=list(provisioning.servers),
        )
        for row in (registry.file.provisioning_peers if provisioning else ())
    ]


def provisioning_of(fabric: Fabric) -> t.Any:
    """What quarantine and rest may reach, as the description has it; None without."""
    part = nets.part_of("front-end", fabric.description)
    return part.provisioning if part else None


def _allowed(fabric: Fabric, net: Net) -> list[str]:
    provisioning = provisioning_of(fabric)
    if net.owner.customer or net.network == "storage" or provisioning is None:
        return []
    return list(provisioning.servers)


def _relay(fabric: Fabric, net: Net) -> list[str]:
    """The DHCP servers of a segment: on the front end those of tenants, or those that provision."""
    part, provisioning = nets.part_of(net.network, fabric.description), provisioning_of(fabric)
    if net.network == "storage" or part is None:
        return []
    if net.owner.customer:
        return list(part.dhcp)
    return list(provisioning.dhcp) if provisioning else []
