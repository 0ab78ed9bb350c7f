# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resetting cards: only when asked, only in place, and proven afterwards.

A reboot or a power cycle is never done here: it is reported, so that one for the whole host can
be collected.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypedDict

from .desired import Nic
from .discover import BLUEFIELDS
from .errors import NicError
from .firmware import reset_for
from .gather import cards_for, nv_part
from .parse.listings import reset_levels
from .parse.mlxconfig import same
from .plan.base import answer
from .plan.nvconfig import flat
from .plan.reset import LEVELS, NONE, PendingReset, costliest, pending_settings, reset_needed
from .read.card import read_flash, read_nvconfig
from .records import Answer, Card
from .state import load
from .tools import Host, Step, failed, reason

LOADED = "FW was loaded successfully"
REBOOTED = ("rebooted", "/etc/spectrum-x")
"""Written by the role dpu_reset where a reboot left settings staged: PCI address -> what waits."""


class ResetResult(TypedDict):
    """Reset that a card needs, and the one that was performed."""

    pci: str
    needed: str
    performed: str
    required: str
    reasons: list[str]
    waits: dict[str, str]


class ExpectedCard(NamedTuple):
    """Expected state of a card after its reset: the mode of the next boot, the settings staged for it."""

    now: str
    mode: str
    settings: dict[str, str]


def apply_reset(
    host: Host,
    nics: Iterable[Nic],
    *,
    allow: bool = False,
    level: int | None = None,
    minimum: Iterable[str] = (),
    timeout: float = 300,
) -> Answer:
    """{changed, required, nics: [{pci, needed, performed, required, reasons, waits}]}.

    `required` is what somebody else still has to do, never less than the costliest of `minimum`.
    `level` insists on one level of mlxfwreset, whatever is pending. NicError when a card does not
    come back as it should.
    """
    results: list[ResetResult] = []
    steps: list[Step] = []
    least = costliest(minimum)
    for card, nic in cards_for(host, nics):
        result, done = _card(
            host, card, nic, allow=allow, level=level, minimum=least, limit=timeout
        )
        results.append(result)
        steps += done
    return answer(steps, required=costliest(r["required"] for r in results), nics=results)


def _card(
    host: Host,
    card: Card,
    nic: Nic,
    *,
    allow: bool,
    level: int | None,
    minimum: str,
    limit: float,
) -> tuple[ResetResult, list[Step]]:
    pending, expected = _pending(host, card, nic)
    needed = _needed(host, card, expected.now, pending, minimum)
    result: ResetResult = {
        "pci": nic.pci,
        "needed": needed,
        "performed": "",
        "required": needed,
        "reasons": pending.reasons(),
        "waits": pending.waits(),
    }
    chosen = level if level is not None else LEVELS.get(needed)
    if chosen is None or not allow:
        return result, []
    step = _reset(host, card, chosen, pending, limit)
    left = NONE
    if not host.check_mode:
        _prove(host, card, nic, expected, limit)
        found = read_flash(host, card["pci"]) if pending.firmware else None
        # Burned firmware that the reset did not load takes the power to go.
        left = "power_cycle" if found and found["burned"] != found["running"] else NONE
    return {**result, "performed": f"mlxfwreset level {chosen}", "required": left}, [step]


def _pending(host: Host, card: Card, nic: Nic) -> tuple[PendingReset, ExpectedCard]:
    """(what waits, what the card shows after its reset)."""
    part = nv_part(host, card, nic)
    firmware = read_flash(host, card["pci"])
    staged = firmware["burned"] if firmware["burned"] != firmware["running"] else ""
    down = reset_for("connectx", firmware, firmware["burned"]) == "power_cycle"
    change = part["mode_next"] if part["mode"] != part["mode_next"] else ""
    settings = pending_settings(part["nvconfig"])
    noted = _noted(host, nic.pci)
    waits = PendingReset(settings, staged).waits()
    rebooted = any(noted.get(name) == value for name, value in waits.items())
    wanted = {
        name: value
        for name, value in flat(nic.nvconfig).items()
        if name in part["nvconfig"] and same(value, str(part["nvconfig"][name]["next"]))
    }
    pending = PendingReset(settings, staged, down, change, rebooted)
    return pending, ExpectedCard(str(part["mode"]), str(part["mode_next"]), wanted)


def _noted(host: Host, pci: str) -> dict[str, str]:
    """Return the changes that waited on this card before a reboot that did not activate them."""
    found = load(host, *REBOOTED).get(pci)
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def _needed(host: Host, card: Card, mode: str, pending: PendingReset, minimum: str) -> str:
    levels: dict[int, bool] = {}
    if pending.reasons() and card["device"] not in BLUEFIELDS:
        levels = reset_levels(host.ask("mlxfwreset", "-d", card["pci"], "q").out)
    return reset_needed(card["device"], mode, pending, levels, minimum=minimum)


def _reset(host: Host, card: Card, level: int, pending: PendingReset, limit: float) -> Step:
    pci, before = card["pci"], "; ".join(pending.reasons()) or "nothing pending"
    argv = ("mlxfwreset", "-d", pci, "-y", "-l", str(level), "r")
    step = Step(pci, "reset", before, f"reset at level {level}", argv=argv, timeout=limit)
    said = host.attempt(step)
    if not host.check_mode and (failed(said) or LOADED not in said.text):
        raise NicError(
            f"{pci}: mlxfwreset did not load the firmware: {reason(said)}; reboot the host instead."
        )
    return step


def _prove(host: Host, card: Card, nic: Nic, expected: ExpectedCard, limit: float) -> None:
    """The card answers again, in the mode staged, with what was staged of the wanted settings.

    A setting that was not staged is not this reset's to prove.
    """
    if not host.answer(lambda: read_nvconfig(host, card["pci"]), limit, every=3):
        raise NicError(f"{nic.pci}: the card did not come back within {limit:g} s of its reset.")
    after = nv_part(host, card, nic)
    wanted = expected.mode
    if after["mode"] != wanted and after["mode"] != "adapter":
        raise NicError(
            f"{nic.pci}: the reset lost the mode: it is {after['mode']}, expected {wanted}; set "
            "INTERNAL_CPU_OFFLOAD_ENGINE again with module nic and power cycle the host."
        )
    for name, value in expected.settings.items():
        row = after["nvconfig"].get(name)
        if row and not same(value, str(row["current"])):
            raise NicError(
                f"{nic.pci}: {name} is {row['current']} instead of {value} after the reset; "
                "power cycle the host."
            )
