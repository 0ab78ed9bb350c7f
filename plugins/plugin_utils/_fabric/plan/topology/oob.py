# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts and cabling of the out-of-band network, as arithmetic, and the way back.

    Switch("oob_leaf", 0, 0, index), Switch("oob_spine", 0, 0, index)
    OobPort("bmc")          a port of a node: mgmt, bmc, dpu1 ...; of a switch: eth0

The access ports of a leaf are those of nodes, of the eth0 of switches, one for the eth0 of the leaf before, and those
of other equipment. The eth0 of a leaf hangs on the next leaf, so that no leaf carries its own.

Nodes come in groups: neighbouring slots of an SU, as many as a power of two, so that the addresses they have already
are one prefix. The leaf of a group is its gateway. A BlueField is one cable with two MAC addresses.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
import typing as t
from ipaddress import ip_address, ip_network

from ...catalog import hardware
from ...description.devices import is_mac, mac
from ...description.errors import Breach
from ...description.oob import BMC, DPU, HOST, SWITCH
from .cabling import DOWN, UP, Node, Port, Switch
from .cages import Block
from .converged import EXTERNAL, MEMBERS, NOTHING
from .converged_cabling import FarEnd

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...description.description import Description
    from ...description.oob import Oob
    from .clos import Clos
    from .converged import Converged

LEAF, SPINE = "oob_leaf", "oob_spine"
OUT_OF_BAND = "out-of-band"
ACCESS = "access"
MGMT, BMC_PORT, ETH0 = "mgmt", "bmc", "eth0"
LEAST_LEAVES = 2
"""Of one leaf the eth0 would hang on itself."""
MOST_LEAVES = 9_999
MOST_NODES = 128
"""Slots of an SU, and of a group of nodes."""


class OobPort(t.NamedTuple):
    """An out-of-band port of a node (mgmt, bmc, dpu1 ...) or of a switch (eth0)."""

    unit: str


OobEnd = tuple[t.Union[Switch, Node], t.Union[Port, OobPort]]


@dataclasses.dataclass(frozen=True)
class OobCounts:
    """Counts of the network: `group` slots share a segment, `groups` of them a leaf.

    `switches` are the eth0s that are cabled to leaves in runs of `run`; `units` are the ports of a node.
    """

    leaves: int
    spines: int
    group: int
    groups: int
    groups_per_su: int
    run: int
    switches: int
    units: tuple[str, ...]
    members: int
    ports: int
    extras: int = 0

    @property
    def node_ports(self) -> int:
        """Access ports of nodes on each leaf."""
        return self.groups * self.members * len(self.units)

    @property
    def own(self) -> int:
        """The access port for the eth0 of the leaf before."""
        return self.node_ports + self.run

    def counts(self) -> dict[str, int]:
        """Switches by role; only of the roles that there are."""
        spines = {SPINE: self.spines} if self.spines else {}
        return {**spines, LEAF: self.leaves}

    def holds(self, switch: Switch) -> bool:
        """Check whether there is such a switch."""
        return not (switch.plane or switch.pod) and 0 <= switch.index < self.counts().get(
            switch.role, 0
        )


def units(oob: Oob) -> tuple[str, ...]:
    """The out-of-band ports of a node, in the order of its cables."""
    made = [port for kind, port in ((HOST, MGMT), (BMC, BMC_PORT)) if kind in oob.kinds]
    return (*made, *(f"dpu{n + 1}" for n in range(oob.dpus if DPU in oob.kinds else 0)))


def of(d: Description, clos: Clos, others: Converged | None) -> OobCounts | None:
    """The counts of a description that keeps the rules; None without the network."""
    found = count(d, clos, others) if d.oob else None
    return None if isinstance(found, Breach) else found


def count(d: Description, clos: Clos, others: Converged | None) -> OobCounts | Breach:
    """The counts with the fewest leaves, an SU whole where it fits one; or the rule that makes them impossible."""
    oob = t.cast("Oob", d.oob)
    ports = hardware.models()[oob.model]["rj45"]
    spines = oob.spines if oob.uplinks == "spine" else 0
    number = sum(clos.switches().values()) + sum((others or NOTHING).switches().values())
    blank = OobCounts(
        0, spines, 0, 0, 0, 0, number + spines if SWITCH in oob.kinds else 0, units(oob), 0, ports
    )
    made = [one for group in _sizes(clos) if (one := _fewest(oob, clos, blank, group))]
    if not made:
        return Breach(
            ("oob", "leaves"),
            f"{oob.leaves or MOST_LEAVES} leaves of {ports} access ports do not have the ports of {clos.nodes} nodes "
            f"with {len(blank.units)} each, {blank.switches} switches and {len(oob.extras)} extras: use "
            f"{'more leaves, ' if oob.leaves else ''}fewer dpus, kinds or extras.",
        )
    whole = made[0].members == clos.slots  # no leaf has a part of an SU
    return made[0] if whole else min(made, key=lambda one: (one.leaves, -one.group))


