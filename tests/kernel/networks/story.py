# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of a converged fabric, told inside a kernel that has VRFs, bonds and VLANs. Standard library only.

    PYTHONPATH=tests:tests/targets/switch python3 -m kernel.networks.story ORDER.json

The order (surroundings.py) holds the documents of the switches as their API took them, and all that is around them; the
answer is one line of JSON on the standard output, after the word ANSWER.
"""

from __future__ import annotations

import functools
import json
import pathlib
import sys
import time
from typing import Any

from kernel.networks import life, surroundings
from kernel.networks.machine import Machine, cables, eventually
from realiser import coverage

Plain = dict[str, Any]
PATIENCE = 30
"""Seconds until others carry what was lost: with FRR 8.4 two looks of the mender, which come late in a busy guest."""
STREAM = {"seconds": 1, "every": 0.1}


class World:
    """All machines, with what is asked of them more than once."""

    def __init__(self, order: Plain) -> None:
        coverage.sort({})
        self.order, self.tenants, self.roles = order, order["tenants"], order["roles"]
        self.present = list(self.tenants)
        self.switches = {name: Machine(name) for name in order["switches"]}
        self.nodes = {tenant: Machine(f"node-{tenant}") for tenant in self.tenants}
        self.array, self.provider = Machine("array"), Machine("provider")
        self.mover = Machine("node-moves")
        others = (self.array, self.provider, self.mover, Machine("oob"))
        every = (*self.switches.values(), *self.nodes.values(), *others)
        self.known = {one.name: one for one in every}
        cables((self.known[a], b, self.known[c], d) for a, b, c, d in order["cables"])
        for name, script in order["scripts"].items():
            if name != "provider":
                self.known[name].sh(script)
        for tenant in self.tenants:
            self.move(tenant, "a1")

    def move(self, tenant: str, port: str) -> None:
        """Have a tenant's storage address at a port of the array."""
        self.array.sh(surroundings.moved(self.tenants[tenant], port))

    def vip(self, tenant: str) -> str:
        """The address of a tenant's storage."""
        return str(self.tenants[tenant]["store"]["vip"])

    def reaches(self, tenant: str, what: str) -> bool:
        """Whether a tenant's node reaches its storage, or the outside."""
        return self.nodes[tenant].reaches(
            self.order["outside"] if what == "outside" else self.vip(tenant)
        )

    def served(self, wanted: list[tuple[str, str]]) -> bool:
        """Whether tenants reach what they shall."""
        return all(self.reaches(*row) for row in wanted)

    def heard(self, tries: list[tuple[str, str, str]]) -> list[list[str]]:
        """The tries (machine, VRF, address) that were answered; machines try at the same time."""
        rows: dict[str, list[tuple[str, str]]] = {}
        for who, vrf, to in tries:
            rows.setdefault(who, []).append((vrf, to))
        for name, row in rows.items():
            self.known[name].send("reaching", tries=row)
        answers = {name: self.known[name].receive() for name in rows}
        return [
            [name, to]
            for name, row in rows.items()
            for (vrf, to), said in zip(row, answers[name])
            if said
        ]

    def told(self, name: str, command: str) -> Any:
        """What FRR of a switch says in JSON."""
        return json.loads(self.switches[name].ask("vtysh", commands=[command]) or "{}")

    def realise(self, name: str, document: Plain) -> Plain:
        """Have a switch take a document, and say what was not realised."""
        mac = f"44:38:39:00:00:{1 + list(self.switches).index(name):02x}"
        report: Plain = self.switches[name].ask("realise", document=document, mac=mac)
        return report

    def mend(self, *, rests: bool = False) -> None:
        """Have all switches given back what FRR forgets, or not while they take documents, as it makes them slow."""
        for machine in self.switches.values():
            machine.ask("mend", rests=rests)

    def owner(self, tenant: str) -> Plain:
        """Where a leaf without the array believes a tenant's storage MAC address to be, and how often it moved."""
        row, mac = self.tenants[tenant], surroundings.mac(self.tenants[tenant])
        name = self.roles["front" if not row["store"]["own_ports"] else "store"][0]
        found = self.told(name, f"show evpn mac vni {row['store']['vni']} mac {mac} json").get(
            mac, {}
        )
        return {
            key: found.get(key) for key in ("type", "remoteVtep", "remoteSequence", "localSequence")
        }

    def session(self, border: str, tenant: str) -> Plain:
        """The state of a tenant's session at a border leaf, and how it last ended."""
        row = self.tenants[tenant]
        peer = row["sessions"][border]["peer"]
        said = self.told(border, f"show bgp vrf {row['front']['vrf']} neighbors {peer} json").get(
            peer, {}
        )
        words = {"state": "bgpState", "reason": "lastResetDueTo", "code": "lastErrorCodeSubcode"}
        return {key: said.get(word) for key, word in words.items()}

    def ended(self, border: str, tenant: str) -> bool:
        """Whether a tenant's session at a border leaf is not up."""
        return bool(self.session(border, tenant)["state"] != "Established")

    def alone(self, bond: str) -> bool:
        """Whether each node has one port left in a bond."""
        return all(partners(node, bond)["ports"] == 1 for node in self.nodes.values())

    def traces(self) -> dict[str, int]:
        """How often a switch has something of the second tenant: devices, routes, VLANs, filters, EVPN routes."""
        row = self.tenants["globex"]
        words = [row[kind][key] for kind in ("front", "store") for key in ("vrf", "prefix", "vni")]
        asked = "|".join(str(word).partition("/")[0].replace(".", "[.]") for word in words)
        look = (
            "ip -o link; ip route show table all; nft list ruleset; vtysh -c 'show running-config'"
        )
        look = f"{{ {look} -c 'show bgp l2vpn evpn'; }} | grep -cE '{asked}' || true"
        for machine in self.switches.values():
            machine.send("sh", script=look, check=True)
        return {name: int(machine.receive()) for name, machine in self.switches.items()}

    def lose(self, kind: str) -> None:
        """Have a machine die, or what leads to it; an array moves a storage address to its other port then."""
        if kind == "uplinks":
            leaf = self.roles["front"][0]
            for a, port, b, other in self.order["cables"]:
                if leaf in (a, b) and {a, b} & set(self.roles["spine"]):
                    name, end = (b, other) if a == leaf else (a, port)
                    self.switches[name].ask("ports", names=[end], state="down")
            return
        machine = self.provider if kind == "provider" else self.switches[self.roles[kind][0]]
        machine.ask("ports", names=[], state="down")
        if kind == "store":
            self.move("acme", "a2")


