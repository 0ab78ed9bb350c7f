# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From what a switch has and what is wished to what will be changed. No network here.

The comparison is made in the neutral spelling; what is sent is computed in the spelling of the
release, from the whole document before and after, so that a rename never touches a neighbour's
subtree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol

from ....module_utils._json import Doc
from ..document import dialect
from ..document.paths import Globs, Path, parse, to_text
from ..document.ranges import expand
from ..document.release import Release
from ..document.secrets import idle_rotations, keep_known, masked_number, not_compared
from ..document.tree import (
    Change,
    count,
    diff,
    get,
    leaves,
    merge,
    patches,
    prune,
    put,
    remove,
    select,
    split,
)
from ..errors import RefusedError
from . import report

# What a switch adds by itself beside what was set, as long as the object above it is there; such
# surplus is no difference. Sources: D517, NVUE API (type); the OpenAPI of 5.3 (flooding).
AUTOFILL = ("interface/*/type", "nve/vxlan/flooding")
_AUTOFILL = [(len(parse(glob)), Globs([glob])) for glob in AUTOFILL]

STATES = ("merged", "replaced", "deleted")


@dataclass(frozen=True)
class HeldPlaces:
    """Places that stay (globs), and the reasons; ``drift`` are the sentences that somebody must act upon."""

    keep: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    drift: tuple[str, ...] = ()


class Guard(Protocol):
    """Limits of a wish, because of the switch's present configuration; they are read for every plan of the wish."""

    def hold(self, before: Doc, wish: Doc) -> HeldPlaces:
        """Return what stays as it is, given the applied and the wished document."""

    def forbid(self, before: Doc, after: Doc) -> tuple[str, ...]:
        """Return a sentence for each reason to refuse the change."""


@dataclass(frozen=True)
class RestoredSettings:
    """Settings of others that come to a switch together with a wish: a backup of them.

    ``lacking`` are masked places of secrets that nobody stated.
    """

    config: Doc
    lacking: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Wish:
    """Wish of a person for a switch; see the options of ``nvue_config`` for each.

    ``merged`` sets what ``config`` names, ``replaced`` makes the places that ``owns`` covers equal
    to ``config``, ``deleted`` unsets the leaves of ``config``, or else what ``owns`` covers. ``beside``
    is merged into what ``replaced`` leaves alone.
    """

    config: Doc
    state: str = "merged"
    owns: tuple[str, ...] = ()
    unmanaged: tuple[str, ...] = ()
    rotate: tuple[str, ...] = ()
    guard: Guard | None = None
    beside: RestoredSettings | None = None


@dataclass(frozen=True)
class Plan:
    """The difference between a switch and a wish, in neutral spelling, with real secrets."""

    release: Release
    before: Doc
    after: Doc
    managed: Globs
    changes: list[Change]
    foreign: int
    held: HeldPlaces = field(default_factory=HeldPlaces)
    forbidden: tuple[str, ...] = ()
    not_compared: tuple[Path, ...] = ()
    idle_rotations: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    found: Doc = field(default_factory=dict)
    """The configuration of which this is the plan, as the switch gave it."""

    def hashes(self) -> report.Approval:
        """Return what an approval of the plan holds."""
        return report.hashes(select(self.before, self.managed), self.changes)

    def bodies(self) -> tuple[Doc, Doc]:
        """Return (unsets, sets) in the spelling of the release."""
        return patches(*(dialect.spell(doc, self.release) for doc in (self.before, self.after)))

    @property
    def hostname(self) -> str:
        """The host name that is applied now."""
        return str(get(self.before, ("system", "hostname"), ""))

    @property
    def saves_itself(self) -> bool:
        """Return whether the switch saves without being asked: what it has, and what is to come."""
        place = ("system", "config", "auto-save", "state")
        stated = {get(doc, place, "enabled") for doc in (self.before, self.after)}
        return stated == {"enabled"} and self.release >= Release(5, 9)