def _sizes(clos: Clos) -> Iterator[int]:
    """Sizes of a group of nodes, the largest first; below two the gateway would be the broadcast address."""
    size = min(MOST_NODES, max(2, 1 << (clos.slots - 1).bit_length()))
    while size >= 2:
        yield size
        size //= 2


def _fewest(oob: Oob, clos: Clos, blank: OobCounts, group: int) -> OobCounts | None:
    """The counts with the fewest leaves for a size of groups: more leaves never need more ports each."""
    per_su = -(-clos.slots // group)
    total = clos.pods * clos.sus * per_su

    def made(leaves: int) -> OobCounts:
        at = collections.Counter(extra.leaf for extra in oob.extras)
        turn = -(-at.pop(None, 0) // leaves)
        return dataclasses.replace(
            blank,
            leaves=leaves,
            group=group,
            groups=-(-total // leaves),
            groups_per_su=per_su,
            run=-(-blank.switches // leaves),
            members=min(group, clos.slots),
            extras=turn + max(at.values(), default=0),
        )

    def fits(leaves: int) -> bool:
        one = made(leaves)
        return one.own + 1 + one.extras <= one.ports

    if oob.leaves:
        return made(oob.leaves) if fits(oob.leaves) else None
    low, high = LEAST_LEAVES, MOST_LEAVES
    if not fits(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle + 1, high)
    return made(low)


class OobCabling:
    """The cable map of the out-of-band network; `blocks`, `ports`, `peer` are as in the other maps."""

    roles = (LEAF, SPINE)

    def __init__(
        self, oob: Oob, counts: OobCounts, clos: Clos, others: Converged | None = None
    ) -> None:
        self.oob, self.counts, self.clos = oob, counts, clos
        self.others = others or NOTHING
        self._spreads = _Switches(clos, self.others, counts)
        self.extras = self._placed()

    def _placed(self) -> dict[tuple[int, int], FarEnd]:
        """The equipment at (leaf, number of its port): one after the other as they are listed."""
        made: dict[tuple[int, int], FarEnd] = {}
        turns, used = itertools.count(), collections.Counter[int]()
        for extra in self.oob.extras:
            leaf = extra.leaf - 1 if extra.leaf else next(turns) % self.counts.leaves
            made[leaf, used[leaf]] = FarEnd(extra.kind, extra.name)
            used[leaf] += 1
        return made

    def above(self) -> int:
        """Uplinks of a leaf: to each spine, or to each switch outside."""
        return self.counts.spines or len(self.oob.outside)

    def blocks(self, switch: Switch) -> t.Mapping[str, Block]:
        """The port blocks of a switch: kind -> Block, in cage order."""
        if switch.role == SPINE:
            outside = len(self.oob.outside)
            return {
                DOWN: Block(1, 1, self.counts.leaves),
                EXTERNAL: Block(self.counts.leaves + 1, 1, outside),
            }
        kind = UP if self.counts.spines else EXTERNAL
        return {
            ACCESS: Block(1, 1, self.counts.ports),
            kind: Block(self.counts.ports + 1, 1, self.above()),
        }

    def switches(self) -> Iterator[Switch]:
        """All spines and leaves."""
        for role, number in self.counts.counts().items():
            yield from (Switch(role, 0, 0, index) for index in range(number))

    def ports(self, switch: Switch) -> Iterator[Port]:
        """All logical ports of a switch that have a cable, in cage order."""
        for kind, block in self.blocks(switch).items():
            ports = (Port(kind, index) for index in range(block.count))
            yield from (port for port in ports if kind != ACCESS or self.peer(switch, port))

    def alike(self, switch: Switch) -> Iterator[Switch]:
        """All spines; none for a leaf, whose access ports no other has."""
        spines = self.counts.spines if switch.role == SPINE else 0
        return (switch._replace(index=index) for index in range(spines))

    @staticmethod
    def relays_evpn(_switch: Switch) -> bool:
        """Check nothing: the network has no EVPN."""
        return False

    def carrier(self, leaf: Switch) -> Switch:
        """The leaf that has the eth0 of a leaf."""
        return leaf._replace(index=(leaf.index + 1) % self.counts.leaves)

    # Nodes

    def group_of(self, node: Node) -> tuple[Switch, int]:
        """The leaf of a node, and the number of its group there."""
        unit = node.pod * self.clos.sus + node.su
        number = unit * self.counts.groups_per_su + node.slot // self.counts.group
        leaf, within = divmod(number, self.counts.groups)
        return Switch(LEAF, 0, 0, leaf), within

    def first_of(self, leaf: Switch, within: int) -> Node | None:
        """The first node of a group of a leaf; None beyond the capacity."""
        unit, part = divmod(leaf.index * self.counts.groups + within, self.counts.groups_per_su)
        pod, su = divmod(unit, self.clos.sus)
        node = Node(pod, su, part * self.counts.group)
        return node if pod < self.clos.pods and within < self.counts.groups else None

    def node_ports(self) -> Iterator[OobPort]:
        """The out-of-band ports of a node; every node has the same."""
        return map(OobPort, self.counts.units)

    def _of_node(self, node: Node, unit: str) -> tuple[Switch, Port] | None:
        if unit not in self.counts.units:
            return None
        leaf, within = self.group_of(node)
        position = within * self.counts.members + node.slot % self.counts.group
        return leaf, Port(ACCESS, position * len(self.counts.units) + self.counts.units.index(unit))

    # Cables

    def peer(self, device: Switch | Node, port: t.Any) -> OobEnd | FarEnd | None:
        """The other end of the cable at a port; None where there is none."""
        if isinstance(device, Node):
            return self._of_node(device, port.unit)
        if isinstance(port, OobPort):
            return self._of_switch(device)
        if port.kind == ACCESS:
            return self._accessed(device, port.index)
        if port.kind == EXTERNAL:
            return FarEnd(EXTERNAL, self.oob.outside[port.index])
        if port.kind == UP:
            return Switch(SPINE, 0, 0, port.index), Port(DOWN, device.index)
        return Switch(LEAF, 0, 0, port.index), Port(UP, device.index)

    def _of_switch(self, switch: Switch) -> tuple[Switch, Port] | None:
        """The access port of the eth0 of a switch."""
        if switch.role == LEAF:
            return self.carrier(switch), Port(ACCESS, self.counts.own)
        number = self._spreads.number(switch) if self.counts.run else None
        if number is None:
            return None
        leaf, index = divmod(number, self.counts.run)
        return Switch(LEAF, 0, 0, leaf), Port(ACCESS, self.counts.node_ports + index)

    def _accessed(self, leaf: Switch, index: int) -> OobEnd | FarEnd | None:
        """Return the far end of an access port of a leaf."""
        c = self.counts
        if index < c.node_ports:
            position, unit = divmod(index, len(c.units))
            within, offset = divmod(position, c.members)
            first = self.first_of(leaf, within)
            slot = first.slot + offset if first else self.clos.slots
            fits = first and slot < self.clos.slots
            return (
                (Node(first.pod, first.su, slot), OobPort(c.units[unit]))
                if fits and first
                else None
            )
        if index < c.own:
            number = leaf.index * c.run + index - c.node_ports
            switch = self._spreads.at(number)
            return (switch, OobPort(ETH0)) if switch else None
        if index == c.own:
            return leaf._replace(index=(leaf.index - 1) % c.leaves), OobPort(ETH0)
        return self.extras.get((leaf.index, index - c.own - 1))

    def extra(self, name: str) -> tuple[Switch, Port] | None:
        """The leaf and access port of a piece of equipment."""
        return self._named.get(name)

    def named(self, text: str) -> tuple[Switch, Port] | None:
        """The leaf and access port of the equipment with a name or a MAC address."""
        wanted = mac(text) if is_mac(text) else ""
        own = (extra.name for extra in self.oob.extras if wanted and extra.mac == wanted)
        return self.extra(next(own, text))

    @functools.cached_property
    def _named(self) -> dict[str, tuple[Switch, Port]]:
        first = self.counts.own + 1
        return {
            end.name: (Switch(LEAF, 0, 0, leaf), Port(ACCESS, first + number))
            for (leaf, number), end in self.extras.items()
        }


class _Switches:
    """Numbers of the switches whose eth0 is cabled: leaves SU by SU through all planes, then the others by role."""

    def __init__(self, clos: Clos, others: Converged, counts: OobCounts) -> None:
        self.clos, self.most = clos, counts.switches
        per_role = {role: clos.per_pod(role) for role in clos.switches()}
        pods = {"super_spine": clos.groups}
        self._east = {
            role: (per, pods.get(role, clos.pods)) for role, per in per_role.items() if per
        }
        rest = [(role, number) for role, number in others.switches().items()]
        rest += [(SPINE, counts.spines)]
        self._first: dict[str, int] = {}
        first = 0
        for role, (per, number) in self._east.items():
            self._first[role], first = first, first + per * number * clos.planes
        for role, number in rest:
            self._first[role], first = first, first + number
        self._paired = set(others.leaves)

    def number(self, switch: Switch) -> int | None:
        """The number of a switch; None where its eth0 is not cabled here."""
        if switch.role not in self._first or not self.most:
            return None
        first = self._first[switch.role]
        if switch.role in self._east:
            per, _pods = self._east[switch.role]
            return first + (switch.pod * per + switch.index) * self.clos.planes + switch.plane
        members = MEMBERS if switch.role in self._paired else 0
        return first + switch.pod * members + switch.index

    def at(self, number: int) -> Switch | None:
        """The switch of a number."""
        if not 0 <= number < self.most:
            return None
        role = [role for role, first in self._first.items() if first <= number][-1]
        rest = number - self._first[role]
        if role in self._east:
            place, plane = divmod(rest, self.clos.planes)
            return Switch(role, plane, *divmod(place, self._east[role][0]))
        pair, member = divmod(rest, MEMBERS) if role in self._paired else (0, rest)
        return Switch(role, 0, pair, member)


# Rules


def breaches(d: Description) -> Iterator[Breach]:
    """Rules between the keys of `oob` that need no counts."""
    oob = d.oob
    if oob is None:
        return
    yield from _models(d, oob)
    yield from _extras(oob)
    own = ip_network(oob.prefix)
    for key in ("services", "controllers"):
        for number, prefix in enumerate(getattr(oob, key)):
            if ip_network(prefix).overlaps(own):
                yield Breach(
                    ("oob", key, number),
                    f"{prefix} overlaps oob.prefix {oob.prefix}, so it would be out of reach: use a prefix outside.",
                )
    reached = [ip_network(prefix) for prefix in (*oob.services, *oob.controllers)]
    for number, server in enumerate(oob.dhcp):
        address = ip_address(server)
        if address in own:
            yield Breach(
                ("oob", "dhcp", number),
                f"{server} is inside oob.prefix {oob.prefix}, whose devices wait for the relay: use a server outside.",
            )
        elif not any(address in prefix for prefix in reached):
            yield Breach(
                ("oob", "dhcp", number),
                f"{server} is in no prefix of services or controllers, so no device reaches it: add its prefix.",
            )


def _models(d: Description, oob: Oob) -> Iterator[Breach]:
    wanted = [("model", "rj45", oob.model)]
    wanted += [("spine_model", "cages", oob.spine_model)] if oob.uplinks == "spine" else []
    for key, ports, model in wanted:
        row: t.Mapping[str, t.Any] = hardware.models().get(model, {})
        fits = [
            name
            for name, one in hardware.models().items()
            if one.get("oob") and (ports != "rj45" or ports in one)
        ]
        if not row.get("oob") or ports not in row:
            yield Breach(("oob", key), f"'{model}' is no model for it: use {' or '.join(fits)}.")
            return
        for text in d.releases:
            if refusal := hardware.release_refusal(model, text):
                yield Breach(("oob", key), refusal)
    most = hardware.models()[oob.model]["cages"]
    above = oob.spines if oob.uplinks == "spine" else len(oob.outside)
    if above > most:
        yield Breach(
            ("oob", "uplinks"),
            f"{above} uplinks are more than the {most} of a {oob.model}: use fewer.",
        )


def _extras(oob: Oob) -> Iterator[Breach]:
    """Names and MAC addresses are each of one piece of equipment, and its leaf is one that is stated."""
    taken: dict[str, str] = {}
    for number, extra in enumerate(oob.extras):
        key = ("oob", "extras", number)
        for field in ("name", "mac"):
            value = getattr(extra, field)
            if value and value in taken:
                yield Breach(
                    (*key, field), f"'{value}' is {taken[value]}'s already: give each its own."
                )
            taken[value or ""] = extra.name
        if extra.leaf and (not oob.leaves or extra.leaf > oob.leaves):
            yield Breach(
                (*key, "leaf"),
                f"{extra.leaf} is beyond the leaves that the key leaves states ({oob.leaves or 'none'}): state so many "
                "leaves, or leave the key out.",
            )


def after_counting(d: Description, clos: Clos, others: Converged | None) -> Iterator[Breach]:
    """Rules over the counts."""
    found = count(d, clos, others)
    if isinstance(found, Breach):
        yield found
        return
    oob = t.cast("Oob", d.oob)
    cages = hardware.models()[oob.spine_model]["cages"] if found.spines else found.leaves
    if found.leaves + (len(oob.outside) if found.spines else 0) > cages:
        yield Breach(
            ("oob", "spine_model"),
            f"{found.leaves} leaves and {len(oob.outside)} links outside are more than the {cages} ports of a "
            f"{oob.spine_model}: use a larger model, or uplinks outside.",
        )
