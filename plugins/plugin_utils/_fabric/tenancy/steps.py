# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a move, in one table: what each does, where it puts the ports, which hooks it runs.

The registry's record of a move names the step being carried out. It is written before anything is done, so that a
run after a killed one repeats that step and goes on.
"""

from __future__ import annotations

import dataclasses
import typing as t

from . import schema

Place = tuple[str, bool]
"""Whose VRF (`from`, `to`, or a slug), and whether the ports are up."""

QUARANTINE, REST = schema.QUARANTINE, schema.REST


@dataclasses.dataclass(frozen=True)
class Step:
    """One step of a move.

    `does` is for who reads the table. `place` is where the ports are while it is carried out. With `writes` the leaves
    are brought there, by way of the place of the step `through` where that is set. A port is taken out of the VRFs of
    `out_of` alone; an empty `out_of` allows each VRF that the move knows.
    """

    name: schema.Step
    does: str
    place: Place
    proof: str = ""
    hooks: tuple[str, ...] = ()
    writes: bool = False
    through: str = ""
    out_of: tuple[str, ...] = ()


TABLE = (
    Step(
        "drain",
        "the hooks drain and storage_remove; the node is still its old tenant's",
        ("from", True),
        hooks=("drain", "storage_remove"),
    ),
    Step(
        "shut",
        "its ports go down, on all of its leaves",
        ("from", False),
        "its ports are in the old VRF and shut on all of its leaves",
        writes=True,
    ),
    Step(
        "quarantine",
        "its ports go into quarantine, still down",
        (QUARANTINE, False),
        "its ports are in quarantine and shut",
        writes=True,
    ),
    Step(
        "withdraw",
        "no leaf of the old tenant has a route to it any more",
        (QUARANTINE, False),
        "no leaf that is asked has a route that leads to it in the old VRF, neither in BGP nor in the routing table "
        "nor in the forwarding table",
    ),
    Step(
        "open",
        "its ports come up in quarantine",
        (QUARANTINE, True),
        "its ports are in quarantine and up",
        writes=True,
    ),
    Step(
        "wipe",
        "the hooks wipe and firmware",
        (QUARANTINE, True),
        hooks=("wipe", "firmware"),
    ),
    Step(
        "rest",
        "its ports go into rest, inside its acceptance group",
        (REST, True),
        "its ports are in rest and up",
        writes=True,
        out_of=(QUARANTINE, REST),
    ),
    Step(
        "accept",
        "the hook acceptance; a node that fails goes back into quarantine",
        (REST, True),
        hooks=("acceptance",),
    ),
    Step(
        "join",
        "its ports go down in quarantine, then up in the new VRF: on its first leaf, then on the others",
        ("to", True),
        "its ports are in the new VRF and up",
        writes=True,
        through="quarantine",
        out_of=(QUARANTINE, "to"),
    ),
    Step(
        "verify",
        "gateways resolve it, the new VRF has its routes and the old one has not; else it goes back into quarantine",
        ("to", True),
    ),
    Step(
        "release",
        "the hooks storage_add and release",
        ("to", True),
        hooks=("storage_add", "release"),
    ),
)

STEPS: dict[str, Step] = {step.name: step for step in TABLE}
REPORTS = {"wipe": "node_wiped", "acceptance": "node_accepted"}
"""The fact that a hook sets to true where it has done its work: tasks can be skipped without a failure."""
REMEMBERED: tuple[str, ...] = t.get_args(schema.Proof)
"""Hooks whose passing, or absence, is remembered of a node that comes to rest."""


def slug_of(whose: str, record: schema.Moving) -> str:
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
