# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts of the converged fabric: front-end, storage and border leaves in pairs, and their spines.

A leaf has ports of one kind after the other, each kind in cages of its own, then its uplinks:

    border_leaf      external, up
    storage_leaf     array, host, up
    front_end_leaf   server, host, up

As many nodes share a pair as leave room for the uplinks that the oversubscription asks for. Spines are those that the
description states, or the fewest from two on whose ports carry all leaves; each leaf has equally many links to each.

A core is one pair without spines, which has the ports of all nodes, those of the front end first:

    converged_core   external, array, server, host, up

Its links lead from one member to the other.
"""

from __future__ import annotations

import bisect
import dataclasses
import typing as t
from ipaddress import ip_network

from ...catalog import hardware, roles
from ...catalog.data import table
from ...description.errors import Breach
from .cages import Block, gbps, joined

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...description.description import Description
    from ...description.networks import Core, Networks, Storage
    from .clos import Clos

BORDER_LEAF, STORAGE_LEAF, FRONT_END_LEAF = "border_leaf", "storage_leaf", "front_end_leaf"
CONVERGED_SPINE, CORE = "converged_spine", "converged_core"
LEAVES = roles.names(network=roles.CONVERGED, pairs=True)
"""Roles in pairs, in the order of the ports of a spine; a core has none."""
TO_OUTSIDE = (BORDER_LEAF, CORE)
"""The leaves with links to providers."""
WITH_VTEP = roles.names(vtep=True)
"""The leaves of both fabrics."""
MEMBERS = 2
"""Leaves of a pair."""
MOST_LEAVES = 1000
"""Leaves of a role that the three decimal digits of the ASN scheme number."""
MOST_SPINES = 128
LEAST_CORE_LINKS = 2
"""Between the members of a core, so that no single cable parts them."""
HOST, ARRAY, EXTERNAL, UP, DOWN = "host", "array", "external", "up", "down"
SERVER = "server"
FRONT_END, STORAGE = "front-end", "storage"
_NO_PORTS = Block(1, 1, 0)


class Equipment(t.NamedTuple):
    """Equipment of a network that is no node, by the kind of its ports: its leaves, and its keys in the description.

    `lossless` ports take part in RoCE; on `untagged` ones an owner that is alone there has its VLAN untagged.
    """

    kind: str
    network: str
    leaf: str
    section: str
    key: str
    lossless: bool
    untagged: bool

    def stated(self, net: Networks | None) -> list[t.Any]:
        """Return what the description lists of it."""
        part = getattr(net, self.section, None)
        return getattr(part, self.key) if part else []


EQUIPMENT = {
    one.kind: one
    for one in (
        Equipment(ARRAY, STORAGE, STORAGE_LEAF, "storage", "arrays", lossless=True, untagged=False),
        Equipment(
            SERVER, FRONT_END, FRONT_END_LEAF, "front_end", "servers", lossless=False, untagged=True
        ),
    )
}
OUTSIDE = (*EQUIPMENT, EXTERNAL)
"""Kinds of ports whose far end is none of the fabric's."""


class Hosts(t.NamedTuple):
    """The ports of nodes of a network at a pair: `ports` of each node, from host port `first` of a leaf on."""

    ports: int
    first: int = 0


@dataclasses.dataclass(frozen=True)
class Leaves:
    """The leaves of a role.

    `blocks` are the ports of each by kind, in cage order. `hosts` are the ports of each of `nodes_per_pair` nodes by
    network. `links` lead to each spine, whose ports for this role begin at `first`; those of a core to its partner.
    """

    role: str
    pairs: int
    blocks: t.Mapping[str, Block]
    links: int
    first: int = 0
    hosts: t.Mapping[str, Hosts] = dataclasses.field(default_factory=dict)
    nodes_per_pair: int = 0

    @property
    def node_ports(self) -> int:
        """Ports of a node here, of the network with the fewest; 0 where nodes have none."""
        return min((hosts.ports for hosts in self.hosts.values()), default=0)

    def network_at(self, index: int) -> str:
        """The network of a host port of a leaf."""
        return [network for network, row in self.hosts.items() if index >= row.first][-1]

    @property
    def count(self) -> int:
        """Leaves of the role."""
        return self.pairs * MEMBERS


