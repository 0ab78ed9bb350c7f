# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The judge of a host's identity: the planned node, another one, or unknown.

    judge(fabric, node, Evidence(addresses={"172.16.0.2"}), at="192.0.2.7")

Evidence is weighed in the order of `_WEIGHED`, and the first that decides does:

    leaves     MAC addresses of the host that leaves hear on its planned ports, of two rails; unknown where something
               else shows another node, or leaves hear one of them at the port of another node too
    devices    a serial number or MAC address that devices.csv has
    addresses  a rail address of another node
    cabling    the leaf ports that the host hears by LLDP, on two rails
    own        its own rail address

The last two say only what the host says of itself: they show another host, and prove nothing before a wipe.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...description import devices
from ...description.errors import FabricError
from ...plan.addressing import codec
from ...plan.topology.cabling import HOST, Node
from . import outages

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .....module_utils._host.records import Traces
    from ...plan.fabric import Fabric
    from ...plan.slices import Nic, SwitchSlice

State = t.Literal["proven", "other", "unknown"]
PROVEN: State = "proven"
OTHER: State = "other"
UNKNOWN: State = "unknown"
RAILS = 2
"""Rails that have to agree; a node with one rail in service has that alone."""
Place = tuple[str, str]
"""A device and a port of it."""


@dataclasses.dataclass(frozen=True)
class Evidence:
    """Traces that a host reports, and by leaf port, also of other nodes, the MAC addresses that leaves hear there.

    `heard` are (system, port) of the neighbours that the host hears by LLDP.
    """

    serials: t.Collection[str] = ()
    macs: t.Collection[str] = ()
    addresses: t.Collection[str] = ()
    heard: t.Collection[Place] = ()
    leaves: Mapping[Place, t.Collection[str]] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(
        cls, traces: Traces, leaves: Mapping[Place, t.Collection[str]] | None = None
    ) -> Evidence:
        """Return the evidence of what module host read, beside that of leaves."""
        return cls(
            serials=[str(one) for one in traces.get("serials", ())],
            macs=[str(mac) for mac in traces.get("macs", ())],
            addresses=[str(one) for one in traces.get("addresses", ())],
            heard=[(str(system), str(port)) for system, port in traces.get("heard", ())],
            leaves=leaves or {},
        )


@dataclasses.dataclass(frozen=True)
class Identity:
    """The verdict on a host, in one sentence; `by_leaves` where leaves prove it, not the host's own report alone."""

    state: State
    sentence: str
    by_leaves: bool = False


@dataclasses.dataclass(frozen=True)
class _Case:
    """A node, the evidence of a host, and the address by which that was reached."""

    fabric: Fabric
    node: Node
    evidence: Evidence
    at: str

    @property
    def name(self) -> str:
        """Name of the node."""
        return self.fabric.name(self.node)

    @property
    def host(self) -> str:
        """Name of the host in sentences."""
        return f"the host at {self.at} (ansible_host of {self.name})"

    @property
    def rails(self) -> int:
        """Number of rails that have to agree."""
        planned = {port["rail"] for port in ports(self.fabric, self.node)}
        return max(1, min(RAILS, len(planned)))

    def proven(self, why: str) -> Identity:
        return Identity(PROVEN, f"{self.host} is {self.name}: {why}.")

    def other(self, node: Node, why: str) -> Identity:
        return self.wrong(f"is {self.fabric.name(node)}: {why}")

    def doubtful(self, why: str, against: str) -> Identity:
        return Identity(
            UNKNOWN,
            f"{self.host}: {why}, but {against}, so that one of the two is wrong or pretended: check at its console or "
            f"BMC which machine it is, and run for {self.name} alone with -e spx_factory=true.",
        )

    def wrong(self, what: str) -> Identity:
        remedy = "correct ansible_host in the inventory, or the row of devices.csv, and run again."
        return Identity(OTHER, f"{self.host} {what}: {remedy}")


