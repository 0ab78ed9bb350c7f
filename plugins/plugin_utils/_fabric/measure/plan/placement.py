# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Placement of measurements, pairs and simultaneous ones: pure functions of the plan.

    pairs       one NIC port of a node at a time: a ring over the nodes of a leaf (h01>h02, h02>h03, h03>h01), then
                rings that leave the leaf, then rings that leave the pod
    rails       the first ring with all NIC ports of a node together
    bisection   all nodes and NIC ports at once, and every pair crosses spines: one half of the leaves with the other,
                first within each pod, then between pods

A ring has as many pairs as nodes, so no level grows faster than the fabric. Each node sends in one pair and receives
in another, with two partners: a slow node fails twice, and its partners once. A ring is played in two rounds, of an
odd number of nodes in three, because a NIC port is in one pair of a round. Rails are crossed in rounds of their own
(`crossed`), for who asks for them.

Which spine a flow takes is chosen by the switches. A leaf is tested by loading all of its uplinks together: as many
nodes send up as it has. No packet goes from one plane to another: pairs are placed in each plane. Where the NIC's
hardware balances planes (hwplb), its ports have one address, and a pair in plane 0 measures all of them.
"""

from __future__ import annotations

import ipaddress
import itertools
import math
import typing as t

from ...description.errors import FabricError, shown
from ...plan.topology.cabling import HOST, UP, NicPort, Node, Port, Switch
from ...render.host import outages
from .records import FABRIC, LEAF, LIVES, NEVER, PLUGIN, POD, SU, Element, Group, Noise, Pair, Round

if t.TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from ...plan.fabric import Fabric
    from ...plan.topology.clos import Clos

MOST_TURNS = 4
"""Times that the nodes of small leaves are partners of one leaf that has more nodes than all others together."""
INCAST = 8
"""Senders of an incast where the aggressors are enough; a choice of this collection."""
SHIFTS = 8
"""Rounds of an all-to-all of pairs at most, so that it grows with the nodes and not with their square."""
FEW = 4
"""Nodes of the smallest collective: with two, NVLink carries half of the work."""

_Edge = tuple[Node, Node]
_Edges = list[_Edge]
_Groups = list[list[Node]]
_Row = tuple[str, str, str]
_Ports = set[tuple[str, int, int]]


# The nodes


def members(fabric: Fabric, nodes: Iterable[str]) -> dict[Node, str]:
    """Nodes by their place, in its order, with their names; those that are out of service are left out.

    FabricError names what is no built node.
    """
    built = {fabric.name(node): node for node in fabric.nodes()}
    found = {built.get(name) or _node(fabric, name) for name in nodes}
    resting = {fabric.device(name) for name in fabric.resting}
    return {node: fabric.name(node) for node in sorted(found - resting)}


def _node(fabric: Fabric, name: str) -> Node:
    device = fabric.known(name)
    if isinstance(device, Node):
        return device
    raise FabricError.of(f"{shown(name)} is a switch, and nodes are measured: name nodes.")


def nics(fabric: Fabric) -> list[NicPort]:
    """The NIC ports of a node that have an address of their own, by rail and then plane."""
    shared = fabric.description.planes.balancing == "hwplb"
    return [nic for nic in fabric.cabling.nic_ports() if not shared or nic.plane == 0]


def leaf_key(clos: Clos, node: Node) -> tuple[int, int, int]:
    """Equal for nodes whose ports of one rail and plane meet the same leaf."""
    return node.pod, node.su, node.slot // clos.nodes_per_leaf if clos.top_of_rack else 0


def distance(fabric: Fabric, first: Node, second: Node) -> str:
    """The smallest part that two nodes share on a rail."""
    if first.pod != second.pod:
        return FABRIC
    if first.su != second.su:
        return POD
    one_leaf = leaf_key(fabric.clos, first) == leaf_key(fabric.clos, second)
    return LEAF if one_leaf else SU


def distance_across(
    fabric: Fabric, first: tuple[Node, NicPort], second: tuple[Node, NicPort]
) -> str:
    """The same of ports of two rails: they share a leaf where one leaf has both rails."""
    found = distance(fabric, first[0], second[0])
    leaves = {fabric.cabling.leaf_of(*port)[0] for port in (first, second)}
    return SU if found == LEAF and len(leaves) > 1 else found


def pair(fabric: Fabric, first: str, second: str, *, rail: int, plane: int) -> Pair:
    """The pair of two nodes by name on one rail and plane."""
    one, two = _node(fabric, first), _node(fabric, second)
    return Pair(fabric.name(one), fabric.name(two), rail, plane, distance(fabric, one, two))


def _grouped(nodes: Iterable[Node], key: Callable[[Node], Hashable]) -> _Groups:
    made: dict[Hashable, list[Node]] = {}
    for node in nodes:
        made.setdefault(key(node), []).append(node)
    return list(made.values())


def _by_leaf(fabric: Fabric, nodes: Iterable[Node]) -> _Groups:
    return _grouped(nodes, lambda node: leaf_key(fabric.clos, node))


def _by_pod(nodes: Iterable[Node]) -> _Groups:
    return _grouped(nodes, lambda node: node.pod)


# Rings and halves


def _rounds_of(cycles: Iterable[Sequence[Node]]) -> list[_Edges]:
    """The pairs of rings, in as few rounds as have each node once: two, with an odd ring three."""
    made: tuple[_Edges, _Edges, _Edges] = ([], [], [])
    for cycle in cycles:
        edges = list(zip(cycle, [*cycle[1:], cycle[0]])) if len(cycle) > 1 else []
        if len(edges) % 2:
            made[2].append(edges.pop())
        made[0].extend(edges[0::2])
        made[1].extend(edges[1::2])
    return [edges for edges in made if edges]


def _turns(groups: _Groups) -> list[tuple[list[Node], int]]:
    """Nodes in the order of their groups, none of which has more than half of them, and the size of the largest.

    A group that has more takes turns: as many of its nodes as all others are, `MOST_TURNS` times at most.
    """
    if len(groups) < 2:
        return []
    large = max(groups, key=len)
    others = [node for group in groups if group is not large for node in group]
    step = len(others)
    if len(large) <= step:
        return [(list(itertools.chain(*groups)), len(large))]
    starts = [*range(0, len(large) - step, step), len(large) - step][:MOST_TURNS]
    return [([*large[start : start + step], *others], step) for start in starts]


def _rings_apart(groups: _Groups) -> list[_Edges]:
    """Rounds of rings in which both nodes of a pair are in different groups: each meets the one a group further."""
    made: list[_Edges] = []
    for nodes, step in _turns(groups):
        rings = math.gcd(len(nodes), step)
        length = len(nodes) // rings
        made += _rounds_of(
            [nodes[(first + step * turn) % len(nodes)] for turn in range(length)]
            for first in range(rings)
        )
    return made


def _halves(groups: _Groups) -> list[_Edges]:
    """Rounds in which the first half of the nodes meets the second; both of a pair are in different groups.

    Of an odd number one node rests, the last, and in a second round with exchanged sides the first.
    """
    made: list[_Edges] = []
    for nodes, _largest in _turns(groups):
        half = len(nodes) // 2
        made.append(list(zip(nodes[:half], nodes[half : 2 * half])))
        if len(nodes) % 2:
            made.append(list(zip(nodes[half + 1 :], nodes[1 : half + 1])))
    return made


def _together(parts: Iterable[list[_Edges]]) -> list[_Edges]:
    """Rounds of parts that share no node, side by side."""
    return [
        list(itertools.chain(*rounds)) for rounds in itertools.zip_longest(*parts, fillvalue=[])
    ]


# Levels


def _near(fabric: Fabric, nodes: Sequence[Node]) -> list[_Edges]:
    return _rounds_of(_by_leaf(fabric, nodes))


def _pairs(fabric: Fabric, nodes: Sequence[Node]) -> list[_Edges]:
    pods = _by_pod(nodes)
    within = _together(_rings_apart(_by_leaf(fabric, pod)) for pod in pods)
    return [*_near(fabric, nodes), *within, *_rings_apart(pods)]


def _rails(fabric: Fabric, nodes: Sequence[Node]) -> list[_Edges]:
    """Rings on the leaves; nodes that are alone on theirs make a ring of their own."""
    alone = [group for group in _by_leaf(fabric, nodes) if len(group) == 1]
    made = _together([_near(fabric, nodes), _rings_apart(alone)])
    if len(alone) == 1 and len(nodes) > 1:
        (node,) = alone[0]
        made.append([(node, next(other for other in nodes if other != node))])
    return made


def _bisection(fabric: Fabric, nodes: Sequence[Node]) -> list[_Edges]:
    pods = _by_pod(nodes)
    return [*_together(_halves(_by_leaf(fabric, pod)) for pod in pods), *_halves(pods)]


_ARRANGED: dict[str, Callable[[Fabric, Sequence[Node]], list[_Edges]]] = {
    "pairs": _pairs,
    "rails": _rails,
    "bisection": _bisection,
}
LEVELS = tuple(_ARRANGED)
"""Levels that have rounds of pairs."""


def rounds(fabric: Fabric, level: str, nodes: Iterable[str]) -> Iterator[Round]:
    """The rounds of a level, nearest pairs first, each node once in a round.

    Pairs on a port that is out of service are left out. FabricError for a level without pairs.
    """
    names, ports = members(fabric, nodes), nics(fabric)
    down = resting_ports(fabric, names)
    for edges in _arranged(fabric, level, list(names)):
        rows = [(names[a], names[b], distance(fabric, a, b)) for a, b in edges]
        for together in [[port] for port in ports] if level == "pairs" else [ports]:
            if made := _placed(rows, together, down):
                yield made


def _placed(rows: Sequence[_Row], ports: Sequence[NicPort], down: _Ports) -> Round:
    """The pairs of some rows (first, second, distance) on each of some ports, without what is out of service."""
    made = [
        Pair(first, second, rail, plane, far)
        for rail, plane in ports
        for first, second, far in rows
    ]
    return [one for one in made if not down & set(_ends(one))] if down else made


def _arranged(fabric: Fabric, level: str, nodes: Sequence[Node]) -> list[_Edges]:
    if level not in _ARRANGED:
        raise FabricError.of(
            f"Level {shown(level)} has no rounds of pairs: use {', '.join(_ARRANGED)}."
        )
    return _ARRANGED[level](fabric, nodes)


def count(fabric: Fabric, level: str, nodes: Iterable[str]) -> int:
    """Count the rounds of a level; fewer are played where a whole rail is out of service."""
    arranged = _arranged(fabric, level, list(members(fabric, nodes)))
    return len(arranged) * (len(nics(fabric)) if level == "pairs" else 1)


def unmet(fabric: Fabric, level: str, nodes: Iterable[str]) -> list[str]:
    """Nodes that a level does not measure as it should: levels pairs and bisection have to leave the leaf."""
    names = members(fabric, nodes)
    met = {
        node
        for edges in _arranged(fabric, level, list(names))
        for one in edges
        if level == "rails" or distance(fabric, *one) != LEAF
        for node in one
    }
    return [name for node, name in names.items() if node not in met]


def resting_ports(fabric: Fabric, names: dict[Node, str]) -> _Ports:
    """(node, rail, plane) of the ports that the description takes out of service, at either end."""
    if not fabric.description.out_of_service:
        return set()
    shared = fabric.description.planes.balancing == "hwplb"
    listed = {fabric.device(row.device) for row in fabric.description.out_of_service}
    made = set()
    for node, name in names.items():
        leaves = {fabric.cabling.leaf_of(node, nic)[0] for nic in fabric.cabling.nic_ports()}
        for port in outages.ports(fabric, node) if listed & {node, *leaves} else ():
            nic = t.cast("NicPort", fabric.names.nic_port(port))
            made.add((name, nic.rail, 0 if shared else nic.plane))
    return made


def _ends(one: Pair) -> Iterator[tuple[str, int, int]]:
    """The two NIC ports of a pair: (node, rail, plane)."""
    yield one.first, one.rail, one.plane
    yield one.second, one.rail if one.to_rail is None else one.to_rail, one.plane


# Between rails


def crossed(fabric: Fabric, nodes: Iterable[str]) -> Iterator[Round]:
    """Rounds of a ring over all nodes, for each port of the sender, in which the receiver's rail is another one.

    These rails take turns along the ring, so that each rail meets every other one where there are as many nodes as
    rails. Each port sends once and receives once.
    """
    names, rails = members(fabric, nodes), fabric.description.rails
    down = resting_ports(fabric, names)
    shift = {node: 1 + at % (rails - 1) for at, node in enumerate(names)}
    for nic in nics(fabric):
        for edges in _rounds_of([list(names)]):
            made = []
            for a, b in edges:
                to = nic._replace(rail=(nic.rail + shift[a]) % rails)
                far = distance_across(fabric, (a, nic), (b, to))
                made.append(Pair(names[a], names[b], *nic, far, to.rail))
            if made := [one for one in made if not down & set(_ends(one))]:
                yield made


def uncrossed(fabric: Fabric, nodes: Iterable[str]) -> str:
    """Reason that rails cannot be crossed, as the beginning of a sentence; empty where hosts have the routes for it."""
    first, second = list(members(fabric, nodes).items())[:2]
    if fabric.description.rails < 2:
        return "nodes of this fabric have one rail"
    for nic in nics(fabric):
        known = [ipaddress.ip_network(text) for text in fabric.addresses.routes(first[0], nic)]
        for port in fabric.slice(second[0])["ports"]:
            beside = port["rail"] != nic.rail and (
                fabric.clos.by_rail or port["plane"] == nic.plane
            )
            if beside and not any(ipaddress.ip_address(port["address"]) in one for one in known):
                return (
                    f"by the plan, rail {nic.rail + 1} of {first[1]} has no route to rail {port['rail'] + 1} of "
                    f"{second[1]} ({port['address']})"
                )
    return ""


# Collectives


def groups(fabric: Fabric, nodes: Iterable[str]) -> list[Group]:
    """The nodes of each collective: four, an SU, all; packed onto few leaves (best) and spread over many (worst).

    In the worst order both neighbours of a node are on other leaves, and in other pods where there are several, as
    far as the nodes allow it. A set that equals another is left out, and so is the worst order of a single leaf.
    """
    names = members(fabric, nodes)
    leaves = _by_leaf(fabric, names)
    largest = max(_grouped(names, lambda node: (node.pod, node.su)), key=len, default=[])
    sizes = {FEW: "four"}
    sizes.setdefault(len(largest), "su")
    sizes[len(names)] = "all"
    made = []
    for size, name in sorted(sizes.items()):
        if not min(FEW, len(names)) <= size <= len(names):
            continue
        packed, spread = _packed(leaves, size), apart(fabric, _spread(leaves, size))
        made.append(Group(name, tuple(names[node] for node in packed), "best"))
        if len(leaves) > 1:
            made.append(Group(name, tuple(names[node] for node in spread), "worst"))
    return made


def singles(fabric: Fabric, nodes: Iterable[str]) -> list[Group]:
    """Each node as a collective of its own, which shows its NVLink and needs no launcher."""
    return [Group(name, (name,), "") for name in members(fabric, nodes).values()]


def _packed(leaves: _Groups, size: int) -> list[Node]:
    """Select as many nodes of the fullest leaves."""
    full = sorted(leaves, key=len, reverse=True)
    return sorted(list(itertools.chain(*full))[:size])


def _spread(leaves: _Groups, size: int) -> list[Node]:
    """Select as many nodes, one of each leaf in turn."""
    turns = itertools.chain(*itertools.zip_longest(*leaves))
    return sorted(list(filter(None, turns))[:size])


def apart(fabric: Fabric, nodes: Sequence[Node]) -> list[Node]:
    """Nodes in an order in which neighbours, the last and the first too, share no leaf.

    Larger groups come first, at every other place. Where a group has more than half of the nodes, some of its nodes
    stay neighbours.
    """
    pods = _by_pod(nodes)
    parts = pods if len(pods) > 1 else _by_leaf(fabric, nodes)
    ordered = list(itertools.chain(*sorted(parts, key=len, reverse=True)))
    half = -(-len(ordered) // 2)
    made = itertools.zip_longest(ordered[:half], ordered[half:])
    return [node for two in made for node in two if node is not None]


# Noise


def noise(fabric: Fabric, nodes: Iterable[str]) -> Noise:
    """Half of the nodes of each leaf are victims, the others aggressors.

    Receivers of the incast are aggressors on leaves that victims share, their senders are elsewhere where possible:
    disjoint flows on a fabric without oversubscription disturb nobody. FabricError where the nodes do not allow it.
    """
    names = members(fabric, nodes)
    victims, aggressors = _shared(_by_leaf(fabric, names))
    measured = _halves(_by_leaf(fabric, victims))
    incast = _incast(fabric, victims, aggressors)
    if not measured or not incast:
        raise FabricError.of(
            f"The {len(names)} nodes of this run do not make two tenants with victims on two leaves and an incast "
            "beside them: choose five nodes or more, of two leaves with at least two each."
        )
    ports, down = nics(fabric), resting_ports(fabric, names)

    def placed(edges: _Edges) -> Round:
        rows = [(names[a], names[b], distance(fabric, a, b)) for a, b in edges]
        return _placed(rows, ports, down)

    return Noise(
        tuple(names[node] for node in victims),
        tuple(names[node] for node in aggressors),
        measured=placed(measured[0]),
        incast=placed(incast),
        alltoall=[placed(edges) for edges in _tournament(aggressors)],
    )


def _shared(leaves: _Groups) -> tuple[list[Node], list[Node]]:
    """Victims and aggressors by turns on each leaf; of an odd leaf the smaller side has one more."""
    victims, aggressors = list[Node](), list[Node]()
    for leaf in leaves:
        first, second = leaf[0::2], leaf[1::2]
        if len(aggressors) <= len(victims):
            first, second = second, first
        victims += first
        aggressors += second
    return victims, aggressors


def _incast(fabric: Fabric, victims: Sequence[Node], aggressors: Sequence[Node]) -> _Edges:
    """(sender, receiver), `INCAST` senders for each receiver or as many as there are; none below two."""
    disturbed = {leaf_key(fabric.clos, node) for node in victims}
    leaves = [
        group
        for group in _by_leaf(fabric, aggressors)
        if leaf_key(fabric.clos, group[0]) in disturbed
    ]
    turns = itertools.chain(*itertools.zip_longest(*sorted(leaves, key=len)))
    wanted = max(1, len(aggressors) // (INCAST + 1))
    receivers = list(filter(None, turns))[:wanted]
    senders = sorted(set(aggressors) - set(receivers))
    if not receivers or len(senders) < 2 * len(receivers):
        return []
    return list(_assigned(fabric.clos, senders, receivers))


def _assigned(clos: Clos, senders: Iterable[Node], receivers: Sequence[Node]) -> Iterator[_Edge]:
    """Receivers by turns; a sender passes over those of its own leaf where there are others."""
    for turn, sender in enumerate(senders):
        own, start = leaf_key(clos, sender), turn % len(receivers)
        ahead = itertools.chain(receivers[start:], receivers[:start])
        others = (one for one in ahead if leaf_key(clos, one) != own)
        yield sender, next(others, receivers[start])


def _tournament(nodes: Sequence[Node]) -> list[_Edges]:
    """Rounds in which each node meets another one, never the same twice; `SHIFTS` of them at most.

    The circle method: one place is fixed, the others rotate about it.
    """
    seats = [*nodes, *([None] if len(nodes) % 2 else [])]
    last = len(seats) - 1
    made = []
    for number in range(min(last, SHIFTS)):
        turn = number * last // min(last, SHIFTS)
        circle = [*seats[turn:last], *seats[:turn]]
        couples = [
            (seats[last], circle[0]),
            *((circle[n], circle[-n]) for n in range(1, (last + 1) // 2)),
        ]
        made.append([(a, b) for a, b in couples if a is not None and b is not None])
    return made


# Failover


def elements(fabric: Fabric, nodes: Iterable[str]) -> dict[str, Iterator[Element]]:
    """Return the elements to shut under a job of these nodes: uplinks of their leaves, spines, leaves, planes, NIC
    ports.

    By kind in this order, lazily; what is out of service is left out, and planes where a fabric has one.
    """
    names = members(fabric, nodes)
    leaves = sorted(
        {fabric.cabling.leaf_of(node, nic)[0] for node in names for nic in nics(fabric)}
    )
    leaves = [leaf for leaf in leaves if fabric.name(leaf) not in fabric.resting]
    spines = [spine for spine in _spines(fabric, leaves) if _serves(fabric, spine)]
    ports = fabric.cabling.nic_ports()
    planes = range(fabric.clos.planes) if _split(fabric) else range(0)
    return {
        "link": (element for leaf in leaves for element in _uplinks(fabric, leaf)),
        "spine": (_spine(fabric, spine) for spine in spines),
        "leaf": (_leaf(fabric, leaf) for leaf in leaves),
        "plane": (_plane(fabric, names, plane) for plane in planes),
        "host_link": (_host_link(fabric, names[x], x, nic) for nic in ports for x in names),
    }


def _serves(fabric: Fabric, spine: Switch) -> bool:
    return fabric.present(spine) and fabric.name(spine) not in fabric.resting


def _leaf(fabric: Fabric, leaf: Switch) -> Element:
    return _of_nic(fabric, "leaf", fabric.name(leaf), list(_ports(fabric, leaf)))


def _plane(fabric: Fabric, names: Iterable[Node], plane: int) -> Element:
    nics_of = [nic for nic in fabric.cabling.nic_ports() if nic.plane == plane]
    shut = [_at_leaf(fabric, node, nic) for nic in nics_of for node in names]
    return _of_nic(fabric, "plane", f"plane {plane + 1}", shut)


def _host_link(fabric: Fabric, name: str, node: Node, nic: NicPort) -> Element:
    shut = [_at_leaf(fabric, node, nic)]
    return _of_nic(fabric, "host_link", f"{name} {fabric.names.nic(nic)}", shut)


def _split(fabric: Fabric) -> bool:
    return fabric.clos.planes > 1 and not fabric.clos.by_rail


def _at_leaf(fabric: Fabric, node: Node, nic: NicPort) -> tuple[str, str]:
    leaf, index = fabric.cabling.leaf_of(node, nic)
    return fabric.name(leaf), fabric.port_name(leaf, Port(HOST, index))


def _ports(fabric: Fabric, switch: Switch) -> Iterator[tuple[str, str]]:
    """The ports of a switch whose cables lead to built devices."""
    for port in fabric.cabling.ports(switch):
        end = fabric.cabling.peer(switch, port)
        if end and fabric.present(end[0]):
            yield fabric.name(switch), fabric.port_name(switch, port)


def _uplinks(fabric: Fabric, leaf: Switch) -> Iterator[Element]:
    number, name = fabric.clos.leaf_up.count, fabric.name(leaf)
    for index in range(number):
        port = fabric.port_name(leaf, Port(UP, index))
        where, shut = f"{name} {port}", ((name, port),)
        if number > 1:
            says = f"{where} is one of {number} uplinks: the others carry the traffic."
            yield Element("link", where, shut, LIVES, 1 / number, says)
        else:
            yield _of_nic(fabric, "link", where, list(shut))


def _spines(fabric: Fabric, leaves: Iterable[Switch]) -> list[Switch]:
    """Spines above some leaves; super-spines too where the leaves are in several pods."""
    c, pods = fabric.clos, {(leaf.plane, leaf.pod) for leaf in leaves}
    made = [Switch("spine", *pod, index) for pod in sorted(pods) for index in range(c.spines)]
    several = {plane for plane, _pod in pods if len({pod for pod in pods if pod[0] == plane}) > 1}
    return made + [
        Switch("super_spine", plane, group, member)
        for plane in sorted(several)
        for group in range(c.groups)
        for member in range(c.members)
    ]


def _spine(fabric: Fabric, spine: Switch) -> Element:
    c, name = fabric.clos, fabric.name(spine)
    number = c.spines if spine.role == "spine" else c.groups * c.members
    shut = list(_ports(fabric, spine))
    if number == 1:
        return _of_nic(fabric, "spine", name, shut)
    where = "pod and plane" if spine.role == "spine" else "plane"
    says = f"{name} is one of {number} of its {where}: the others carry the traffic."
    return Element("spine", name, tuple(shut), LIVES, 1 / number, says)


def _of_nic(fabric: Fabric, kind: str, name: str, shut: Sequence[tuple[str, str]]) -> Element:
    """An element without which a NIC port has no way: only another port of the NIC can replace it."""
    planes = fabric.clos.planes
    if _split(fabric):
        says = f"{name} carries one of {planes} ports of a NIC: the job lives with the Spectrum-X NCCL plugin."
        return Element(kind, name, tuple(shut), PLUGIN, 1 / planes, says)
    says = f"Without {name} a NIC has no way left, and the job ends: it is not shut."
    return Element(kind, name, tuple(shut), NEVER, 1.0, says)