@dataclasses.dataclass(frozen=True)
class Converged:
    """Every count of the converged fabric; `leaves` are by role, in the order of the ports of a spine."""

    nodes: int
    spines: int
    leaves: t.Mapping[str, Leaves]
    down: Block

    def switches(self) -> dict[str, int]:
        """Switches by role; only of the roles that there are."""
        made = {role: leaves.count for role, leaves in self.leaves.items()}
        return {**made, CONVERGED_SPINE: self.spines} if self.spines else made

    def serving(self, role: str) -> str:
        """The role that has the ports of a role of leaves: itself, or the core."""
        return CORE if CORE in self.leaves else role

    def above(self, role: str) -> str:
        """Return the role that the uplinks of a role of leaves lead to; those of a core lead to its partner."""
        return CORE if role == CORE else CONVERGED_SPINE

    def meeting(self, network: str) -> Leaves | None:
        """The leaves that nodes meet in a network; None where they have no ports of it."""
        return next((one for one in self.leaves.values() if network in one.hosts), None)

    def blocks(self, role: str) -> t.Mapping[str, Block]:
        """The port blocks of a role by kind, in cage order."""
        return {DOWN: self.down} if role == CONVERGED_SPINE else self.leaves[role].blocks

    def holds(self, role: str, pair: int, member: int) -> bool:
        """Check whether there is such a switch; a spine is a member of pair 0."""
        if role == CONVERGED_SPINE:
            return pair == 0 and 0 <= member < self.spines
        leaves = self.leaves.get(role)
        return leaves is not None and 0 <= pair < leaves.pairs and 0 <= member < MEMBERS


NOTHING = Converged(0, 0, {}, _NO_PORTS)
"""The counts of a fabric without other networks."""


class _Impossible(Exception):
    """A breach found while counting."""

    def __init__(self, key: tuple[str, ...], sentence: str) -> None:
        super().__init__(sentence)
        self.breach = Breach(("networks", *key), sentence)


def of(d: Description, clos: Clos) -> Converged | None:
    """The counts of a description that keeps the rules; None without other networks."""
    found = count(d, clos) if d.networks else None
    return None if isinstance(found, Breach) else found


def count(d: Description, clos: Clos) -> Converged | Breach:
    """All counts of the other networks of a description, or the one rule that makes them impossible."""
    net = t.cast("Networks", d.networks)
    try:
        made = _count(d, net, clos.nodes)
        _segments(net, made)
        return made
    except _Impossible as exc:
        return exc.breach


_SECTIONS = {FRONT_END: "networks.front_end", STORAGE: "networks.storage"}


