# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""In which order devices are worked on, in batches whose loss the fabric survives.

    of_switches(fabric, names)     a first switch of each role, then plane by plane, tier by tier
                                   (the first ones of the out-of-band network come with the others of it)
    of_hosts(racks, most=4)        rack after rack

A batch of switches stays in one plane, or in the converged fabric, which comes after them. It never has both leaves of
a pair of that one, nor all of its spines. The out-of-band network is the very last, because over it all others are
reached; no batch has a leaf of it with the leaf that carries its eth0. A batch never has two switches that relay EVPN
in the same pod or super-spine group, nor a whole tier of a pod or plane. Where switches are drained, the others of a
tier count as the whole of it.
"""

from __future__ import annotations

import collections
import itertools
import typing as t

from ..catalog.roles import ROLES
from ..description.errors import FabricError
from . import redundancy
from .topology.cabling import Switch
from .topology.converged import WITH_VTEP
from .topology.converged_cabling import plane_of
from .topology.oob import LEAF as OOB_LEAF

if t.TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping

    from .fabric import Fabric

TIERS = tuple(ROLES)
TIER, POD, EVPN, SERVES, WAY = "tier", "pod", "evpn", "serves", "way"

Limits = dict["Hashable", int]
"""The sets that a switch belongs to, and of how many members of each a batch may consist."""


class Order(t.TypedDict):
    """Switches in the order of work.

    `first` are the first ones of each role, in batches of `first_sizes`; `rest` are the others, in
    batches of `sizes`. `resting` are out of service and left out. `lines` say what each batch may
    disturb; batches in a row that may disturb the same share a line.
    """

    first: list[str]
    first_sizes: list[int]
    rest: list[str]
    sizes: list[int]
    resting: list[str]
    lines: list[str]


def of_switches(
    fabric: Fabric,
    names: Iterable[str],
    *,
    share: int = 25,
    drained: Iterable[str] = (),
) -> Order:
    """The order of some switches; names of other devices are left out.

    `drained` are switches that carry no traffic: they go first, and take over nobody's.
    `share` is the percentage of a tier that a batch takes at most, in a plane and in each pod.
    """
    fleet = _Fleet(fabric, drained)
    found = {device: name for name in names if isinstance(device := fabric.device(name), Switch)}
    working = found.keys() & fleet.working
    chosen = sorted(working, key=lambda switch: (switch not in fleet.drained, _place(switch)))
    limits = _limits(fleet, chosen, share)
    early = [one for one in chosen if not ROLES[one.role].oob] or chosen
    first = list({switch.role: switch for switch in reversed(early)}.values())
    left = [switch for switch in chosen if switch not in first]
    rest = sorted(left, key=lambda one: (_turn(one)[:2], one not in fleet.drained, _turn(one)))
    lead = list(_batches(sorted(first, key=_place), lambda switch: _place(switch)[0], limits))
    others = list(_batches(rest, lambda switch: _turn(switch)[:2], limits))
    return Order(
        first=[found[switch] for batch in lead for switch in batch],
        first_sizes=[len(batch) for batch in lead],
        rest=[found[switch] for batch in others for switch in batch],
        sizes=[len(batch) for batch in others],
        resting=[found[switch] for switch in sorted(found.keys() & fleet.resting, key=_place)],
        lines=list(_lines([_sentence(fleet, batch) for batch in [*lead, *others]])),
    )


def of_hosts(racks: Mapping[str, t.Sequence[int]], most: int = 1) -> list[list[str]]:
    """Batches of at most `most` hosts, rack after rack: {host: [pod, su, rack]} -> [[host]].

    Whole racks share a batch where they fit; a rack that is larger is divided and shares with
    none. FabricError when `most` is below 1.
    """
    if int(most) < 1:
        raise FabricError.of(
            f"spx_max_unavailable: {most} is not allowed: use the number of hosts that may be "
            "down at once, 1 or more."
        )
    grouped: dict[tuple[int, ...], list[str]] = {}
    for host, rack in sorted(racks.items()):
        grouped.setdefault(tuple(rack), []).append(host)
    batches: list[list[str]] = []
    room = 0
    for _rack, names in sorted(grouped.items()):
        if batches and len(names) <= room:
            batches[-1] += names
        else:
            batches += [names[n : n + int(most)] for n in range(0, len(names), int(most))]
            room = int(most) if len(names) <= int(most) else 0
        room -= min(room, len(names))
    return batches


def loss(fabric: Fabric, names: Iterable[str]) -> str:
    """Describe the effects of losing some switches together: `1 leaf of plane 1 (at most ...)`."""
    found = [device for name in names if isinstance(device := fabric.device(name), Switch)]
    return _sentence(_Fleet(fabric), found)


class _Fleet:
    """The switches in service, and how many of them each set has."""

    def __init__(self, fabric: Fabric, drained: Iterable[str] = ()) -> None:
        self.fabric = fabric
        self.drained = {fabric.device(name) for name in drained}
        rows = [row for row in fabric.description.out_of_service if not row.port]
        out = (fabric.device(row.device) for row in rows)
        self.resting = {device for device in out if isinstance(device, Switch)}
        self.working = set(fabric.switches()) - self.resting
        self.counts = self.count(self.working)
        self.serving = self.count(filter(self.serves, self.working))

    def serves(self, switch: Switch) -> bool:
        """Check whether a switch can take over traffic."""
        return switch in self.working and switch not in self.drained

    def count(self, switches: Iterable[Switch]) -> collections.Counter[Hashable]:
        """Count the switches of each set."""
        return collections.Counter(key for switch in switches for key in self.sets(switch))

    def sets(self, switch: Switch) -> Iterator[Hashable]:
        """Its tier in the plane, its tier in the pod, group or pair, and those of it that relay EVPN."""
        plane, pod, role = switch.plane, switch.pod, switch.role
        yield TIER, plane, role
        yield POD, plane, role, pod
        if self.fabric.cabling_of(switch).relays_evpn(switch):
            yield EVPN, plane, role, pod
        if self.fabric.oob and role == OOB_LEAF:
            yield WAY, switch
            yield WAY, self.fabric.oob.carrier(switch)


# Batches


_AFTER_PLANES = 8
"""Position of the converged fabric in the order of planes, of which there are eight at most."""


def _place(switch: Switch) -> tuple[int, int, int, int]:
    plane = plane_of(switch)
    return (
        _AFTER_PLANES if plane is None else plane,
        TIERS.index(switch.role),
        switch.pod,
        switch.index,
    )


def _turn(switch: Switch) -> tuple[int, int, int, int]:
    """Pods take turns, so that a batch has some of each of them."""
    plane, tier, pod, index = _place(switch)
    return plane, tier, index, pod


def _limits(fleet: _Fleet, chosen: Collection[Switch], share: int) -> Callable[[Switch], Limits]:
    counts = fleet.count(chosen)

    def most(key: t.Any) -> int:
        if key[0] == WAY:
            return 1
        few = 1 if key[0] == EVPN else -(-counts[key] * share // 100)
        return max(1, min(few, fleet.counts[key] - 1))

    def limits(switch: Switch) -> Limits:
        made: Limits = {key: most(key) for key in fleet.sets(switch)}
        if fleet.drained and fleet.serves(switch):
            made |= {(SERVES, key): max(1, fleet.serving[key] - 1) for key in fleet.sets(switch)}
        return made

    return limits


def _batches(
    switches: Iterable[Switch],
    together: Callable[[Switch], t.Any],
    limits: Callable[[Switch], Limits],
) -> Iterator[list[Switch]]:
    for _key, members in itertools.groupby(switches, key=together):
        for batch in _packed(members, limits):
            yield sorted(batch, key=_place)


def _packed(
    switches: Iterable[Switch], limits: Callable[[Switch], Limits]
) -> Iterable[list[Switch]]:
    """Each switch in the first batch in which none of its sets is full."""
    batches: list[list[Switch]] = []
    taken: list[collections.Counter[Hashable]] = []
    begin: dict[Hashable, int] = {}  # by set: the batches before this one are full
    for switch in switches:
        own = limits(switch)
        at = max(begin.get(key, 0) for key in own)
        while at < len(batches) and any(taken[at][key] >= own[key] for key in own):
            at += 1
        if at == len(batches):
            batches.append([])
            taken.append(collections.Counter())
        batches[at].append(switch)
        taken[at].update(own.keys())
        for key in own:
            while begin.get(key, 0) < len(batches) and taken[begin.get(key, 0)][key] >= own[key]:
                begin[key] = begin.get(key, 0) + 1
    return batches


# What the loss of a batch does


def _lines(sentences: list[str]) -> Iterator[str]:
    """`batch 2 of 9: ...`, or `batches 2 to 4 of 9: each ...`."""
    number = 1
    for sentence, group in itertools.groupby(sentences):
        last = number + len(list(group)) - 1
        said = f"batch {number}" if last == number else f"batches {number} to {last}"
        yield f"{said} of {len(sentences)}: {'' if last == number else 'each '}{sentence}"
        number = last + 1


def _sentence(fleet: _Fleet, batch: list[Switch]) -> str:
    """`4 spines of plane 1 (at most drainable: traffic moves to others)`."""
    counted: dict[tuple[str, str], list[Switch]] = {}
    lost = set(batch)
    for switch in batch:
        counted.setdefault((switch.role, _effect(fleet, switch, lost)), []).append(switch)
    return "; ".join(
        f"{_noun(role, len(switches))} {_where(fleet.fabric, switches)} (at most {effect})"
        for (role, effect), switches in counted.items()
    )


def _effect(fleet: _Fleet, switch: Switch, batch: Collection[Switch]) -> str:
    """Describe the effect if a switch of a batch fails together with the others of it."""
    others = redundancy.of_switch(fleet.fabric, switch)
    leaf = switch.role in WITH_VTEP
    if any(fleet.serves(other) and other not in batch for other in others):
        kept = "the other leaf of the pair" if ROLES[switch.role].pairs else "their other planes"
        return f"degrading: hosts keep {kept}" if leaf else "drainable: traffic moves to others"
    what = "no other switch in service does their work"
    if switch.role == "leaf":
        what = "the rails of their hosts stop"
    if switch.role == OOB_LEAF:
        what = "what is cabled to them cannot be reached"
    return f"interrupting: {what}"


def _noun(role: str, count: int) -> str:
    one = role.replace("_", "-")
    many = f"{one.removesuffix('leaf')}leaves" if one.endswith("leaf") else f"{one}s"
    return f"{count} {one if count == 1 else many}"


def _where(fabric: Fabric, switches: list[Switch]) -> str:
    number = plane_of(switches[0])
    if number is None:
        oob = ROLES[switches[0].role].oob
        return "of the out-of-band network" if oob else "of the converged fabric"
    plane = f"of plane {number + 1}"
    pods = {switch.pod for switch in switches}
    if fabric.clos.pods == 1 or switches[0].role == "super_spine":
        return plane
    return f"{plane} in {f'{len(pods)} pods' if len(pods) > 1 else f'pod {min(pods) + 1}'}"
