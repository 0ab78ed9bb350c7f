# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One release-neutral document, and its spelling before Cumulus Linux 5.15.

    neutral                                     5.9 to 5.14
    system.date-time.timezone: Etc/UTC          system.timezone: Etc/UTC
    interface.swp1.vrf: RED                     interface.swp1.ip.vrf: RED
    router.adaptive-routing.state: enabled      router.adaptive-routing.enable: 'on'
    system.ntp: {vrf: mgmt, server: ...}        service.ntp.mgmt: {server: ...}

Both directions exist, so that what an old switch has is compared in the neutral spelling. Some
things have no old spelling of their own (the name of a BFD profile); a wish is brought
into the form that a read-back would have. What a release cannot express is refused: NVIDIA's schema
of that release is the judge (``document/schema.py``), and the words ``enabled`` and ``on`` follow it too.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....module_utils._json import Doc, Json
from ..errors import RefusedError
from . import dialect_table as table
from . import schema
from .dialect_gateways import relays_to_new, relays_to_old, vrr_to_new, vrr_to_old
from .dialect_services import bfd_to_new, bfd_to_old, services_to_new, services_to_old
from .paths import Globs, Path, to_text
from .release import OLDEST, Release, parse
from .tree import leaves, put, select
from .tree_edit import fill, grow, match, take

BREAK = Release(5, 15)
"""From here on only places are spelled otherwise, no words and no shapes."""


_NAMED_BY_TIMERS = ("router/bfd/state", "router/bfd/profile/bfd-*")


def implied(release: Release) -> Globs:
    """Return the places that a release does not have, and that are read from others: BFD of its peers."""
    return Globs(_NAMED_BY_TIMERS if release < BREAK else ())


def to_release(doc: Doc, release: Release) -> Doc:
    """Return a neutral document in the spelling of ``release``, refusing what it cannot express."""
    check(release)
    spelled = spell(doc, release)
    judge(spelled, release)
    return spelled


def judge(spelled: Doc, release: Release) -> list[str]:
    """Refuse what a release cannot express of a document in its spelling.

    Return a sentence for each doubt: a key that no release has, a release without a schema.
    """
    known = schema.of(release)
    found = schema.deviations(known, spelled) if known else []
    for path in _absent(spelled, release):
        found.append(schema.Deviation(path, f"no key of Cumulus Linux {release}: leave it out"))
    for deviation in found:
        neutral = _neutral(deviation.path, release)
        if deviation.certain or schema.having(neutral):
            raise RefusedError(f"{to_text(neutral)}: {deviation.reason}.")
    doubts = [
        f"{to_text(each.path)}: {each.reason}, or nothing if the switch takes it." for each in found
    ]
    if known is None:
        doubts.append(
            f"Cumulus Linux {release} is newer than NVIDIA's schema ({schema.releases()[-1]}): "
            "its settings are accepted, but not judged."
        )
    return doubts


def _neutral(path: Path, release: Release) -> Path:
    """Return the neutral spelling of a place."""
    return next((place for place, _value in leaves(from_release(put({}, path, {}), release))), path)


def _absent(spelled: Doc, release: Release) -> list[Path]:
    """Return the places of a document that a release lacks by a row of our own."""
    rows = [row.place for row in table.FEATURES if _missing(row, release)]
    return [path for path, _value in leaves(select(spelled, Globs(rows)))] if rows else []


def spell(doc: Doc, release: Release) -> Doc:
    """Spell like ``to_release``, for a document that is judged before or afterwards."""
    rows = _moves(release)
    if not rows:
        return doc
    old = grow(doc)
    if release < BREAK:
        bfd_to_old(old, release)
        services_to_old(old, release)
        relays_to_old(old, release)
        vrr_to_old(old)
    for row in rows:
        for path, keys in match(old, row.new):
            _put(old, row.old, keys, row.spelled(take(old, path), path, release))
    return _turn(old, _root(release), _OLD_WORDS) if release < BREAK else old


def from_release(doc: Doc, release: Release) -> Doc:
    """Return what a switch of ``release`` has as a neutral document."""
    rows = _moves(release)
    if not rows:
        return doc
    new = grow(doc)
    if release < BREAK:
        vrr_to_new(new)  # its `state` is a key of its own, beside an `enable` that becomes `state`
        new = _turn(new, _root(release), _NEW_WORDS)
    for row in rows:
        for path, keys in match(new, row.old):
            found, rest = row.read(take(new, path))
            _put(new, row.old, keys, rest)
            _put(new, row.new, keys, found)
    if release < BREAK:
        services_to_new(new)
        relays_to_new(new)
        bfd_to_new(new)
    return new


def _put(doc: Doc, pattern: str, keys: tuple[str, ...], value: Json) -> None:
    if value is not None:
        fill(doc, pattern, keys, value)


def check(release: Release) -> None:
    """Refuse a release that is older than the oldest spelling."""
    if release < OLDEST:
        raise RefusedError(
            f"The switch runs {release}; {OLDEST} is the oldest release that can be configured."
        )


def _moves(release: Release) -> tuple[table.Move, ...]:
    return tuple(move for move in table.MOVES if release < parse(move.since))


def _missing(row: table.Feature, release: Release) -> bool:
    return release < parse(row.since) or (bool(row.until) and release >= parse(row.until))


@dataclass(frozen=True)
class _Words:
    """The two spellings of a switched leaf: its key, and its values."""

    key: tuple[str, str]
    values: dict[str, str]


_OLD_WORDS = _Words(("state", "enable"), {"enabled": "on", "disabled": "off"})
_NEW_WORDS = _Words(("enable", "state"), {"on": "enabled", "off": "disabled"})
_NOWHERE = schema.Node()


def _root(release: Release) -> schema.Node:
    known = schema.of(release)
    return known.root if known else _NOWHERE


def _turn(doc: Doc, old: schema.Node, words: _Words) -> Doc:
    """Return a document with ``state: enabled`` and ``enable: on`` as the old release has them at each place."""
    turned: Doc = {}
    for key, value in doc.items():
        switch = old.members.get("enable") if key == words.key[0] else None
        renamed = (
            switch is not None and switch.on_off and (key == "enable" or "state" not in old.members)
        )
        name, place = (words.key[1], switch) if renamed else (key, old.below(key))
        if isinstance(value, dict):
            turned[name] = _turn(value, place or _NOWHERE, words)
        elif isinstance(value, str) and place is not None and place.on_off:
            turned[name] = words.values.get(value, value)
        else:
            turned[name] = value
    return turned
