# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP sessions of a document: those that are to be up, and the time after which a loss shows.

A session that a change has cut off stays Established until its hold time is over, so that a look
right after an apply proves nothing. For so long a change is looked at before it is confirmed:

    nothing in it can end a session, or none was up    0 s
    every session has BFD                              the slowest detection time and a second
    otherwise, and for every filter                    the longest hold time and a second

A filter can drop BGP and let BFD pass, so that BFD vouches for no change of one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ....module_utils._json import Doc, Json
from ..document.paths import Globs, Path
from ..document.shapes import MisfitError, below, mapping
from ..document.tree import Change, get
from ..wire.sessions import Session
from .disruption_table import FILTERS, QUIET

# Seconds without a sign of the peer until a session ends, unless stated: datacenter defaults of FRR.
HOLD = 9
# NVUE's defaults of a BFD profile: milliseconds, and how many may stay away (D517, BFD).
_INTERVAL, _MULTIPLIER = 300, 3
# Seconds in which a switch notes and shows what has happened.
_SHOWN = 1.0


def listed(doc: Doc) -> set[Session]:
    """Return the sessions that a document names."""
    return {
        (vrf, peer)
        for vrf in below(doc, "vrf")
        for peer in below(doc, "vrf", vrf, "router", "bgp", "neighbor")
    }


def kept(sessions: Iterable[Session], after: Doc) -> set[Session]:
    """Return the sessions which a document still wants up."""
    return {session for session in sessions if _wanted(after, *session)}


def _wanted(after: Doc, vrf: str, peer: str) -> bool:
    bgp = below(after, "vrf", vrf, "router", "bgp")
    if get(bgp, ("neighbor", peer)) is None or bgp.get("state") == "disabled":
        return False
    port = get(after, ("interface", peer, "link", "state"), {})
    off = get(bgp, ("neighbor", peer, "state")) == "disabled"
    shut = off or _stated(after, vrf, peer, ("shutdown",)) == "enabled"
    return not shut and not (isinstance(port, dict) and "down" in port)


def carrying(doc: Doc, family: str) -> set[Session]:
    """Return the sessions which a document wants up with an address family, such as `l2vpn-evpn`."""
    state = ("address-family", family, "state")
    return {one for one in kept(listed(doc), doc) if _stated(doc, *one, state) == "enabled"}


def window(changes: Sequence[Change], sessions: Iterable[Session], docs: Sequence[Doc]) -> float:
    """Return for how many seconds these sessions must stay up to outlive a change.

    ``docs`` are the documents before and after: a session may run by either's timers. Infinite
    where a session has no hold time.
    """
    if all(Globs(QUIET).covers(change.path) for change in changes):
        return 0.0
    filtered = any(Globs(FILTERS).covers(change.path) for change in changes)
    times = [
        _hold(doc, *session) if filtered else _detection(doc, *session)
        for doc in docs
        for session in sessions
    ]
    return max(times) + _SHOWN if times else 0.0


def _detection(doc: Doc, vrf: str, peer: str) -> float:
    """Return after how many seconds BFD ends a session, or its hold time where there is none."""
    bfd = below(doc, "router", "bfd")
    profile = get(bfd, ("profile", str(_stated(doc, vrf, peer, ("bfd", "profile")))))
    if profile is None or bfd.get("state") != "enabled":
        return _hold(doc, vrf, peer)
    timers = mapping(profile)
    slower = max(_number(timers, f"min-{way}-interval", _INTERVAL) for way in ("rx", "tx"))
    return slower * _number(timers, "detect-multiplier", _MULTIPLIER) / 1000


def _number(body: Doc, key: str, default: int) -> float:
    found = body.get(key, default)
    if not isinstance(found, int | float):
        raise MisfitError(f"a number at {key}")
    return found


def _hold(doc: Doc, vrf: str, peer: str) -> float:
    seconds = _stated(doc, vrf, peer, ("timers", "hold"))
    if not isinstance(seconds, int):
        seconds = get(doc, ("vrf", vrf, "router", "bgp", "timers", "hold"))
    if not isinstance(seconds, int):
        return HOLD
    return seconds or math.inf


def _stated(doc: Doc, vrf: str, peer: str, path: Path) -> Json:
    """Return what a neighbour says, else its peer group."""
    bgp = below(doc, "vrf", vrf, "router", "bgp")
    neighbor = below(bgp, "neighbor", peer)
    group = below(bgp, "peer-group", str(neighbor.get("peer-group")))
    return get(neighbor, path, get(group, path))
