# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Suspects: from failed tests to the node, NIC, cable, leaf, uplink, spine or plane that they share.

Adaptive routing spreads a flow over all uplinks, so tests between nodes lead to the uplinks of a leaf or to the spines
of a pod, never to one of them. A cable and its NIC port are one link for a test. Counters decide in both cases; without
them all members are named, none for certain. A host's cable of which both ends count no error is none of them.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...plan.topology.cabling import Node
from ..plan.records import LATENCY, Suspect
from . import counters as counting
from . import elements
from .elements import Element, Paths, cable_name
from .evidence import FAMILIES, Evidence, Explanation

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import NicPort, Switch
    from ..plan.records import Test
    from .counters import Cable, Counters, Sign

MOST = 128
"""Members of a set that are named one by one; larger ones are named as their plane."""
FAILOVER = "failover"
LEAST = 3
"""Failed tests before an element is named for certain: what is unsteady fails two by chance."""
_FEW = "Few tests show it: measure it with other partners."
_CLEARED = "Both ends of its cable count no error of the signal, so that the cable is not named."
_Place = tuple[str, str]
_KINDS = {
    elements.UPLINKS: "uplink",
    elements.SPINES: "spine",
    elements.TOPS: "spine",
    elements.LEAF_SWITCH: "leaf",
}
_SETS = {
    elements.CABLE: "the cables of the NIC of {}",
    elements.LEAF_SWITCH: "the leaves {}",
    elements.UPLINKS: "the uplinks of {}",
    elements.SPINES: "the spines of {}",
    elements.TOPS: "the super-spines of {}",
}
_SHOWN_BY = {
    "cable": counting.SHOWS_CABLE,
    "uplink": counting.SHOWS_CABLE,
    "spine": counting.SHOWS_CABLE,
    "nic": counting.SHOWS_HOST,
    "node": counting.SHOWS_HOST,
}
"""Sign of a counter where a suspect of a kind is at fault."""
_NOTED = (counting.SHOWS_PATH, counting.SHOWS_SIGNAL)
"""Signs that are quoted with a cable, and decide nothing."""


@dataclasses.dataclass(frozen=True)
class _Member:
    """One device or cable that may be at fault, with what its counters say.

    `signs` point to it, `noted` ones only to its port. `part` is what a sentence calls it, or the set of equals to
    which it belongs; `cable` is the cable of a host. A plane in place of too many of its parts is not `single`.
    """

    kind: str
    place: str
    signs: tuple[Sign, ...]
    part: str
    noted: tuple[Sign, ...] = ()
    cable: Cable | None = None
    single: bool = True


def find(
    fabric: Fabric,
    tests: Sequence[Test],
    counters: Counters,
) -> list[Suspect]:
    """The suspects, the certain ones first; empty where nothing failed, or where tests contradict each other.

    `tests` are of the levels pairs, rails and bisection; others say nothing about elements and are passed over.
    `counters` are differences over the tests, by `device:port`; those of cuts do not count where level failover was
    among the tests. `score` is the share (0 to 1) of the failed tests that the suspect explains; 0 where only counters
    point to it.
    """
    cut = any(test["level"] == FAILOVER for test in tests)
    signs, clean = counting.signs(fabric, counters, cut=cut), counting.clean(fabric, counters)
    paths, made = Paths(fabric), dict[_Place, Suspect]()
    for kinds in FAMILIES:
        evidence = Evidence(paths, tests, kinds)
        for explained in (*evidence.explained, *evidence.unsteady):
            members = [m for e in explained.members for m in _members(paths, e, signs)]
            found = _Set.of(members, clean, decides=not explained.couples)
            for suspect in _suspects(evidence, explained, found):
                _add(made, suspect)
    _add_counted(made, fabric, signs)
    return sorted(
        made.values(), key=lambda s: (not s["certain"], -s["score"], s["kind"], s["place"])
    )


def _add(made: dict[_Place, Suspect], suspect: Suspect) -> None:
    """Merge suspects of bandwidth and latency at the same place."""
    old = made.setdefault((suspect["kind"], suspect["place"]), suspect)
    if old is not suspect:
        old["certain"] = old["certain"] or suspect["certain"]
        old["score"] = max(old["score"], suspect["score"])
        old["reasons"] += [text for text in suspect["reasons"] if text not in old["reasons"]]


