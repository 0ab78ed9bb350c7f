# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Surroundings of a tenant's life: a node that moves, provisioning, management.

The node moves from the first tenant to the second. It has addresses of both all the time, and knows the MAC addresses
of both storages: whom its ports let it reach, it reaches at once. In quarantine nodes have no address: they get one
over one port without LACP, and an image, as a boot from the network does. The second tenant's node has its front-end
address by DHCP too.
"""

from __future__ import annotations

import ipaddress
from typing import Any

from kernel.networks.surroundings import (
    OUTSIDE,
    PROVIDER_ASN,
    Site,
    bonds,
    long,
    mac,
    node,
    nth,
    segment,
)

Plain = dict[str, Any]

MOVES = "moves"
"""The node that moves is `node-moves`."""
MOVER_MAC = "02:00:00:00:30:03"
QUARANTINE_VLAN, QUARANTINE_TAG = 11, 3001
LEASED = "globex"
"""The tenant whose node has its front-end address by DHCP."""
SERVER, ITS_ROUTER = "10.255.0.10", "10.255.0.9"
"""The provisioning server of the description, and the provider's end of its link, a /30."""
TENANTS_SERVER, THEIR_ROUTER = "192.0.2.67", "192.0.2.66"
"""The DHCP server of tenants in the description, and the provider's end of its link, a /31."""
IMAGE = "what a node in quarantine boots"
BUSYBOX = "/bin/busybox"
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
    scripts = made["scripts"] | {name: _managed(port) for name, port in ports.items()}
    scripts |= {f"node-{MOVES}": _mover(made["tenants"], here), "oob": _oob(list(ports.values()))}
    leased = made["tenants"][LEASED]
    scripts[f"node-{LEASED}"] = node(leased, leased=True)
    scripts["images"] = _images(house, leased)
    scripts["provider"] += "\n" + _to_images(leased)
    cables = [["oob", f"o{number}", name, "eth0"] for number, name in enumerate(leaves)]
    cables += [["images", f"i{number}", "provider", f"s{number}"] for number in (1, 2)]
    return {
        **made,
        "switches": before,
        "steps": steps,
        "scripts": scripts,
        "cables": [*made["cables"], *cables],
        "provider": made["provider"] + _more(),
        "house": house,
        "mover": here,
        "bmc": BMC,
        "managed": {name: _own(port) for name, port in ports.items()},
        "leased": LEASED,
        "bonds": _bonds(site.cables, before),
    }


def lease(device: str) -> str:
    """Have an address by DHCP; prints it, the next server and the file to boot. Firmware asks for broadcasts (-B)."""
    return "\n".join(
        [
            "cat >/run/lease.sh <<'.'",
            "#!/bin/sh",
            '[ "$1" = bound ] || exit 0',
            'ip addr replace "$ip/$mask" dev "$interface"',
            'ip route replace default via "$router" dev "$interface"',
            'echo "$ip $siaddr $boot_file"',
            ".",
            "chmod +x /run/lease.sh",
            f"{BUSYBOX} udhcpc -f -q -n -B -t 20 -T 1 -i {device} -s /run/lease.sh 2>/dev/null",
        ]
    )


def netboot() -> str:
    """Do what firmware does: one port without LACP, without an address of before; prints the lease and the image."""
    lines = ["ip link set front down", "ip link set front2 down", "ip link set front1 nomaster"]
    lines += ["ip link set front1 up", f"lease=$({lease('front1')}", ")", "echo $lease"]
    lines += ["set -- $lease", f'{BUSYBOX} tftp -g -r "$3" -l /run/image "$2"', "cat /run/image"]
    return "\n".join(lines)


def _bonds(cables: list[list[str]], documents: dict[str, Plain]) -> dict[str, list[str]]:
    """The switch and the bond at the first front-end port of each node."""
    return {
        one: [leaf, name]
        for one, port, leaf, end in cables
        if port == "front1"
        for name, body in documents[leaf]["interface"].items()
        if end in body.get("bond", {}).get("member", {})
    }


