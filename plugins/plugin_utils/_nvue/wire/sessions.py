# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP sessions as a switch reports them. What an answer leaves out is not known, and never *down*.

The states of a session are those of FRR (bgpd/bgp_debug.c, ``bgp_status_msg``): the six of RFC 4271 and two
by which a session is taken down. In brackets FRR adds why, as in ``Idle (Admin)``. NVUE has the state at
``session-state`` where ``state`` is the setting (``nv show vrf default router bgp neighbor swp51`` in
the guide of 5.15, Troubleshooting BGP), and at ``state`` else.

From 5.12 on the list of sessions is a summary, and the whole has to be asked for by ``view=detail``
(same page, for the command line). For REST neither is published: what the list lacks is asked for once
more with the view, which a release may refuse.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from ....module_utils._json import Doc, Json
from ..document.shapes import mappings
from .api import Api
from .operational import read

Session = tuple[str, str]

ESTABLISHED = "established"
STATES = frozenset(
    {"idle", "connect", "active", "opensent", "openconfirm", ESTABLISHED, "clearing", "deleted"}
)
DETAIL = "detail"
_STATE = ("session-state", "state")
_SWITCHED = {"on": True, "enabled": True, "off": False, "disabled": False}
_COUNTED = ("rx-prefix", "tx-prefix")


@dataclasses.dataclass(frozen=True)
class Peer:
    """A session: its state, empty where it is not known; by family whether it runs, None where not known."""

    state: str = ""
    families: Mapping[str, bool | None] | None = None
    reason: str = ""

    @property
    def text(self) -> str:
        """The state with the reason that FRR adds, for a person."""
        return f"{self.state} ({self.reason})" if self.reason else self.state

    def carries(self, family: str) -> bool | None:
        """Return whether the session carries an address family; None where that is not known."""
        return None if self.families is None else self.families.get(family, False)

    def filled(self, other: Peer) -> Peer:
        """Return the session with what another answer says of it."""
        families = self.families if other.families is None else other.families
        return dataclasses.replace(self if self.state else other, families=families)


def peer_of(neighbor: Doc) -> Peer:
    """Read one session."""
    word = next((str(neighbor[key]) for key in _STATE if neighbor.get(key)), "")
    state, _bracket, reason = word.lower().partition("(")
    state, reason = state.strip(), reason.rstrip(") ")
    if state not in STATES:
        state = reason = ""
    families = neighbor.get("address-family")
    if not isinstance(families, dict):
        return Peer(state, reason=reason)
    return Peer(state, {name: _runs(body) for name, body in families.items()}, reason)


def _runs(family: Json) -> bool | None:
    """Return whether a family runs: by its value, without one by its counters, which one that is off does not have."""
    body = family if isinstance(family, dict) else {}
    value = body.get("state", body.get("enable"))
    if value is None:
        return True if any(key in body for key in _COUNTED) else None
    return _SWITCHED.get(str(value).lower())


def peers(api: Api, vrf: str, *, families: bool = False) -> dict[str, Peer]:
    """Read the sessions of a VRF: one GET, and one more where a state, or the ``families``, are not in it."""
    place = ("vrf", vrf, "router", "bgp", "neighbor")
    found = _peers(read(api, place, mappings))
    if all(peer.state and not (families and peer.families is None) for peer in found.values()):
        return found
    detail = _peers(read(api, place, mappings, view=DETAIL))
    return detail | {name: peer.filled(detail.get(name, Peer())) for name, peer in found.items()}


def _peers(found: Mapping[str, Doc] | None) -> dict[str, Peer]:
    return {name: peer_of(body) for name, body in (found or {}).items()}


def states(api: Api, vrfs: Iterable[str]) -> dict[Session, str]:
    """Read the state of every session of some VRFs; it is empty where the switch reports none that FRR has."""
    return {
        (vrf, name): peer.state for vrf in sorted(vrfs) for name, peer in peers(api, vrf).items()
    }


def established(found: Mapping[Session, str]) -> set[Session]:
    """Return the sessions that are up."""
    return {session for session, state in found.items() if state == ESTABLISHED}
