# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reachability beyond the east-west fabric: the outside, a storage array, and nodes by their other ports.

The expectation is written here from the words of the design: a tenant's front end reaches its own outside, its storage
ports its own storage, and nothing reaches what is another tenant's. Addresses of routers are those of the example's
folder `outside`. Where links of nodes are IPv6, an address of a router has its IPv4 address in its last 32 bits.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import typing as t

from . import breaking, people

if t.TYPE_CHECKING:
    import pathlib

    from lab.world import World

    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
        Node,
    )

Probe = dict[str, t.Any]
SIX = "2001:db8::"
"""Before an IPv4 address where routers have IPv6."""

TENANTS = {"acme": 21, "globex": 22}
PROVIDERS, ARRAY = ("isp-a", "isp-b"), "nfs-1"
BORDERS = ("border-leaf-01-1", "border-leaf-01-2")
OUTSIDE = {slug: f"203.0.113.{number}" for slug, number in TENANTS.items()}
"""A host behind both providers for each tenant, in the prefix that both tenants accept."""
STORED = {slug: f"10.223.{number}.10" for slug, number in TENANTS.items()}
"""The address of the array for each tenant."""
BEGINS = {
    router: {slug: f"203.0.113.{base + number}" for slug, number in TENANTS.items()}
    for router, base in zip(PROVIDERS, (100, 200))
} | {ARRAY: STORED}
"""Source addresses of each router: an answer to the address that both providers have may go to the other one."""
GOALS = {"front-end": OUTSIDE, "storage": STORED}
COUNTED = ("/proc/net/snmp", "/proc/net/snmp6")
MANY = [f"203.0.113.{number}/32" for number in range(100, 112)]
"""More than the maximum of a session, each in the prefix that tenants accept."""


