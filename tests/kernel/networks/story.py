# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stories of a converged fabric and of a core, in a kernel that has VRFs, bonds and VLANs. Standard library only.

An order (surroundings.py) holds the documents of the switches as their API took them, and all that is around them.
"""

from __future__ import annotations

import contextlib
import functools
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

from kernel.machine import Machine, cables, eventually, say
from kernel.networks import life, surroundings
from realiser import coverage

Plain = dict[str, Any]
PATIENCE = 40
"""Seconds until something is so, such as that others carry what was lost; a busy guest does everything late."""
STREAM = {"seconds": 1, "every": 0.1}
NOBODY = "00:00:00:00:00:00"
"""The LACP partner of a port that hears none."""
MOVER = f"node-{life.MOVES}"


class World:
    """All machines, with what is asked of them more than once."""

    def __init__(self, order: Plain) -> None:
        coverage.sort({})
        self.order, self.tenants, self.roles = order, order["tenants"], order["roles"]
        self.present = list(self.tenants)
        self.documents: dict[str, Plain] = {}
        ends = {row[0]: None for row in order["cables"]} | {row[2]: None for row in order["cables"]}
        self.known = {name: Machine(name) for name in {**order["switches"], **ends}}
        self.switches = {name: self.known[name] for name in order["switches"]}
        self.nodes = {tenant: self.known[f"node-{tenant}"] for tenant in self.tenants}
        self.array = self.known["array"]
        cables((self.known[a], b, self.known[c], d) for a, b, c, d in order["cables"])
        for name, script in order["scripts"].items():
            if name != "provider":
                self.known[name].sh(script)
        for tenant in self.tenants if "shared" not in order else ():
            self.move(tenant, "a1")

    def move(self, tenant: str, port: str) -> None:
        """Have a tenant's storage address at a port of the array."""
        self.array.sh(surroundings.moved(self.tenants[tenant], port))

    def vip(self, tenant: str) -> str:
        """The address of a tenant's storage."""
        return str(self.tenants[tenant]["store"]["vip"])

    def reaches(self, tenant: str, what: str) -> bool:
        """Check whether a tenant's node reaches its storage, or the outside."""
        return self.nodes[tenant].reaches(
            self.order["outside"] if what == "outside" else self.vip(tenant)
        )

    def served(self, wanted: list[tuple[str, str]]) -> bool:
        """Check whether tenants reach their destinations."""
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

    def realise(self, name: str, document: Plain) -> Plain:
        """Have a switch take a document, and say what was not realised."""
        self.documents[name] = document
        mac = f"44:38:39:00:00:{1 + list(self.switches).index(name):02x}"
        report: Plain = self.switches[name].ask("realise", document=document, mac=mac)
        return report

    @contextlib.contextmanager
    def mending(self) -> Iterator[None]:
        """Have all switches given back what FRR forgets for a while, as to look takes a guest long."""
        self._mend(rests=False)
        try:
            yield
        finally:
            self._mend(rests=True)

    def _mend(self, *, rests: bool) -> None:
        for machine in self.switches.values():
            machine.ask("mend", rests=rests)

    def until(self, check: Callable[[], Any], seconds: float) -> float | None:
        """Seconds until something is so, while FRR is given back what it forgets; None where it is not in time."""
        begun = time.monotonic()
        if check():
            return round(time.monotonic() - begun, 1)
        with self.mending():
            return eventually(check, seconds)

    def owner(self, tenant: str) -> Plain:
        """Return the place of a tenant's storage MAC address on a leaf without the array, and the number of its
        moves."""
        row, mac = self.tenants[tenant], surroundings.mac(self.tenants[tenant])
        name = self.roles["front" if not row["store"]["own_ports"] else "store"][0]
        found = (
            self.switches[name]
            .shows(f"show evpn mac vni {row['store']['vni']} mac {mac} json")
            .get(mac, {})
        )
        return {
            key: found.get(key) for key in ("type", "remoteVtep", "remoteSequence", "localSequence")
        }

    def session(self, border: str, tenant: str) -> Plain:
        """The state of a tenant's session at a border leaf, and how it last ended."""
        row = self.tenants[tenant]
        peer = row["sessions"][border]["peer"]
        shown = f"show bgp vrf {row['front']['vrf']} neighbors {peer} json"
        said = self.switches[border].shows(shown).get(peer, {})
        words = {"state": "bgpState", "reason": "lastResetDueTo", "code": "lastErrorCodeSubcode"}
        return {key: said.get(word) for key, word in words.items()}

    def ended(self, border: str, tenant: str) -> bool:
        """Check whether a tenant's session at a border leaf is not up."""
        return bool(self.session(border, tenant)["state"] != "Established")

    def alone(self, bond: str) -> bool:
        """Check whether each node has one port left in a bond."""
        return all(partners(node, bond)["ports"] == 1 for node in self.nodes.values())

    def partners_of(self, node: str) -> list[str]:
        """The LACP partners that a leaf has in the bond of a node, once it has missed some of its frames."""
        leaf, bond = self.order["bonds"][node]
        machine = self.switches[leaf]
        eventually(lambda: partners(machine, bond)["partners"] == [NOBODY], PATIENCE)
        return list(partners(machine, bond)["partners"])

    def traces(self) -> dict[str, int]:
        """Count the traces of the second tenant on a switch: devices, routes, VLANs, filters, EVPN routes."""
        row = self.tenants["globex"]
        words = [row[kind][key] for kind in ("front", "store") for key in ("vrf", "prefix", "vni")]
        pattern = "|".join(re.escape(str(word).partition("/")[0]) for word in words)
        return {name: one.ask("trace", pattern=pattern) for name, one in self.switches.items()}

    def lose(self, kind: str) -> None:
        """Have a machine die, or what leads to it; an array moves a storage address to its other port then."""
        if kind == "uplinks":
            leaf = self.roles["front"][0]
            for a, port, b, other in self.order["cables"]:
                if leaf in (a, b) and {a, b} & set(self.roles["spine"]):
                    name, end = (b, other) if a == leaf else (a, port)
                    self.switches[name].ask("ports", names=[end], state="down")
            return
        machine = (
            self.known["provider"] if kind == "provider" else self.switches[self.roles[kind][0]]
        )
        machine.ask("ports", names=[], state="down")
        if kind == "store":
            self.move("acme", "a2")


