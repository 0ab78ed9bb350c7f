# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions: POST {"@name": {"state": "start", "parameters": {...}}} gives a job to poll."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import boot, certificates, images, ping, restrictions

if TYPE_CHECKING:
    from .switch import Switch


class ActionError(Exception):
    """A job that fails; the text is its issue."""


@dataclass(frozen=True)
class Order:
    """One action that was ordered: its place, and its parameters."""

    switch: Switch
    path: list[str]
    parameters: Mapping[str, Any]
    job: dict[str, Any]


@dataclass(frozen=True)
class Action:
    """An action of a place, and of what is below it; without `run` it succeeds and does nothing.

    `check` raises ValueError for parameters that the action does not take, and LookupError for a place that is not
    there. `deep` is the number of keys that follow the place (None: any).
    """

    name: str
    place: str
    since: str = "5.0"
    run: Callable[[Order], Awaitable[dict[str, Any]]] | None = None
    check: Callable[[Order], None] | None = None
    deep: int | None = None

    def fits(self, name: str, path: list[str]) -> bool:
        """Check whether an order is one for this action."""
        here = self.place.split(".")
        rest = path[len(here) :]
        return name == self.name and path[: len(here)] == here and self.deep in (None, len(rest))


async def _ping(order: Order) -> dict[str, Any]:
    return await ping.outcome(order.switch, order.parameters)


async def _clear_restrictions(order: Order) -> dict[str, Any]:
    user = order.parameters.get("user")
    if user is not None and user not in order.switch.accounts.users:
        raise ActionError(f"User {user} does not exist")
    order.switch.restrictions.clear(user)
    return success(
        f"Successfully cleared user name {user}" if user else "Successfully cleared all users"
    )


def _clears_restrictions(order: Order) -> None:
    if unknown := set(order.parameters) - {"user"}:
        raise ValueError(f"clear: unknown parameter {', '.join(sorted(unknown))}")


async def _import(order: Order) -> dict[str, Any]:
    kind, name = order.path[2:4]
    try:
        pem = await certificates.pem_of(order.parameters)
        order.switch.certificates.add(kind, name, pem, str(order.parameters.get("passphrase", "")))
    except certificates.CertificateError as error:
        raise ActionError(f"Failed to import {kind} {name}: {error}") from error
    return success(f"Succeeded in importing {kind} {name}")


async def _delete_certificate(order: Order) -> dict[str, Any]:
    kind, name = order.path[2:4]
    try:
        order.switch.certificates.drop(kind, name, order.switch.running)
    except certificates.CertificateError as error:
        raise ActionError(f"Failed to delete {kind} {name}: {error}") from error
    return success()


def _imports(order: Order) -> None:
    certificates.check(order.path[2], order.parameters)


async def _fetch(order: Order) -> dict[str, Any]:
    return success(await order.switch.images.fetch(order.parameters["remote-url"]))


async def _install(order: Order) -> dict[str, Any]:
    status = await order.switch.images.install(order.path[3], order.job)
    if order.parameters.get("reboot") in (True, "yes"):
        order.switch.start_reboot()
    return success(status)


async def _boot_next(order: Order) -> dict[str, Any]:
    rollback = bool(order.parameters.get("rollback", False))
    return success(order.switch.images.boot_next(order.parameters["partition"], rollback))


async def _delete_image(order: Order) -> dict[str, Any]:
    return success(order.switch.images.delete(order.path[3]))


async def _hash(order: Order) -> dict[str, Any]:
    return success(order.switch.images.digest(order.path[2], order.parameters["filename"]))


async def _reboot(order: Order) -> dict[str, Any]:
    mode = order.parameters.get("mode", "cold")
    order.switch.start_reboot(off=mode in boot.OFF)
    return success()


def _checks_fetch(order: Order) -> None:
    images.check_fetch(order.parameters)


def _checks_install(order: Order) -> None:
    images.check_install(order.parameters)


