# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults on demand: what a test orders to go wrong, how often, and where.

A fault has a kind, parameters, and a count of how often it strikes (None: until cleared). The
kinds and their parameters are listed in KINDS; anything else is refused, so that a misspelt
fault cannot make a test pass. Paths are exact or end in `*`; those of `answer` are regular
expressions, and its forms are in answers.py. `applied_and_reverts` says applied, and has the old
configuration, with `doc` laid on it, again after `seconds`; `foreign_draft` gives the draft of somebody else (the
order `draft`) as the new one. `whole_interface` ends the connection of who reads /interface (or all of the switch)
whole with more than `interfaces` (64) of them; the API stays away for `seconds` (0). `apply_never_ends` holds an apply
until the faults are cleared: its revision is a draft again then. `unauthorized` has the API answer
401 to everybody once a change of AAA, of the SSH server or of the API runs: for `seconds`, or until `restart_service`.

Upgrades: `fetch_cut` ends a transfer after `bytes` (1000), and with `silent` nobody says so; `fetch_wrong` stores a
file with one bit less, or (`build`) another build; `disk_full` ends a `fetch` or an `install` (`action`);
`install_error` is an `action_error` at 100 %, after which the image is there, or (`installed` false) is not. At the
next boot `boots_old` comes up on the old partition, `never_returns` not at all (until the order `power`),
`untranslated` with the factory's configuration while the saved one keeps its old spelling, `uplink_idle` with
counters of `interface` (the first port of the default VRF) that stand still.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from . import answers

KINDS: dict[str, set[str]] = {
    "drop_connection": {"method", "path", "when"},
    "http": {"method", "path", "status", "html", "text"},
    "delay": {"method", "path", "seconds"},
    "truncate": {"method", "path"},
    "answer": answers.PARAMETERS,
    "apply_fail": {"state", "message", "at", "ignorable", "code"},
    "apply_never_ends": {"at"},
    "apply_slow": {"seconds", "at"},
    "drop_mid_apply": {"at", "seconds"},
    "lost_management": {"seconds"},
    "no_diff": set(),
    "applied_and_reverts": {"seconds", "doc"},
    "foreign_draft": set(),
    "reboot": {"at", "seconds"},
    "ask": {"message"},
    "action_fail": {"message", "action"},
    "session_down": {"neighbor", "vrf"},
    "whole_interface": {"interfaces", "seconds"},
    "unauthorized": {"seconds"},
    "fetch_cut": {"bytes", "silent"},
    "fetch_wrong": {"build"},
    "disk_full": {"action"},
    "install_error": {"installed"},
    "boots_old": set(),
    "never_returns": set(),
    "untranslated": set(),
    "uplink_idle": {"interface"},
}


@dataclass
class Fault:
    """One ordered fault."""

    kind: str
    parameters: dict[str, Any]
    count: int | None = 1
    met: int = 0

    def get(self, name: str, default: Any) -> Any:
        """A parameter, or its default."""
        return self.parameters.get(name, default)


class Faults:
    """The faults that are waiting to strike."""

    def __init__(self) -> None:
        self.waiting: list[Fault] = []
        self._cleared = asyncio.Event()

    def order(self, kind: str, count: int | None = 1, **parameters: Any) -> None:
        """Order a fault; an unknown kind or parameter is a ValueError."""
        if kind not in KINDS:
            raise ValueError(f"no fault '{kind}'; there are {', '.join(sorted(KINDS))}")
        unknown = set(parameters) - KINDS[kind]
        if unknown:
            raise ValueError(f"fault {kind} has no parameter {', '.join(sorted(unknown))}")
        if kind == "answer":
            answers.check(parameters)
        self.waiting.append(Fault(kind, parameters, count))

    def clear(self) -> None:
        """Forget every fault, and let go of what one of them holds up."""
        self.waiting.clear()
        self._cleared.set()
        self._cleared = asyncio.Event()

    async def until_cleared(self) -> None:
        """Wait until somebody forgets every fault."""
        await self._cleared.wait()

    def next(self, kind: str) -> Fault | None:
        """The next fault of `kind`, which stays."""
        return next((fault for fault in self.waiting if fault.kind == kind), None)

    def take(self, kind: str, **where: Any) -> Fault | None:
        """The next fault of `kind` whose parameters agree with `where`, counted down."""
        for fault in self.waiting:
            if fault.kind == kind and all(
                _agrees(fault.parameters.get(name), value) for name, value in where.items()
            ):
                return self._struck(fault)
        return None

    def take_answer(self, method: str, path: str, query: str) -> Fault | None:
        """The hostile answer that a request gets, counted down; every one waiting sees the request."""
        faults = [fault for fault in self.waiting if fault.kind == "answer"]
        struck = [fault for fault in faults if answers.strikes(fault, method, path, query)]
        return self._struck(struck[0]) if struck else None

    def _struck(self, fault: Fault) -> Fault:
        if fault.count is not None:
            fault.count -= 1
            if fault.count <= 0:
                self.waiting.remove(fault)
        return fault


def _agrees(wanted: Any, value: Any) -> bool:
    if wanted is None:
        return True
    if isinstance(wanted, str) and wanted.endswith("*"):
        return str(value).startswith(wanted[:-1])
    return bool(wanted == value)