@dataclasses.dataclass(frozen=True)
class _Set:
    """The members that are left of a set when counters have been read."""

    members: tuple[_Member, ...]
    shown: bool
    cleared: bool

    @classmethod
    def of(cls, members: Sequence[_Member], clean: Collection[Cable], *, decides: bool) -> _Set:
        """Choose members that counters show, where one of them `decides`; else those whose cable is not cleared; else
        all."""
        shown = _without_parts([m for m in members if m.signs]) if decides else []
        left = [m for m in members if m.cable not in clean]
        cleared = not shown and 0 < len(left) < len(members)
        return cls(tuple(shown or left or members), bool(shown), cleared)

    @property
    def alone(self) -> bool:
        """Check whether one place is left."""
        return len(self.members) == 1 and self.members[0].single


def _suspects(evidence: Evidence, explained: Explanation, found: _Set) -> Iterator[Suspect]:
    steady = explained in evidence.explained
    enough = found.shown or (steady and len(explained.tests) >= LEAST)
    for member in found.members:
        quoted = (*member.signs, *member.noted)
        reasons = [_seen(explained, evidence.kinds, steady=steady)]
        reasons += [counting.sentence(evidence.paths.fabric, sign) for sign in quoted]
        reasons += [_CLEARED] if found.cleared else []
        reasons += [] if found.alone else [_two(found) if explained.couples else _apart(found)]
        reasons += [_FEW] if found.alone and not enough else []
        yield Suspect(
            kind=member.kind,
            place=member.place,
            certain=found.alone and enough,
            score=round(len(explained.tests) / len(evidence.failed), 3),
            reasons=reasons,
        )


def _without_parts(shown: list[_Member]) -> list[_Member]:
    """Without the cables of a switch that several of its cables show."""
    of_spines = {sign for m in shown if m.kind == "spine" for sign in m.signs}
    return [m for m in shown if m.kind == "spine" or not of_spines.issuperset(m.signs)]


def _seen(explained: Explanation, kinds: Collection[str], *, steady: bool) -> str:
    """Describe the failed tests of an explanation: their number, and their rates."""
    own = explained.tests
    reached = [test.reached for test in own if test.reached is not None]
    tests = "a failed test" if len(own) == 1 else f"{len(own)} failed tests"
    text = f"It is in {tests} of latency" if LATENCY in kinds else f"It is in {tests}"
    if reached:
        low, high = round(100 * min(reached)), round(100 * max(reached))
        span = f"{low} %" if low == high else f"{low} to {high} %"
        text += f", with {span} of what other pairs reach"
    return f"{text}." if steady else f"{text}, and others passed: it is unsteady."


def _apart(found: _Set) -> str:
    """Explain several suspects by the parts they belong to, not each of 64 uplinks."""
    parts = list(dict.fromkeys(m.part for m in found.members))
    named = f"{', '.join(parts[:-1])} or {parts[-1]}" if len(parts) > 1 else f"one of {parts[0]}"
    if found.shown:
        return f"Counters are unusual on several: it is {named}."
    return f"Tests between nodes cannot separate these, and no counter does: it is {named}."


def _two(found: _Set) -> str:
    """Explain the part that two slow ports share; it is the first of the members."""
    return f"Two slow ports explain the same tests as {found.members[0].part}: measure these ports with other partners."


# From an element to devices and cables


def _members(
    paths: Paths, element: Element, signs: Mapping[Cable, list[Sign]]
) -> Iterator[_Member]:
    kind = element.kind
    if kind in (elements.CABLE, elements.UPLINKS):
        yield from _cables(paths, element, signs)
    elif kind in (elements.SPINES, elements.TOPS, elements.LEAF_SWITCH):
        yield from _switches(paths, element, signs)
    elif kind == elements.PLANE:
        for plane in paths.planes(element):
            yield _Member(kind, _plane(plane), (), _plane(plane))
    else:
        place, words = _place(paths, element), "the NIC at" if kind == elements.NIC else "the node"
        yield _Member(kind, place, _of_host(paths, element, signs), f"{words} {place}")