def make(found: Doc, wish: Wish, release: Release) -> Plan:
    """Return the plan that leads from the configuration found to the wish.

    NVIDIA's schema judges a wish that changes something: of any other nothing is sent, and the switch has it.
    """
    if wish.state not in STATES:
        raise RefusedError(f"state is {wish.state!r}; it must be one of {', '.join(STATES)}.")
    before = dialect.from_release(expand(found), release)
    config = expand(wish.config, unsets=True)
    unsets = [path for path, value in leaves(config) if value is None]
    sets = prune(config, _exact(unsets))
    unmanaged, held = Globs(wish.unmanaged), HeldPlaces()
    if wish.guard:
        held = wish.guard.hold(before, sets)
    wish = replace(wish, unmanaged=(*wish.unmanaged, *held.keep))
    spelled: list[Doc] = []
    if wish.state == "deleted":
        after, managed = _deleted(before, wish, [*_paths(sets), *unsets])
    else:
        dialect.check(release)
        spelled.append(dialect.spell(sets, release))
        sets = dialect.from_release(spelled[0], release)
        if wish.state == "merged":
            after, managed = _merged(before, wish, sets, unsets)
        else:
            after, managed = _replaced(before, wish, sets, dialect.implied(release))
        if wish.beside:
            _must_be_stated(before, wish.beside.lacking)
            spelled.append(dialect.spell(wish.beside.config, release))
            beside = keep_known(before, dialect.from_release(spelled[1], release), Globs(()))
            after = merge(after, beside)
            managed = Globs([*managed.patterns, *_exact(_paths(beside)).patterns])
    # What is, or was wished, in places that are left to others.
    foreign = count(merge(select(sets, unmanaged), select(before, unmanaged)))
    changes = diff(before, after)
    return Plan(
        release,
        before,
        after,
        managed,
        changes,
        foreign,
        held,
        wish.guard.forbid(before, after) if wish.guard else (),
        not_compared=tuple(_not_compared(sets, after, wish)),
        idle_rotations=tuple(idle_rotations(sets, wish.rotate)),
        doubts=_judged(spelled, release) if changes else (),
        found=found,
    )


def _judged(spelled: Iterable[Doc], release: Release) -> tuple[str, ...]:
    """Refuse what a release cannot express of what is sent; return what its schema does not know."""
    return tuple(doubt for doc in spelled for doubt in dialect.judge(doc, release))


def _must_be_stated(before: Doc, lacking: Iterable[Path]) -> None:
    """Refuse a backup while the switch lacks secrets of it that nobody stated."""
    if missing := [to_text(path) for path in lacking if not _is_there(before, path)]:
        raise RefusedError(
            f"spx_backup: {', '.join(missing)}: a backup has no secrets: state each of these places in "
            "spx_backup_secrets, from a vault."
        )


def _is_there(before: Doc, path: Path) -> bool:
    """Check whether a switch has a secret; any keys will do for masked ones, where they are as many."""
    for place, key in enumerate(path):
        if number := masked_number(key):
            found = get(before, path[:place])
            return isinstance(found, dict) and len(found) >= number
    return get(before, path) not in (None, {})


def _not_compared(sets: Doc, after: Doc, wish: Wish) -> list[Path]:
    """Return the secrets that are wished and stay as the switch has them."""
    if wish.state == "deleted":
        return []
    return not_compared(remove(sets, Globs(wish.unmanaged)), after)


def _paths(doc: Doc) -> list[Path]:
    return [path for path, _value in leaves(doc)]


def _exact(paths: Iterable[Path]) -> Globs:
    """Return globs for exact places; ``[`` keeps wild characters of keys literal."""
    return Globs(
        to_text(key.replace("[", "[[]").replace("*", "[*]").replace("?", "[?]") for key in path)
        for path in paths
    )


def _merged(before: Doc, wish: Wish, sets: Doc, unsets: list[Path]) -> tuple[Doc, Globs]:
    unmanaged = Globs(wish.unmanaged)
    managed = _exact([*_paths(sets), *unsets])
    after = merge(before, keep_known(before, remove(sets, unmanaged), Globs(wish.rotate)))
    return remove(after, _exact(path for path in unsets if not unmanaged.covers(path))), managed


def _replaced(before: Doc, wish: Wish, sets: Doc, implied: Globs) -> tuple[Doc, Globs]:
    """Plan the state ``replaced``; implied settings come with their cause, and belong to nobody: others may imply them
    too."""
    owns = Globs(wish.owns)
    if not owns:
        raise RefusedError(
            "state replaced needs owns: globs of the subtrees that config holds completely; "
            "everything else on the switch is left alone."
        )
    strange = [p for p, value in leaves(remove(remove(sets, owns), implied)) if value != {}]
    if strange:
        raise RefusedError(
            f"config has {to_text(strange[0])}, which lies outside owns ({', '.join(owns.patterns)}); "
            "add a glob to owns or take it out of config."
        )
    inside, outside = split(before, owns)
    unmanaged = Globs(wish.unmanaged)
    outside = merge(outside, select(inside, unmanaged))
    after = merge(outside, keep_known(before, prune(sets, unmanaged), Globs(wish.rotate)))
    return _autofilled(inside, after), owns


def _autofilled(inside: Doc, after: Doc) -> Doc:
    for depth, globs in _AUTOFILL:
        for path in {path[:depth] for path, _leaf in leaves(select(inside, globs))}:
            owner = get(after, path[:-1])
            if isinstance(owner, dict) and path[-1] not in owner:
                after = put(after, path, get(inside, path))
    return after


def _deleted(before: Doc, wish: Wish, named: list[Path]) -> tuple[Doc, Globs]:
    globs = _exact(named) if named else Globs(wish.owns)
    if not globs:
        raise RefusedError("state deleted needs config or owns to say what to unset.")
    inside, after = split(before, globs)
    return merge(after, select(inside, Globs(wish.unmanaged))), globs