def partners(node: Machine, bond: str) -> Plain:
    """Return LACP's state: ports in the active aggregator, and the systems that they are connected to."""
    lines = [line.strip() for line in node.sh(f"cat /proc/net/bonding/{bond}").splitlines()]
    macs = [line.rpartition(" ")[2] for line in lines if line.startswith("system mac address")]
    ports = [int(line.rpartition(" ")[2]) for line in lines if line.startswith("Number of ports")]
    return {"ports": ports[0] if ports else 0, "partners": sorted(set(macs[1::2]))}


def bundled(node: Machine, bond: str) -> bool:
    """Check whether both ports of a node's bond carry its traffic."""
    return bool(partners(node, bond)["ports"] == 2)


def daemons(document: Plain) -> list[str]:
    """The daemons of FRR that a document gives something to do, as each takes a second in a guest."""
    bfd = document.get("router", {}).get("bfd", {}).get("state") == "enabled"
    static = any(vrf.get("router", {}).get("static") for vrf in document.get("vrf", {}).values())
    return ["zebra", "bgpd", *(["bfdd"] if bfd else []), *(["staticd"] if static else [])]


def begin(order: Plain, begun: float) -> World:
    """All machines, at work with their first documents."""
    world = World(order)
    say(begun, "machines are there")
    if provider := world.known.get("provider"):
        provider.sh(
            order["scripts"]["provider"]
        )  # before zebra, which misses addresses that come at once
        provider.ask("route", daemons=["zebra", "bgpd", "bfdd"])
        provider.ask("configure", text=order["provider"])
    for name, machine in world.switches.items():
        document = order["switches"][name]
        machine.ask("route", daemons=daemons(document))
        world.realise(name, document)
    say(begun, "documents are realised")
    return world


def tell(order: Plain) -> Plain:
    """Everything that is asked of a fabric, in order."""
    begun = time.monotonic()
    world, answer = begin(order, begun), dict[str, Any]()
    answer["first"] = convergence(world, begun, ["acme"])
    world.present = ["acme", "globex"]
    replay(world, begun, "tenant_onboard")
    answer["lease"] = world.nodes[order["leased"]].sh(life.lease("front"), check=False).split()
    say(begun, f"leased: {answer['lease']}")
    answer |= convergence(world, begun, ["globex"])
    if None in answer["seen"].values():
        look(world)
        return answer
    for part in (apart, tables, moving, leaking, node_moves, leaves):
        answer[part.__name__] = part(world, begun)
    world.present = ["acme"]
    answer["dying"] = dying(world, begun, ("spine", "uplinks", "border", "store", "provider"))
    answer["mended"] = {name: machine.ask("mended") for name, machine in world.switches.items()}
    say(begun, f"mended: {sum(map(len, answer['mended'].values()))}")
    return answer


