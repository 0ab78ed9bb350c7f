# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of an upgrade: its plan, what a switch showed at the begin, and what it had before it was drained. Private.

A run needs none of them of an earlier run: what is done is read from switches.
"""

from __future__ import annotations

import dataclasses

from ..._fabric.description.errors import FabricError
from ..._fabric.plan.fabric import Fabric
from ..._fabric.plan.upgrade_order import UpgradeBatch
from ..._nvue.document.release import Release, parse
from ..run_store import Kind, required


@dataclasses.dataclass(frozen=True)
class Target:
    """The release to which switches are brought, and its image."""

    release: Release
    url: str
    sha256: str
    build: str

    @classmethod
    def of(cls, plan: Fabric) -> Target:
        """Return the target of a description; FabricError where it states no image."""
        stated = plan.description.release
        image = stated.images.get(stated.cumulus)
        if image is None:
            raise FabricError.of(
                f"release.images: {stated.cumulus} of release.cumulus is not in it: add its url, sha256 and build."
            )
        return cls(parse(stated.cumulus), image.url, image.sha256, image.build)


OLD, INSTALLED, CHOSEN, BOOTED = "old", "installed", "chosen", "booted"
"""Stages of a switch: the other partition lacks the image, has it, is the next to boot; or the image runs."""


@dataclasses.dataclass(frozen=True)
class SwitchState:
    """State of a switch at the begin of a run; `refusals` forbid its upgrade, `remarks` do not.

    `drained` and `shut` are settings that a run leaves behind which ends in the middle.
    """

    release: str
    stage: str
    drained: bool = False
    shut: bool = False
    refusals: list[str] = dataclasses.field(default_factory=list)
    remarks: list[str] = dataclasses.field(default_factory=list)

    @property
    def begun(self) -> bool:
        """Check whether an upgrade has this switch in hand: it is not as before, or not back yet."""
        return self.stage == CHOSEN or (self.stage == BOOTED and (self.drained or self.shut))

    @property
    def due(self) -> bool:
        """Check whether an upgrade has anything to do here."""
        return self.stage != BOOTED or self.begun


@dataclasses.dataclass(frozen=True)
class DrainedNode:
    """A node that the hook of the site drains for a batch, and its holder."""

    node: str
    tenant: str


@dataclasses.dataclass(frozen=True)
class UpgradePlan:
    """The batches of a run; `hosts` in batches of `sizes` as the playbook takes them, `canary` before its first one."""

    batches: list[UpgradeBatch]
    hosts: list[str]
    sizes: list[int]
    canary: list[str]
    deferred: list[str]


@dataclasses.dataclass(frozen=True)
class SavedState:
    """Sessions (vrf/peer) and ports that were up before a switch was drained."""

    sessions: list[list[str]]
    carriers: list[str]


STATE: Kind[SwitchState] = Kind(
    "upgrade_switch",
    SwitchState,
    required("run store: the switch was not read: run the whole playbook."),
)
PLAN: Kind[UpgradePlan] = Kind(
    "upgrade", UpgradePlan, required("run store: no upgrade is planned: run the whole playbook.")
)
SAVED: Kind[SavedState | None] = Kind("upgrade_before", SavedState, lambda: None)
