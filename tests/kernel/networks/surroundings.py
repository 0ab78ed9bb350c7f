# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Surroundings of the lab's switches: cables, nodes, a storage array, a provider, as an order for the story.

Everything is made from the documents that the switches have applied and a list of who is cabled to whom.
"""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Sequence
from typing import Any

Plain = dict[str, Any]

TENANTS = {"acme": 21, "globex": 22}
OUTSIDE = "203.0.113.10"
"""A host behind the provider, in a prefix that tenants accept."""
PROVIDER_ASN = 64999
MANY = [f"203.0.113.{number}/32" for number in range(100, 112)]
"""More than any limit here, each in the prefix that tenants accept."""


@dataclasses.dataclass(frozen=True)
class Site:
    """The machines of a lab: `roles` holds two switches of each kind, `cables` (device, port, device, port).

    Nodes are ``node-acme`` and ``node-globex`` with ports front1 and front2, and with stor1 and stor2 where storage
    has ports of its own; the array has a1 and a2, the provider p1 and p2, one to each leaf of a pair.
    """

    documents: dict[str, Plain]
    roles: dict[str, list[str]]
    cables: list[list[str]]
    secrets: dict[str, str]

    def order(self) -> Plain:
        """Order of the story."""
        tenants = {tenant: self._tenant(tenant) for tenant in TENANTS}
        nodes = {f"node-{tenant}": node(row) for tenant, row in tenants.items()}
        return {
            "switches": self.documents,
            "roles": self.roles,
            "cables": self.cables,
            "tenants": tenants,
            "outside": OUTSIDE,
            "scripts": {**nodes, "array": _array(tenants), "provider": _provider(tenants)},
            "provider": _configuration(tenants, self.secrets),
            "leaks": {tenant: self._leaks(tenant, tenants) for tenant in TENANTS},
            "loopbacks": [self._loopback(name) for name in self.documents],
        }

    def _loopback(self, name: str) -> str:
        addresses = self.documents[name]["interface"]["lo"]["ipv4"]["address"]
        return sorted(addresses)[0].partition("/")[0]

    def _tenant(self, tenant: str) -> Plain:
        """Values of a tenant's VLANs, VRFs and sessions in the documents, and addresses chosen from its subnets."""
        n, vlan = TENANTS[tenant], 2000 + TENANTS[tenant]
        front, store = (self.documents[self.roles[role][0]] for role in ("front", "store"))
        front_row = segment(front, n)
        store_row = segment(store if f"vlan{vlan}" in store["interface"] else front, vlan)
        own = any(port == "stor1" for cable in self.cables for port in cable)
        return {
            "id": n,
            "front": front_row,
            "store": {**store_row, "vip": nth(store_row["prefix"], 10), "own_ports": own},
            "sessions": {
                name: self._session(name, front_row["vrf"]) for name in self.roles["border"]
            },
        }

    def _session(self, border: str, vrf: str) -> Plain:
        """A tenant's session at a border leaf: both addresses, the tag, and the number of the leaf."""
        document = self.documents[border]
        device, body = next(
            (name, body)
            for name, body in document["interface"].items()
            if body.get("vrf") == vrf and "." in name and "ipv4" in body
        )
        (mine,) = body["ipv4"]["address"]
        peers = document["vrf"][vrf]["router"]["bgp"]["neighbor"]
        peer = next(name for name in peers if ":" not in name)
        number = document["router"]["bgp"]["autonomous-system"]
        tag = int(device.rpartition(".")[2])
        return {"mine": mine.partition("/")[0], "peer": peer, "tag": tag, "asn": number}

    def _leaks(self, tenant: str, tenants: dict[str, Plain]) -> Plain:
        other = next(name for name in TENANTS if name != tenant)
        stolen = tenants[other]["front"]["prefix"]
        return {
            "stolen": stolen,
            "steal": _announced(tenant, [stolen]),
            "flood": _announced(tenant, [stolen], back=True) + _announced(tenant, MANY),
            "calm": _announced(tenant, MANY, back=True),
        }


def segment(document: Plain, vlan: int) -> Plain:
    """A VLAN of a leaf: VRF, prefix, gateway, VNI, and the address of the tenant's node in it."""
    body = document["interface"][f"vlan{vlan}"]
    (gateway,) = body["ipv4"]["vrr"]["address"]
    (domain,) = document["bridge"]["domain"].values()
    (vni,) = domain["vlan"][str(vlan)]["vni"]
    prefix = str(ipaddress.ip_interface(gateway).network)
    return {
        "vlan": vlan,
        "vrf": body["vrf"],
        "prefix": prefix,
        "gateway": gateway.partition("/")[0],
        "vni": int(vni),
        "address": nth(prefix, 11),
        "mtu": body.get("link", {}).get("mtu", 9000),
    }


def nth(prefix: str, number: int) -> str:
    return str(ipaddress.ip_network(prefix)[number])


def long(row: Plain, address: str) -> str:
    """An address with the length of its subnet."""
    return f"{address}/{row['prefix'].partition('/')[2]}"


def node(row: Plain, *, leased: bool = False) -> str:
    """Commands of a node: bonds over two leaves, the way out through the front end, which may come by DHCP."""
    front, store = row["front"], row["store"]
    lines = [f"ip addr add {long(store, store['address'])} dev {storage(store)}"]
    if not leased:
        lines += [f"ip addr add {long(front, front['address'])} dev front"]
        lines += [f"ip route add default via {front['gateway']}"]
    return "\n".join([*bonds(front, store), *lines])