def with_ipv6(source: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """A copy of the example whose routed ports, sessions and routers have IPv6 in place of IPv4."""
    shutil.copytree(source, folder)
    fabric = folder / "model" / "fabric.yml"
    text = fabric.read_text().replace(
        "addressing:\n", "addressing:\n  routed_ports: numbered-127\n"
    )
    arrays = f'    array_ports: 0\n    array_prefixes: ["{SIX}10.223.0.0/112"]\n'
    fabric.write_text(text.replace("    array_ports: 0\n", arrays))
    for path in (folder / "model" / "tenants.yml", *(folder / "outside").iterdir()):
        path.write_text("".join(_six(line) for line in path.read_text().splitlines(keepends=True)))
    return folder


def _six(line: str) -> str:
    """A line of the registry, or of FRR's configuration, with IPv6; a router id stays as it is."""
    if "router-id" in line:
        return line
    line = re.sub(r"/(\d+)", lambda length: f"/{int(length[1]) + 96}", line)
    line = re.sub(r"\d+\.\d+\.\d+\.\d+", lambda address: f"{SIX}{address[0]}", line)
    line = line.replace(" ip address ", " ipv6 address ").replace("ipv4 unicast", "ipv6 unicast")
    peer = re.match(r" neighbor (\S+) remote-as", line)
    if not peer:
        return line
    return (
        f"{line} address-family ipv6 unicast\n  neighbor {peer[1]} activate\n exit-address-family\n"
    )


def at(world: World, address: str) -> str:
    """An address of a router in the version of IP that links of nodes have."""
    return f"{SIX}{address}" if _version(world) == 6 else address


def _version(world: World) -> int:
    return world.fabric.addresses.routed_version


def ports(world: World, node: Node) -> list[dict[str, t.Any]]:
    """A node's routed ports on the other networks, as the plan has them."""
    return t.cast("list[dict[str, t.Any]]", world.fabric.slice(node)["networks"])


def _bound(world: World, node: Node, owner: str) -> list[dict[str, t.Any]]:
    """The ports of a node from whose address it can send: without carrier IPv6 never ends its look for duplicates."""
    shut = _version(world) == 6 and owner == "quarantine"
    return [row for row in ports(world, node) if not (shut and row["network"] == "storage")]


def links(world: World, name: str, network: str) -> list[str]:
    """The prefixes of a node's links on a network: its address is the even one."""
    node = t.cast("Node", world.fabric.device(name))
    return [
        f"{row['address']}/{row['length']}"
        for row in ports(world, node)
        if row["network"] == network
    ]


def flows(world: World, present: t.Collection[str] = tuple(TENANTS)) -> list[Probe]:
    """From each node to all goals and other nodes, and from outside back; `present` tenants are on switches."""
    return [*_outwards(world, present), *_between(world), *_inwards(world, present)]


def members(world: World, slugs: t.Collection[str]) -> list[Probe]:
    """The flows of some tenants to what is theirs outside of the fabric."""
    wanted = {at(world, goal[slug]) for goal in GOALS.values() for slug in slugs}
    found = _outwards(world, tuple(TENANTS))
    return [probe for probe in found if probe["expect"] == "reached" and probe["to"] in wanted]


def _outwards(world: World, present: t.Collection[str]) -> t.Iterator[Probe]:
    owners = people.owner_of(world)
    for node, owner in owners.items():
        for row in _bound(world, node, owner):
            for (network, goals), slug in itertools.product(GOALS.items(), TENANTS):
                own = (network, slug) == (row["network"], owner) and slug in present
                goal = at(world, goals[slug])
                yield _probe(world, node, row, goal, f"{slug}'s {network} goal", own)


def _between(world: World) -> t.Iterator[Probe]:
    """From every port to every port of a stranger's node; on the front end a tenant's nodes reach each other."""
    owners = people.owner_of(world)
    for one, two in itertools.permutations(owners, 2):
        own = owners[one] == owners[two] != "quarantine"
        for mine, theirs in itertools.product(_bound(world, one, owners[one]), ports(world, two)):
            if own and {mine["network"], theirs["network"]} != {"front-end"}:
                continue
            what = f"{world.fabric.name(two)} {theirs['port']}"
            yield _probe(world, one, mine, theirs["address"], what, own)


def _probe(
    world: World, node: Node, row: dict[str, t.Any], goal: str, what: str, reached: bool
) -> Probe:
    name = world.fabric.name(node)
    return {
        "id": f"{name} {row['port']} to {what}",
        "from": name,
        "source": row["address"],
        "to": goal,
        "expect": "reached" if reached else "silent",
    }


def _inwards(world: World, present: t.Collection[str]) -> t.Iterator[Probe]:
    """From each tenant's part of a provider and of the array to every port of every node."""
    owners = people.owner_of(world)
    for router, slug, node in itertools.product(BEGINS, TENANTS, owners):
        network = "storage" if router == ARRAY else "front-end"
        for row in ports(world, node):
            own = (network, slug) == (row["network"], owners[node]) and slug in present
            yield {
                "id": f"{router} of {slug} to {world.fabric.name(node)} {row['port']}",
                "from": router,
                "netns": slug,
                "source": at(world, BEGINS[router][slug]),
                "to": row["address"],
                "expect": "reached" if own else "silent",
            }


def overheard(world: World, probes: list[Probe]) -> list[str]:
    """List forbidden requests that arrive, on nodes and on each tenant's part of the routers."""
    silent = [probe for probe in probes if probe["expect"] == "silent"]
    before = _requests(world)
    world.ping(silent, tries=1, timeout=0.5)
    after = _requests(world)
    return [f"{where}: {after[where] - was}" for where, was in before.items() if after[where] > was]


def _requests(world: World) -> dict[str, int]:
    found = {
        name: people.requests(world.node(name, "cat", *COUNTED)) for name in people.names(world)
    }
    for router, slug in itertools.product(BEGINS, TENANTS):
        text = world.node(router, "ip", "netns", "exec", slug, "cat", *COUNTED)
        found[f"{router} {slug}"] = people.requests(text)
    return found


# What routers and border leaves say


def ask(world: World, device: str, command: str) -> dict[str, t.Any]:
    """The answer of FRR on a device to a show command, as JSON."""
    text = world.node(device, "vtysh", "-c", f"{command} json", check=False).strip()
    return t.cast("dict[str, t.Any]", json.loads(text)) if text.startswith("{") else {}


def heard(world: World, router: str, slug: str) -> set[str]:
    """The prefixes that a router has of a tenant by BGP."""
    word = "ipv6" if _version(world) == 6 else "ip"
    found = ask(world, router, f"show {word} route vrf {slug} bgp")
    return {prefix for prefix in found if prefix not in ("vrfId", "vrfName")}


def session(world: World, border: str, slug: str, peer: str) -> dict[str, t.Any]:
    """A tenant's session at a border leaf; what ended it last is under `lastErrorCodeSubcode`."""
    found = ask(world, border, f"show bgp vrf t{TENANTS[slug]}-{slug} neighbors {peer}")
    return t.cast("dict[str, t.Any]", found.get(peer, {}))


def accepted(world: World, border: str, slug: str) -> set[str]:
    """The prefixes that a tenant's VRF at a border leaf has by BGP."""
    return heard(world, border, f"t{TENANTS[slug]}-{slug}")


def announce(
    world: World, router: str, slug: str, prefixes: t.Iterable[str], *, back: bool = False
) -> None:
    """Have a provider announce more to one of its customers, or take it back."""
    text = world.node(router, "vtysh", "-c", "show running-config")
    head = next(x for x in text.splitlines() if x.startswith("router bgp ") and x.endswith(slug))
    lines = [f"{'no ' if back else ''}network {prefix}" for prefix in prefixes]
    words = ["configure terminal", head, "address-family ipv4 unicast", *lines]
    world.node(router, "vtysh", *(part for line in words for part in ("-c", line)))


def traces(world: World, slug: str) -> list[str]:
    """List the traces of a tenant on switches: in namespaces, FRR or filters."""
    filters = "for n in $(ls /run/netns); do ip netns exec $n nft list ruleset; done"
    look = f"ip netns; vtysh -c 'show running-config'; {filters}"
    return [
        f"{world.fabric.name(switch)}: {line}"
        for switch in world.fabric.switches()
        for line in world.node(world.fabric.name(switch), "sh", "-c", look).splitlines()
        if slug in line
    ]


def validate(world: World, report: str, *, checks: str, code: int = 0) -> list[dict[str, t.Any]]:
    """Return the faults of switches by playbook validate; it has to end with `code`."""
    words = ["-e", f"spx_report={report}", "-e", f"spx_checks={checks}", "--limit", "!spx_node"]
    done = world.play("spectrum_x.fabric.validate", *words, check=False)
    wrong = breaking.failures(world, report)
    assert done.returncode == code, (wrong, done.stdout[-3000:])
    return wrong
