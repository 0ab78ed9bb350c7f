# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of a converged fabric, told inside a kernel that has VRFs, bonds and VLANs. Standard library only.

    PYTHONPATH=tests/targets/switch python3 story.py ORDER.json

The order holds the documents of the switches as their API took them; the answer is one line of JSON on the
standard output, after the word ANSWER.
"""

from __future__ import annotations

import json
import pathlib
import sys
import time
from typing import Any

import provider
from documents import BORDERS, FRONTS, LEAVES, OUTSIDE, SPINES, STORES, SWITCHES, TENANTS, UPLINKS, subnet
from machine import Failed, Machine, cables, eventually, together
from realiser import coverage

Plain = dict[str, Any]
VIP_MAC = "02:00:00:00:20:{}"


class World:
    """All machines, with what is asked of them more than once."""

    def __init__(self) -> None:
        coverage.sort({})
        self.switches = {name: Machine(name) for name in SWITCHES}
        self.nodes = {tenant: Machine(f"node-{tenant}") for tenant in TENANTS}
        self.array, self.provider = Machine("array"), Machine("provider")
        cables(self._cables())

    def _cables(self) -> list[tuple[Machine, str, Machine, str]]:
        at = self.switches
        rows = [
            (at[leaf], up, at[spine], f"swp{number}")
            for number, leaf in enumerate(LEAVES, 1)
            for up, spine in zip(UPLINKS, SPINES)
        ]
        for index in range(2):
            rows.append((self.provider, f"p{index + 1}", at[BORDERS[index]], "swp1"))
            rows.append((self.array, f"a{index + 1}", at[STORES[index]], "swp1"))
            for port, node in enumerate(self.nodes.values(), 1):
                rows.append((node, f"front{index + 1}", at[FRONTS[index]], f"swp{port}"))
        return rows

    def address(self, tenant: str, network: str) -> str:
        """A node's address."""
        return f"{subnet(tenant, network)}11"

    def vip(self, tenant: str) -> str:
        """The address of a tenant's storage."""
        return f"{subnet(tenant, 'store')}10"

    def dress(self) -> None:
        """Give nodes and array their addresses."""
        for tenant, node in self.nodes.items():
            node.sh(bonded(self, tenant))
        self.array.sh(
            "for port in a1 a2; do ip link set $port up; done\n"
            + "".join(
                f"ip link add v{n} type vrf table {n}; ip link set v{n} up\n"
                + "".join(
                    f"ip link add link {port} name {port}.{2000 + n} type vlan id {2000 + n}\n"
                    f"ip link set {port}.{2000 + n} master v{n} up\n"
                    for port in ("a1", "a2")
                )
                for n in TENANTS.values()
            )
        )
        for tenant in TENANTS:
            self.move(tenant, "a1")

    def move(self, tenant: str, port: str) -> None:
        """Have a tenant's storage address at a port of the array, with its MAC address, and say so."""
        n, vip = TENANTS[tenant], self.vip(tenant)
        self.array.sh(
            f"ip link show vip{n} >/dev/null 2>&1 && ip link del vip{n}\n"
            f"ip link add link {port}.{2000 + n} name vip{n} address {VIP_MAC.format(n)} type macvlan mode private\n"
            f"ip link set vip{n} master v{n}; echo 1 >/proc/sys/net/ipv4/conf/vip{n}/arp_notify\n"
            f"ip addr add {vip}/23 dev vip{n}; ip link set vip{n} up\n"
            f"ip route replace default via {subnet(tenant, 'store')}1 table {n} metric 10"
        )


def bonded(world: World, tenant: str) -> str:
    """What a node does: one bond over two leaves, storage as a VLAN of it, the way out through the front end."""
    n = TENANTS[tenant]
    return (
        "ip link add front type bond mode 802.3ad lacp_rate fast miimon 100 xmit_hash_policy layer3+4\n"
        "for port in front1 front2; do ip link set $port down; ip link set $port master front; done\n"
        f"ip link set front up; ip addr add {world.address(tenant, 'front')}/23 dev front\n"
        f"ip link add link front name front.{2000 + n} type vlan id {2000 + n}; ip link set front.{2000 + n} up\n"
        f"ip addr add {world.address(tenant, 'store')}/23 dev front.{2000 + n}\n"
        f"ip route add default via {subnet(tenant, 'front')}1"
    )


def partners(node: Machine) -> Plain:
    """What LACP has found: ports in the active aggregator, and the systems that they are connected to."""
    lines = [line.strip() for line in node.sh("cat /proc/net/bonding/front").splitlines()]
    macs = [line.rpartition(" ")[2] for line in lines if line.startswith("system mac address")]
    ports = [int(line.rpartition(" ")[2]) for line in lines if line.startswith("Number of ports")]
    return {"ports": ports[0] if ports else 0, "partners": sorted(set(macs[1::2]))}


def say(begun: float, words: str) -> None:
    """A line for whoever looks at a story that does not end."""
    print(f"{time.monotonic() - begun:.1f} s: {words}", flush=True)


def tell(order: Plain) -> Plain:
    """Everything that is asked, in order."""
    begun = time.monotonic()
    world = World()
    say(begun, "machines are there")
    together([*world.switches.values(), world.provider], "route")
    say(begun, "daemons run")
    answer: Plain = {"not_realised": {}}
    for number, (name, machine) in enumerate(world.switches.items(), 1):
        machine.send("realise", document=order["switches"][name], mac=f"44:38:39:00:00:{number:02x}")
    world.dress()
    world.provider.sh(provider.links())
    world.provider.ask("configure", text=provider.configuration())
    for name, machine in world.switches.items():
        answer["not_realised"][name] = machine.receive()["not_realised"]
    say(begun, "documents are realised")
    answer |= convergence(world, begun)
    return answer


def convergence(world: World, begun: float) -> Plain:
    """LACP, then storage and the outside."""
    acme = world.nodes["acme"]
    lacp = eventually(lambda: partners(acme)["ports"] == 2, 15)
    say(begun, f"LACP: {lacp} {partners(acme)}")
    seen = {}
    for what, address in (("gateway", subnet("acme", "front") + "1"), ("storage", world.vip("acme")), ("outside", OUTSIDE)):
        seen[what] = eventually(lambda: acme.reaches(address), 20)
        say(begun, f"{what}: {seen[what]}")
    return {"lacp": partners(acme), "seen": seen}


def look(world: World) -> None:
    """What the machines say of themselves, for whoever looks for a fault."""
    for name, machine in world.switches.items():
        print(f"--- {name}", machine.ask("vtysh", commands=["show bgp summary", "show evpn vni", "show evpn es", "show ip route vrf all"]), flush=True)


def main() -> None:
    """Read the order, tell, answer."""
    order = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    print("ANSWER", json.dumps(tell(order)), flush=True)


if __name__ == "__main__":
    main()
