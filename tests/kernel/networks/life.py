# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is around the switches besides, where the story is a tenant's life: a node that moves, provisioning, management.

The node moves from the first tenant to the second. It has addresses of both all the time, and one of quarantine, and
knows the MAC addresses of both storages: whom its ports let it reach, it reaches at once.
"""

from __future__ import annotations

from typing import Any

from kernel.networks.surroundings import (
    OUTSIDE,
    PROVIDER_ASN,
    TENANTS,
    Site,
    bonds,
    long,
    mac,
    nth,
    segment,
)

Plain = dict[str, Any]

MOVES = "moves"
"""The node that moves is `node-moves`."""
MOVER_MAC = "02:00:00:00:30:03"
QUARANTINE_VLAN, QUARANTINE_TAG = 11, 3001
SERVER = "10.255.0.10"
"""The provisioning server of the description."""
BMC = "10.176.0.18"
"""Stands for the BMC of a node, on the out-of-band network."""


def lived(site: Site, before: dict[str, Plain], steps: dict[str, Any]) -> Plain:
    """The order of a site whose switches begin with `before`, and take the documents of `steps` one after the other."""
    made = site.order()
    house = _house(before[site.roles["front"][0]])
    here = {
        slug: {kind: nth(row[kind]["prefix"], 12) for kind in ("front", "store")}
        for slug, row in made["tenants"].items()
    }
    leaves = [site.roles[role][0] for role in ("border", "front", "store")]
    ports = {name: before[name]["interface"]["eth0"] for name in leaves}
    by_ip6 = _session(site)
    scripts = made["scripts"] | {name: _managed(port) for name, port in ports.items()}
    scripts |= {f"node-{MOVES}": _mover(made["tenants"], here), "oob": _oob(list(ports.values()))}
    for name, address in house["addresses"].items():
        scripts[name] += "\n" + _resting(house, address)
    scripts["provider"] += "\n" + _images() + "\n" + _by_ip6(by_ip6)
    cables = [["oob", f"o{number}", name, "eth0"] for number, name in enumerate(leaves)]
    return {
        **made,
        "switches": before,
        "steps": steps,
        "scripts": scripts,
        "cables": [*made["cables"], *cables],
        "provider": made["provider"] + _more(by_ip6),
        "house": house,
        "mover": here,
        "ip6": by_ip6,
        "bmc": BMC,
        "managed": {name: _own(port) for name, port in ports.items()},
    }


def routed(row: Plain) -> str:
    """Have a node's way out be that of a tenant, as DHCP would."""
    return f"ip route replace default via {row['front']['gateway']} dev front"


def known(row: Plain, address: str) -> str:
    """Have the array know the MAC address of the node that moves, as if it had just heard it."""
    return f"ip neigh replace {address} lladdr {MOVER_MAC} nud permanent dev vip{row['id']}"


def _house(document: Plain) -> Plain:
    """Quarantine on the front end: its subnet, an address of each node, and the server."""
    row = segment(document, QUARANTINE_VLAN)
    names = [f"node-{who}" for who in (*TENANTS, MOVES)]
    addresses = {name: nth(row["prefix"], 20 + number) for number, name in enumerate(names)}
    return {**row, "addresses": addresses, "server": SERVER}


def _session(site: Site) -> Plain:
    """The session by IPv6: border leaf, VRF, tag, both addresses, and the number of the leaf."""
    border = site.roles["border"][1]
    document = site.documents[border]
    name, body = next(
        (name, body)
        for name, body in document["interface"].items()
        if "." in name and "ipv6" in body
    )
    (mine,) = body["ipv6"]["address"]
    peers = document["vrf"][body["vrf"]]["router"]["bgp"]["neighbor"]
    return {
        "border": border,
        "vrf": body["vrf"],
        "tag": int(name.rpartition(".")[2]),
        "mine": mine.partition("/")[0],
        "peer": next(peer for peer in peers if ":" in peer),
        "asn": document["router"]["bgp"]["autonomous-system"],
    }


