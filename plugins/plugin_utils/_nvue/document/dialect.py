# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One release-neutral document, and its spelling before Cumulus Linux 5.16.

    neutral                                     5.9 to 5.15
    system.date-time.timezone: Etc/UTC          system.timezone: Etc/UTC

    neutral                                     5.9 to 5.14
    interface.swp1.vrf: RED                     interface.swp1.ip.vrf: RED
    router.adaptive-routing.state: enabled      router.adaptive-routing.enable: 'on'
    system.ntp: {vrf: mgmt, server: ...}        service.ntp.mgmt: {server: ...}

Both directions exist, so that what an old switch has is compared in the neutral spelling. Some
things have no old spelling of their own (the name of a BFD profile); ``canonical`` brings a wish
into the form that a read-back would have. What an old release cannot say is refused.
"""

from __future__ import annotations

from ....module_utils._json import Doc, Json
from ..errors import RefusedError
from . import dialect_table as table
from .dialect_gateways import relays_to_new, relays_to_old, vrr_to_new, vrr_to_old
from .dialect_services import bfd_to_new, bfd_to_old, services_to_new, services_to_old
from .paths import Globs, States, ended, step, to_text
from .release import OLDEST, Release, parse
from .tree import has_below, leaves, select
from .treeedit import fill, grow, match, take

BREAK = Release(5, 15)
"""From here on only places are spelled otherwise, no words and no shapes."""


_NAMED_BY_TIMERS = ("router/bfd/state", "router/bfd/profile/bfd-*")


def implied(release: Release) -> Globs:
    """Return the places that a release does not have, and that are read from others: BFD of its peers."""
    return Globs(_NAMED_BY_TIMERS if release < BREAK else ())


def to_release(doc: Doc, release: Release) -> Doc:
    """Return a neutral document in the spelling of ``release``, refusing what it cannot say."""
    check(doc, release)
    return spell(doc, release)


def spell(doc: Doc, release: Release) -> Doc:
    """As ``to_release``, for a document whose features were checked before."""
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
    if release >= BREAK:
        return old
    _nothing_new_left(old, release)
    return _words(old, release, to_old=True)


def from_release(doc: Doc, release: Release) -> Doc:
    """Return what a switch of ``release`` has as a neutral document."""
    rows = _moves(release)
    if not rows:
        return doc
    new = grow(doc)
    if release < BREAK:
        vrr_to_new(new)  # its `state` is a key of its own, beside an `enable` that becomes `state`
        new = _words(new, release, to_old=False)
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


def canonical(doc: Doc, release: Release) -> Doc:
    """Return a neutral document as it would be read back from a switch of ``release``."""
    return from_release(to_release(doc, release), release)


def check(doc: Doc, release: Release) -> None:
    """Refuse what ``release`` cannot express, naming the place and the release."""
    if release < OLDEST:
        raise RefusedError(
            f"The switch runs {release}; {OLDEST} is the oldest release that can be configured."
        )
    rows = [row for row in table.FEATURES if _missing(row, release)]
    suspects = select(doc, Globs(row.place for row in rows))
    for row in rows if suspects else ():
        _refuse_feature(suspects, row, release)


def _moves(release: Release) -> tuple[table.Move, ...]:
    return tuple(move for move in table.MOVES if release < parse(move.since))


def _missing(row: table.Feature, release: Release) -> bool:
    return release < parse(row.since) or (bool(row.until) and release >= parse(row.until))


def _refuse_feature(doc: Doc, row: table.Feature, release: Release) -> None:
    too_old = release < parse(row.since)
    for path, value in leaves(select(doc, Globs([row.place]))):
        if row.value and value != row.value:
            continue
        what = f"{to_text(path)}" + (f" ({value})" if row.value else "")
        limit = f"exists since {row.since}" if too_old else f"was removed in {row.until}"
        raise RefusedError(
            f"{what} {limit}, the switch runs {release}; leave it out or change the release."
        )


def _nothing_new_left(doc: Doc, release: Release) -> None:
    for path, _value in leaves(select(doc, Globs(table.NEW_ONLY))):
        raise RefusedError(
            f"{to_text(path)} has no spelling in {release}; leave it out or upgrade the switch."
        )


def _words(doc: Doc, release: Release, *, to_old: bool) -> Doc:
    """Turn state/enabled into enable/on, or back, but for the leaves that never changed."""
    keeps = Globs(
        spelling
        for place, since, _source in table.KEEPS_STATE
        if release >= parse(since)
        for spelling in (place, _old_place(place, release))
    )
    return _turn(doc, keeps.start, _OLD_WORDS if to_old else _NEW_WORDS)


def _old_place(place: str, release: Release) -> str:
    for move in table.MOVES:
        if release >= parse(move.since) or "*" in move.new:
            continue
        if place == move.new or place.startswith(move.new + "/"):
            return move.old + place[len(move.new) :]
    return place


_OLD_WORDS = ({"state": "enable"}, {"enabled": "on", "disabled": "off"})
_NEW_WORDS = ({"enable": "state"}, {"on": "enabled", "off": "disabled"})
Words = tuple[dict[str, str], dict[str, str]]


def _turn(doc: Doc, states: States, words: Words) -> Doc:
    keys, values = words
    turned: Doc = {}
    for key, value in doc.items():
        following = step(states, key) if states else ()
        if following and ended(following):
            turned[key] = value
        elif has_below(value):
            turned[key] = _turn(value, following, words)
        elif isinstance(value, str) and value in values and key not in table.FREE_WORDS:
            turned[keys.get(key, key)] = values[value]
        else:
            turned[key] = value
    return turned
