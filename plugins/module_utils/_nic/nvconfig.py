# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Non-volatile settings of the cards: one `set` per card, never a reset of the card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypedDict

from .desired import Nic
from .discover import BLUEFIELDS
from .errors import NicError
from .gather import cards_for, nv_part
from .parse.mlxconfig import FAILED, NOT_ARMED, POWER_CYCLE, number, parse_set
from .plan import nvconfig as plan
from .plan.base import answer
from .read.card import MODE, device_of, read_nvconfig, refuse_restricted
from .records import Answer, Card, Row, Settings
from .tools import Host, Result, Step, reason

NONE, RESET, POWER = "none", "reset", "power_cycle"


class StageResult(TypedDict):
    """Result of staging a card's settings."""

    pci: str
    mode: str
    mode_next: str
    settings: dict[str, Row]
    skipped: dict[str, str]
    reset_needed: str


class WriteResult(NamedTuple):
    """Steps that were written, the reset that activates them (`parse_set`), and the settings after them."""

    steps: list[Step]
    left: str
    predicted: Settings


def apply_nvconfig(
    host: Host,
    nics: Iterable[Nic],
    *,
    reset_first: bool = False,
    after_reset: bool = False,
) -> Answer:
    """{changed, diff, commands, nics: [...], warnings}; with `after_reset` staged is an error."""
    results, steps, warnings = [], [], []
    for card, nic in cards_for(host, nics):
        if nic.nvconfig:
            result, done, found = _card(host, card, nic, reset_first)
            results.append(result)
            steps += done
            warnings += plan.fixed(nic.pci, found, result["skipped"])
            if after_reset:
                _check_active(result)
    return answer(steps, nics=results, warnings=warnings)


def _card(
    host: Host, card: Card, nic: Nic, reset_first: bool
) -> tuple[StageResult, list[Step], Settings]:
    found = _read(host, card, nic)
    plan.check_required(nic.pci, plan.skipped(found, nic.nvconfig), nic.required)
    if not plan.assignments(found, nic.nvconfig):
        return _result(card, nic, found, NONE), [], found
    refuse_restricted(host, nic.pci)
    write = _write_over_defaults if reset_first else _write
    steps, left, found = write(host, nic, found, nic.nvconfig)
    if not host.check_mode:
        found = _read(host, card, nic)
        _check_staged(host, nic, found)
    return _result(card, nic, found, left), steps, found


def _read(host: Host, card: Card, nic: Nic) -> Settings:
    return nv_part(host, card, nic)["nvconfig"]


def _write(host: Host, nic: Nic, found: Settings, wanted: Mapping[str, object]) -> WriteResult:
    chosen = plan.assignments(found, wanted)
    if not chosen:
        return WriteResult([], NONE, found)
    step = plan.set_step(nic.pci, device_of(host, nic.pci), found, chosen)
    left = parse_set(_accepted(host, step))
    return WriteResult([step], left, plan.with_next(found, chosen))


def _write_over_defaults(
    host: Host, nic: Nic, found: Settings, wanted: Mapping[str, object]
) -> WriteResult:
    """The card is read again between: what the defaults make right already is not set again."""
    whole = _read_all(host, nic)
    mode = {name: wanted.get(name, value) for name, value in plan.mode_settings(found).items()}
    step = _to_defaults(host, nic, whole)
    try:
        fresh = plan.to_defaults(whole) if host.check_mode else _read_all(host, nic)
        written = _write(host, nic, fresh, {**wanted, **mode})
    except NicError:
        _rescue_mode(host, nic, found, mode)
        raise
    return written._replace(steps=[step, *written.steps])


def _read_all(host: Host, nic: Nic) -> Settings:
    return read_nvconfig(host, nic.pci, plan.arrays_of(nic.nvconfig))


def _accepted(host: Host, step: Step) -> Result:
    result = host.perform(step)
    if not host.check_mode and parse_set(result) == FAILED:
        raise NicError(f"{step.target}: setting {step.setting} failed: {reason(result)}.")
    return result


def _to_defaults(host: Host, nic: Nic, whole: Settings) -> Step:
    """The reset, with each setting of the card that it alters, wanted or not."""
    argv = ("mlxconfig", "-y", "-d", device_of(host, nic.pci), "reset")
    before = {name: number(row["next"]) for name, row in whole.items()}
    after = {name: number(row["next"]) for name, row in plan.to_defaults(whole).items()}
    altered = {name for name, value in before.items() if after[name] != value}
    step = Step(
        nic.pci,
        "nvconfig",
        {name: before[name] for name in sorted(altered)},
        {name: after[name] for name in sorted(altered)},
        argv=argv,
    )
    _accepted(host, step)
    return step


def _rescue_mode(host: Host, nic: Nic, found: Settings, mode: Mapping[str, object]) -> None:
    """After a reset to defaults the card would come up in DPU mode: write the mode at least.

    Alone: the model beside it may be settable from the embedded CPU only, and one refused name
    would take the mode down with it.
    """
    if MODE not in mode:
        return
    step = plan.set_step(nic.pci, device_of(host, nic.pci), found, {MODE: number(mode[MODE])})
    try:
        _accepted(host, step)
    except NicError as exc:
        raise NicError(
            f"{nic.pci}: the settings were reset to defaults and could not be written again; the "
            "card comes up in DPU mode: do NOT reboot, correct the cause and run again."
        ) from exc


def _check_staged(host: Host, nic: Nic, found: Settings) -> None:
    left = {
        n: row
        for n, row in plan.states(found, nic.nvconfig).items()
        if row["state"] == plan.DIFFERS
    }
    shown = {name: row["next"] for name, row in left.items()}
    host.untaken([Step(nic.pci, "nvconfig", shown, {})] if left else [])
    for name, row in left.items():
        raise NicError(
            f"{nic.pci}: {name} was not accepted: the next boot has {row['next']} instead of "
            f"{row['wanted']} after mlxconfig reported success."
        )


def _check_active(result: StageResult) -> None:
    late = [n for n, row in result["settings"].items() if row["state"] != plan.CURRENT]
    if late:
        row = result["settings"][late[0]]
        raise NicError(
            f"{result['pci']}: {late[0]} is {row['current']} instead of {row['wanted']} after the "
            f"reset ({len(late)} setting(s) did not become active); power cycle the host."
        )


def _result(card: Card, nic: Nic, found: Settings, left: str) -> StageResult:
    rows = plan.states(found, nic.nvconfig)
    now, then = plan.mode_of(card["device"] in BLUEFIELDS, found)
    return {
        "pci": nic.pci,
        "mode": now,
        "mode_next": then,
        "settings": rows,
        "skipped": plan.skipped(found, nic.nvconfig),
        "reset_needed": _needed(rows, left, mode_change=now != then, dpu=now == "dpu"),
    }


def _needed(rows: dict[str, Row], left: str, *, mode_change: bool, dpu: bool) -> str:
    if all(row["state"] == plan.CURRENT for row in rows.values()) and not mode_change:
        return NONE
    if mode_change or dpu or left in (POWER_CYCLE, NOT_ARMED):
        return POWER
    return RESET