def ports(fabric: Fabric, node: Node) -> list[Nic]:
    """Return the rail ports of a node whose links are in service."""
    resting = outages.ports(fabric, node)
    return [port for port in fabric.slice(node)["ports"] if port["port"] not in resting]


def ports_of_others(fabric: Fabric, node: Node, leaf: str) -> list[str]:
    """Return the ports of a leaf that are cabled to other nodes."""
    rows = t.cast("SwitchSlice", fabric.slice(leaf))["ports"]
    own = fabric.name(node)
    return [one["port"] for one in rows if one["kind"] == HOST and one["peer"]["device"] != own]


def judge(
    fabric: Fabric, node: Node, evidence: Evidence, *, at: str, outside: bool = False
) -> Identity:
    """Return whose host it is; with `outside` what the host alone says proves nothing."""
    case = _Case(fabric, node, evidence, at)
    for weigh, alone in _WEIGHED:
        found = weigh(case)
        if found and not (found.state == PROVEN and alone and outside):
            return found
    looked = (
        "what its leaves hear of its MAC addresses, " if outside else "its rail addresses, LLDP, "
    )
    return Identity(
        UNKNOWN,
        f"nothing proves that {case.host} is {case.name}, neither {looked}nor devices.csv: write the serial of "
        f"{case.name} into devices.csv, or check it yourself and run with -e spx_factory=true.",
    )


def _by_leaves(case: _Case) -> Identity | None:
    own = {devices.mac(one) for one in case.evidence.macs}
    agree, differ = dict[int, str](), dict[int, str]()
    for port in ports(case.fabric, case.node):
        place = (port["peer"]["device"], port["peer"]["port"])
        heard = sorted(devices.mac(one) for one in case.evidence.leaves.get(place, ()))
        if own.intersection(heard):
            agree.setdefault(port["rail"], " ".join(place))
        elif own and heard:
            differ.setdefault(port["rail"], f"{heard[0]} at {' '.join(place)}")
    if len(agree) >= case.rails:
        why = f"its MAC addresses are heard at {' and '.join(agree.values())}"
        if against := next(_others(case), None):
            return case.doubtful(why, against[1])
        return dataclasses.replace(case.proven(why), by_leaves=True)
    if agree or len(differ) < case.rails:
        return None
    heard_there = " and ".join(list(differ.values())[:RAILS])
    if other := next(_others(case), None):
        return case.other(other[0], f"leaves hear others than its MAC addresses, {heard_there}")
    return case.wrong(
        f"has none of the MAC addresses that leaves hear of {case.name}, {heard_there}"
    )


def _others(case: _Case) -> Iterator[tuple[Node, str]]:
    """Yield other nodes that the host may be, and what shows it."""
    return ((node, sign) for node, sign in _signs(case) if node != case.node)


def _signs(case: _Case) -> Iterator[tuple[Node, str]]:
    """Yield the nodes that something of the host shows, and what that is."""
    own = {devices.mac(one) for one in case.evidence.macs}
    for node, mark in _marked(case):
        yield node, f"devices.csv has {mark} for {case.fabric.name(node)}"
    for node, address in _addressed(case):
        yield node, f"it has the rail address {address} of {case.fabric.name(node)}"
    for place, heard in sorted(case.evidence.leaves.items()):
        both = sorted(own.intersection(map(devices.mac, heard)))
        if both and (end := _host_of(case.fabric, *place)):
            yield (
                end[0],
                f"{both[0]} is heard at {' '.join(place)} of {case.fabric.name(end[0])} too",
            )
    for node, why in _cabled(case):
        yield node, f"{why} of {case.fabric.name(node)}"


