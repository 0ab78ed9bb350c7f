# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Non-volatile settings of a card: the state of each, and the one `set` that brings it about.

current   runs now and after the next reset
staged    after the next reset
differs   has to be written
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import NicError
from ..parse.mlxconfig import number, same
from ..read.nvconfig import MODE, MODEL, Settings
from ..tools import Step

CURRENT, STAGED, DIFFERS = "current", "staged", "differs"

# Names that mlxconfig hides until another setting allows them (its own dependency tables).
HIDDEN_BY = {
    "MULTIPATH_DSCP": "shown only while FLEX_PARSER_PROFILE_ENABLE is 0 or 2",
    MODE: "shown only while INTERNAL_CPU_MODEL is EMBEDDED_CPU(1)",
    "USER_PROGRAMMABLE_CC": "shown only while ROCE_CC_LEGACY_DCQCN is False(0)",
    "LINK_TYPE_P1": "absent on Ethernet-only boards",
    "LINK_TYPE_P2": "absent on Ethernet-only and on one-port boards",
}
WAITS_FOR = {MODE: MODEL}


def flat(wanted: Mapping[str, Any]) -> dict[str, str]:
    """Lists become NAME[0], NAME[1] ...; every value one spelling of a number or a word."""
    plain: dict[str, str] = {}
    for name, value in wanted.items():
        if isinstance(value, (list, tuple)):
            plain.update({f"{name}[{n}]": number(item) for n, item in enumerate(value)})
        else:
            plain[name] = number(value)
    return plain


def arrays_of(wanted: Mapping[str, Any]) -> list[str]:
    """The names whose wanted value is a list."""
    return [name for name, value in wanted.items() if isinstance(value, (list, tuple))]


def states(found: Settings, wanted: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Name -> {wanted, current, next, state} for each wanted setting that the card has."""
    return {
        name: {
            "wanted": value,
            "current": number(found[name]["current"]),
            "next": number(found[name]["next"]),
            "state": _state(found[name], value),
        }
        for name, value in flat(wanted).items()
        if name in found
    }


def _state(row: Mapping[str, Any], value: str) -> str:
    if not same(value, str(row["next"])):
        return DIFFERS
    return CURRENT if same(value, str(row["current"])) else STAGED


def skipped(found: Settings, wanted: Mapping[str, Any]) -> dict[str, str]:
    """Wanted names that the card does not show -> why, as far as it is known."""
    missing = [name for name in flat(wanted) if name not in found]
    return {name: HIDDEN_BY.get(name, "this card has no such setting") for name in missing}


def check_required(pci: str, missing: Mapping[str, str], required: tuple[str, ...]) -> None:
    """NicError when a setting without which nothing works cannot be set."""
    for name in required:
        if name in missing:
            raise NicError(
                f"{pci}: {name} is required and the card does not show it ({missing[name]}); "
                "update its firmware or correct the setting that hides it."
            )


def mode_settings(found: Settings, wanted: Mapping[str, Any]) -> dict[str, str]:
    """The operating mode as it is to be written after a reset to defaults.

    The defaults of a SuperNIC mean DPU mode, so the mode wanted, or else the one of the next
    boot, is always written again in the same step.
    """
    plain = flat(wanted)
    return {
        name: plain.get(name, number(found[name]["next"]))
        for name in (MODEL, MODE)
        if name in found
    }


def assignments(
    found: Settings, wanted: Mapping[str, Any], *, everything: bool = False
) -> dict[str, str]:
    """What the one `set` names: the settings that differ, or all of them after a reset.

    A name that a differing one is about to reveal goes along with it.
    """
    rows = states(found, wanted)
    chosen = {n: r["wanted"] for n, r in rows.items() if everything or r["state"] == DIFFERS}
    plain = flat(wanted)
    for name, other in WAITS_FOR.items():
        if name in plain and name not in found and other in chosen:
            chosen[name] = plain[name]
    return chosen


def set_step(pci: str, device: str, found: Settings, chosen: Mapping[str, str]) -> Step:
    """The command that writes `chosen` in one go."""
    before = {name: number(found[name]["next"]) if name in found else None for name in chosen}
    orders = tuple(f"{name}={value}" for name, value in chosen.items())
    argv = ("mlxconfig", "-y", "-d", device, "set", *orders)
    return Step(pci, "nvconfig", before, dict(chosen), argv=argv)


def mode_of(device_is_bluefield: bool, found: Settings) -> tuple[str, str]:
    """(now, after the next reset), each `nic`, `dpu`, `adapter` (ConnectX) or `unknown`."""
    if not device_is_bluefield:
        return "adapter", "adapter"
    row = found.get(MODE)
    if row is None:
        return "unknown", "unknown"
    words = {"0": "dpu", "1": "nic"}
    now, then = number(row["current"]), number(row["next"])
    return words.get(now, "unknown"), words.get(then, "unknown")