def _checks_boot_next(order: Order) -> None:
    images.check_boot_next(order.parameters, order.switch.options.parsed_release)


def _checks_hash(order: Order) -> None:
    images.check_hash(order.parameters)


def success(status: str = "Action succeeded") -> dict[str, Any]:
    """The end of a job that did its work."""
    return {"state": "action_success", "status": status}


_RESTRICTIONS = ".".join(restrictions.PLACE)
ACTIONS = (
    Action(
        "clear", _RESTRICTIONS, restrictions.SINCE, _clear_restrictions, _clears_restrictions, 0
    ),
    *(
        Action("clear", place)
        for place in ("interface", "qos", "vrf", "acl", "system", "router", "evpn")
    ),
    Action("reboot", "system", "5.0", _reboot, lambda order: boot.check(order.parameters), 0),
    *(
        Action(name, f"system.security.{kind}", "5.7", run, check, 1)
        for kind in certificates.KINDS
        for name, run, check in (
            ("import", _import, _imports),
            ("delete", _delete_certificate, None),
        )
    ),
    Action("fetch", "system.image", images.SINCE, _fetch, _checks_fetch, 0),
    Action("install", "system.image.files", images.SINCE, _install, _checks_install, 1),
    Action("delete", "system.image.files", images.SINCE, _delete_image, deep=1),
    Action("boot-next", "system.image", images.SINCE, _boot_next, _checks_boot_next, 0),
    *(
        Action("generate", f"system.file-hash.{name}", images.HASH_SINCE, _hash, _checks_hash, 0)
        for name in images.HASHES
    ),
    Action("generate", "system.tech-support"),
    Action("enable", "system.maintenance"),
    Action("disable", "system.maintenance"),
    Action("run", "system"),
    Action("ping", "system", ping.SINCE, _ping, lambda order: ping.check(order.parameters)),
)
_STRICT = (restrictions.PLACE,)
"""Places below which only the actions that are listed for them exist."""


def _action(name: str, path: list[str], switch: Switch) -> Action | None:
    release = switch.options.parsed_release
    strict = any(path[: len(place)] == place for place in _STRICT)
    for action in ACTIONS:
        if action.fits(name, path) and release.at_least(action.since):
            return action if not strict or action.run else None
    return None


class Jobs:
    """The jobs of a switch, by number."""

    def __init__(self, switch: Switch) -> None:
        self.switch = switch
        self.by_number: dict[int, dict[str, Any]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self.done: list[tuple[str, str, dict[str, Any]]] = []

    def start(self, path: list[str], name: str, parameters: dict[str, Any]) -> int:
        """Begin an action; LookupError for one this place does not have, ValueError for a wrong word."""
        action = _action(name, path, self.switch)
        if action is None:
            raise LookupError(f"no action @{name} at /{'/'.join(path)}")
        job = _job("start", 0)
        order = Order(self.switch, path, parameters, job)
        if action.check is not None:
            action.check(order)
        number = len(self.by_number) + 1
        self.by_number[number] = job
        task = self.switch.spawn(self._run(action, order))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return number

    def abandon(self) -> None:
        """End the jobs that a boot interrupts."""
        for job in self.by_number.values():
            if job["state"] in ("start", "running"):
                job.update(_failure("the switch was rebooted"))
        for task in self._tasks:
            task.cancel()

    async def _run(self, action: Action, order: Order) -> None:
        job, name = order.job, action.name
        job["state"] = "running"
        await asyncio.sleep(self.switch.options.step_seconds)
        fault = self.switch.faults.take("action_fail", action=name)
        if fault:
            job.update(_failure(fault.get("message", f"action {name} failed")))
            return
        self.done.append((".".join(order.path), name, dict(order.parameters)))
        try:
            job.update(await action.run(order) if action.run else success())
        except (ActionError, images.ImageError) as error:
            job.update(_failure(str(error)))


def _failure(message: str) -> dict[str, Any]:
    return {"state": "action_error", "issue": [{"message": message}], "http_status": 400}


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