def _mover(tenants: Plain, here: Plain) -> str:
    """The node that moves."""
    rows = list(tenants.values())
    lines = [
        *bonds(rows[0]["front"], rows[0]["store"]),
        f"ip link set stor address {MOVER_MAC}",
    ]
    for slug, row in tenants.items():
        lines += [
            f"ip addr add {long(row['front'], here[slug]['front'])} dev front",
            f"ip addr add {long(row['store'], here[slug]['store'])} dev stor",
            f"ip neigh replace {row['store']['vip']} lladdr {mac(row)} nud permanent dev stor",
        ]
    return "\n".join([*lines, routed(rows[0])])


def _resting(house: Plain, address: str) -> str:
    """What a node has of quarantine: an address, and the way to the server."""
    lines = [f"ip addr add {long(house, address)} dev front"]
    return "\n".join([*lines, f"ip route add {SERVER}/32 via {house['gateway']} dev front"])


def _own(port: Plain) -> str:
    """The address of a management port."""
    (address,) = port["ipv4"]["address"]
    return str(address.partition("/")[0])


def _managed(port: Plain) -> str:
    """The management port of a leaf, in its VRF, as the lab has it."""
    (address,), (gateway,) = port["ipv4"]["address"], port["ipv4"]["gateway"]
    return "\n".join(
        [
            "ip link add mgmt type vrf table 999",
            "ip link set mgmt up",
            "ip link set eth0 master mgmt up",
            f"ip addr add {address} dev eth0",
            f"ip route add default via {gateway} vrf mgmt",
        ]
    )


def _oob(ports: list[Plain]) -> str:
    """The out-of-band network: the gateway of each leaf, and a BMC behind them."""
    lines = ["echo 1 >/proc/sys/net/ipv4/ip_forward", f"ip addr add {BMC}/32 dev lo"]
    for number, port in enumerate(ports):
        (address,), (gateway,) = port["ipv4"]["address"], port["ipv4"]["gateway"]
        lines += [
            f"ip addr add {gateway}/{address.partition('/')[2]} dev o{number}",
            f"ip link set o{number} up",
        ]
    return "\n".join(lines)


def _images() -> str:
    """Behind the provider's first link the provisioning server, in a VRF of its own, and the host outside."""
    name = f"p1.{QUARANTINE_TAG}"
    return "\n".join(
        [
            "ip link add c1 type vrf table 1",
            "ip link set c1 up",
            f"ip addr add {SERVER}/32 dev c1",
            f"ip addr add {OUTSIDE}/24 dev c1",
            f"ip link add link p1 name {name} type vlan id {QUARANTINE_TAG}",
            f"ip link set {name} master c1 up",
        ]
    )


def _by_ip6(session: Plain) -> str:
    """The provider's end of the session by IPv6."""
    name = f"p2.{session['tag']}"
    return "\n".join(
        [
            f"ip link add link p2 name {name} type vlan id {session['tag']}",
            f"ip link set {name} master c{min(TENANTS.values())} up",
            f"ip addr add {session['peer']}/127 dev {name} nodad",
        ]
    )


def _more(session: Plain) -> str:
    """The provider's FRR: the server, and more than quarantine lets in, without addresses; a default by IPv6."""
    asn, end = f"router bgp {PROVIDER_ASN} vrf", ["exit-address-family", "exit"]
    peer = f"neighbor p1.{QUARANTINE_TAG}"
    lines = [f"{asn} c1", "bgp router-id 198.51.100.1", "no bgp ebgp-requires-policy"]
    lines += ["no bgp network import-check", "no bgp default ipv4-unicast"]
    lines += [f"{peer} interface remote-as external", f"{peer} timers connect 2"]
    lines += ["address-family ipv4 unicast", f"network {SERVER}/32", "network 203.0.113.0/24"]
    lines += [f"{peer} activate", f"{peer} default-originate", *end]
    peer = f"neighbor {session['mine']}"
    lines += [f"{asn} c{min(TENANTS.values())}", f"{peer} remote-as {session['asn']}"]
    lines += [f"{peer} timers connect 2", "address-family ipv6 unicast"]
    lines += [f"{peer} activate", f"{peer} default-originate", *end]
    return "\n".join(lines) + "\n"