def tell_core(order: Plain) -> Plain:
    """Everything that is asked of a core whose tenants share an array, in order."""
    begun = time.monotonic()
    world = begin(order, begun)
    answer = convergence(world, begun, world.present)
    if None in answer["seen"].values():
        look(world)
        return answer
    for part in (apart, sharing):
        answer[part.__name__] = part(world, begun)
    answer["dying"] = dying(world, begun, ("core",))
    return answer


def tell_shared(order: Plain) -> Plain:
    """Tenants reach an array that they share, on leaves that have the way to it by EVPN, and then have it no more."""
    begun = time.monotonic()
    world = begin(order, begun)
    own = [(tenant, "storage") for tenant in world.tenants]
    seen = world.until(functools.partial(world.served, own), PATIENCE)
    answer: Plain = {"seen": seen, "announced": ways(world)}
    for name, document in order["unannounced"].items():
        world.realise(name, document)
    eventually(lambda: not ways(world)["array"], PATIENCE)
    answer["unannounced"] = ways(world)
    say(begun, f"shared: {answer}")
    return answer


def replay(world: World, begun: float, step: str) -> list[Plain]:
    """Have switches take the documents of a playbook in order; when each was begun and whole, by the clock."""
    found = []
    for row in world.order["steps"][step]:
        start = time.time()
        world.realise(row["switch"], row["document"])
        found.append({"begun": start, "whole": time.time()})
    say(begun, f"{step}: {len(found)} revisions")
    return found


