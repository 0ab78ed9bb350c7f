# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Choice of the reset that a card needs: the cheapest one that works, by its pending changes.

    live_patch < mlxfwreset < reboot < power_cycle

Only ConnectX is reset in place. A BlueField in NIC mode may come back in DPU mode after
mlxfwreset (the sources disagree), so a reboot is preferred; one in DPU mode does not reload its
firmware for a host's reset at all; a change of mode, a downgrade, and what a reboot did not activate,
need the power to go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..discover import BLUEFIELDS
from ..parse.mlxconfig import number
from ..records import Settings

NONE, LIVE_PATCH, RESET, REBOOT, POWER_CYCLE = (
    "none",
    "live_patch",
    "mlxfwreset",
    "reboot",
    "power_cycle",
)
COST = (NONE, LIVE_PATCH, RESET, REBOOT, POWER_CYCLE)
ANY = "reset"
"""Word for a staging that any reset activates; the card decides which one."""
LEVELS = {LIVE_PATCH: 0, RESET: 3}


@dataclass(frozen=True)
class PendingReset:
    """Changes that wait for a reset: settings with their next values, a firmware version, a mode.

    `rebooted`: some of it was waiting before a reboot already, which did not activate it.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    firmware: str = ""
    downgrade: bool = False
    mode: str = ""
    rebooted: bool = False

    def reasons(self) -> list[str]:
        """Each as a few words."""
        said = [f"{name} is staged" for name in self.settings]
        if self.mode:
            said.append(f"mode {self.mode} is staged")
        if self.firmware:
            word = "downgrade" if self.downgrade else "firmware"
            said.append(f"{word} {self.firmware} is staged")
        if said and self.rebooted:
            said.append("a reboot did not activate it")
        return said

    def waits(self) -> dict[str, str]:
        """All of it by name, as it is noted beside a reboot that did not activate it."""
        firmware = {"firmware": self.firmware} if self.firmware else {}
        return {**self.settings, **firmware}


def pending_settings(found: Settings) -> dict[str, str]:
    """The settings whose next value is not the current one, with the next value."""
    return {
        name: number(row["next"])
        for name, row in found.items()
        if row["current"] and number(row["current"]) != number(row["next"])
    }


def reset_needed(
    device: str,
    mode: str,
    pending: PendingReset,
    levels: Mapping[int, bool],
    *,
    minimum: str = NONE,
) -> str:
    """One word of `COST`; `levels` are those that `mlxfwreset q` calls supported."""
    return costliest([minimum, _by_rules(device, mode, pending, levels)])


def costliest(words: Iterable[str]) -> str:
    """The most expensive of some resets; `reset` asks for none of its own."""
    return max((word for word in words if word != ANY), key=COST.index, default=NONE)


def _by_rules(device: str, mode: str, pending: PendingReset, levels: Mapping[int, bool]) -> str:
    if not pending.reasons():
        return NONE
    if pending.mode or pending.downgrade or pending.rebooted:
        return POWER_CYCLE
    if device in BLUEFIELDS:
        return REBOOT if mode == "nic" and not pending.firmware else POWER_CYCLE
    if pending.firmware and not pending.settings and levels.get(0):
        return LIVE_PATCH
    return RESET if levels.get(3) else REBOOT
