# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of a converged fabric, told inside a kernel that has VRFs, bonds and VLANs. Standard library only.

    PYTHONPATH=tests/targets/switch python3 story.py ORDER.json

The order holds the documents of the switches as their API took them; the answer is one line of JSON on the
standard output, after the word ANSWER.
"""

from __future__ import annotations

import functools
import itertools
import json
import pathlib
import sys
import time
from typing import Any

from kernel.networks import provider
from kernel.networks.documents import (
    BORDERS,
    FRONTS,
    LEAVES,
    OUTSIDE,
    SPINES,
    STORES,
    SWITCHES,
    TENANTS,
    UPLINKS,
    link,
    loopback,
    subnet,
)
from kernel.networks.machine import Machine, cables, eventually
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

    def heard(self, tries: list[tuple[str, str, str]]) -> list[list[str]]:
        """The tries (machine, VRF, address) that were answered; machines try at the same time."""
        names = {"provider": self.provider, **{node.name: node for node in self.nodes.values()}}
        rows = {name: [(vrf, to) for who, vrf, to in tries if who == name] for name in names}
        answers = {}
        for name, machine in names.items():
            machine.send("reaching", tries=rows[name])
        for name, machine in names.items():
            answers[name] = machine.receive()
        return [
            [name, to]
            for name, row in rows.items()
            for (vrf, to), said in zip(row, answers[name])
            if said
        ]

    def owner(self, mac: str) -> Plain:
        """Where the first front-end leaf believes a MAC address of acme's storage to be, and how often it moved."""
        vni = 4_400_000 + TENANTS["acme"]
        text = self.switches[FRONTS[0]].ask(
            "vtysh", commands=[f"show evpn mac vni {vni} mac {mac} json"]
        )
        row = json.loads(text or "{}").get(mac, {})
        return {key: row.get(key) for key in ("remoteVtep", "remoteSequence", "localSequence")}

    def taken(self, border: Machine, peer: str) -> list[str]:
        """The prefixes that a border leaf has accepted for acme from a peer."""
        said = border.ask(
            "vtysh", commands=[f"show bgp vrf t21-acme ipv4 unicast neighbors {peer} routes json"]
        )
        return sorted(json.loads(said or "{}").get("routes", {}))

    def session(self, border: str, tenant: str) -> Plain:
        """The state of a tenant's session at a border leaf, and how it last ended."""
        peer, vrf = link(border, tenant)[1], f"t{TENANTS[tenant]}-{tenant}"
        said = self.switches[border].ask(
            "vtysh", commands=[f"show bgp vrf {vrf} neighbors {peer} json"]
        )
        row = json.loads(said).get(peer, {})
        return {
            "state": row.get("bgpState"),
            "reason": row.get("lastResetDueTo"),
            "code": row.get("lastErrorCodeSubcode"),
        }

    def lose(self, name: str) -> None:
        """Have a machine die, or what leads to it; an array moves a storage address to its other port then."""
        if name == "uplinks of front-1":
            number = LEAVES.index("front-1") + 1
            for spine in SPINES:
                self.switches[spine].ask("ports", names=[f"swp{number}"], state="down")
            return
        machine = self.provider if name == "provider" else self.switches[name]
        machine.ask("ports", names=[], state="down")
        if name == "store-1":
            self.move("globex", "a2")

    def served(self, wanted: list[tuple[str, str]]) -> bool:
        """Whether tenants reach what they shall: their storage, or the outside."""
        return all(
            self.nodes[tenant].reaches(OUTSIDE if what == "outside" else self.vip(tenant))
            for tenant, what in wanted
        )

    def ended(self, border: str, tenant: str) -> bool:
        """Whether a tenant's session at a border leaf is not up."""
        return bool(self.session(border, tenant)["state"] != "Established")


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


def daemons(document: Plain) -> list[str]:
    """The daemons of FRR that a document gives something to do, as each takes a second in a guest."""
    bfd = document.get("router", {}).get("bfd", {}).get("state") == "enabled"
    static = any(vrf.get("router", {}).get("static") for vrf in document.get("vrf", {}).values())
    return ["zebra", "bgpd", *(["bfdd"] if bfd else []), *(["staticd"] if static else [])]


def bundled(node: Machine) -> bool:
    """Whether both ports of a node's bond carry its traffic."""
    return bool(partners(node)["ports"] == 2)


def say(begun: float, words: str) -> None:
    """A line for whoever looks at a story that does not end."""
    print(f"{time.monotonic() - begun:.1f} s: {words}", flush=True)


def tell(order: Plain) -> Plain:
    """Everything that is asked, in order."""
    begun = time.monotonic()
    world = World()
    world.dress()
    say(begun, "machines are there")
    world.provider.ask("route", daemons=["zebra", "bgpd", "bfdd"])
    world.provider.sh(provider.links())
    world.provider.ask("configure", text=provider.configuration())
    answer: Plain = {"not_realised": {}}
    for number, (name, machine) in enumerate(world.switches.items(), 1):
        document, mac = order["switches"][name], f"44:38:39:00:00:{number:02x}"
        machine.ask("route", daemons=daemons(document))
        report = machine.ask("realise", document=document, mac=mac)
        answer["not_realised"][name] = report["not_realised"]
    say(begun, "documents are realised")
    answer |= convergence(world, begun)
    if not all(answer["seen"].values()):
        look(world)
        return answer
    for part in (apart, moving, leaking, dying):
        answer[part.__name__] = part(world, begun)
    answer["mended"] = {name: machine.ask("mended") for name, machine in world.switches.items()}
    answer["seconds"] = round(time.monotonic() - begun, 1)
    return answer


