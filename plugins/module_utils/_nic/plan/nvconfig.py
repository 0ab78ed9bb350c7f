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

from ..errors import NicError
from ..parse.mlxconfig import number, same
from ..read.card import MODE, MODEL
from ..records import Row, Setting, Settings
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


def flat(wanted: Mapping[str, object]) -> dict[str, str]:
    """Lists become NAME[0], NAME[1] ...; every value one spelling of a number or a word."""
    plain: dict[str, str] = {}
    for name, value in wanted.items():
        if isinstance(value, (list, tuple)):
            plain.update({f"{name}[{n}]": number(item) for n, item in enumerate(value)})
        else:
            plain[name] = number(value)
    return plain


def arrays_of(wanted: Mapping[str, object]) -> list[str]:
    """The names whose wanted value is a list."""
    return [name for name, value in wanted.items() if isinstance(value, (list, tuple))]


def states(found: Settings, wanted: Mapping[str, object]) -> dict[str, Row]:
    """Name -> {wanted, current, next, state} for each wanted setting that the card takes."""
    return {
        name: {
            "wanted": value,
            "current": number(found[name]["current"]),
            "next": number(found[name]["next"]),
            "state": _state(found[name], value),
        }
        for name, value in flat(wanted).items()
        if _takes(found, name, value)
    }


def _takes(found: Settings, name: str, value: str) -> bool:
    """Is the setting there, and either the wanted one or one that this host may write?"""
    row = found.get(name)
    return row is not None and (not row.get("read_only") or same(value, str(row["next"])))


def _state(row: Setting, value: str) -> str:
    if not same(value, str(row["next"])):
        return DIFFERS
    return CURRENT if same(value, str(row["current"])) else STAGED


def unmet(pci: str, found: Settings, wanted: Mapping[str, object]) -> dict[str, str]:
    """Name -> one sentence for each wanted setting of the card that is not current."""
    return {
        name: f"{pci}: {name} is {row['current']}, expected {row['wanted']}"
        f"{' and staged for the next reset' if row['state'] == STAGED else ''}."
        for name, row in states(found, wanted).items()
        if row["state"] != CURRENT
    }


def skipped(found: Settings, wanted: Mapping[str, object]) -> dict[str, str]:
    """Wanted names that cannot be set -> why, as far as it is known."""
    return {
        name: _why(found, name, value)
        for name, value in flat(wanted).items()
        if not _takes(found, name, value)
    }


def fixed(pci: str, found: Settings, missing: Mapping[str, str]) -> list[str]:
    """A sentence for each of the `missing` that the card shows and this host may not write."""
    return [f"{pci}: {name}: {why}." for name, why in missing.items() if name in found]


def _why(found: Settings, name: str, value: str) -> str:
    if name in found:
        stays = number(found[name]["next"])
        return f"it is read-only for this host and stays {stays} instead of {value}"
    return HIDDEN_BY.get(name, "this card has no such setting")


def check_required(pci: str, missing: Mapping[str, str], required: tuple[str, ...]) -> None:
    """NicError when a setting without which nothing works cannot be set."""
    for name in required:
        if name in missing:
            raise NicError(
                f"{pci}: {name} is required and cannot be set ({missing[name]}); "
                "update the card's firmware or correct the setting that prevents it."
            )


def mode_settings(found: Settings) -> dict[str, str]:
    """The operating mode of the next boot, which the defaults of a SuperNIC turn into DPU mode."""
    return {name: number(found[name]["next"]) for name in (MODEL, MODE) if name in found}


def to_defaults(found: Settings) -> Settings:
    """The settings as `mlxconfig reset` leaves them."""
    return {
        name: row if row.get("read_only") else {**row, "next": row["default"]}
        for name, row in found.items()
    }


def with_next(found: Settings, chosen: Mapping[str, str]) -> Settings:
    """The settings as a `set` of the `chosen` leaves them; what it reveals is not known yet."""
    return {
        name: {**row, "next": chosen[name]} if name in chosen else row
        for name, row in found.items()
    }


def assignments(found: Settings, wanted: Mapping[str, object]) -> dict[str, str]:
    """Assignments of the one `set`: the settings that differ and may be written.

    A name that a differing one is about to reveal goes along with it.
    """
    rows = states(found, wanted)
    chosen = {name: row["wanted"] for name, row in rows.items() if row["state"] == DIFFERS}
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