def convergence(world: World, begun: float, slugs: list[str]) -> Plain:
    """LACP, then storage and the outside, for some tenants; and the segments on both leaves of the pair."""
    found = {}
    for tenant in slugs:
        node = world.nodes[tenant]
        for bond in ["front", *(["stor"] if world.tenants[tenant]["store"]["own_ports"] else [])]:
            eventually(functools.partial(bundled, node, bond), PATIENCE)
            found[f"{tenant} {bond}"] = partners(node, bond)
    say(begun, f"LACP: {found}")
    seen = {}
    for tenant in slugs:
        for what in ("storage", "outside"):
            seen[f"{tenant} {what}"] = world.until(
                functools.partial(world.reaches, tenant, what), PATIENCE
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
    world.known[MOVER].ask("watch", pairs=pairs)
    before = world.until(lambda: world.known[MOVER].reaches(world.vip("acme")), PATIENCE)
    time.sleep(STREAM["seconds"])
    revisions = replay(world, begun, "tenant_move")
    world.known[MOVER].sh(life.routed(world.tenants["globex"]))
    own = [world.vip("globex"), world.order["outside"]]
    after = world.until(lambda: all(world.known[MOVER].reaches(to) for to in own), PATIENCE)
    time.sleep(STREAM["seconds"])
    answered = world.known[MOVER].ask("watched")
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
    """The second tenant leaves: what is left of it, and how its nodes boot, and whom they reach, in quarantine."""
    replay(world, begun, "tenant_offboard")
    house, acme = world.order["house"], world.tenants["acme"]
    both = ("node-globex", MOVER)
    with world.mending():
        booted = boots(world, both)
    say(begun, f"booted: {booted}")
    never = [
        world.vip("acme"),
        world.vip("globex"),
        world.order["outside"],
        acme["front"]["address"],
    ]
    addresses = [to for rows in booted.values() for to in rows[:1]]
    tries = [(name, "", to) for name in both for to in never]
    tries += [(name, "", to) for name in both for to in addresses if to not in booted[name]]
    tries += [(name, "", to) for name in (*both, "node-acme") for to in out_of_band(world)]
    answer = {
        "booted": booted,
        "partners": {name: world.partners_of(name) for name in both},
        "served": world.heard([(name, "", house["server"]) for name in both]),
        "wrong": world.heard(tries),
        "managed": world.heard(
            [(name, "mgmt", world.order["bmc"]) for name in world.order["managed"]]
        ),
        "traces": world.traces(),
    }
    say(begun, f"left: {answer}")
    return answer


def out_of_band(world: World) -> list[str]:
    """The BMC and the management addresses of leaves, where the story has them."""
    return [world.order["bmc"], *world.order["managed"].values()] if "bmc" in world.order else []


def boots(world: World, names: tuple[str, ...]) -> dict[str, list[str]]:
    """Nodes boot from the network, at the same time: the address, next server, file and image of each."""
    for name in names:
        world.known[name].send("sh", script=life.netboot(), check=False)
    said = {name: world.known[name].receive().splitlines() for name in names}
    return {name: [*" ".join(rows[:1]).split(), *rows[1:]] for name, rows in said.items()}


def sharing(world: World, begun: float) -> Plain:
    """Tenants and an array that they share: routes and packets with the filters of the documents, and without."""
    own = [(tenant, what) for tenant in world.tenants for what in ("storage", "outside")]
    with world.mending():
        eventually(functools.partial(world.served, own), PATIENCE)
        answer = {"filtered": ways(world)}
    for name, document in world.order["unfiltered"].items():
        world.realise(name, document)
    tries = crossing(world)
    world.until(lambda: world.heard(tries), PATIENCE)
    answer["unfiltered"] = ways(world)
    for name, document in world.order["switches"].items():
        world.realise(name, document)
    answer["again"] = eventually(lambda: not world.heard(tries), PATIENCE)
    answer["served"] = world.until(functools.partial(world.served, own), PATIENCE)
    say(begun, f"shared: {answer}")
    return answer


def crossing(world: World) -> list[tuple[str, str, str]]:
    """The tries of each tenant's node to reach another one's, on the network of storage."""
    return [
        (f"node-{slug}", "", other["store"]["address"])
        for slug in world.tenants
        for name, other in world.tenants.items()
        if name != slug
    ]


def ways(world: World) -> Plain:
    """The routes of each storage VRF on each switch, and what nodes reach by it: the array, and one another."""
    vrfs = [row["store"]["vrf"] for row in world.tenants.values()]
    return {
        "routes": {
            vrf: {
                name: sorted(one.shows(f"show ip route vrf {vrf} json"))
                for name, one in world.switches.items()
            }
            for vrf in vrfs
        },
        "array": world.heard([(f"node-{slug}", "", world.vip(slug)) for slug in world.tenants]),
        "crossed": world.heard(crossing(world)),
    }


def apart(world: World, begun: float) -> Plain:
    """Return the reachability: the tenant's own, and the flows that must stay without answer."""
    own, wrong = [], []
    for tenant, row in world.tenants.items():
        other = next(their for name, their in world.tenants.items() if name != tenant)
        node, customer = f"node-{tenant}", f"c{row['id']}"
        own += [(node, "", world.vip(tenant)), (node, "", world.order["outside"])]
        own += [("provider", customer, row["front"]["address"])]
        theirs = [other[kind][key] for kind in ("front", "store") for key in ("address", "gateway")]
        theirs += [other["store"]["vip"]] if "shared" not in world.order else []
        never = (*theirs, *world.order["loopbacks"], *out_of_band(world))
        wrong += [(node, "", to) for to in never]
        wrong += [
            ("provider", customer, to) for to in (other["front"]["address"], row["store"]["vip"])
        ]
    heard: list[Any] = []

    def whole() -> bool:
        heard[:] = world.heard(own)
        return len(heard) == len(own)

    world.until(whole, PATIENCE)
    answer = {"own": heard, "wrong": world.heard(wrong)}
    say(begun, f"{len(own)} own, {len(wrong)} of others: {answer}")
    return answer


def tables(world: World, begun: float) -> Plain:
    """Return FRR's tables on each leaf: connected and BGP routes of VRFs, but for hosts, and the segments."""
    answer = {}
    for name in dict.fromkeys(
        name for role in ("border", "front", "store") for name in world.roles[role]
    ):
        machine = world.switches[name]
        routes = {
            vrf: sorted(
                filter(None, map(_subnet, machine.shows(f"show ip route vrf {vrf} json").items()))
            )
            for vrf in world.documents[name]["vrf"]
            if vrf not in ("default", "mgmt")
        }
        segments = machine.ask("operational", path=["evpn", "multihoming", "esi"])
        answer[name] = {"routes": routes, "segments": sorted(segments)}
    say(begun, "tables are read")
    return answer


def _subnet(route: tuple[str, list[Plain]]) -> str:
    """The prefix of a route that is not of a host that EVPN knows; nothing for others."""
    prefix, rows = route
    own = rows[0]["protocol"] in ("bgp", "connected")
    return prefix if own and not prefix.endswith("/32") else ""


def moving(world: World, begun: float) -> Plain:
    """The storage address of a tenant moves from one leaf to the other under a stream of requests."""
    vip, before = world.vip("globex"), world.owner("globex")
    world.nodes["globex"].send("stream", addresses=[vip], **STREAM)
    time.sleep(0.2)
    world.move("globex", "a2")
    lost = world.nodes["globex"].receive()[vip]
    back = world.until(functools.partial(world.reaches, "globex", "storage"), PATIENCE)
    answer = {"before": before, "after": world.owner("globex"), "lost": lost, "back": back}
    say(begun, f"moved: {answer}")
    return answer


def leaking(world: World, begun: float) -> Plain:
    """A provider announces another tenant's prefix, then too many of its own."""
    leaks, row = world.order["leaks"]["acme"], world.tenants["acme"]
    border = world.roles["border"][0]
    world.known["provider"].ask("configure", text=leaks["steal"])
    peer, vrf = row["sessions"][border]["peer"], row["front"]["vrf"]
    heard = f"show bgp vrf {vrf} ipv4 unicast neighbors {peer} routes json"
    refused = eventually(
        lambda: leaks["stolen"] in world.switches[border].shows(heard).get("routes", {}), 2
    )
    routes = world.switches[border].shows(f"show ip route vrf {vrf} json")
    accepted = sorted(prefix for prefix, rows in routes.items() if rows[0]["protocol"] == "bgp")
    answer: Plain = {"refused": refused is None, "accepted": accepted}
    world.known["provider"].ask("configure", text=leaks["flood"])
    answer["limited"] = {}
    for name in world.roles["border"]:
        down = eventually(functools.partial(world.ended, name, "acme"), PATIENCE)
        answer["limited"][name] = {"after": down, **world.session(name, "acme")}
    answer["acme outside"] = world.reaches("acme", "outside")
    other = world.until(functools.partial(world.reaches, "globex", "outside"), PATIENCE)
    answer["globex outside"] = other is not None
    world.known["provider"].ask("configure", text=leaks["calm"])
    for name in world.roles["border"]:
        world.switches[name].shows(f"clear bgp vrf {vrf} {row['sessions'][name]['peer']}")
    answer["outside again"] = world.until(
        functools.partial(world.reaches, "acme", "outside"), PATIENCE
    )
    say(begun, f"leaks: {answer}")
    return answer


def dying(world: World, begun: float, kinds: tuple[str, ...]) -> Plain:
    """One machine after the other dies; those that are left carry everything, but for what is outside in the end."""
    answer = {}
    for kind in kinds:
        nodes = {tenant: world.nodes[tenant] for tenant in world.present}
        for tenant, node in nodes.items():
            node.send("stream", addresses=[world.vip(tenant), world.order["outside"]], **STREAM)
        time.sleep(0.2)
        world.lose(kind)
        lost = {tenant: node.receive() for tenant, node in nodes.items()}
        left = ("storage",) if kind == "provider" else ("storage", "outside")
        wanted = [(tenant, what) for tenant in nodes for what in left]
        back = world.until(functools.partial(world.served, wanted), PATIENCE)
        answer[kind] = {"lost": lost, "back": back}
        if back is None:
            look(world)
        if kind == "uplinks":
            answer[kind]["alone"] = eventually(functools.partial(world.alone, "front"), PATIENCE)
        if kind == "provider":
            outside = [(f"node-{tenant}", "", world.order["outside"]) for tenant in nodes]
            answer[kind]["silent"] = eventually(lambda to=outside: not world.heard(to), PATIENCE)
        say(begun, f"{kind} died: {answer[kind]}")
    return answer


def look(world: World) -> None:
    """Print the machines' own reports, for whoever looks for a fault."""
    shown = ("show bgp vrf all summary", "show evpn vni", "show evpn es", "show ip route vrf all")
    script = "\n".join([f"vtysh -c '{command}'" for command in shown] + ["ip neigh; bridge fdb"])
    routers = [name for name in world.known if name in world.switches or name == "provider"]
    for name in routers:
        print(f"--- {name}", world.known[name].sh(script, check=False), flush=True)
