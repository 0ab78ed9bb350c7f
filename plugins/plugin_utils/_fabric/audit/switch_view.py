# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""View of one switch for its checks."""

from __future__ import annotations

import dataclasses
import datetime
import functools
import typing as t

from ....module_utils._json import Doc
from ..._nvue.change import plan as planning
from ..._nvue.document.tree import get, merge
from .results import Subject, not_realised, passed, young

if t.TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Sized

    from ..._nvue.document.release import Release
    from ..._nvue.wire.sessions import Peer
    from ..render.switch.change_conditions import Part
    from ..render.switch.context import Context, Row
    from .results import Finding


@dataclasses.dataclass(frozen=True, kw_only=True)
class SwitchReading:
    """State of a switch as it was read, empty where it gave no answer.

    `applied` is the configuration as the switch gave it; `interfaces`, `neighbors` (of the default VRF) and `roce`
    are operational; `health` are readings of the state of telemetry, the earliest first; `lldp` maps ports to the
    `Neighbour`s that are heard there. `uptime` are the seconds since the boot, None where they are not known;
    `certificate` is that of the API (DER).
    """

    release: Release
    applied: Doc
    interfaces: Doc
    neighbors: Mapping[str, Peer]
    lldp: Mapping[str, Sequence[tuple[str, ...]]]
    roce: Doc
    health: Sequence[Doc] = ()
    uptime: int | None = None
    certificate: bytes = b""


@dataclasses.dataclass(frozen=True, kw_only=True)
class View(SwitchReading):
    """Plan of one switch, and its state as it was read; `parts` maps roles to {config, owns}.

    `resolved` are the MAC addresses that it resolves at ports of which LLDP proves nothing.
    """

    ctx: Context
    parts: Mapping[str, Part]
    today: datetime.date
    resolved: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)

    @property
    def young(self) -> str:
        """Words for a boot after which ports and LLDP are not judged yet, empty where there was none."""
        return young("the switch", self.uptime)

    @functools.cached_property
    def subject(self) -> Subject:
        """Fabric, place and device of the results."""
        return Subject.of(self.ctx.fabric, self.ctx.device)

    @functools.cached_property
    def plan(self) -> planning.Plan:
        """Plan the changes of the roles; NvueError where the configuration cannot be compared."""
        config: Doc = {}
        for part in self.parts.values():
            config = merge(config, part["config"])
        wish = planning.Wish(
            config,
            state="replaced",
            owns=tuple(glob for part in self.parts.values() for glob in part["owns"]),
            unmanaged=tuple(self.ctx.description.unmanaged),
            guard=next((part["guard"] for part in self.parts.values() if part.get("guard")), None),
        )
        return planning.make(self.applied, wish, self.release)

    def in_use(self, row: Row) -> bool:
        """Check whether the cable at a port is expected to work: both ends built and in service."""
        return not self.ctx.shut(row) and row["peer"]["device"] not in self.ctx.fabric.resting

    def reported(self, *keys: str) -> dict[str, Doc]:
        """Return the switch's reports of its planned ports at a place, without ports that lack one."""
        ports = [row["port"] for row in self.ctx.ports]
        found = {port: get(self.interfaces, (port, *keys)) for port in ports}
        return {port: body for port, body in found.items() if body and isinstance(body, dict)}

    def all_of(self, things: Sized, what: str, source: str = "") -> Finding:
        """Pass with the number of things, or report that the switch shows nothing of the kind."""
        if source and not things:
            return self.unreported(source)
        return passed(f"{len(things)} {what}.", expected=len(things), found=len(things))

    def unreported(self, what: str) -> Finding:
        """The switch gives no answer of that kind."""
        return not_realised(f"{self.subject.device} reports no {what}.")
