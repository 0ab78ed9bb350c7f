# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts of a Clos fabric, from capacity alone.

A leaf has as many uplinks as it needs to carry its host ports 1:1. Spines of a pod, and members of
a super-spine group, are the smallest divisor of the uplink count that carries the capacity, so
links are never uneven and growth inside the capacity moves no cable.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...catalog import hardware
from ...catalog.data import table
from ...description.errors import Breach
from .cages import Block, gbps

if t.TYPE_CHECKING:
    from collections.abc import Callable

    from ...description.description import Description


EVPN_SPINES, EVPN_MEMBERS = 4, 2
"""Spines of a pod, and members of a super-spine group, that carry EVPN."""


@dataclasses.dataclass(frozen=True)
class Clos:
    """Every count of a fabric; per plane unless said otherwise."""

    planes: int
    by_rail: bool
    rails: int
    tiers: int
    pods: int
    sus: int
    slots: int
    nodes_per_rack: int
    top_of_rack: bool
    rails_per_leaf: int
    nodes_per_leaf: int
    leaves_per_su: int
    spines: int
    leaf_links: int
    groups: int
    members: int
    spine_links: int
    leaf_host: Block
    leaf_up: Block
    spine_down: Block
    spine_up: Block
    super_down: Block

    @property
    def leaves_per_pod(self) -> int:
        """Leaves of a pod, in one plane."""
        return self.sus * self.leaves_per_su

    def per_pod(self, role: str) -> int:
        """Switches of a role in a pod of one plane; of super-spines, in a group."""
        if role == "leaf":
            return self.leaves_per_pod
        return self.spines if role == "spine" else self.members

    @property
    def limits(self) -> tuple[int, int, int]:
        """The capacities that places are numbered by: pods, SUs of a pod, slots of an SU."""
        return self.pods, self.sus, self.slots

    @property
    def gpus(self) -> int:
        """GPUs at capacity: one for each rail of each node."""
        return self.pods * self.sus * self.slots * self.rails

    @property
    def nodes(self) -> int:
        """Nodes at capacity."""
        return self.pods * self.sus * self.slots

    def equal_paths(self) -> dict[str, int]:
        """By role: the widest way up, or the links to one neighbour below."""
        made = {"leaf": self.leaf_up.count, "spine": max(self.leaf_links, self.spine_up.count)}
        return made | ({"super_spine": self.spine_links} if self.tiers == 3 else {})

    def sessions(self, *, evpn_on_loopbacks: bool) -> dict[str, int]:
        """By role: the most BGP sessions of a switch: one a link, and those between loopbacks."""
        top = self.tiers == 3
        made = {"leaf": self.leaf_up.count, "spine": self.spine_down.count + self.spine_up.count}
        more = {
            "leaf": min(EVPN_SPINES, self.spines),
            "spine": self.leaves_per_pod + (min(EVPN_MEMBERS, self.members) if top else 0),
        }
        if top:
            made["super_spine"], more["super_spine"] = self.super_down.count, self.pods
        return {role: n + (more[role] if evpn_on_loopbacks else 0) for role, n in made.items()}

    def switches(self) -> dict[str, int]:
        """Switches at capacity over all planes, by role."""
        return {
            "leaf": self.planes * self.pods * self.leaves_per_pod,
            "spine": self.planes * self.pods * self.spines,
            "super_spine": self.planes * self.groups * self.members,
        }


class _Impossible(Exception):
    """A breach found while counting."""

    def __init__(self, key: tuple[str, ...], sentence: str) -> None:
        super().__init__(sentence)
        self.breach = Breach(key, sentence)


_NO_PORTS = Block(1, 1, 0)


def count(description: Description) -> Clos | Breach:
    """All counts of a description, or the one rule that makes them impossible."""
    try:
        return _count(description)
    except _Impossible as exc:
        return exc.breach