def _by_devices(case: _Case) -> Identity | None:
    marked, row = dict(_marked(case)), case.fabric.rows.get(case.node)
    for node, mark in marked.items():
        if node != case.node:
            return case.other(node, f"devices.csv has {mark} for that")
    if case.node in marked:
        return case.proven(f"devices.csv has {marked[case.node]} for it")
    if row and row.serial and case.evidence.serials:
        serial = sorted(case.evidence.serials)[0]
        return case.wrong(f"has serial {serial}, and devices.csv has {row.serial} for {case.name}")
    return None


def _marked(case: _Case) -> Iterator[tuple[Node, str]]:
    """Yield the nodes of which devices.csv has a serial number or MAC address of the host, and which."""
    fabric = case.fabric
    for mark in (*sorted(case.evidence.serials), *sorted(case.evidence.macs)):
        device = fabric.device(mark)
        row = fabric.rows.get(device) if device else None
        own = (row.serial.lower(), devices.mac(row.mac)) if row else ("", "")
        if isinstance(device, Node) and {mark.lower(), devices.mac(mark)}.intersection(own):
            yield device, f"serial {mark}" if mark.lower() == own[0] else mark


def _by_addresses(case: _Case) -> Identity | None:
    for node, address in _addressed(case):
        if node != case.node:
            return case.other(node, f"it has the rail address {address} of that")
    return None


def _by_own_address(case: _Case) -> Identity | None:
    for node, address in _addressed(case):
        if node == case.node:
            return case.proven(f"it has its rail address {address}")
    return None


def _addressed(case: _Case) -> Iterator[tuple[Node, str]]:
    """Yield the nodes whose rail addresses the host has."""
    for address in sorted(case.evidence.addresses):
        try:
            places = case.fabric.addresses.find(*codec.number(address))
        except FabricError:
            continue
        for place in places:
            if place.kind == "host_link" and not place.side and isinstance(place.device, Node):
                yield place.device, address


def _by_cabling(case: _Case) -> Identity | None:
    for node, why in _cabled(case):
        return case.proven(why) if node == case.node else case.other(node, why)
    return None


def _cabled(case: _Case) -> Iterator[tuple[Node, str]]:
    """Yield the nodes whose leaf ports the host hears on enough rails, and which."""
    rails: dict[Node, dict[int, str]] = {}
    for system, port in sorted(case.evidence.heard):
        if end := _host_of(case.fabric, system, port):
            rails.setdefault(end[0], {}).setdefault(end[1], f"{system} {port}")
    for node, heard in rails.items():
        if len(heard) >= case.rails:
            yield node, f"it hears {' and '.join(list(heard.values())[:RAILS])}"


def _host_of(fabric: Fabric, system: str, port: str) -> tuple[Node, int] | None:
    """Return the node that is cabled to a port of a leaf, and its rail."""
    device = fabric.device(system) or fabric.device(system.partition(".")[0])
    end = fabric.peer(device, port) if device and not isinstance(device, Node) else None
    if end is None or not isinstance(end[0], Node):
        return None
    nic = fabric.port(*end)
    rail = getattr(nic, "rail", None)
    return None if rail is None else (end[0], int(rail))


_Weigh = t.Callable[[_Case], "Identity | None"]
_WEIGHED: tuple[tuple[_Weigh, bool], ...] = (
    (_by_leaves, False),
    (_by_devices, False),
    (_by_addresses, False),
    (_by_cabling, True),
    (_by_own_address, True),
)
"""Functions that weigh evidence, in order; True where the host alone says it."""


def accepted(found: Identity, *, factory: bool) -> bool:
    """Return whether a run goes on: an unknown host where the run vouches for it, never another one."""
    return found.state == PROVEN or (found.state == UNKNOWN and factory)


def macs_of(read: Iterable[object]) -> set[str]:
    """Return every MAC address in what a leaf reports of a port, wherever a release has it."""
    found: set[str] = set()
    for body in read:
        if isinstance(body, dict):
            found |= macs_of([*body, *body.values()])
        elif isinstance(body, str) and devices.MAC.fullmatch(body):
            found.add(devices.mac(body))
    return found
