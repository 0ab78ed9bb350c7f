# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permission to stop the rails of nodes: nobody rents them, or a window covers each that is rented. Private."""

from __future__ import annotations

import datetime
import typing as t

from ..._fabric.audit import selection
from ..._fabric.description.windows import Window, begin, is_open
from ..._fabric.tenants import audience
from ..clock import now as this_moment

if t.TYPE_CHECKING:
    from ..._fabric.description.description import WorkWindow
    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.plan.topology.cabling import Switch
    from ..._fabric.tenants.registry import Registry

MOST_NAMED = 3


class Windows:
    """Windows of the description and of the run, at a moment; one has to stay open for `seconds`.

    FabricError where variable spx_window (`agreed`) is none, or is over.
    """

    def __init__(
        self,
        plan: Fabric,
        registry: Registry,
        agreed: str | None = None,
        *,
        now: datetime.datetime | None = None,
        seconds: float = 0,
    ) -> None:
        self._plan, self._registry = plan, registry
        self._now = now or this_moment()
        self.of_run = Window.of(agreed, self._now.date()) if agreed else None
        self._seconds = seconds

    def lacking(self, name: str) -> str:
        """Return why the rails at a switch may not stop; empty where they may."""
        if self.of_run:
            return ""
        switch = t.cast("Switch", self._plan.known(name))
        rented = [self._plan.name(node) for node in audience.rented(self._registry, switch)]
        windows = self._plan.description.windows
        left = self._uncovered(
            name, rented, [w for w in windows if is_open(w, self._now, self._seconds)]
        )
        if not left:
            return ""
        if later := self._later(name, left):
            return later
        more = f" and {len(left) - MOST_NAMED} more" if len(left) > MOST_NAMED else ""
        long = f" for the next {self._seconds:g} s" if self._seconds else ""
        return (
            f"{', '.join(left[:MOST_NAMED])}{more}: somebody rents what stops there, and no window is open{long}: add "
            "one to windows of the description, or give -e spx_window='\"DAY REASON\"'"
        )

    def _uncovered(self, name: str, nodes: list[str], rows: t.Sequence[WorkWindow]) -> list[str]:
        """Return the nodes at a switch that no window covers: by place, tenant or node, or by the switch itself."""
        if not nodes or any(name in row.where for row in rows):
            return []
        covered = {
            device
            for row in rows
            for device in selection.devices(self._plan, row.where, self._registry)
        }
        return [node for node in nodes if node not in covered]

    def _later(self, name: str, nodes: list[str]) -> str:
        """Name the window to come that covers the nodes, empty where there is none."""
        for row in sorted(self._plan.description.windows, key=lambda row: begin(row)):
            if begin(row) > self._now and not self._uncovered(name, nodes, [row]):
                return f"its window opens at {row.from_} ({row.reason})"
        return ""