def partners(node: Machine, bond: str) -> Plain:
    """What LACP has found: ports in the active aggregator, and the systems that they are connected to."""
    lines = [line.strip() for line in node.sh(f"cat /proc/net/bonding/{bond}").splitlines()]
    macs = [line.rpartition(" ")[2] for line in lines if line.startswith("system mac address")]
    ports = [int(line.rpartition(" ")[2]) for line in lines if line.startswith("Number of ports")]
    return {"ports": ports[0] if ports else 0, "partners": sorted(set(macs[1::2]))}


def bundled(node: Machine, bond: str) -> bool:
    """Whether both ports of a node's bond carry its traffic."""
    return bool(partners(node, bond)["ports"] == 2)


def daemons(document: Plain) -> list[str]:
    """The daemons of FRR that a document gives something to do, as each takes a second in a guest."""
    bfd = document.get("router", {}).get("bfd", {}).get("state") == "enabled"
    static = any(vrf.get("router", {}).get("static") for vrf in document.get("vrf", {}).values())
    return ["zebra", "bgpd", *(["bfdd"] if bfd else []), *(["staticd"] if static else [])]


def say(begun: float, words: str) -> None:
    """A line for whoever looks at a story that does not end."""
    print(f"{time.monotonic() - begun:.1f} s: {words}", flush=True)


def tell(order: Plain) -> Plain:
    """Everything that is asked, in order. Documents by hand have no steps: both tenants are there from the start."""
    begun = time.monotonic()
    world = World(order)
    say(begun, "machines are there")
    world.provider.ask("route", daemons=["zebra", "bgpd", "bfdd"])
    world.provider.sh(order["scripts"]["provider"])
    world.provider.ask("configure", text=order["provider"])
    answer: Plain = {"not_realised": {}}
    for name, machine in world.switches.items():
        document = order["switches"][name]
        machine.ask("route", daemons=daemons(document))
        answer["not_realised"][name] = world.realise(name, document)["not_realised"]
    world.mend()
    say(begun, "documents are realised")
    steps = order.get("steps")
    if steps:
        answer["first"] = convergence(world, begun, ["acme"])
        world.present = ["acme", "globex"]
        replay(world, begun, "tenant_onboard")
    answer |= convergence(world, begun, ["globex"] if steps else list(world.tenants))
    if None in answer["seen"].values():
        look(world)
        return answer
    for part in (apart, moving, leaking):
        answer[part.__name__] = part(world, begun)
    if steps:
        for part in (node_moves, leaves):
            answer[part.__name__] = part(world, begun)
        world.present = ["acme"]
    answer["dying"] = dying(world, begun)
    answer["mended"] = {name: machine.ask("mended") for name, machine in world.switches.items()}
    answer["seconds"] = round(time.monotonic() - begun, 1)
    return answer