def routed(row: Plain) -> str:
    """Have a node's way out be that of a tenant, as DHCP would."""
    return f"ip route replace default via {row['front']['gateway']} dev front"


def known(row: Plain, address: str) -> str:
    """Have the array know the MAC address of the node that moves, as if it had just heard it."""
    return f"ip neigh replace {address} lladdr {MOVER_MAC} nud permanent dev vip{row['id']}"


def _house(document: Plain) -> Plain:
    """Quarantine on the front end: its subnet, the addresses that it leases, the server and its image."""
    row = segment(document, QUARANTINE_VLAN)
    leases = [nth(row["prefix"], number) for number in range(20, 30)]
    return {**row, "leases": leases, "server": SERVER, "image": IMAGE}


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


def _images(house: Plain, leased: Plain) -> str:
    """The servers: of provisioning, which has the image too, and of a tenant's DHCP, by a link of its own."""
    front = leased["front"]
    ranges = [("house", house, house["leases"][0], house["leases"][-1])]
    ranges += [("tenant", front, front["address"], front["address"])]
    words = ["dnsmasq --conf-file=/dev/null --pid-file=/run/dnsmasq.pid --user=root --port=0"]
    words += ["--no-ping --dhcp-authoritative --dhcp-leasefile=/run/leases"]
    words += [
        f"--enable-tftp --tftp-root=/run/images --dhcp-boot=tag:house,node.img,images,{SERVER}"
    ]
    for tag, row, first, last in ranges:
        words += [f"--dhcp-range=set:{tag},{first},{last},{_mask(row)},1h"]
        words += [f"--dhcp-option=tag:{tag},option:router,{row['gateway']}"]
    return "\n".join(
        [
            f"ip addr add {SERVER}/30 dev i1",
            f"ip addr add {TENANTS_SERVER}/31 dev i2",
            "ip link set i1 up",
            "ip link set i2 up",
            f"ip route add default via {ITS_ROUTER}",
            f"ip route add {front['prefix']} via {THEIR_ROUTER}",
            "mkdir /run/images",
            f"echo '{IMAGE}' >/run/images/node.img",
            " ".join(words),
        ]
    )


def _mask(row: Plain) -> str:
    return str(ipaddress.ip_network(row["prefix"]).netmask)


def _to_images(leased: Plain) -> str:
    """Behind the provider's first link the provisioning server, in a VRF of its own, and the host outside.

    The DHCP server of tenants is in the VRF of the tenant.
    """
    name = f"p1.{QUARANTINE_TAG}"
    return "\n".join(
        [
            "ip link add c1 type vrf table 1",
            "ip link set c1 up",
            f"ip addr add {OUTSIDE}/24 dev c1",
            f"ip link add link p1 name {name} type vlan id {QUARANTINE_TAG}",
            f"ip link set {name} master c1 up",
            "ip link set s1 master c1 up",
            f"ip addr add {ITS_ROUTER}/30 dev s1",
            f"ip link set s2 master c{leased['id']} up",
            f"ip addr add {THEIR_ROUTER}/31 dev s2",
        ]
    )


def _more() -> str:
    """The provider's FRR: the server, and more than quarantine lets in, without addresses."""
    asn, end = f"router bgp {PROVIDER_ASN} vrf", ["exit-address-family", "exit"]
    peer = f"neighbor p1.{QUARANTINE_TAG}"
    lines = [f"{asn} c1", "bgp router-id 198.51.100.1", "no bgp ebgp-requires-policy"]
    lines += ["no bgp network import-check", "no bgp default ipv4-unicast"]
    lines += [f"{peer} interface remote-as external", f"{peer} timers connect 2"]
    lines += ["address-family ipv4 unicast", f"network {SERVER}/32", "network 203.0.113.0/24"]
    lines += [f"{peer} activate", f"{peer} default-originate", *end]
    return "\n".join(lines) + "\n"