def convergence(world: World, begun: float) -> Plain:
    """LACP, then storage and the outside, for both tenants."""
    lacp = {
        tenant: eventually(functools.partial(bundled, node), 15)
        for tenant, node in world.nodes.items()
    }
    found = {tenant: partners(node) for tenant, node in world.nodes.items()}
    say(begun, f"LACP after {lacp}: {found}")
    seen = {}
    for tenant, node in world.nodes.items():
        for what, address in (("storage", world.vip(tenant)), ("outside", OUTSIDE)):
            seen[f"{tenant} {what}"] = eventually(functools.partial(node.reaches, address), 20)
    say(begun, f"reached after {seen}")
    path = ["evpn", "multihoming", "esi"]
    segments = {name: world.switches[name].ask("operational", path=path) for name in FRONTS}
    return {"lacp": found, "seen": seen, "segments": segments}


def apart(world: World, begun: float) -> Plain:
    """Who reaches whom: the tenant's own, and what must stay without answer."""
    own, wrong = [], []
    for tenant, other in itertools.permutations(TENANTS):
        node = f"node-{tenant}"
        own += [(node, "", world.vip(tenant)), (node, "", OUTSIDE)]
        own += [("provider", f"c{TENANTS[tenant]}", world.address(tenant, "front"))]
        theirs = [world.address(other, network) for network in ("front", "store")]
        theirs += [world.vip(other), subnet(other, "front") + "1", subnet(other, "store") + "1"]
        wrong += [
            (node, "", to)
            for to in (*theirs, loopback("front-1"), loopback("spine-1"), loopback("store-1", 1))
        ]
        wrong += [("provider", f"c{TENANTS[tenant]}", to) for to in (theirs[0], world.vip(tenant))]
    answer = {"own": world.heard(own), "wrong": world.heard(wrong)}
    say(begun, f"{len(own)} own, {len(wrong)} of others: {answer}")
    return answer


def moving(world: World, begun: float) -> Plain:
    """The storage address of a tenant moves from one leaf to the other under a stream of requests."""
    node, vip, mac = world.nodes["acme"], world.vip("acme"), VIP_MAC.format(TENANTS["acme"])
    before = world.owner(mac)
    node.send("stream", addresses=[vip], seconds=2, every=0.1)
    time.sleep(0.3)
    world.move("acme", "a2")
    lost = node.receive()[vip]
    answer = {"before": before, "after": world.owner(mac), "lost": lost}
    say(begun, f"moved: {answer}")
    return answer


def leaking(world: World, begun: float) -> Plain:
    """A provider announces another tenant's prefix, then too many of its own."""
    stolen = f"{subnet('globex', 'front')}0/23"
    world.provider.ask("configure", text=provider.announce("acme", [stolen]))
    border, acme = world.switches[BORDERS[0]], world.nodes["acme"]
    peer = link(BORDERS[0], "acme")[1]
    refused = eventually(lambda: len(world.taken(border, peer)) == 3, 3)
    answer: Plain = {"accepted": [], "refused": refused is None}
    routes = border.ask("vtysh", commands=["show ip route vrf t21-acme json"])
    answer["accepted"] = sorted(
        prefix for prefix, rows in json.loads(routes).items() if rows[0]["protocol"] == "bgp"
    )
    answer["outside"] = acme.reaches(OUTSIDE)
    many = [f"203.0.113.{number}/32" for number in range(100, 108)]
    world.provider.ask(
        "configure",
        text=provider.announce("acme", [stolen], back=True) + provider.announce("acme", many),
    )
    states = {}
    for name in BORDERS:
        down = eventually(functools.partial(world.ended, name, "acme"), 6)
        states[name] = {"after": down, **world.session(name, "acme")}
    answer["limited"] = states
    answer["acme outside"], answer["globex outside"] = (
        acme.reaches(OUTSIDE),
        world.nodes["globex"].reaches(OUTSIDE),
    )
    world.provider.ask("configure", text=provider.announce("acme", many, back=True))
    for name in BORDERS:
        world.switches[name].ask(
            "vtysh", commands=[f"clear bgp vrf t21-acme {link(name, 'acme')[1]}"]
        )
    answer["outside again"] = eventually(lambda: acme.reaches(OUTSIDE), 15)
    say(begun, f"leaks: {answer}")
    return answer


def dying(world: World, begun: float) -> Plain:
    """One machine after the other dies; those that are left carry everything, but for what is outside in the end."""
    answer = {}
    for name in ("spine-1", "uplinks of front-1", "front-1", "border-1", "store-1", "provider"):
        for tenant, node in world.nodes.items():
            node.send("stream", addresses=[world.vip(tenant), OUTSIDE], seconds=2, every=0.1)
        time.sleep(0.2)
        world.lose(name)
        lost = {tenant: node.receive() for tenant, node in world.nodes.items()}
        wanted = [(tenant, what) for tenant in TENANTS for what in ("storage", "outside")]
        wanted = [row for row in wanted if name != "provider" or row[1] == "storage"]
        back = eventually(functools.partial(world.served, wanted), 15)
        answer[name] = {"lost": lost, "back": back}
        say(begun, f"{name} died: {answer[name]}")
    return answer


def look(world: World) -> None:
    """What the machines say of themselves, for whoever looks for a fault."""
    for name, machine in world.switches.items():
        print(
            f"--- {name}",
            machine.ask(
                "vtysh",
                commands=[
                    "show bgp summary",
                    "show evpn vni",
                    "show evpn es",
                    "show ip route vrf all",
                ],
            ),
            flush=True,
        )


def main() -> None:
    """Read the order, tell, answer."""
    order = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    print("ANSWER", json.dumps(tell(order)), flush=True)


if __name__ == "__main__":
    main()