def replay(world: World, begun: float, step: str) -> list[Plain]:
    """Have switches take the documents of a playbook in order; when each was begun and whole, by the clock."""
    found = []
    world.mend(rests=True)
    for row in world.order["steps"][step]:
        start = time.time()
        world.realise(row["switch"], row["document"])
        found.append({"begun": start, "whole": time.time()})
    world.mend()
    say(begun, f"{step}: {len(found)} revisions")
    return found


def convergence(world: World, begun: float, slugs: list[str]) -> Plain:
    """LACP, then storage and the outside, for some tenants; and the segments on both leaves of the pair."""
    found = {}
    for tenant in slugs:
        node = world.nodes[tenant]
        for bond in ["front", *(["stor"] if world.tenants[tenant]["store"]["own_ports"] else [])]:
            eventually(functools.partial(bundled, node, bond), 15)
            found[f"{tenant} {bond}"] = partners(node, bond)
    say(begun, f"LACP: {found}")
    seen = {}
    for tenant in slugs:
        for what in ("storage", "outside"):
            seen[f"{tenant} {what}"] = eventually(
                functools.partial(world.reaches, tenant, what), 20
            )
    say(begun, f"reached after {seen}")
    path = ["evpn", "multihoming", "esi"]
    segments = {
        name: world.switches[name].ask("operational", path=path) for name in world.roles["front"]
    }
    return {"lacp": found, "seen": seen, "segments": segments}


def node_moves(world: World, begun: float) -> Plain:
    """A node moves with everything: to whose storage it has a way after each revision, and whom it reaches then."""
    here = world.order["mover"]
    for tenant, row in world.tenants.items():
        world.array.sh(life.known(row, here[tenant]["store"]))
    pairs = [(here[tenant]["store"], world.vip(tenant)) for tenant in world.tenants]
    traces = world.traces()
    world.mover.ask("watch", pairs=pairs)
    before = eventually(lambda: world.mover.reaches(world.vip("acme")), PATIENCE)
    time.sleep(STREAM["seconds"])
    revisions = replay(world, begun, "tenant_move")
    world.mover.sh(life.routed(world.tenants["globex"]))
    own = [world.vip("globex"), world.order["outside"]]
    after = eventually(lambda: all(world.mover.reaches(to) for to in own), PATIENCE)
    answered = world.mover.ask("watched")
    row = world.tenants["acme"]
    wrong = [
        row["store"]["vip"],
        *(row[kind][key] for kind in ("front", "store") for key in ("address", "gateway")),
    ]
    answer = {
        "before": before,
        "after": after,
        "revisions": revisions,
        "answered": {tenant: answered[world.vip(tenant)] for tenant in world.tenants},
        "wrong": world.heard([("node-moves", "", to) for to in wrong]),
        "traces": traces,
    }
    say(begun, f"moved: {before} {after} {answer['wrong']}")
    return answer


def leaves(world: World, begun: float) -> Plain:
    """The second tenant leaves: what is left of it, and what its nodes reach in quarantine."""
    replay(world, begun, "tenant_offboard")
    house, acme = world.order["house"], world.tenants["acme"]
    both = ("node-globex", "node-moves")
    served = [(name, "", house["server"]) for name in both]
    heard: list[Any] = []

    def whole() -> bool:
        heard[:] = world.heard(served)
        return len(heard) == len(served)

    eventually(whole, PATIENCE)
    others = [house["addresses"][name] for name in both]
    never = [
        world.vip("acme"),
        world.vip("globex"),
        world.order["outside"],
        acme["front"]["address"],
    ]
    out_of_band = [world.order["bmc"], *world.order["managed"].values()]
    tries = [
        (name, "", to) for name, other in zip(both, reversed(others)) for to in (*never, other)
    ]
    tries += [(name, "", to) for name in (*both, "node-acme") for to in out_of_band]
    by_ip6 = world.order["ip6"]
    answer = {
        "served": heard,
        "wrong": world.heard(tries),
        "managed": world.heard(
            [(name, "mgmt", world.order["bmc"]) for name in world.order["managed"]]
        ),
        "traces": world.traces(),
        "ip6": {
            "pinged": world.switches[by_ip6["border"]].reaches(by_ip6["peer"], vrf=by_ip6["vrf"]),
            "routes": sorted(
                world.told(world.roles["front"][0], f"show ipv6 route vrf {by_ip6['vrf']} json")
            ),
        },
    }
    say(begun, f"left: {answer}")
    return answer


