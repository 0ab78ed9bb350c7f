# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From what a switch has and what is wished to what will be changed. No network here.

The comparison is made in the neutral spelling; what is sent is computed in the spelling of the
release, from the whole document before and after, so that a rename never touches a neighbour's
subtree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ...module_utils._json import Doc
from . import dialect, report
from .errors import RefusedError
from .guard import Guard, Held
from .paths import Globs, Path, parse, to_text
from .ranges import expand
from .release import Release
from .secrets import idle_rotations, keep_known, not_compared, values
from .tree import (
    Change,
    count,
    diff,
    get,
    has_unsets,
    leaves,
    merge,
    overlay,
    patches,
    put,
    remove,
    select,
    split,
    without_unsets,
)

# What a switch adds by itself beside what was set, as long as the object above it is there; such
# surplus is no difference. Sources: D517, NVUE API (type); the OpenAPI of 5.3 (flooding).
AUTOFILL = ("interface/*/type", "nve/vxlan/flooding")

STATES = ("merged", "replaced", "deleted")


@dataclass(frozen=True)
class Wish:
    """What a person wants of a switch; see the options of ``nvue_config`` for each.

    ``merged`` sets what ``config`` names, ``replaced`` makes the places that ``owns`` covers equal
    to ``config``, ``deleted`` unsets the leaves of ``config``, or else what ``owns`` covers.
    """

    config: Doc
    state: str = "merged"
    owns: tuple[str, ...] = ()
    unmanaged: tuple[str, ...] = ()
    rotate: tuple[str, ...] = ()
    guard: Guard | None = None


@dataclass(frozen=True)
class Plan:
    """The difference between a switch and a wish, in neutral spelling, with real secrets."""

    release: Release
    before: Doc
    after: Doc
    managed: Globs
    changes: list[Change]
    foreign: int
    held: Held = field(default_factory=Held)
    forbidden: tuple[str, ...] = ()
    not_compared: tuple[Path, ...] = ()
    idle_rotations: tuple[str, ...] = ()

    def base_hash(self) -> str:
        """Return the hash of the managed part as it is."""
        return report.base_hash(select(self.before, self.managed))

    def diff_hash(self) -> str:
        """Return the hash of the changes."""
        return report.diff_hash(self.changes)

    def bodies(self) -> tuple[Doc, Doc]:
        """Return (unsets, sets) in the spelling of the release."""
        if dialect.neutral(self.release):
            return patches(self.before, self.after)
        return patches(
            dialect.spell(self.before, self.release), dialect.spell(self.after, self.release)
        )

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
    """Return the plan that leads from the configuration found to the wish."""
    if wish.state not in STATES:
        raise RefusedError(f"state is {wish.state!r}; it must be one of {', '.join(STATES)}.")
    before = dialect.from_release(expand(found), release)
    sets, unsets = without_unsets(expand_wish(wish.config))
    unmanaged, held = Globs(wish.unmanaged), Held()
    if wish.guard:
        held = wish.guard.hold(before, sets)
    wish = replace(wish, unmanaged=(*wish.unmanaged, *held.keep))
    if wish.state == "deleted":
        after, managed = _deleted(before, wish, [*_paths(sets), *unsets])
    else:
        sets = _spelled(sets, release)
        if wish.state == "merged":
            after, managed = _merged(before, wish, sets, unsets)
        else:
            after, managed = _replaced(before, wish, sets)
    foreign = _foreign(before, sets, unmanaged)
    return Plan(
        release,
        before,
        after,
        managed,
        diff(before, after),
        foreign,
        held,
        wish.guard.forbid(before, after) if wish.guard else (),
        not_compared=tuple(_not_compared(sets, after, wish)),
        idle_rotations=tuple(idle_rotations(sets, wish.rotate)),
    )


def _not_compared(sets: Doc, after: Doc, wish: Wish) -> list[Path]:
    """Return the secrets that are wished and stay as the switch has them."""
    if wish.state == "deleted":
        return []
    return not_compared(remove(sets, Globs(wish.unmanaged)), after)


def expand_wish(config: Doc) -> Doc:
    """Return a wish with its ranges written out, its ``None`` kept."""
    if not has_unsets(config):
        return expand(config)
    marked = _mark(config)
    return _unmark(expand(marked))


_UNSET = "\x00unset"


def _mark(doc: Doc) -> Doc:
    return {
        key: _UNSET if value is None else _mark(value) if isinstance(value, dict) else value
        for key, value in doc.items()
    }


