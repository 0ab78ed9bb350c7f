# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Non-volatile settings of the cards: one `set` per card, never a reset of the card."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .desired import Nic
from .discover import BLUEFIELDS
from .errors import NicError
from .gather import nv_part
from .parse.mlxconfig import FAILED, NOT_ARMED, POWER_CYCLE, parse_set
from .plan.base import differences
from .plan.nvconfig import (
    CURRENT,
    DIFFERS,
    assignments,
    check_required,
    mode_of,
    mode_settings,
    set_step,
    skipped,
    states,
)
from .read.nvconfig import device_of
from .read.privilege import refuse_restricted
from .runtime import cards_for
from .tools import Host, Step, reason

Plain = dict[str, Any]

NONE, RESET, REBOOT, POWER = "none", "reset", "reboot", "power_cycle"


def apply_nvconfig(
    host: Host,
    nics: Iterable[Nic],
    info: list[Plain] | None = None,
    *,
    reset_first: bool = False,
    after_reset: bool = False,
) -> Plain:
    """{changed, diff, commands, nics: [...]}; with `after_reset` a staged setting is an error."""
    results, steps = [], []
    for card, nic in cards_for(host, nics, info):
        if nic.nvconfig:
            result, done = _card(host, card, nic, reset_first)
            results.append(result)
            steps += done
            if after_reset:
                _check_active(result)
    return {
        "changed": bool(steps),
        "diff": differences(steps),
        "commands": [step.command for step in steps],
        "nics": results,
    }


def _card(host: Host, card: Plain, nic: Nic, reset_first: bool) -> tuple[Plain, list[Step]]:
    found = card["nvconfig"] if card.get("nvconfig") else _read(host, card, nic)
    check_required(nic.pci, skipped(found, nic.nvconfig), nic.required)
    if card.get("nvconfig") and assignments(found, nic.nvconfig):
        found = _read(host, card, nic)
    chosen = assignments(found, nic.nvconfig)
    if not chosen:
        return _result(card, nic, found, NONE), []
    refuse_restricted(host, nic.pci)
    steps, left = _write(host, nic, found, chosen, reset_first)
    if not host.check_mode:
        found = _read(host, card, nic)
        _check_staged(nic, found)
    return _result(card, nic, found, left, dict(chosen)), steps


def _read(host: Host, card: Plain, nic: Nic) -> Plain:
    found: Plain = nv_part(host, card, nic)["nvconfig"]
    return found


def _write(
    host: Host, nic: Nic, found: Plain, chosen: dict[str, str], reset_first: bool
) -> tuple[list[Step], str]:
    device = device_of(host, nic.pci)
    steps: list[Step] = []
    if reset_first:
        chosen.clear()
        chosen.update(assignments(found, nic.nvconfig, everything=True))
        chosen.update(mode_settings(found, nic.nvconfig))
        steps.append(_to_defaults(host, nic, device))
    step = set_step(nic.pci, device, found, chosen)
    try:
        left = parse_set(_accepted(host, step))
    except NicError:
        _rescue_mode(host, nic, device, found, steps)
        raise
    return [*steps, step], left


def _accepted(host: Host, step: Step) -> Any:
    result = host.perform(step)
    if not host.check_mode and parse_set(result) == FAILED:
        raise NicError(f"{step.target}: setting {step.setting} failed: {reason(result)}.")
    return result


def _to_defaults(host: Host, nic: Nic, device: str) -> Step:
    argv = ("mlxconfig", "-y", "-d", device, "reset")
    step = Step(nic.pci, "nvconfig defaults", "as configured", "defaults", argv=argv)
    _accepted(host, step)
    return step


def _rescue_mode(host: Host, nic: Nic, device: str, found: Plain, begun: list[Step]) -> None:
    """After a reset to defaults the card would come up in DPU mode: write the mode at least."""
    mode = mode_settings(found, nic.nvconfig)
    if not begun or not mode:
        return
    try:
        _accepted(host, set_step(nic.pci, device, found, mode))
    except NicError as exc:
        raise NicError(
            f"{nic.pci}: the settings were reset to defaults and could not be written again; the "
            "card comes up in DPU mode: do NOT reboot, correct the cause and run again."
        ) from exc


def _check_staged(nic: Nic, found: Plain) -> None:
    for name, row in states(found, nic.nvconfig).items():
        if row["state"] == DIFFERS:
            raise NicError(
                f"{nic.pci}: {name} did not take: the next boot has {row['next']} instead of "
                f"{row['wanted']} after mlxconfig reported success."
            )


def _check_active(result: Plain) -> None:
    late = [n for n, row in result["settings"].items() if row["state"] != CURRENT]
    if late:
        row = result["settings"][late[0]]
        raise NicError(
            f"{result['pci']}: {late[0]} is {row['current']} instead of {row['wanted']} after the "
            f"reset ({len(late)} setting(s) did not become active); power cycle the host."
        )


def _result(
    card: Plain, nic: Nic, found: Plain, left: str, predicted: dict[str, str] | None = None
) -> Plain:
    rows = states(found, nic.nvconfig)
    for name, value in (predicted or {}).items():
        if name in rows and rows[name]["state"] == DIFFERS:
            rows[name] = {**rows[name], "next": value, "state": "staged"}
    now, then = mode_of(card["device"] in BLUEFIELDS, found)
    return {
        "pci": nic.pci,
        "mode": now,
        "mode_next": then,
        "settings": rows,
        "skipped": skipped(found, nic.nvconfig),
        "reset_needed": _needed(rows, left, mode_change=now != then, dpu=now == "dpu"),
    }


def _needed(rows: dict[str, dict[str, str]], left: str, *, mode_change: bool, dpu: bool) -> str:
    if all(row["state"] == CURRENT for row in rows.values()) and not mode_change:
        return NONE
    if mode_change or dpu or left in (POWER_CYCLE, NOT_ARMED):
        return POWER
    return RESET