def storage(store: Plain) -> str:
    """The interface by which a node reaches storage."""
    return "stor" if store["own_ports"] else f"front.{store['vlan']}"


def bonds(front: Plain, store: Plain) -> list[str]:
    lines = bond("front", front["mtu"])
    if store["own_ports"]:
        return [*lines, *bond("stor", store["mtu"])]
    device = storage(store)
    lines += [f"ip link add link front name {device} type vlan id {store['vlan']}"]
    return [*lines, f"ip link set {device} up"]


def bond(name: str, mtu: int, ports: Sequence[str] = ()) -> list[str]:
    """A bond of its own two ports, or of others."""
    kind = "type bond mode 802.3ad lacp_rate fast miimon 100 xmit_hash_policy layer3+4"
    lines = [f"ip link add {name} {kind}", f"ip link set {name} mtu {mtu}"]
    for port in ports or (f"{name}1", f"{name}2"):
        lines += [f"ip link set {port} down", f"ip link set {port} master {name}"]
    return [*lines, f"ip link set {name} up"]


def _array(tenants: dict[str, Plain]) -> str:
    """A storage array: each tenant's VLAN tagged on both ports, and a VRF for each, so that nothing is routed."""
    lines = ["ip link set a1 up", "ip link set a2 up"]
    for row in tenants.values():
        vrf, vlan = f"v{row['id']}", row["store"]["vlan"]
        lines += [f"ip link add {vrf} type vrf table {row['id']}", f"ip link set {vrf} up"]
        for port in ("a1", "a2"):
            lines += [
                f"ip link add link {port} name {port}.{vlan} type vlan id {vlan}",
                f"ip link set {port}.{vlan} master {vrf} up",
            ]
    return "\n".join(lines)


def moved(row: Plain, port: str) -> str:
    """Have a tenant's storage address at a port of the array, with its MAC address, and say so."""
    n, store = row["id"], row["store"]
    name, base = f"vip{n}", f"{port}.{store['vlan']}"
    return "\n".join(
        [
            f"ip link del {name} 2>/dev/null || true",
            f"ip link add link {base} name {name} address {mac(row)} type macvlan mode private",
            f"ip link set {name} master v{n}",
            f"echo 1 >/proc/sys/net/ipv4/conf/{name}/arp_notify",
            f"ip addr add {long(store, store['vip'])} dev {name}",
            f"ip link set {name} up",
            f"ip route replace default via {store['gateway']} table {n} metric 10",
        ]
    )


def mac(row: Plain) -> str:
    """The MAC address that moves with a tenant's storage address."""
    return f"02:00:00:00:20:{row['id']}"


def _provider(tenants: dict[str, Plain]) -> str:
    """The edge router of a provider: a link to each border leaf, on it a VLAN for each customer; a host behind it."""
    lines = ["ip link set p1 up", "ip link set p2 up"]
    for row in tenants.values():
        vrf = f"c{row['id']}"
        lines += [f"ip link add {vrf} type vrf table {row['id']}", f"ip link set {vrf} up"]
        lines += [f"ip addr add {OUTSIDE}/24 dev {vrf}"]
        for port, session in zip(("p1", "p2"), row["sessions"].values()):
            name = f"{port}.{session['tag']}"
            lines += [
                f"ip link add link {port} name {name} type vlan id {session['tag']}",
                f"ip link set {name} master {vrf} up",
                f"ip addr add {session['peer']}/31 dev {name}",
            ]
    return "\n".join(lines)


def _configuration(tenants: dict[str, Plain], secrets: dict[str, str]) -> str:
    """The provider's FRR, written without the collection: a default and one prefix for each customer.

    Its BFD is slow, and with it that of the border leaves: a guest on a busy machine answers late.
    """
    lines = ["bfd", "profile p", "transmit-interval 2000", "receive-interval 2000", "exit", "exit"]
    for tenant, row in tenants.items():
        peers = row["sessions"].values()
        lines += [f"router bgp {PROVIDER_ASN} vrf c{row['id']}", "bgp router-id 198.51.100.1"]
        lines += [
            "no bgp ebgp-requires-policy",
            "no bgp network import-check",
            "no bgp default ipv4-unicast",
        ]
        for session in peers:
            words = [
                f"remote-as {session['asn']}",
                f"password {secrets[tenant]}",
                "ttl-security hops 1",
            ]
            words += ["bfd", "bfd profile p", "timers connect 2"]
            lines += [f"neighbor {session['mine']} {word}" for word in words]
        lines += ["address-family ipv4 unicast", "network 203.0.113.0/24"]
        for session in peers:
            lines += [
                f"neighbor {session['mine']} {word}" for word in ("activate", "default-originate")
            ]
        lines += ["exit-address-family", "exit"]
    return "\n".join(lines) + "\n"


def _announced(tenant: str, prefixes: list[str], *, back: bool = False) -> str:
    """Lines by which the provider announces more to one customer, or takes it back."""
    body = [f"{'no ' if back else ''}network {prefix}" for prefix in prefixes]
    head = [f"router bgp {PROVIDER_ASN} vrf c{TENANTS[tenant]}", "address-family ipv4 unicast"]
    return "\n".join([*head, *body, "exit-address-family", "exit"]) + "\n"