def apart(world: World, begun: float) -> Plain:
    """Who reaches whom: the tenant's own, and what must stay without answer."""
    own, wrong = [], []
    for tenant, row in world.tenants.items():
        other = next(their for name, their in world.tenants.items() if name != tenant)
        node, customer = f"node-{tenant}", f"c{row['id']}"
        own += [(node, "", world.vip(tenant)), (node, "", world.order["outside"])]
        own += [("provider", customer, row["front"]["address"])]
        theirs = [other[kind][key] for kind in ("front", "store") for key in ("address", "gateway")]
        wrong += [
            (node, "", to) for to in (*theirs, other["store"]["vip"], *world.order["loopbacks"])
        ]
        wrong += [
            ("provider", customer, to) for to in (other["front"]["address"], row["store"]["vip"])
        ]
    heard: list[Any] = []

    def whole() -> bool:
        heard[:] = world.heard(own)
        return len(heard) == len(own)

    eventually(
        whole, PATIENCE
    )  # what both reached a moment ago may have come over the mender's old way
    answer = {"own": heard, "wrong": world.heard(wrong)}
    say(begun, f"{len(own)} own, {len(wrong)} of others: {answer}")
    return answer


def moving(world: World, begun: float) -> Plain:
    """The storage address of a tenant moves from one leaf to the other under a stream of requests."""
    vip, before = world.vip("globex"), world.owner("globex")
    world.nodes["globex"].send("stream", addresses=[vip], **STREAM)
    time.sleep(0.2)
    world.move("globex", "a2")
    lost = world.nodes["globex"].receive()[vip]
    back = eventually(functools.partial(world.reaches, "globex", "storage"), 10)
    answer = {"before": before, "after": world.owner("globex"), "lost": lost, "back": back}
    say(begun, f"moved: {answer}")
    return answer


def leaking(world: World, begun: float) -> Plain:
    """A provider announces another tenant's prefix, then too many of its own."""
    leaks, row = world.order["leaks"]["acme"], world.tenants["acme"]
    border = world.roles["border"][0]
    world.provider.ask("configure", text=leaks["steal"])
    peer, vrf = row["sessions"][border]["peer"], row["front"]["vrf"]
    heard = f"show bgp vrf {vrf} ipv4 unicast neighbors {peer} routes json"
    refused = eventually(lambda: leaks["stolen"] in world.told(border, heard).get("routes", {}), 2)
    routes = world.told(border, f"show ip route vrf {vrf} json")
    accepted = sorted(prefix for prefix, rows in routes.items() if rows[0]["protocol"] == "bgp")
    answer: Plain = {"refused": refused is None, "accepted": accepted}
    world.provider.ask("configure", text=leaks["flood"])
    answer["limited"] = {}
    for name in world.roles["border"]:
        down = eventually(functools.partial(world.ended, name, "acme"), 8)
        answer["limited"][name] = {"after": down, **world.session(name, "acme")}
    for tenant in world.tenants:
        answer[f"{tenant} outside"] = world.reaches(tenant, "outside")
    world.provider.ask("configure", text=leaks["calm"])
    for name in world.roles["border"]:
        again = f"clear bgp vrf {vrf} {row['sessions'][name]['peer']}"
        world.switches[name].ask("vtysh", commands=[again])
    answer["outside again"] = eventually(functools.partial(world.reaches, "acme", "outside"), 15)
    say(begun, f"leaks: {answer}")
    return answer


def dying(world: World, begun: float) -> Plain:
    """One machine after the other dies; those that are left carry everything, but for what is outside in the end."""
    answer = {}
    for kind in ("uplinks", "border", "store", "provider"):
        nodes = {tenant: world.nodes[tenant] for tenant in world.present}
        for tenant, node in nodes.items():
            node.send("stream", addresses=[world.vip(tenant), world.order["outside"]], **STREAM)
        time.sleep(0.2)
        world.lose(kind)
        lost = {tenant: node.receive() for tenant, node in nodes.items()}
        left = ("storage",) if kind == "provider" else ("storage", "outside")
        wanted = [(tenant, what) for tenant in nodes for what in left]
        back = eventually(functools.partial(world.served, wanted), PATIENCE)
        answer[kind] = {"lost": lost, "back": back}
        if kind == "uplinks":
            answer[kind]["alone"] = eventually(functools.partial(world.alone, "front"), PATIENCE)
        say(begun, f"{kind} died: {answer[kind]}")
    return answer


def look(world: World) -> None:
    """What the machines say of themselves, for whoever looks for a fault."""
    commands = ["show bgp summary", "show evpn vni", "show evpn es", "show ip route vrf all"]
    for name, machine in world.switches.items():
        print(
            f"--- {name}",
            machine.ask("vtysh", commands=commands),
            machine.sh("ip neigh; bridge fdb"),
            flush=True,
        )


def main() -> None:
    """Read the order, tell, answer."""
    order = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    print("ANSWER", json.dumps(tell(order)), flush=True)


if __name__ == "__main__":
    main()
