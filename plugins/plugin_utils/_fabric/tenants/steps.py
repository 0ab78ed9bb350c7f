# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a move, in one table: where each puts the ports, what proves it, which hooks it runs.

The registry's record of a move names the step being carried out. It is written before anything is done, so that a
run after a killed one repeats that step and goes on.
"""

from __future__ import annotations

import dataclasses
import typing as t

from . import schema

Place = tuple[str, bool]
"""Place of ports: their VRF (`from`, `to`, or a slug), and whether they are up."""

QUARANTINE, REST = schema.QUARANTINE, schema.REST


@dataclasses.dataclass(frozen=True)
class Step:
    """One step of a move.

    `place` is where the ports are while it is carried out. With `writes` the leaves are brought there, by way of the
    place of the step `through` where that is set. A port is taken out of the VRFs of `out_of` alone; an empty `out_of`
    allows each VRF that the move knows. `shows` is the proof of a step that its place does not say.
    """

    name: schema.Step
    place: Place
    hooks: tuple[str, ...] = ()
    shows: str = ""
    writes: bool = False
    through: str = ""
    out_of: tuple[str, ...] = ()

    @property
    def proof(self) -> str:
        """Describe the proof that the step is done."""
        whose, up = self.place
        vrf = {"from": "the old VRF", "to": "the new VRF"}.get(whose, whose)
        at = f"its ports are in {vrf} and {'up' if up else 'shut'}"
        return self.shows or (at if self.writes else "")


EVERYWHERE = "its ports are in the old VRF and shut on all of its leaves"
WITHDRAWN = (
    "no leaf that was read has a route to it in the old VRF, neither in BGP nor in the routing table nor in the "
    "forwarding table"
)

TABLE = (
    Step("drain", ("from", True), ("drain", "storage_remove")),
    Step("shut", ("from", False), shows=EVERYWHERE, writes=True),
    Step("quarantine", (QUARANTINE, False), writes=True),
    Step("withdraw", (QUARANTINE, False), shows=WITHDRAWN),
    Step("open", (QUARANTINE, True), writes=True),
    Step("wipe", (QUARANTINE, True), ("wipe", "firmware")),
    Step("rest", (REST, True), writes=True, out_of=(QUARANTINE, REST)),
    Step("accept", (REST, True), ("acceptance",)),  # a node that fails goes back into quarantine
    # Down in quarantine, then up in the new VRF: on the node's first leaf, then on the others.
    Step("join", ("to", True), writes=True, through="quarantine", out_of=(QUARANTINE, "to")),
    Step("verify", ("to", True)),  # by gates; a node that fails goes back into quarantine
    Step("release", ("to", True), ("storage_add", "release")),
)

STEPS: dict[str, Step] = {step.name: step for step in TABLE}
REMEMBERED: tuple[str, ...] = t.get_args(schema.Proof)
"""Hooks whose passing, or absence, is remembered of a node that comes to rest."""


def slug_of(whose: str, record: schema.MovingRecord) -> str:
    """The owner that a place of the table means for one move."""
    return {"from": record.from_, "to": record.to}.get(whose, whose)


def of(from_: str, to: str) -> tuple[str, ...]:
    """The steps of a move, in order.

    Out of quarantine a node begins with the wipe; out of rest it is clean. Into quarantine it ends
    there, unwiped; into rest it ends after acceptance.
    """
    first = {QUARANTINE: "open", REST: "join"}.get(from_, "drain")
    last = {QUARANTINE: "open", REST: "accept"}.get(to, "release")
    if from_ == REST and to == QUARANTINE:
        first = "shut"
    order = tuple(STEPS)
    return order[order.index(first) : order.index(last) + 1]
