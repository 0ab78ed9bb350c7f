# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions: POST {"@name": {"state": "start", "parameters": {...}}} gives a job to poll."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from . import ping

if TYPE_CHECKING:
    from .switch import Switch

ACTIONS = {
    "clear": ("interface", "qos", "vrf", "acl", "system", "router", "evpn"),
    "reboot": ("system",),
    "import": ("system.security.certificate", "system.security.ca-certificate"),
    "fetch": ("system.image",),
    "install": ("system.image",),
    "boot-next": ("system.image",),
    "generate": ("system.tech-support",),
    "enable": ("system.maintenance",),
    "disable": ("system.maintenance",),
    "run": ("system",),
    "ping": ("system",),
}
INTRODUCED = {"ping": ping.SINCE}


class Jobs:
    """The jobs of a switch, by number."""

    def __init__(self, switch: Switch) -> None:
        self.switch = switch
        self.by_number: dict[int, dict[str, Any]] = {}
        self.done: list[tuple[str, str, dict[str, Any]]] = []

    def start(self, path: list[str], name: str, parameters: dict[str, Any]) -> int:
        """Begin an action; LookupError for one this place does not have, ValueError for a wrong word."""
        place = ".".join(path)
        allowed = ACTIONS.get(name, ())
        if not self.switch.options.parsed_release.at_least(INTRODUCED.get(name, "5.0")):
            allowed = ()
        if not any(place == item or place.startswith(f"{item}.") for item in allowed):
            raise LookupError(f"no action @{name} at /{'/'.join(path)}")
        if name == "ping":
            ping.check(parameters)
        number = len(self.by_number) + 1
        self.by_number[number] = _job("start", 0)
        self.switch.spawn(self._run(number, place, name, parameters))
        return number

    async def _run(self, number: int, place: str, name: str, parameters: dict[str, Any]) -> None:
        job = self.by_number[number]
        job["state"] = "running"
        await asyncio.sleep(self.switch.options.step_seconds)
        fault = self.switch.faults.take("action_fail", action=name)
        if fault:
            message = fault.get("message", f"action {name} failed")
            job.update(state="action_error", issue=[{"message": message}], http_status=400)
            return
        self.done.append((place, name, parameters))
        done = {"state": "action_success", "status": "Action succeeded"}
        job.update(await ping.outcome(self.switch, parameters) if name == "ping" else done)
        if name == "reboot":
            self.switch.start_reboot()


def _job(state: str, status: int) -> dict[str, Any]:
    return {
        "detail": "",
        "http_status": status or 200,
        "issue": [],
        "state": state,
        "status": "",
        "timeout": 60,
        "type": "",
    }