def _unmark(doc: Doc) -> Doc:
    return {
        key: None if value == _UNSET else _unmark(value) if isinstance(value, dict) else value
        for key, value in doc.items()
    }


def _spelled(sets: Doc, release: Release) -> Doc:
    dialect.check(sets, release)
    return sets if dialect.neutral(release) else dialect.canonical(sets, release)


def _paths(doc: Doc) -> list[Path]:
    return [path for path, _value in leaves(doc)]


def _exact(paths: Sequence[Path]) -> Globs:
    """Return globs for exact places; ``[`` keeps wild characters of keys literal."""
    return Globs(
        to_text(key.replace("[", "[[]").replace("*", "[*]").replace("?", "[?]") for key in path)
        for path in paths
    )


def _merged(before: Doc, wish: Wish, sets: Doc, unsets: list[Path]) -> tuple[Doc, Globs]:
    unmanaged = Globs(wish.unmanaged)
    managed = _exact([*_paths(sets), *unsets])
    mine = remove(sets, unmanaged) if unmanaged else sets
    after = merge(before, keep_known(before, mine, Globs(wish.rotate)))
    return _without(after, [path for path in unsets if not unmanaged.covers(path)]), managed


def _replaced(before: Doc, wish: Wish, sets: Doc) -> tuple[Doc, Globs]:
    owns = Globs(wish.owns)
    if not owns:
        raise RefusedError(
            "state replaced needs owns: globs of the subtrees that config holds completely; "
            "everything else on the switch is left alone."
        )
    strange = remove_empty(remove(sets, owns))
    for path, _value in leaves(strange):
        raise RefusedError(
            f"config has {to_text(path)}, which lies outside owns ({', '.join(owns.patterns)}); "
            "add a glob to owns or take it out of config."
        )
    inside, outside = split(before, owns)
    unmanaged = Globs(wish.unmanaged)
    mine = sets
    if unmanaged:
        outside = merge(outside, select(inside, unmanaged))
        mine = _emptied(sets, remove(sets, unmanaged))
    after = overlay(outside, keep_known(before, mine, Globs(wish.rotate)))
    return _autofilled(inside, after), owns


def _emptied(whole: Doc, part: Doc) -> Doc:
    """Return ``part`` without the containers that lost all they held in ``whole``."""
    kept: Doc = {}
    for key, value in part.items():
        held = whole[key]
        if isinstance(value, dict) and isinstance(held, dict) and held:
            below = _emptied(held, value)
            if below:
                kept[key] = below
        else:
            kept[key] = value
    return kept


def remove_empty(doc: Doc) -> Doc:
    """Return a document without containers that hold nothing; real leaves stay, ``{}`` goes."""
    kept: Doc = {}
    for key, value in doc.items():
        if isinstance(value, dict):
            below = remove_empty(value)
            if below:
                kept[key] = below
        else:
            kept[key] = value
    return kept


def _autofilled(inside: Doc, after: Doc) -> Doc:
    for glob in AUTOFILL:
        depth = len(parse(glob))
        for path in {path[:depth] for path, _leaf in leaves(select(inside, Globs([glob])))}:
            owner = get(after, path[:-1])
            if isinstance(owner, dict) and path[-1] not in owner:
                after = put(after, path, get(inside, path))
    return after


def _deleted(before: Doc, wish: Wish, named: list[Path]) -> tuple[Doc, Globs]:
    globs = _exact(named) if named else Globs(wish.owns)
    if not globs:
        raise RefusedError("state deleted needs config or owns to say what to unset.")
    inside, after = split(before, globs)
    unmanaged = Globs(wish.unmanaged)
    if unmanaged:
        after = merge(after, select(inside, unmanaged))
    return after, globs


def _without(doc: Doc, paths: Sequence[Path]) -> Doc:
    return remove(doc, _exact(paths)) if paths else doc


def _foreign(before: Doc, sets: Doc, unmanaged: Globs) -> int:
    """Count what is, or was wished, in places that are left to others."""
    if not unmanaged:
        return 0
    return count(merge(select(sets, unmanaged), select(before, unmanaged)))


def secret_words(wish: Wish, plan: Plan | None = None) -> set[str]:
    """Return the secret words of a wish and of the switch's own configuration."""
    words = set(values(wish.config))
    if plan is not None:
        words.update(values(plan.before))
    return words
