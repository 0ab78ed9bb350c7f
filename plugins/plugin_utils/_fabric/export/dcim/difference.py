# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between the plan and a DCIM for one kind.

    for change in difference(of_kind("device", context), dcim.read("device", ...), Rules(), inside=...):
        Create(thing) | Update(thing, found, fields) | Conflict(thing, found, fields, why) | Stale(found)

A thing is found by our key, else by the fields of NATURAL. What does not carry our key is never changed:
kinds of SHARED and LENT are used as they are, any other is a conflict, unless the rules take the kind over.

A value that is neither what the plan wants nor what the last push wrote was changed by somebody: that is
a conflict too, unless the rules name the field. Our field has a digest of what was written; without one
nobody knows, so any difference is a conflict.

What is found is kept in memory, what is wanted is not: a large fabric goes part by part.
"""

from __future__ import annotations

import itertools
import typing as t

from .mark import digest, tail, token
from .owners import TABLE, Rules, owner
from .things import FIELD, LENT, NATURAL, SHARED, TAG, UNTAGGED, DcimObject, Ref, Thing, Value

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Fields = t.Mapping[str, tuple[Value, Value]]
"""By field: (ours, theirs)."""

FOREIGN = f"it exists, and its field {FIELD} is not ours"
LOST = f"its field {FIELD} is ours, and tag {TAG} is missing: somebody removed it"
OTHER_FABRIC = "it exists and belongs to fabric "
OTHER_PLACE = "it exists and belongs to "
SLUG = "it exists with another name and the same slug"
TWICE = f"its field {FIELD} is that of another one: somebody copied it"
CHANGED = "somebody changed what we wrote"
FIXED = "it is elsewhere: the name of the fabric may be taken"
HELD = "it holds a port that our cable needs"


class Create(t.NamedTuple):
    """The DCIM does not have it."""

    thing: Thing


class Update(t.NamedTuple):
    """Update of a thing of ours, in the fields that differ."""

    thing: Thing
    found: DcimObject
    fields: Fields


class Conflict(t.NamedTuple):
    """Conflict in the fields that differ, which nobody may write before a person has decided."""

    thing: Thing
    found: DcimObject
    fields: Fields
    why: str


class Stale(t.NamedTuple):
    """Thing of ours, in the part that is pushed, that the plan does not want."""

    found: DcimObject


Change = t.Union[Create, Update, Conflict, Stale]
Match = t.Callable[[Thing, DcimObject], None]


def difference(
    wanted: Iterable[Thing],
    found: Iterable[DcimObject],
    rules: Rules = TABLE,
    *,
    inside: Callable[[str], bool] = lambda _key: True,
    location: Ref | None = None,
    matched: Match = lambda _thing, _found: None,
) -> Iterator[Change]:
    """The changes of one kind, in the order of what is wanted, then what is stale.

    `inside` says whether a key belongs to the part that is pushed: `Part.holds`. `location` is that of the fabric: what
    has its key and is elsewhere may be of another fabric with this name, and is never stale. `matched` hears of each
    thing that is there, so that others can refer to it by its id even where it is not ours.
    """
    there = _PresentThings(found)
    for thing in wanted:
        mine = there.take(thing)
        holder = there.holder(thing) if thing.kind == "cable" else None
        if holder is not None:
            ends = {"ends": (thing.values.get("ends"), holder.values.get("ends"))}
            yield Conflict(thing, holder, ends, HELD)
            continue
        if mine is not None:
            matched(thing, mine)
            yield from _compared(thing, mine, rules)
            continue
        other = there.natural(thing) or there.lost(thing)
        if other is None:
            yield Create(thing)
            continue
        yield from _not_ours(thing, other, rules, matched)
    for change in there.left(inside):
        yield _elsewhere(change, location) if isinstance(change, Stale) and location else change


class _PresentThings:
    """Things of a kind in the DCIM, by our key and by nature."""

    def __init__(self, found: Iterable[DcimObject]) -> None:
        self._ours: dict[str, list[DcimObject]] = {}
        self._named: dict[tuple[str, ...], list[DcimObject]] = {}
        self._foreign: dict[Ref, DcimObject] = {}
        self._lost: dict[str, DcimObject] = {}
        for one in found:
            self._named.setdefault(_nature(one), []).append(one)
            # Where a device lost our tag, it is the conflict, or is taken over: its ports are neither.
            if one.key and (one.owned or one.kind in UNTAGGED):
                self._ours.setdefault(one.key, []).append(one)
                continue
            if one.kind == "cable":
                self._foreign.update(dict.fromkeys(_ends(one), one))
            if one.key and one.kind not in SHARED | LENT:
                self._lost[one.key] = one
        self._taken: set[str] = set()

    def holder(self, cable: Thing) -> DcimObject | None:
        """The cable of somebody else that is at one end of ours alone."""
        found = (self._foreign.get(end) for end in _ends(cable))
        return next((one for one in found if one and _nature(one) != _nature(cable)), None)

    def take(self, thing: Thing) -> DcimObject | None:
        """Take the object with the key of a thing; of several, the one that is like it."""
        held = self._ours.get(thing.key, [])
        several = [one for one in held if one.owned] or [one for one in held if _on(one, thing)]
        like = [one for one in several if _nature(one) == _nature(thing)]
        chosen = next(iter(like or several), None)
        if chosen is not None:
            self._taken.add(chosen.id)
        return chosen

    def lost(self, thing: Thing) -> DcimObject | None:
        """Return the object with the key of a thing that lost our tag, whatever its name is now."""
        return self._lost.get(thing.key)

    def natural(self, thing: Thing) -> DcimObject | None:
        """Return an object that is the same by nature and is not taken."""
        for one in self._named.get(_nature(thing), []):
            fields = NATURAL[thing.kind]
            same = all(equal(thing.values.get(f), one.values.get(f)) for f in fields)
            if same and one.id not in self._taken and not _own_vrf(thing, one):
                return one
        return None

    def left(self, inside: Callable[[str], bool]) -> Iterator[Change]:
        """Yield our objects that were not taken; for a copy, the conflict with its original."""
        for key, several in self._ours.items():
            taken = any(one.id in self._taken for one in several)
            for one in several:
                nobodys = one.kind in SHARED or one.kind == "primary" or not one.owned
                if one.id in self._taken or nobodys:
                    continue
                if taken:
                    copied = Thing(one.kind, key, one.name, {})
                    yield Conflict(copied, one, {}, TWICE)
                elif inside(key):
                    yield Stale(one)


def _ends(cable: Thing | DcimObject) -> list[Ref]:
    """The ends of a cable that are ports of the plan."""
    ends = cable.values.get("ends")
    return [each for each in ends if isinstance(each, Ref)] if isinstance(ends, tuple) else []


def _lost_an_end(cable: Thing, found: DcimObject) -> bool:
    """Check whether a port of a cable was deleted, which leaves the cable with its other end."""
    there = found.values.get("ends")
    return isinstance(there, tuple) and len(there) < 2 and {*there} <= {*_ends(cable)}


def _nature(one: Thing | DcimObject) -> tuple[str, ...]:
    return tuple(token(one.values.get(field)) for field in NATURAL[one.kind])


def _on(port: DcimObject, wanted: Thing) -> bool:
    """Check whether a port without our tag is on the device that is taken over, and not on a copy of it."""
    return port.values.get("device") == wanted.values.get("device")


def _own_vrf(thing: Thing, found: DcimObject) -> bool:
    """Check whether it is the VRF of another fabric: several may have the same name and tenant."""
    return thing.kind == "vrf" and found.owned


def equal(ours: Value, theirs: Value) -> bool:
    """Check whether two values are the same; a reference that is only known by its name equals that name.

    Of kinds that fabrics share or lend each other, the name alone decides.
    """
    if isinstance(ours, Ref) and isinstance(theirs, Ref):
        if ours == theirs or ours.kind != theirs.kind:
            return ours == theirs
        return ours.kind in LENT and token(ours) == token(theirs)
    if _several(ours) and _several(theirs):
        return _all_equal(t.cast("tuple[Value, ...]", ours), t.cast("tuple[Value, ...]", theirs))
    return token(ours) == token(theirs)


def _several(value: Value) -> bool:
    return isinstance(value, tuple) and not isinstance(value, Ref)


def _all_equal(ours: tuple[Value, ...], theirs: tuple[Value, ...]) -> bool:
    pairs = zip(sorted(ours, key=token), sorted(theirs, key=token))
    return len(ours) == len(theirs) and all(equal(one, two) for one, two in pairs)


def _not_ours(thing: Thing, found: DcimObject, rules: Rules, matched: Match) -> Iterator[Change]:
    fields = dict(_differing(thing, found))
    if thing.kind in SHARED | LENT:
        matched(thing, found)
    elif found.owned or found.key not in ("", thing.key):
        yield Conflict(thing, found, fields, _belongs(thing, found))
    elif rules.of_kind(thing.kind) != "plan":
        yield Conflict(thing, found, fields, LOST if found.key else FOREIGN)
    elif fixed := {f: pair for f, pair in fields.items() if rules.owner(thing.kind, f) == "fixed"}:
        yield Conflict(thing, found, fixed, FIXED)
    else:
        matched(thing, found)
        ours = {f: pair for f, pair in fields.items() if rules.owner(thing.kind, f) == "plan"}
        if ours or thing.kind != "primary":
            yield Update(thing, found, ours)


def _belongs(thing: Thing, found: DcimObject) -> str:
    """Name the fabric, or the place of this one, that has an object."""
    fabric = found.key.partition("/")[0]
    own = fabric == thing.key.partition("/")[0]
    return f"{OTHER_PLACE}{tail(found.key)}" if own else f"{OTHER_FABRIC}{fabric}"


def slug_taken(new: Create, holder: DcimObject) -> Conflict:
    """Return the conflict of a new thing whose slug an object with another name has."""
    return Conflict(new.thing, holder, {"name": (new.thing.name, holder.name)}, SLUG)


def _elsewhere(stale: Stale, location: Ref) -> Change:
    """A conflict in place of what is stale and somewhere else."""
    found = stale.found
    theirs = found.values.get("location")
    if owner(found.kind, "location") != "fixed" or equal(location, theirs):
        return stale
    return Conflict(
        Thing(found.kind, found.key, found.name, {}), found, {"location": (location, theirs)}, FIXED
    )


def _differing(thing: Thing, found: DcimObject) -> Iterator[tuple[str, tuple[Value, Value]]]:
    """The fields that are known on both sides and differ."""
    for field, ours in thing.values.items():
        if ours is not None and field in found.values and not equal(ours, found.values[field]):
            yield field, (ours, found.values[field])


def _compared(thing: Thing, found: DcimObject, rules: Rules) -> Iterator[Change]:
    """The update and the conflicts of what is ours."""
    if thing.kind in SHARED:
        return
    fields = dict(_differing(thing, found))
    by = {field: rules.owner(thing.kind, field) for field in fields}
    fixed = {field: pair for field, pair in fields.items() if by[field] == "fixed"}
    if fixed:
        yield Conflict(thing, found, fixed, FIXED)
        return
    ours = {field: pair for field, pair in fields.items() if by[field] == "plan"}
    doubted = {f: pair for f, pair in ours.items() if not rules.stated(thing.kind, f)}
    if thing.kind == "cable" and _lost_an_end(thing, found):
        doubted.pop("ends", None)
    if doubted and _changed(thing, found, rules):
        yield Conflict(thing, found, doubted, CHANGED)
        ours = {field: pair for field, pair in ours.items() if field not in doubted}
    if ours:
        yield Update(thing, found, ours)


def _changed(thing: Thing, found: DcimObject, rules: Rules) -> bool:
    """Check whether somebody changed the output of the last push: nothing that it can have written has its digest."""
    choices = [_written(field, thing, found, rules) for field in thing.values]
    written = (dict(zip(thing.values, values)) for values in itertools.product(*choices))
    return all(digest(thing.kind, values) != found.digest for values in written)


def _written(field: str, thing: Thing, found: DcimObject, rules: Rules) -> tuple[Value, ...]:
    """Return the values that the last push can have written into an unchanged field; None where it wrote nothing.

    The plan may have more or fewer fields than at that time, and another value for what the rules leave to the DCIM.
    """
    ours = thing.values[field]
    if field not in found.values or owner(thing.kind, field) != "plan":
        return (ours,)
    theirs = _known(found.values[field])
    if rules.stated(thing.kind, field) == "dcim":
        return (ours, theirs, None)
    if field in found.unset:
        return (theirs, ours)
    if ours is None:
        return (None, theirs)
    return (theirs,) if theirs else (theirs, None)


def _known(value: Value) -> Value:
    """A value that was read and is empty, as a push writes it."""
    return "" if value is None else value
