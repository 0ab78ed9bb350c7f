# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the checks of one switch look at, and how they answer."""

from __future__ import annotations

import dataclasses
import datetime
import functools
import typing as t

from .results import NOT_REALISED, Subject

if t.TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ....module_utils._json import Doc
    from ..._nvue.release import Release
    from ..switch.context import Context, Row
    from ..switch.terms import Part
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
    parts: Mapping[str, Part]
    interfaces: Mapping[str, Doc]
    neighbors: Mapping[str, Doc]
    lldp: Mapping[str, Sequence[tuple[str, str]]]
    roce: Doc
    today: datetime.date
    unmanaged: tuple[str, ...] = ()

    @functools.cached_property
    def subject(self) -> Subject:
        """Fabric, place and device of the results."""
        return Subject.of(self.ctx.fabric, self.ctx.device)

    @functools.cached_property
    def resting(self) -> frozenset[str]:
        """Devices that the description takes out of service."""
        return resting_devices(self.ctx)

    def in_use(self, row: Row) -> bool:
        """Whether the cable at a port is expected to work: both ends built and in service."""
        return not self.ctx.shut(row) and row["peer"]["device"] not in self.resting

    def judged(self, check: str, wrong: Sequence[Result], good: int, what: str) -> list[Result]:
        """What is wrong, or one result that says how many things are right."""
        return self.subject.judged(check, wrong, f"{good} {what}.", expected=good, found=good)

    def not_realised(self, check: str, what: str) -> Result:
        """The result where the switch gives no answer of that kind."""
        sentence = f"{self.subject.device} reports no {what}."
        return self.subject.result(check, NOT_REALISED, sentence)


def resting_devices(ctx: Context) -> frozenset[str]:
    """Devices that the description takes out of service as a whole."""
    return frozenset(row.device for row in ctx.description.out_of_service if not row.port)
