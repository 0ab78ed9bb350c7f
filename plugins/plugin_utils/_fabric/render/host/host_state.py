# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State of one host in a run: its plan, its look, and the settings of site and run beside the plan."""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from . import doca

if t.TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .....module_utils._host.records import Look
    from .desired import DesiredNode


class SiteSettings(t.TypedDict):
    """Settings of a site and a run, beside the plan.

    `doca` are the variables of the role dpu_doca; `algorithm` is dpu_congestion_control_algorithm where somebody
    set it; `optional` says that the desired state has congestion control, which a host may start or not;
    `foreign` are sentences on files of others that count for rails after a reload.
    """

    doca: doca.Site
    files: Mapping[object, Mapping[str, object] | None]
    bfb: str
    force: bool
    tolerate: bool
    lldp: bool
    power_cycle: str
    allow_reset: bool
    allow_reboot: bool
    allow_versions: bool
    algorithm: bool | None
    optional: bool
    foreign: list[str]


@dataclasses.dataclass(frozen=True)
class HostCase:
    """A host; `look` as module host returns it."""

    wanted: DesiredNode
    look: Look
    given: SiteSettings

    @property
    def manage(self) -> Collection[str]:
        """The roles that may write."""
        return self.wanted["manage"]

    @property
    def verdict(self) -> Mapping[str, str]:
        """Return the difference of the cards from the plan, by part; {} where nothing was read."""
        return self.look["nics"].get("verdict", {})

    @property
    def files(self) -> dict[str, Mapping[str, object]]:
        """Files of firmware by PCI device id, which YAML reads as a number."""
        return {str(device): file or {} for device, file in self.given["files"].items()}

    @property
    def force(self) -> bool:
        """Check whether DPUs always get their operating system: it is required, or an installation was cut off."""
        return bool(self.given["force"] or self.look["system"]["system_waits"])

    @functools.cached_property
    def doca(self) -> doca.Installation:
        """Return the installation that is due for role dpu_doca, as of doca.plan."""
        system, packages = self.look["system"], self.look["packages"]
        there = {"OFED": f"({system['uninstaller']})", **packages}
        return doca.plan(self.wanted, there, system, self.given["doca"])

    @property
    def driver(self) -> str:
        """Reason that the driver is to be replaced or loaded, "" where it is not."""
        waits = (
            "the installed driver is not loaded yet" if self.look["system"]["driver_waits"] else ""
        )
        return self.doca["reason"] or waits
