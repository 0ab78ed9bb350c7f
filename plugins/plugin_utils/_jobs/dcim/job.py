# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Job of a push: a DCIM, a fabric, its parts, and the changes that the site allows. Private."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._fabric.export.dcim.context import DEFAULT, Context, Names
from ..._fabric.export.dcim.difference import Stale
from ..._fabric.export.dcim.mark import tail
from ..._fabric.export.dcim.owners import TABLE, Rules
from ..._fabric.export.dcim.part import WHOLE, Part
from .status import NOTHING, Statuses

if t.TYPE_CHECKING:
    from collections.abc import Callable

    from ..._dcim.port import Dcim
    from ..._fabric.export.dcim.difference import Change
    from ..._fabric.export.dcim.things import Thing
    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.tenants.registry import Registry

MOST_DELETED = 100
"""Things that one run may delete where the site states no ceiling: about two nodes with all they have."""


class WaitingCable(t.NamedTuple):
    """A cable whose other end is on a device that neither the DCIM nor this part has."""

    thing: Thing


PlannedChange = t.Union["Change", WaitingCable]
"""Change that a thing needs, or the reason that it waits."""


def name_of(seen: PlannedChange) -> str:
    """Return the name of a thing for a person; a stale one has its place, as a DCIM names a port without its device."""
    return tail(seen.found.key) if isinstance(seen, Stale) else seen.thing.name


@dataclasses.dataclass(frozen=True)
class Job:
    """A push. `delete` allows that stale things go, up to `most` of them in one run. `each` hears of each change."""

    dcim: Dcim
    fabric: Fabric
    registry: Registry
    parts: tuple[Part, ...] = (WHOLE,)
    names: Names = DEFAULT
    rules: Rules = TABLE
    truth: Statuses = NOTHING
    delete: bool = False
    most: int = MOST_DELETED
    tell: Callable[[str], None] = lambda _text: None
    each: Callable[[PlannedChange], None] = lambda _seen: None

    def context(self, part: Part) -> Context:
        """A part of the fabric."""
        return Context(self.fabric, self.registry, part, self.names)