def _segments(net: Networks, made: Converged) -> None:
    """Refuse more Ethernet segments on a leaf than are allowed."""
    most = net.switches.segments_per_leaf
    for role, leaves in made.leaves.items() if most else ():
        sections = {FRONT_END: net.front_end, STORAGE: net.storage}
        nodes = min(leaves.nodes_per_pair, made.nodes)
        bonds = [
            -(-nodes * min(hosts.ports, MEMBERS) // MEMBERS)
            for name, hosts in leaves.hosts.items()
            if (one := sections[name]) and one.attachment == "bond"
        ]
        pairs = [
            array_port(port)[0]
            for kind in EQUIPMENT.values()
            for one in (kind.stated(net) if role == made.serving(kind.leaf) else [])
            if one.attachment == "bond"
            for port in one.ports
        ]
        found = sum(bonds) + max((pairs.count(pair) for pair in pairs), default=0)
        if found > t.cast("int", most):
            where = " or ".join(_SECTIONS[name] for name in leaves.hosts) or _SECTIONS[STORAGE]
            raise _Impossible(
                ("switches", "segments_per_leaf"),
                f"a {role.replace('_', ' ')} would have {found} Ethernet segments, and {most} are allowed: use a "
                f"larger figure, attachment: routed in {where}, or fewer arrays at a pair.",
            )


def array_port(text: int | str) -> tuple[int, int]:
    """(pair, port) of an array port, both zero-based: 3 -> (0, 2), '2/3' -> (1, 2)."""
    pair, _slash, port = str(text).rpartition("/")
    return int(pair or 1) - 1, int(port) - 1


@dataclasses.dataclass(frozen=True)
class _Cages:
    """The cages of the switches, and into how many ports of a speed each breaks out."""

    model: str
    count: int
    fabric_speed: str

    def breakout(self, speed: str, *key: str) -> int:
        """Return how many ports of a speed a cage splits into, of which each may run at half its speed."""
        number = hardware.most(self.model, gbps(speed))
        if number is None:
            raise _Impossible(
                key,
                f"{speed} does not come from the cages of the {self.model}: use "
                f"{', '.join(hardware.speeds(self.model, halves=True))}.",
            )
        return number


@dataclasses.dataclass(frozen=True)
class _Want:
    """Requirements of the leaves of a role. `fixed` ports are (kind, speed, count) on each leaf."""

    role: str
    section: str
    oversubscription: int
    network: str = ""
    fixed: tuple[tuple[str, str, int], ...] = ()
    host_speed: str = ""
    node_ports: int = 0
    least_pairs: int = 1


def _wants(net: Networks) -> Iterator[_Want]:
    """In the order of the ports of a spine."""
    if net.border:
        ports = (EXTERNAL, net.border.external_speed, net.border.external_ports)
        yield _Want(BORDER_LEAF, "border", 1, fixed=(ports,), least_pairs=net.border.pairs)
    if one := net.storage:
        arrays = ((ARRAY, one.array_speed, one.array_ports),) if one.array_speed else ()
        yield _Want(
            STORAGE_LEAF,
            "storage",
            one.oversubscription,
            STORAGE,
            arrays,
            host_speed=one.host_speed or "",
            node_ports=one.node_ports,
            least_pairs=_pairs(net, ARRAY),
        )
    if front := net.front_end:
        servers = ((SERVER, front.server_speed, front.server_ports),) if front.server_speed else ()
        yield _Want(
            FRONT_END_LEAF,
            "front_end",
            front.oversubscription,
            FRONT_END,
            servers,
            host_speed=front.host_speed,
            node_ports=front.ports_per_node,
            least_pairs=_pairs(net, SERVER),
        )


def _pairs(net: Networks, kind: str) -> int:
    """Pairs of leaves that equipment is cabled to, at least one."""
    rows = EQUIPMENT[kind].stated(net)
    return max((array_port(port)[0] + 1 for row in rows for port in row.ports), default=1)


def _count(d: Description, net: Networks, nodes: int) -> Converged:
    cages, wants = _cages(d, net), list(_wants(net))
    if net.core:
        return Converged(nodes, 0, {CORE: _core(net.core, wants, cages, nodes=nodes)}, _NO_PORTS)
    ports = cages.count * cages.breakout(cages.fabric_speed, "switches", "fabric_speed")
    tried: t.Iterable[int] = [net.spines or 1]
    if net.spines is None:
        # With one spine no leaf rounds up its uplinks: there are never fewer leaves and links.
        least = _made(wants, cages, nodes=nodes, spines=1)
        if sum(leaves.count for leaves in least) > ports:
            raise _no_port_left(net, least, spines=1, ports=ports)
        tried = range(max(2, -(-_links(least) // ports)), MOST_SPINES + 1)
    refusal: _Impossible | None = None
    for spines in tried:
        try:
            made = _made(wants, cages, nodes=nodes, spines=spines)
        except _Impossible as exc:
            refusal = refusal or exc
            continue
        used = _links(made)
        if used <= ports:
            return _laid_out(made, nodes=nodes, spines=spines, cages=cages)
        refusal = _no_port_left(net, made, spines=spines, ports=ports)
        if all(leaves.links == 1 for leaves in made):
            break  # with more spines each would have as many links
    raise t.cast("_Impossible", refusal)


def _made(wants: list[_Want], cages: _Cages, *, nodes: int, spines: int) -> list[Leaves]:
    return [_leaves(want, cages, nodes=nodes, spines=spines) for want in wants]


def _links(made: list[Leaves]) -> int:
    """The links of all leaves to one spine."""
    return sum(leaves.count * leaves.links for leaves in made)


def _no_port_left(net: Networks, made: list[Leaves], *, spines: int, ports: int) -> _Impossible:
    number, used = sum(leaves.count for leaves in made), _links(made)
    why = f"have {used} links to each of {spines} spines, more than the {ports} ports of one"
    if number > ports:
        why = f"are more than the {ports} ports of a spine, of which each needs one"
    more = "more spines, " if net.spines and number <= ports else ""
    return _Impossible(
        ("spines",) if net.spines else (),
        f"{number} leaves {why}: use {more}a larger oversubscription, a slower fabric_speed, or a model with more "
        "ports.",
    )


def _laid_out(made: list[Leaves], *, nodes: int, spines: int, cages: _Cages) -> Converged:
    """The leaves, with the ports of a spine one role after the other."""
    first, placed = 0, {}
    for leaves in made:
        placed[leaves.role] = dataclasses.replace(leaves, first=first)
        first += leaves.count * leaves.links
    breakout = cages.breakout(cages.fabric_speed, "switches", "fabric_speed")
    return Converged(nodes, spines, placed, Block(1, breakout, first))


def _cages(d: Description, net: Networks) -> _Cages:
    stated = net.switches
    model = stated.model or d.switches.model
    if refusal := hardware.model_refusal(model):
        raise _Impossible(("switches", "model"), refusal)
    speed = stated.fabric_speed or d.switches.fabric_speed
    cages = _Cages(model, table("switches")["models"][model]["cages"], speed)
    breakout = cages.breakout(speed, "switches", "fabric_speed")
    usable = stated.usable_ports
    if usable is None:
        return cages
    if usable > cages.count * breakout or usable % breakout:
        raise _Impossible(
            ("switches", "usable_ports"),
            f"{usable} is not a multiple of {breakout}, the ports of a cage of the {model} at {speed}: use "
            f"a multiple of {breakout} up to {cages.count * breakout}.",
        )
    return dataclasses.replace(cages, count=usable // breakout)


def _leaves(want: _Want, cages: _Cages, *, nodes: int, spines: int) -> Leaves:
    """The leaves of a role, with as many nodes at a pair as fit."""
    needed = _at_each(want, nodes=nodes)
    most = min(needed, cages.count * _host_breakout(want, cages)) if want.node_ports else 0

    def too_many(hosts: int) -> bool:
        blocks = _ports(want, cages, hosts=hosts, spines=spines)[0]
        return sum(block.cages for block in blocks.values()) > cages.count

    ports = bisect.bisect_left(range(most + 1), 1, key=too_many) - 1
    if ports < min(want.node_ports, 1):
        raise _too_small(want, cages, spines=spines)
    blocks, links = _ports(want, cages, hosts=ports, spines=spines)
    per_pair = ports * MEMBERS // want.node_ports if want.node_ports else 0
    pairs = max(want.least_pairs, -(-nodes // per_pair) if per_pair else 1)
    if pairs * MEMBERS > MOST_LEAVES:
        raise _Impossible(
            (want.section,),
            f"{nodes} nodes need {pairs * MEMBERS} {_words(want)}, more than the {MOST_LEAVES} that the ASN scheme "
            "numbers: use a larger oversubscription, a slower host_speed, or a model with more ports.",
        )
    hosts = {want.network: Hosts(want.node_ports)} if want.node_ports else {}
    return Leaves(want.role, pairs, blocks, links, 0, hosts, per_pair)


def _words(want: _Want) -> str:
    """`front-end leaves`."""
    return f"{want.role.removesuffix('_leaf').replace('_', '-')} leaves"


def _host_breakout(want: _Want, cages: _Cages) -> int:
    return cages.breakout(want.host_speed, want.section, "host_speed")


def _ports(want: _Want, cages: _Cages, *, hosts: int, spines: int) -> tuple[dict[str, Block], int]:
    """The port blocks of a leaf with so many host ports, and its links to each spine."""
    kinds = [(kind, speed, n) for kind, speed, n in want.fixed if n]
    kinds += [(HOST, want.host_speed, hosts)] if want.node_ports else []
    blocks: dict[str, Block] = {}
    first = 1
    for kind, speed, n in kinds:
        key = f"{kind}_speed"
        blocks[kind] = Block(first, cages.breakout(speed, want.section, key), n)
        first += blocks[kind].cages
    traffic = sum(n * gbps(speed) for _kind, speed, n in kinds)
    needed = -(-traffic // (want.oversubscription * gbps(cages.fabric_speed)))
    links = max(1, -(-needed // spines))
    breakout = cages.breakout(cages.fabric_speed, "switches", "fabric_speed")
    blocks[UP] = Block(first, breakout, links * spines)
    return blocks, links


def _too_small(want: _Want, cages: _Cages, *, spines: int) -> _Impossible:
    """Describe why not one node port, or not all stated ports, fit beside the uplinks."""
    blocks, _per_spine = _ports(want, cages, hosts=1, spines=spines)
    need = " and ".join(f"{block.cages} cages for {kind} ports" for kind, block in blocks.items())
    key = {"border": "external_ports", "storage": "array_ports"}.get(want.section)
    key = key or ("server_ports" if want.fixed else None)
    remedies = [f"fewer {key}"] if key else []
    remedies += ["a larger oversubscription"] if want.section != "border" else []
    remedies += ["fewer spines"] if spines > 2 else []
    return _Impossible(
        (want.section, key) if key else (want.section,),
        f"{_words(want)} need {need}, and {cages.count} cages of the {cages.model} may be used: "
        f"use {', '.join(remedies)}, or more usable_ports.",
    )


# A core


def _core(stated: Core, wants: list[_Want], cages: _Cages, *, nodes: int) -> Leaves:
    """The pair that has all networks: every kind of ports in cages of its own, then the links between the two.

    Ports of nodes are the front end's, then those of storage; each network has cages and a speed of its own.
    """
    served = sorted((want for want in wants if want.node_ports), key=lambda want: want.section)
    links = stated.links or max(
        LEAST_CORE_LINKS, -(-_alone(wants, nodes=nodes) // gbps(cages.fabric_speed))
    )
    rows = [(kind, speed, n, want.section) for want in wants for kind, speed, n in want.fixed if n]
    rows += [(HOST, want.host_speed, _at_each(want, nodes=nodes), want.section) for want in served]
    rows.append((UP, cages.fabric_speed, links, "switches"))
    blocks: dict[str, Block] = {}
    first = 1
    for kind, speed, n, section in rows:
        key = "fabric_speed" if kind == UP else f"{kind}_speed"
        block = Block(first, cages.breakout(speed, section, key), n)
        first += block.cages
        blocks[kind] = joined(blocks[kind], block) if kind in blocks else block
    if sum(block.cages for block in blocks.values()) > cages.count:
        raise _core_too_small(blocks, cages, nodes=nodes)
    hosts, count = {}, 0
    for want in served:
        hosts[want.network] = Hosts(want.node_ports, count)
        count += _at_each(want, nodes=nodes)
    return Leaves(CORE, 1, blocks, links, 0, hosts, nodes if hosts else 0)


def _at_each(want: _Want, *, nodes: int) -> int:
    """The ports of so many nodes at each of two switches."""
    return -(-nodes * want.node_ports // MEMBERS)


def _alone(wants: list[_Want], *, nodes: int) -> int:
    """Gb/s of what is cabled to one switch of a core alone: the other's traffic with it takes their links."""
    made = 0
    for want in wants:
        made += sum(n * gbps(speed) for kind, speed, n in want.fixed if kind == EXTERNAL)
        if want.node_ports == 1:
            made += _at_each(want, nodes=nodes) * gbps(want.host_speed) // want.oversubscription
    return made


def _core_too_small(blocks: t.Mapping[str, Block], cages: _Cages, *, nodes: int) -> _Impossible:
    need = " and ".join(f"{block.cages} for {kind} ports" for kind, block in blocks.items())
    return _Impossible(
        ("core",),
        f"the ports of {nodes} nodes and all else need {need} on each of two switches, and {cages.count} cages of the "
        f"{cages.model} may be used: use slower ports, fewer external_ports, array_ports or links, more usable_ports, "
        "or leaves below spines (no core).",
    )


def breaches(d: Description) -> Iterator[Breach]:
    """Rules between the keys of `networks` that need no counts."""
    net = d.networks
    if net is None:
        return
    if not (net.front_end or net.storage or net.border):
        yield Breach(("networks",), "it has no network: add front_end, storage or border.")
    yield from _beside_core(net)
    yield from _storage(net)
    for kind in EQUIPMENT.values():
        yield from _equipment(net, kind)
    yield from _border_links(net)
    yield from _pci(d)
    yield from _warm(d)
    yield from _six(d, net)


def _warm(d: Description) -> Iterator[Breach]:
    """Cumulus Linux 5.19, System Power: no warm reboot with bonds; VRF: leaked routes are lost in one."""
    net = t.cast("Networks", d.networks)
    front, one = net.front_end, net.storage
    others = [row for kind in EQUIPMENT.values() for row in kind.stated(net)]
    bonds = bool(front and front.attachment == "bond")
    bonds |= bool(one and one.node_ports and one.attachment == "bond")
    bonds |= any(row.attachment == "bond" for row in others)
    key = ("routing", "restart")
    if d.routing.restart == "issu" and bonds:
        yield Breach(
            key,
            "issu needs a warm reboot, and Cumulus Linux has none of a switch with bonds or EVPN multihoming, which "
            "networks requires: use standard, or attachment routed and single.",
        )
    if d.routing.restart == "issu" and one and one.mode == "shared":
        yield Breach(
            key,
            "issu needs a warm reboot, in which a switch loses the routes that it leaks between VRFs, and "
            "networks.storage.mode is shared: use standard, or mode per-tenant.",
        )


def _pci(d: Description) -> Iterator[Breach]:
    """PCI addresses are stated for all ports of a node in a network or for none, and each once."""
    net, taken = t.cast("Networks", d.networks), {pci[:-2] for pci in d.nics.pci}
    front, storage = net.front_end, net.storage
    stated: list[tuple[str, list[str], int]] = []
    stated += [("front_end", front.pci, front.ports_per_node)] if front else []
    stated += [("storage", storage.pci, storage.node_ports)] if storage else []
    for name, addresses, ports in stated:
        key = ("networks", name, "pci")
        if addresses and len(set(addresses)) != ports:
            yield Breach(
                key,
                f"{len(set(addresses))} different addresses do not serve {ports} ports: state one for each port.",
            )
        if again := sorted(pci for pci in addresses if {pci, pci[:-2]} & taken):
            yield Breach(
                key,
                f"{again[0]} is on the NIC of a rail, or stated for another network too: state each port once.",
            )
        taken |= {*addresses}


def _beside_core(net: Networks) -> Iterator[Breach]:
    """Yield the settings for which a core has no room: spines, and a second pair."""
    if net.core is None:
        return
    if net.spines is not None:
        yield Breach(
            ("networks", "spines"),
            f"{net.spines} spines are stated, and a core has none: leave out spines, or core.",
        )
    if net.border and net.border.pairs > 1:
        yield Breach(
            ("networks", "border", "pairs"),
            f"{net.border.pairs} pairs are stated, and a core is the only one: use 1, or leave out core.",
        )
    for kind in EQUIPMENT.values():
        for number, one in enumerate(kind.stated(net)):
            for at, text in enumerate(one.ports):
                if array_port(text)[0]:
                    yield Breach(
                        ("networks", kind.section, kind.key, number, "ports", at),
                        f"{text} is of another pair than the first, and a core is the only one: use a port of the "
                        "first pair, or leave out core.",
                    )


def _storage(net: Networks) -> Iterator[Breach]:
    one, key = net.storage, ("networks", "storage")
    if one is None:
        return
    if one.node_ports == 0 and (net.front_end is None or net.front_end.attachment != "bond"):
        yield Breach(
            (*key, "node_ports"),
            "0 puts storage on the bond of the front end, and there is none: use 1 or 2 ports, or a front_end with "
            "attachment bond.",
        )
    if one.node_ports == 0 and one.attachment == "routed":
        yield Breach(
            (*key, "attachment"),
            "routed needs storage ports of the nodes' own, and node_ports is 0: use bond, or node_ports 1 or 2.",
        )
    for kind, ports in (("host", one.node_ports), ("array", one.array_ports)):
        if ports and getattr(one, f"{kind}_speed") is None:
            yield _no_speed(key, kind)


def _no_speed(key: tuple[str, ...], kind: str) -> Breach:
    return Breach(
        (*key, f"{kind}_speed"),
        f"the key is missing, and there are {kind} ports: add it, such as 200G.",
    )


def _six(d: Description, net: Networks) -> Iterator[Breach]:
    """Links of nodes have one version of IP, and with it all that a node is to reach over them."""
    six = d.addressing.routed_ports == "numbered-127"
    parts = {"front-end": net.front_end, "storage": net.storage}
    routed = [name for name, part in parts.items() if part and part.attachment == "routed"]
    if six and not routed:
        yield Breach(
            ("addressing", "routed_ports"),
            "numbered-127 is for routed ports, and no network has them: leave the key out, or state attachment: "
            "routed for front_end or storage.",
        )
    provisioning = net.front_end.provisioning if net.front_end else None
    outside: tuple[tuple[str, tuple[str, ...], list[str]], ...] = (
        (
            "front-end",
            ("front_end", "provisioning", "servers"),
            provisioning.servers if provisioning else [],
        ),
        (
            "storage",
            ("storage", "array_prefixes"),
            net.storage.array_prefixes if net.storage else [],
        ),
    )
    for name, key, prefixes in outside:
        version = 6 if six and name in routed else 4
        for number, prefix in enumerate(prefixes):
            if ip_network(prefix).version != version:
                yield Breach(
                    ("networks", *key, number),
                    f"{prefix} is not an IPv{version} prefix, and nodes have only IPv{version} on {name}: use one.",
                )
    if net.storage and six and "storage" in routed:
        yield from _storage_six(net.storage)


def _storage_six(one: Storage) -> Iterator[Breach]:
    """Subnets of owners are IPv4, so that IPv6 reaches only arrays behind sessions, which are of one tenant each."""
    if one.mode == "shared":
        yield Breach(
            ("networks", "storage", "mode"),
            "shared is for arrays on ports of leaves, which nodes with /127 links do not reach: use per-tenant, or "
            "routed_ports numbered-31.",
        )
    if one.arrays:
        yield Breach(
            ("networks", "storage", "arrays"),
            "arrays on ports of leaves are in IPv4 subnets, which nodes with /127 links do not reach: use attachment "
            "bond, routed_ports numbered-31, or sessions (external_peers) and array_prefixes.",
        )
    elif not one.array_prefixes:
        yield Breach(
            ("networks", "storage", "array_prefixes"),
            "hosts with /127 links need a route to the arrays, and no prefix is stated: add the IPv6 prefixes that "
            "the sessions of tenants lead to.",
        )


def _equipment(net: Networks, kind: Equipment) -> Iterator[Breach]:
    """Names and ports of arrays, or of servers, are each of one of them."""
    part = getattr(net, kind.section)
    count = getattr(part, f"{kind.kind}_ports") if part else 0
    if kind.kind == SERVER and count and part.server_speed is None:
        yield _no_speed(("networks", kind.section), kind.kind)
    taken: dict[object, str] = {}
    for number, one in enumerate(kind.stated(net)):
        key = ("networks", kind.section, kind.key, number)
        if one.name in taken:
            yield Breach(
                (*key, "name"), f"'{one.name}' is the name of two {kind.key}: give each its own."
            )
        taken[one.name] = one.name
        for at, text in enumerate(one.ports):
            place = array_port(text)
            if place[1] >= count:
                yield Breach(
                    (*key, "ports", at),
                    f"{text} is beyond the {count} {kind.kind} ports of a leaf: use one of them, or more "
                    f"{kind.kind}_ports.",
                )
            if place in taken:
                yield Breach(
                    (*key, "ports", at),
                    f"{text} is a port of {taken[place]} already: give each {kind.kind} ports of its own.",
                )
            taken[place] = one.name


def _border_links(net: Networks) -> Iterator[Breach]:
    one = net.border
    taken: dict[object, str] = {}
    for number, link in enumerate(one.links if one else ()):
        key = ("networks", "border", "links", number)
        if link.name in taken:
            yield Breach(
                (*key, "name"), f"'{link.name}' is the name of two links: give each its own."
            )
        if one and link.port > one.external_ports:
            yield Breach(
                (*key, "port"),
                f"{link.port} is beyond the {one.external_ports} external ports of a leaf: use one of them, or more "
                "external_ports.",
            )
        if (link.leaf, link.port) in taken:
            yield Breach(
                (*key, "port"),
                f"port {link.port} of {link.leaf} is that of link {taken[link.leaf, link.port]} already: use another.",
            )
        taken[link.name] = taken[link.leaf, link.port] = link.name
