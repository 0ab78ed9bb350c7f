# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what is about to be sent with the known bugs of the running release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ...module_utils._json import Doc
from .errors import RefusedError
from .paths import Globs, to_text
from .preflight_table import BUGS, Bug
from .release import Release, within
from .secrets import mask_path
from .shapes import below
from .tree import Change, get


@dataclass(frozen=True)
class Findings:
    """Sentences about bugs: some only warn, some forbid the change."""

    warnings: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    def enforce(self) -> None:
        """Raise the refusals, all in one sentence."""
        if self.refusals:
            raise RefusedError(" ".join(self.refusals))


def inspect(
    release: Release,
    changes: Sequence[Change],
    before: Doc,
    after: Doc,
    *,
    bugs: Iterable[Bug] = BUGS,
) -> Findings:
    """Return what the release's known bugs say about a change."""
    findings = Findings()
    for bug in bugs:
        if bug.moment != "change" or not within(release, bug.affects):
            continue
        places = _fires(bug, changes, before, after)
        if places is None:
            continue
        found = f" ({', '.join(places[:2])})" if places else ""
        sentence = (
            f"Known bug {bug.id} of {release}: {bug.what}{found}; "
            f"{'refused, ' if bug.refuse else ''}{bug.remedy}."
        )
        (findings.refusals if bug.refuse else findings.warnings).append(sentence)
    return findings


def said_at(moment: str, release: Release, *, bugs: Iterable[Bug] = BUGS) -> list[str]:
    """Return what the release's known bugs say at another moment: ``busy``, ``failure`` ..."""
    return [
        f"Known bug {bug.id} of {release}: {bug.what}; {bug.remedy}."
        for bug in bugs
        if bug.moment == moment and within(release, bug.affects)
    ]


def _fires(bug: Bug, changes: Sequence[Change], before: Doc, after: Doc) -> list[str] | None:
    """Return the places that trigger a bug, ``None`` when it is not triggered."""
    places: list[str] = []
    for globs, chosen in (
        (bug.sets, _appears),
        (bug.changes, _differs),
        (bug.unsets, _vanishes),
    ):
        if not globs:
            continue
        found = _among(globs, changes, chosen)
        if not found:
            return None
        places += found
    if bug.rule:
        found = RULES[bug.rule](changes, before, after)
        if not found:
            return None
        places = found
    collection, most = bug.removes
    if collection:
        gone = below(before, collection).keys() - below(after, collection).keys()
        if len(gone) <= most:
            return None
        places = [f"{len(gone)} of {collection}"]
    return places


def _among(
    globs: Iterable[str], changes: Iterable[Change], chosen: Callable[[Change], bool]
) -> list[str]:
    compiled = Globs(globs)
    return [
        to_text(mask_path(change.path))
        for change in changes
        if chosen(change) and compiled.covers(change.path)
    ]


def _appears(change: Change) -> bool:
    return change.after is not None


def _differs(change: Change) -> bool:
    return change.before is not None and change.after is not None


def _vanishes(change: Change) -> bool:
    return change.after is None


def _vni_of_changed_vrf(changes: Sequence[Change], before: Doc, after: Doc) -> list[str]:
    """Places whose ASN changes for a VRF with an L3VNI: its own, or that of the whole switch."""
    own, whole = ("vrf/*/router/bgp/autonomous-system", "router/bgp/autonomous-system")
    found = []
    for change in changes:
        if not _differs(change):
            continue
        if Globs([own]).covers(change.path) and _keeps_vni(change.path[1], before, after):
            found.append(to_text(change.path))
        elif Globs([whole]).covers(change.path):
            found += [
                f"{to_text(change.path)} for VRF {vrf}"
                for vrf in below(before, "vrf")
                if not get(after, ("vrf", vrf, *_ASN)) and _keeps_vni(vrf, before, after)
            ]
    return found


_ASN = ("router", "bgp", "autonomous-system")


def _keeps_vni(vrf: str, before: Doc, after: Doc) -> bool:
    return all(get(doc, ("vrf", vrf, "evpn", "vni")) for doc in (before, after))


def _peers_moved_and_group_gone(changes: Sequence[Change], before: Doc, after: Doc) -> list[str]:
    """Peers of a VRF that join a group, and its groups that vanish: whole ones, not their settings."""
    found = []
    for vrf in below(before, "vrf"):
        bgp = ("vrf", vrf, "router", "bgp")
        gone, stays = (set(below(doc, *bgp, "peer-group")) for doc in (before, after))
        moved = [
            to_text(change.path)
            for change in changes
            if _appears(change) and change.path[:4] == bgp and change.path[4:7:2] == _MEMBER
        ]
        if moved and gone - stays:
            found += moved + [to_text((*bgp, "peer-group", name)) for name in gone - stays]
    return sorted(found)


_MEMBER = ("neighbor", "peer-group")


def _full_restart_with_l3vni(changes: Sequence[Change], _before: Doc, after: Doc) -> list[str]:
    """What of graceful restart in full mode, or of L3VNIs beside it, is new."""
    if get(after, ("router", "bgp", "graceful-restart", "mode")) != "full":
        return []
    if not any(get(after, ("vrf", vrf, "evpn", "vni")) for vrf in below(after, "vrf")):
        return []
    return _among(("router/bgp/graceful-restart/mode", "vrf/*/evpn/vni"), changes, _appears)


def _no_negotiation(changes: Sequence[Change], _before: Doc, _after: Doc) -> list[str]:
    off = [change for change in changes if change.after in ("disabled", "off")]
    return _among(("interface/*/link/auto-negotiate",), off, _appears)


def _occurrences_and_origin(changes: Sequence[Change], _before: Doc, after: Doc) -> list[str]:
    found = []
    for change in changes:
        if change.path[-2:-1] == ("allow-my-asn",) and _appears(change):
            both = below(after, *change.path[:-1])
            if "occurrences" in both and both.get("origin") == "enabled":
                found.append(to_text(change.path[:-1]))
    return sorted(set(found))


def _otlp_to_ipv6(changes: Sequence[Change], _before: Doc, _after: Doc) -> list[str]:
    place = Globs(["system/telemetry/export/otlp/grpc/destination/*"])
    return [
        to_text(change.path)
        for change in changes
        if _appears(change) and place.covers(change.path) and ":" in change.path[6]
    ]


def _not_ascii(changes: Sequence[Change], _before: Doc, _after: Doc) -> list[str]:
    return [
        to_text(mask_path(change.path))
        for change in changes
        if _appears(change) and not f"{''.join(change.path)}{change.after}".isascii()
    ]


RULES: dict[str, Callable[[Sequence[Change], Doc, Doc], list[str]]] = {
    "vni_of_changed_vrf": _vni_of_changed_vrf,
    "occurrences_and_origin": _occurrences_and_origin,
    "otlp_to_ipv6": _otlp_to_ipv6,
    "not_ascii": _not_ascii,
    "peers_moved_and_group_gone": _peers_moved_and_group_gone,
    "full_restart_with_l3vni": _full_restart_with_l3vni,
    "no_negotiation": _no_negotiation,
}
