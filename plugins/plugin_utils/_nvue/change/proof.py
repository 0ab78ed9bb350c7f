# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions that a change must not lose: read before it, and read again after it.

What was not read is not known, and could be lost without a sign. A session that the applied
document lists must be reported before the change, be it up or down. One that is up and that no
document lists, as of a dynamic neighbor, must stay up too. A summary without states reports none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ....module_utils._json import Doc
from ..wire import operational, sessions
from ..wire.api import Api
from ..wire.sessions import Session
from . import peers
from .plan import Plan

EVPN = "l2vpn-evpn"


@dataclass(frozen=True)
class Sessions:
    """The BGP sessions of a switch before a change.

    ``strangers`` are up without being listed; of ``unread`` the state is not reported.
    """

    up: frozenset[Session] = frozenset()
    down: frozenset[Session] = frozenset()
    strangers: frozenset[Session] = frozenset()
    unread: frozenset[Session] = frozenset()

    def needed(self, after: Doc) -> set[Session]:
        """Return those that must be up after a change to a document."""
        return peers.kept(self.up - self.strangers, after) | self.strangers

    def not_awaited(self, after: Doc) -> list[str]:
        """Return sentences about those that nobody waits for although the document wants them."""
        return [
            f"{reason} before the change, so not waited for: {named(kept, most=3)}."
            for reason, sessions in (("Not Established", self.down), ("Not reported", self.unread))
            if (kept := peers.kept(sessions, after))
        ]

    def replaced(self, before: Doc, after: Doc) -> list[tuple[str, set[Session]]]:
        """Return what all sessions that are up give over to others, with these: they are up only when peers follow.

        It is a VRF, or EVPN in it where other sessions stay.
        """
        made = []
        for vrf in sorted({vrf for vrf, _peer in self.up}):
            own = {one for one in self.up if one[0] == vrf}
            for what, was, then in (
                (vrf, own, peers.kept(peers.listed(after), after) | self.strangers),
                (f"EVPN in {vrf}", peers.carrying(before, EVPN), peers.carrying(after, EVPN)),
            ):
                others = {one for one in then if one[0] == vrf}
                if own & was and others and not own & others:
                    made.append((what, others))
                    break
        return made

    def unread_words(self, device: str) -> str:
        """Return why a change with unread sessions is refused, and what to do."""
        one = len(self.unread) == 1
        return (
            f"{device}: the switch does not report the state of {len(self.unread)} BGP "
            f"session{'' if one else 's'} ({named(self.unread, most=3)}), "
            f"so a loss of {'it' if one else 'them'} by the change would not show; find out why "
            "(nv show vrf <vrf> router bgp neighbor), or allow_disruptive must name unread_sessions "
            "(playbooks take it as -e spx_allow_disruptive=unread_sessions)."
        )


def read(api: Api, applied: Doc) -> Sessions:
    """Read the sessions of every VRF that lists some, and of the underlay in any case."""
    listed = peers.listed(applied)
    states = sessions.states(api, {vrf for vrf, _peer in listed} | {"default"})
    known = {session for session, state in states.items() if state}
    up = sessions.established(states)
    return Sessions(
        up=frozenset(up),
        down=frozenset(known - up),
        strangers=frozenset(up - listed),
        unread=frozenset((peers.kept(listed, applied) | states.keys() - listed) - known),
    )


def named(sessions: Iterable[Session], most: int | None = None) -> str:
    """Return sessions as ``vrf/peer``; the first few and how many there are beside them."""
    words = ["/".join(session) for session in sorted(sessions)]
    more = f" and {len(words) - most} more" if most and len(words) > most else ""
    return ", ".join(words[:most]) + more


def lost(api: Api, needed: set[Session]) -> list[str]:
    """Return the sessions that are not back; without any, ask for a sign of life."""
    if not needed:
        operational.about(api)
        return []
    up = sessions.established(sessions.states(api, {vrf for vrf, _peer in needed}))
    return [f"BGP session {vrf}/{peer}" for vrf, peer in sorted(needed - up)]


def settling(
    plan: Plan, needed: set[Session], timer: int, asked: float | None
) -> tuple[float, list[str]]:
    """Return for how many seconds nothing may be lost before the change is confirmed, and doubts.

    Half of the timer at most: the other half is for sessions that come back first.
    """
    most = timer / 2
    if asked is not None:
        return min(asked, most), []
    wanted = peers.window(plan.changes, needed, (plan.before, plan.after))
    if not timer or wanted <= most:
        return min(wanted, most), []
    return most, [
        f"Confirmed after {most:g} s without a loss, half of the roll-back timer, although a "
        "session may outlive its loss longer by its hold time: give a longer confirm_timeout."
    ]