def _count(d: Description) -> Clos:
    cages, cage_gbps = usable_cages(d)
    host_breakout = _breakout(d, "host_speed", cage_gbps)
    fabric_breakout = _breakout(d, "fabric_speed", cage_gbps)
    by_rail = d.planes.mode == "by-rail"
    _refuse_wiring(d, by_rail)
    leaf = _leaf(d, cages=cages, host_breakout=host_breakout, fabric_breakout=fabric_breakout)
    leaves_per_pod = d.capacity.sus_per_pod * leaf.per_su
    if d.tiers == 2:
        spine = _two_tier(d, leaf, leaves_per_pod, ports=cages * fabric_breakout)
    else:
        spine = _three_tier(d, leaf, leaves_per_pod, cages=cages, breakout=fabric_breakout)
    return Clos(
        planes=d.planes.count,
        by_rail=by_rail,
        rails=d.rails,
        tiers=d.tiers,
        pods=d.capacity.pods,
        sus=d.capacity.sus_per_pod,
        slots=d.capacity.slots_per_su,
        nodes_per_rack=d.capacity.nodes_per_rack,
        top_of_rack=d.wiring.mode == "top-of-rack",
        rails_per_leaf=leaf.rails,
        nodes_per_leaf=leaf.nodes,
        leaves_per_su=leaf.per_su,
        spines=spine.count,
        leaf_links=spine.leaf_links,
        groups=spine.groups,
        members=spine.members,
        spine_links=spine.links,
        leaf_host=leaf.host,
        leaf_up=leaf.up,
        spine_down=spine.down,
        spine_up=spine.up,
        super_down=spine.super_down,
    )


@dataclasses.dataclass(frozen=True)
class _Leaf:
    host: Block
    up: Block
    nodes: int
    rails: int
    per_su: int


@dataclasses.dataclass(frozen=True)
class _Spine:
    count: int
    leaf_links: int
    down: Block
    up: Block = _NO_PORTS
    groups: int = 0
    members: int = 0
    links: int = 0
    super_down: Block = _NO_PORTS