def _cables(paths: Paths, element: Element, signs: Mapping[Cable, list[Sign]]) -> Iterator[_Member]:
    """The cables that an element is, or is one of; a single one is its own part."""
    found = paths.cables(element)
    for lower, port in found:
        name = cable_name(paths.fabric, lower, port)
        part = f"the cable {name}" if len(found) == 1 else _part(paths, element)
        here = signs.get((lower, port), ())
        shown, noted = _shown(here, elements.CABLE), tuple(x for x in here if x.shows in _NOTED)
        cable = (lower, port) if isinstance(lower, Node) else None
        yield _Member(_KINDS.get(element.kind, element.kind), name, shown, part, noted, cable)


def _switches(
    paths: Paths, element: Element, signs: Mapping[Cable, list[Sign]]
) -> Iterator[_Member]:
    found, kind = paths.switches(element), _KINDS[element.kind]
    if len(found) > MOST:
        for plane in paths.planes(element):
            yield _Member("plane", _plane(plane), (), _part(paths, element), single=False)
        return
    for switch in found:
        name = paths.fabric.name(switch)
        part = f"the leaf {name}" if len(found) == 1 and kind == "leaf" else _part(paths, element)
        yield _Member(kind, name, _of_switch(paths, switch, signs) if kind == "spine" else (), part)


def _of_switch(paths: Paths, switch: Switch, signs: Mapping[Cable, list[Sign]]) -> tuple[Sign, ...]:
    """Signs on several cables of a switch; one alone shows its cable."""
    cables = [
        elements.lower_end(paths.fabric, switch, port)
        for port in paths.fabric.cabling.ports(switch)
    ]
    shown = [own for cable in cables if (own := _shown(signs.get(cable, ()), "spine"))]
    return tuple(sign for own in shown for sign in own) if len(shown) > 1 else ()


def _of_host(paths: Paths, element: Element, signs: Mapping[Cable, list[Sign]]) -> tuple[Sign, ...]:
    """Signs of a NIC; of a node those of several rails, since one rail alone shows its NIC."""
    rails = {nic.rail for nic in paths.ports}
    shown: dict[int, list[Sign]] = {}
    for cable in paths.cables(element):
        if own := _shown(signs.get(cable, ()), element.kind):
            shown.setdefault(t.cast("NicPort", cable[1]).rail, []).extend(own)
    if element.kind == elements.NODE and len(shown) < min(2, len(rails)):
        return ()
    return tuple(sign for own in shown.values() for sign in own)


def _shown(found: Sequence[Sign], kind: str) -> tuple[Sign, ...]:
    return tuple(sign for sign in found if sign.shows == _SHOWN_BY.get(kind))


def _part(paths: Paths, element: Element) -> str:
    """Name a set of several: `the uplinks of leaf-p1-su001-r1`."""
    if element.device is not None:
        name = paths.fabric.name(element.device)
        return _SETS[element.kind].format(f"{name} and its equals" if paths.spread else name)
    where = " and ".join(map(_plane, paths.planes(element)))
    if element.kind == elements.SPINES and paths.fabric.clos.pods > 1:
        where += f", pod {element.pod + 1}"
    return _SETS[element.kind].format(where)


def _plane(plane: int) -> str:
    return f"plane {plane + 1}"


def _place(paths: Paths, element: Element) -> str:
    """The name of a node, or of the first port of a NIC."""
    device, nic = paths.cables(element)[0]
    name = paths.fabric.name(device)
    return (
        name if element.kind == elements.NODE else f"{name}:{paths.fabric.port_name(device, nic)}"
    )


def _add_counted(
    made: dict[_Place, Suspect], fabric: Fabric, signs: Mapping[Cable, list[Sign]]
) -> None:
    """Cables whose signal has errors, where no suspect quotes them."""
    said = {text for suspect in made.values() for text in suspect["reasons"]}
    for (lower, port), found in signs.items():
        own = [counting.sentence(fabric, sign) for sign in _shown(found, elements.CABLE)]
        if own and not said.intersection(own):
            _add(
                made,
                Suspect(
                    kind="cable" if isinstance(lower, Node) else "uplink",
                    place=cable_name(fabric, lower, port),
                    certain=False,
                    score=0.0,
                    reasons=[*own, "No failed test needs it as an explanation."],
                ),
            )
