# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Proof that a switch works after it booted: its image, configuration, sessions, neighbours and uplinks. Private."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._fabric.catalog import upgrades
from ..._nvue.change import identity
from ..._nvue.wire import images, operational, sessions
from .records import SAVED

if t.TYPE_CHECKING:
    from ..._fabric.plan.slices import SwitchPort
    from ..._nvue.document.release import Release
    from .state import UpgradeSwitch

MOST_NAMED = 3
PAUSE = 2.0
"""Seconds between two looks at what has to come back (ours)."""


@dataclasses.dataclass(frozen=True)
class Proof:
    """Findings about a switch: `failures` that send it back, and `remarks` that only a person can judge."""

    failures: list[str]
    remarks: list[str]


def prove(switch: UpgradeSwitch, release: Release, build: str | None, *, seconds: float) -> Proof:
    """Judge a switch that booted; of the old release nobody knows the build.

    `seconds` is the time between two readings of the uplinks' counters.
    """
    api = switch.api
    found = images.state(api)
    made = switch.compare()
    failures = []
    if made.release != release or (build is not None and not found.running.holds(release, build)):
        failures.append(
            f"it runs {made.release} build {found.running.build}, expected {release} build {build}"
        )
    if found.pending:
        failures.append(f"its next boot is {found.next} and not {found.current}")
    if made.changes:
        failures.append(f"its configuration differs from the plan in {len(made.changes)} places")
    failures += _sessions(switch)
    failures += _neighbours(switch)
    wrong, remarks = _uplinks(switch, seconds)
    return Proof([*failures, *wrong], [*remarks, *_links(switch)])


def _peers(switch: UpgradeSwitch) -> list[SwitchPort]:
    """Return the ports to switches in service that are expected to work."""
    ctx = switch.wanted.ctx
    resting = switch.plan.resting
    return [
        row
        for row in ctx.fabric_ports
        if not ctx.shut(row) and row["peer"]["device"] not in resting
    ]


def expected_sessions(switch: UpgradeSwitch) -> set[sessions.Session]:
    """Return the sessions that were up before; where nobody noted them those of the plan."""
    if noted := switch.store.get(SAVED, of=switch.name):
        return {(vrf, peer) for vrf, peer in noted.sessions}
    numbered = switch.plan.description.addressing.inter_switch != "unnumbered"
    key: t.Literal["peer_address", "port"] = "peer_address" if numbered else "port"
    return {("default", str(row[key])) for row in _peers(switch)}


def _sessions(switch: UpgradeSwitch) -> list[str]:
    """Wait for every session of before, and name those that stay away."""
    needed, clock = expected_sessions(switch), switch.api.clock
    until = clock.now() + upgrades.seconds("links")
    while True:
        vrfs = {vrf for vrf, _peer in needed}
        missing = needed - sessions.established(sessions.states(switch.api, vrfs))
        if not missing or clock.now() >= until:
            break
        clock.sleep(PAUSE)
    names = [f"{vrf}/{peer}" for vrf, peer in sorted(missing)]
    return [f"{len(names)} BGP sessions are not back: {_few(names)}"] if names else []


def _neighbours(switch: UpgradeSwitch) -> list[str]:
    """Name the ports at which LLDP hears another switch than the planned one; a neighbour that is late is not wrong."""
    heard = operational.neighbours_by_port(switch.api)
    wrong = []
    for row in _peers(switch):
        place = identity.Place(row["peer"]["device"], row["peer"]["port"])
        here = heard.get(row["port"], [])
        if here and not any(place.is_at(one.system, one.port) for one in here):
            wrong.append(f"{row['port']} hears {here[0].system} {here[0].port}")
    return [f"LLDP is not as planned: {_few(wrong)}"] if wrong else []


def _uplinks(switch: UpgradeSwitch, seconds: float) -> tuple[list[str], list[str]]:
    """Name the ports between switches that pass no packet while others do (5217091)."""
    ports = [row["port"] for row in _peers(switch)]
    before = operational.packets(switch.api)
    switch.api.clock.sleep(seconds)
    after = operational.packets(switch.api)
    moved = {
        port: after[port] != before[port]
        for port in ports
        if {port} <= before.keys() & after.keys()
    }
    unknown = [port for port in ports if port not in moved]
    idle = [port for port, moves in moved.items() if not moves]
    if unknown:
        return [f"{_few(unknown)} report no packets"], []
    if idle and len(idle) == len(ports):
        return [], [
            "no port between switches counted a packet, so nothing shows that each carries some"
        ]
    return [f"{_few(idle)} pass no packet while others do (5217091)"] if idle else [], []


def _links(switch: UpgradeSwitch) -> list[str]:
    """Name the ports towards nodes that were up before and are not, after the time that optics take."""
    noted = switch.store.get(SAVED, of=switch.name)
    expected = set(noted.carriers if noted else switch.host_ports).intersection(switch.host_ports)
    clock = switch.api.clock
    until = clock.now() + upgrades.seconds("links")
    while expected:
        up = {port for port, is_up in operational.carriers(switch.api).items() if is_up}
        if expected <= up or clock.now() >= until or not noted:
            break
        clock.sleep(PAUSE)
    down = sorted(expected - up) if expected else []
    return (
        [f"{_few(down)} towards nodes stay down: look at their cables and modules"] if down else []
    )


def _few(names: t.Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
