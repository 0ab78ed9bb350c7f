# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Interfaces of a leaf for a tenant's job, which the NVUE client implements, and a leaf in memory."""

from __future__ import annotations

import dataclasses
import typing as t

if t.TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from ...plan.topology.cabling import Node
    from ..registry import Registry

T = t.TypeVar("T")
PAUSES = (0.2, 0.3, 0.5)
"""Seconds between looks at what is waited for; then one second."""


class LeafError(Exception):
    """A leaf does not answer, or refuses; one sentence that names it."""


@dataclasses.dataclass(frozen=True)
class AppliedConfiguration:
    """Applied configuration of a leaf, in neutral spelling, and its release."""

    release: str
    document: Mapping[str, t.Any]


@dataclasses.dataclass(frozen=True)
class Job:
    """Changes of a run on a leaf: the places of `nodes`; None means the whole registry.

    `leaving` are nodes that the run may take out of a tenant's VRF, `ending` VRFs that it may delete. A port of a
    node in `only` is changed while it is in one of these VRFs, and in no other. `tenants` are those whose storage and
    sessions outside are brought too, which belong to no node.
    """

    nodes: Collection[Node] | None = None
    leaving: Collection[Node] = ()
    ending: Collection[str] = ()
    only: Mapping[Node, Collection[str]] = dataclasses.field(default_factory=dict)
    tenants: Collection[str] = ()


class Leaf(t.Protocol):
    """One leaf. Every method raises LeafError."""

    name: str

    def applied(self) -> AppliedConfiguration:
        """Read the applied configuration of the leaf."""

    def bring(self, registry: Registry, job: Job) -> None:
        """Bring the job's places to the registry, in one transaction."""

    def read(self, paths: Iterable[str]) -> dict[str, t.Any]:
        """The operational data at some paths; None where the leaf has nothing."""

    def interfaces(self, include: tuple[str, ...]) -> Mapping[str, t.Any]:
        """Some places of every interface; empty where the leaf refuses the question."""

    def ping(self, vrf: str, address: str) -> None:
        """Ask for a host from a VRF. Whether it answered is read elsewhere."""


class Leaves(t.Protocol):
    """The leaves of a job, which are contacted at the same time."""

    def each(self, names: Iterable[str], work: Callable[[Leaf], T]) -> dict[str, T]:
        """The answer of each leaf by its name; FabricError with the sentence of every leaf that failed."""


class MoveRecords(t.Protocol):
    """The records of moves in the registry."""

    def note(self, records: Mapping[str, t.Any], at: Mapping[str, str]) -> None:
        """Write records by node; FabricError where the file has a node at another step than `at` says."""


@dataclasses.dataclass(frozen=True)
class Clock:
    """Time in seconds."""

    now: Callable[[], float]
    sleep: Callable[[float], None]

    def wait(self, seconds: float, look: Callable[[], T]) -> T:
        """The first empty answer of `look`, or the one that it has when the time is over."""
        until, pauses = self.now() + seconds, iter(PAUSES)
        while (found := look()) and self.now() < until:
            self.sleep(next(pauses, 1.0))
        return found
