# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what is about to be sent with the known bugs of the running release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ....module_utils._json import Doc
from ..document.paths import Globs, to_text
from ..document.release import Release
from ..document.secrets import mask_path
from ..document.shapes import below
from ..document.tree import Change, get
from . import known_bugs

Condition = Callable[[Sequence[Change], Doc, Doc], list[str]]
"""Returns the places of a change that trigger a bug, given the documents before and after it."""


def inspect(
    conditions: Mapping[int, Condition],
    release: Release,
    changes: Sequence[Change],
    before: Doc,
    after: Doc,
) -> tuple[list[str], list[str]]:
    """Return what the release's known bugs say about a change: warnings, and reasons to refuse it."""
    warnings: list[str] = []
    refusals: list[str] = []
    for bug in known_bugs.of(release, "change"):
        if places := conditions[bug.id](changes, before, after):
            (refusals if bug.refuse else warnings).append(
                f"Known bug {bug.id} of {release}: {bug.what} ({', '.join(places[:2])}); "
                f"{'refused, ' if bug.refuse else ''}{bug.remedy}."
            )
    return warnings, refusals


def said_at(moment: str, release: Release) -> list[str]:
    """Return what the release's known bugs say at another moment: ``busy``, ``failure`` ..."""
    return [
        f"Known bug {bug.id} of {release}: {bug.what}; {bug.remedy}."
        for bug in known_bugs.of(release, moment)
    ]


def _leaves(globs: Iterable[str], chosen: Callable[[Change], bool]) -> Condition:
    compiled = Globs(globs)

    def places(changes: Sequence[Change], _before: Doc, _after: Doc) -> list[str]:
        return [
            to_text(mask_path(change.path))
            for change in changes
            if chosen(change) and compiled.covers(change.path)
        ]

    return places


def sets(*globs: str) -> Condition:
    """Leaves of these places that appear or get another value."""
    return _leaves(globs, lambda change: change.after is not None)


def unsets(*globs: str) -> Condition:
    """Leaves of these places that vanish."""
    return _leaves(globs, lambda change: change.after is None)


def both(one: Condition, other: Condition) -> Condition:
    """The places of two conditions, where both are met."""

    def places(changes: Sequence[Change], before: Doc, after: Doc) -> list[str]:
        first, second = (each(changes, before, after) for each in (one, other))
        return first + second if first and second else []

    return places


def removes(collection: str, most: int) -> Condition:
    """More members of a collection that vanish than a switch can remove at a time."""

    def places(_changes: Sequence[Change], before: Doc, after: Doc) -> list[str]:
        gone = below(before, collection).keys() - below(after, collection).keys()
        return [f"{len(gone)} of {collection}"] if len(gone) > most else []

    return places


def vni_of_changed_vrf(changes: Sequence[Change], before: Doc, after: Doc) -> list[str]:
    """Places whose ASN changes for a VRF with an L3VNI: its own, or that of the whole switch."""
    found = []
    for change in changes:
        if change.before is None or change.after is None or change.path[-3:] != _ASN:
            continue
        if change.path == _ASN:
            found += [
                f"{to_text(change.path)} for VRF {vrf}"
                for vrf in below(before, "vrf")
                if not get(after, ("vrf", vrf, *_ASN)) and _keeps_vni(vrf, before, after)
            ]
        elif _keeps_vni(change.path[1], before, after):
            found.append(to_text(change.path))
    return found


_ASN = ("router", "bgp", "autonomous-system")


def _keeps_vni(vrf: str, before: Doc, after: Doc) -> bool:
    return all(get(doc, ("vrf", vrf, "evpn", "vni")) for doc in (before, after))


def peers_moved_and_group_gone(changes: Sequence[Change], before: Doc, after: Doc) -> list[str]:
    """Peers of a VRF that join a group, and its groups that vanish: whole ones, not their settings."""
    found = []
    for vrf in below(before, "vrf"):
        bgp = ("vrf", vrf, "router", "bgp")
        gone, stays = (set(below(doc, *bgp, "peer-group")) for doc in (before, after))
        moved = [
            to_text(change.path)
            for change in changes
            if change.after is not None and change.path[:4] == bgp and change.path[4:7:2] == _MEMBER
        ]
        if moved and gone - stays:
            found += moved + [to_text((*bgp, "peer-group", name)) for name in gone - stays]
    return sorted(found)


_MEMBER = ("neighbor", "peer-group")


def full_restart_with_l3vni(changes: Sequence[Change], before: Doc, after: Doc) -> list[str]:
    """Return the new places of graceful restart in full mode, or of L3VNIs beside it."""
    if get(after, ("router", "bgp", "graceful-restart", "mode")) != "full":
        return []
    if not any(get(after, ("vrf", vrf, "evpn", "vni")) for vrf in below(after, "vrf")):
        return []
    fresh = sets("router/bgp/graceful-restart/mode", "vrf/*/evpn/vni")
    return fresh(changes, before, after)


def no_negotiation(changes: Sequence[Change], before: Doc, after: Doc) -> list[str]:
    """Ports whose auto-negotiation is switched off."""
    off = [change for change in changes if change.after in ("disabled", "off")]
    return sets("interface/*/link/auto-negotiate")(off, before, after)


def occurrences_and_origin(changes: Sequence[Change], _before: Doc, after: Doc) -> list[str]:
    """Places where both settings of ``allow-my-asn`` are."""
    found = set()
    for change in changes:
        if change.path[-2:-1] == ("allow-my-asn",) and change.after is not None:
            both_set = below(after, *change.path[:-1])
            if "occurrences" in both_set and both_set.get("origin") == "enabled":
                found.add(to_text(change.path[:-1]))
    return sorted(found)


def otlp_to_ipv6(changes: Sequence[Change], before: Doc, after: Doc) -> list[str]:
    """Collectors of OTLP that are an IPv6 address."""
    six = [change for change in changes if ":" in "".join(change.path[6:7])]
    return sets("system/telemetry/export/otlp/grpc/destination/*")(six, before, after)


def not_ascii(changes: Sequence[Change], _before: Doc, _after: Doc) -> list[str]:
    """Places that have a character beyond ASCII, in a key or in the value."""
    return [
        to_text(mask_path(change.path))
        for change in changes
        if change.after is not None and not f"{''.join(change.path)}{change.after}".isascii()
    ]