def usable_cages(d: Description) -> tuple[int, int]:
    """The cages of a switch that may be used, and the speed of each in Gb/s."""
    if refusal := hardware.model_refusal(d.switches.model):
        raise _Impossible(("switches", "model"), refusal)
    model = table("switches")["models"][d.switches.model]
    cages, cage_gbps = model["cages"], model["cage_gbps"]
    if d.switches.usable_ports is None:
        return cages, cage_gbps
    breakout = max(1, cage_gbps // gbps(d.switches.host_speed))
    if d.switches.usable_ports > cages * breakout:
        raise _Impossible(
            ("switches", "usable_ports"),
            f"{d.switches.usable_ports} is more than the {cages * breakout} ports of "
            f"{d.switches.host_speed} that the {d.switches.model} has: use fewer or leave it "
            "out.",
        )
    if d.switches.usable_ports % breakout:
        less = d.switches.usable_ports // breakout * breakout
        raise _Impossible(
            ("switches", "usable_ports"),
            f"{d.switches.usable_ports} is not a multiple of {breakout}, the ports of a cage at "
            f"{d.switches.host_speed}: use {less or breakout} or {less + breakout}.",
        )
    return d.switches.usable_ports // breakout, cage_gbps


def _breakout(d: Description, key: str, cage_gbps: int) -> int:
    speed, model = getattr(d.switches, key), d.switches.model
    use = f"use {', '.join(hardware.speeds(model))}."
    if (factor := hardware.whole(model, gbps(speed))) is not None:
        return factor
    fastest = hardware.speeds(model, halves=True)[0]
    if gbps(speed) > gbps(fastest):
        raise _Impossible(
            ("switches", key),
            f"no port of the {model} is faster than {fastest}, and this one would have {speed}: {use}",
        )
    raise _Impossible(
        ("switches", key),
        f"{speed} does not come from the {cage_gbps}G cages of the {model}: {use}",
    )


def _refuse_wiring(d: Description, by_rail: bool) -> None:
    w = d.wiring
    if by_rail and d.planes.count != d.rails:
        raise _Impossible(
            ("planes", "count"),
            f"{d.planes.count} differs from the {d.rails} rails, and by-rail puts rail r into "
            f"plane r: use {d.rails} planes or mode split.",
        )
    if by_rail and (w.mode == "top-of-rack" or w.rails_per_leaf > 1):
        raise _Impossible(
            ("wiring",),
            "several rails on one leaf contradict by-rail planes: use rail-optimised wiring "
            "with rails_per_leaf 1.",
        )
    if d.rails % w.rails_per_leaf:
        raise _Impossible(
            ("wiring", "rails_per_leaf"),
            f"{w.rails_per_leaf} does not divide the {d.rails} rails: use a divisor of them.",
        )


def _leaf(d: Description, *, cages: int, host_breakout: int, fabric_breakout: int) -> _Leaf:
    slots = d.capacity.slots_per_su
    if d.wiring.mode == "top-of-rack":
        nodes = min(slots, (cages // 2) * host_breakout // d.rails)
        ports, per_su, rails = nodes * d.rails, -(-slots // max(1, nodes)), d.rails
    else:
        rails = d.wiring.rails_per_leaf
        nodes, ports = slots, slots * rails
        per_su = 1 if d.planes.mode == "by-rail" else d.rails // rails
    host = Block(1, host_breakout, ports)
    needed = -(-ports * gbps(d.switches.host_speed) // gbps(d.switches.fabric_speed))
    up = Block(1 + host.cages, fabric_breakout, needed)
    most = (cages // 2) * host_breakout // rails
    if not most:
        raise _Impossible(
            ("wiring",),
            f"the {rails} rails of one node that share a leaf are more than the "
            f"{(cages // 2) * host_breakout} host ports of {cages} usable cages at 1:1: let fewer "
            "rails share a leaf, or use more usable_ports.",
        )
    if host.cages + up.cages > cages:
        fewer = _fewer_rails(d, (cages // 2) * host_breakout)
        raise _Impossible(
            ("capacity", "slots_per_su"),
            f"{slots} slots need {host.cages} cages for hosts and {up.cages} for uplinks at 1:1, "
            f"but a leaf has {cages} usable cages: use {most} or fewer, {fewer}"
            "a slower host_speed, or more usable_ports.",
        )
    return _Leaf(host, up, nodes, rails, per_su)


def _fewer_rails(d: Description, ports: int) -> str:
    """The most rails that may share a leaf with so many host ports, as an offer; empty where none helps."""
    if d.wiring.mode == "top-of-rack":
        return ""
    rails = range(d.wiring.rails_per_leaf - 1, 0, -1)
    fits = [n for n in rails if d.rails % n == 0 and d.capacity.slots_per_su * n <= ports]
    return f"wiring.rails_per_leaf {fits[0]}, " if fits else ""


def _two_tier(d: Description, leaf: _Leaf, leaves: int, *, ports: int) -> _Spine:
    if d.capacity.pods > 1:
        raise _Impossible(
            ("capacity", "pods"),
            f"{d.capacity.pods} pods need super-spines, and tiers is 2: use tiers 3 or one pod.",
        )
    uplinks = leaf.up.count
    spines = _smallest_divisor(uplinks, lambda s: leaves * (uplinks // s) <= ports)
    if spines is None:
        raise _Impossible(
            ("capacity", "sus_per_pod"),
            f"{d.capacity.sus_per_pod} SUs make {leaves} leaves in a plane, more than the "
            f"{ports} "
            f"ports of a spine: use {ports // leaf.per_su} or fewer, or tiers 3.",
        )
    links = uplinks // spines
    return _Spine(spines, links, Block(1, leaf.up.breakout, leaves * links))


def _three_tier(d: Description, leaf: _Leaf, leaves: int, *, cages: int, breakout: int) -> _Spine:
    uplinks = leaf.up.count

    def carries(spines: int) -> bool:
        down = Block(1, breakout, leaves * (uplinks // spines))
        return 2 * down.cages <= cages

    spines = _smallest_divisor(uplinks, carries)
    if spines is None:
        most = (cages // 2) * breakout // leaf.per_su
        raise _Impossible(
            ("capacity", "sus_per_pod"),
            f"{d.capacity.sus_per_pod} SUs make {leaves} leaves in a pod, more than the "
            f"{(cages // 2) * breakout} downlinks of a spine at 1:1: use {most} or fewer, "
            "and more pods.",
        )
    down = Block(1, breakout, leaves * (uplinks // spines))
    up = Block(1 + down.cages, breakout, down.count)
    pods, ports = d.capacity.pods, cages * breakout
    members = _smallest_divisor(up.count, lambda m: pods * (up.count // m) <= ports)
    if members is None:
        raise _Impossible(
            ("capacity", "pods"),
            f"{pods} is more than the {ports} ports of a super-spine, one for each pod at "
            "least: "
            f"use {ports} or fewer.",
        )
    links = up.count // members
    return _Spine(
        count=spines,
        leaf_links=uplinks // spines,
        down=down,
        up=up,
        groups=spines,
        members=members,
        links=links,
        super_down=Block(1, breakout, pods * links),
    )


def _smallest_divisor(number: int, fits: Callable[[int], bool]) -> int | None:
    return next((n for n in range(1, number + 1) if number % n == 0 and fits(n)), None)
