# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the checks of one switch look at, and how they answer."""

from __future__ import annotations

import dataclasses
import datetime
import typing as t

from .results import NOT_REALISED, NOT_RUN, PASS, Subject

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..._nvue.release import Release
    from ..switch.context import Context, Doc, Row
    from .results import Result


@dataclasses.dataclass(frozen=True)
class View:
    """What is planned for one switch, and what was read of it.

    `parts` maps roles to {config, owns}; `applied` is the configuration as the switch gave it;
    `interfaces`, `neighbors` (of the default VRF) and `roce` are operational answers, empty where
    the switch gave none; `lldp` maps ports to (system, port) of what is heard there.
    """

    ctx: Context
    release: Release
    applied: Doc
    parts: Mapping[str, Doc]
    interfaces: Doc
    neighbors: Doc
    lldp: Mapping[str, Sequence[tuple[str, str]]]
    roce: Doc
    today: datetime.date
    unmanaged: tuple[str, ...] = ()

    @property
    def subject(self) -> Subject:
        """Fabric, place and device of the results."""
        fabric = self.ctx.fabric
        place = str(fabric.names.name(self.ctx.device))
        return Subject(fabric.description.name, place, self.ctx.slice["name"])

    @property
    def resting_devices(self) -> frozenset[str]:
        """Devices that the description takes out of service."""
        rows = self.ctx.description.out_of_service
        return frozenset(row.device for row in rows if not row.port)

    def in_use(self, row: Row) -> bool:
        """Whether the cable at a port is expected to work: both ends built and in service."""
        return not self.ctx.shut(row) and row["peer"]["device"] not in self.resting_devices


def judged(
    subject: Subject, check_id: str, wrong: Sequence[Result], *, good: int, what: str
) -> Iterator[Result]:
    """What is wrong, or one result that says how many things were right."""
    if wrong:
        yield from wrong
    else:
        yield subject.result(check_id, PASS, f"{good} {what}.", expected=good, found=good)


def not_realised(view: View, check_id: str, what: str) -> Result:
    """The result where the switch gives no answer of that kind."""
    return view.subject.result(check_id, NOT_REALISED, f"{view.subject.device} reports no {what}.")


def unreachable(subject: Subject, why: str) -> Result:
    """The only result of a switch that does not answer: nothing was checked."""
    return subject.result("switch.reachable", NOT_RUN, f"{subject.device} did not answer: {why}")
