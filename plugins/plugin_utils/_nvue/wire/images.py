# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of a switch: two partitions, of which one runs and the other takes the next release.

    state(api)                        Images(current="partition1", next="partition1", partitions={...})
    install(api, url)                 fetched, and installed into the partition that does not run
    boot_next(api, "partition2")      the partition of the next boot
    reboot(api); await_boot(api, ...)

Shapes: show output of the guide (`nv show system image`) and NVIDIA's clients of NVOS, which share the grammar. The
body of boot-next is inferred from a log line of release note 4547463. An action counts as done when the state shows it,
whatever became of its job; an answer that is not known ends the upgrade.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ....module_utils._json import Json
from ..document.release import Release, parse
from ..document.shapes import MisfitError, below, mapping
from ..errors import ApiError, NvueError, TransportError, UnfitError, UntrustedError
from . import actions, operational
from .api import Api

PLACE = ("system", "image")
_NAME = re.compile("(?:partition)?([12])")
_POLL, _TICK = 5.0, 60.0
_LOGIN = 20.0
"""Seconds between two logins that fail: Cumulus waits for 15 s after each (guide of 5.18, User Accounts)."""
UPTIME_SLACK = 5.0
"""Seconds by which the clocks of a switch and of the controller may count differently (ours)."""


class Partition(NamedTuple):
    """Content of a partition; empty where no image is in it."""

    release: str = ""
    build: str = ""

    def holds(self, release: Release, build: str) -> bool:
        """Check whether an image is in the partition."""
        return self.build == build and bool(self.release) and parse(self.release) == release


@dataclass(frozen=True)
class Images:
    """The partitions of a switch: the one that runs, and the one of the next boot."""

    current: str
    next: str
    partitions: Mapping[str, Partition]

    @property
    def other(self) -> str:
        """Name the partition that does not run."""
        return "partition2" if self.current == "partition1" else "partition1"

    @property
    def running(self) -> Partition:
        """Return what the running partition has."""
        return self.partitions[self.current]

    @property
    def waiting(self) -> Partition:
        """Return what the other partition has."""
        return self.partitions[self.other]

    @property
    def pending(self) -> bool:
        """Check whether the next boot goes to the other partition."""
        return self.next != self.current


def state(api: Api) -> Images:
    """Read the partitions (one GET)."""
    return api.get(PLACE, operational.OPERATIONAL, images_of)


def pending(api: Api) -> bool:
    """Check whether the next boot changes the release; a switch without images has no such boot."""
    found = operational.read(api, PLACE, images_of)
    return found is not None and found.pending


def images_of(found: Json) -> Images:
    """Read the partitions of ``/system/image``."""
    body = mapping(found)
    current, following = (_partition(body.get(key)) for key in ("current", "next"))
    partitions = {}
    for number in "12":
        inner = below(body, f"partition{number}")
        release, build = (str(inner.get(key) or "") for key in ("release", "build-id"))
        if release:
            parse(release)
        partitions[f"partition{number}"] = Partition(release, build)
    return Images(current, following, partitions)


def _partition(found: Json) -> str:
    match = _NAME.fullmatch(str(found))
    if isinstance(found, bool) or match is None:
        raise MisfitError("the current and the next of two partitions")
    return f"partition{match[1]}"


def file_of(url: str) -> str:
    """Return the name that a switch gives a file of a URL."""
    return url.partition("?")[0].rstrip("/").rpartition("/")[2]


def install(api: Api, url: str, build: str, release: Release, limits: tuple[float, float]) -> None:
    """Fetch an image and install it into the other partition; NvueError unless that partition has it then."""
    fetching, installing = limits
    before = state(api)
    job = actions.start(api, PLACE, "fetch", {"remote-url": url})
    actions.follow(api, job, within=fetching)
    place = (*PLACE, "files", file_of(url))
    job = actions.start(api, place, "install", {"force": True})
    why = _ended(api, job, installing)
    after = state(api)
    if (after.current, after.next) != (before.current, before.current):
        raise NvueError(
            f"{api.port.target}: the installation changed the partition of the next boot to {after.next}: set it back "
            f"to {before.current} on the switch (nv action boot-next system image)."
        )
    if not after.waiting.holds(release, build):
        shown = " ".join(after.waiting) if after.waiting.release else "nothing"
        raise NvueError(
            f"{api.port.target}: {after.other} has {shown} after the installation, expected {release} build {build}"
            f"{f' ({why})' if why else ''}: check the image and its build in release.images."
        )


def boot_next(api: Api, partition: str, within: float) -> None:
    """Choose the partition of the next boot; NvueError unless the switch shows it in time."""
    job = actions.start(api, PLACE, "boot-next", {"partition": partition})
    why = _ended(api, job, within)
    until = api.clock.now() + (within if why else _POLL)
    while (found := state(api)).next != partition:
        if api.clock.now() >= until:
            raise NvueError(
                f"{api.port.target}: boot-next shows {found.next} and not {partition}{f' ({why})' if why else ''}: "
                "set the partition of the next boot on the switch, and read nv show system image."
            )
        api.clock.sleep(1.0)


def _ended(api: Api, job: str, within: float) -> str:
    """Follow a job whose effect is read afterwards; return why it did not end well, empty where it did."""
    try:
        actions.follow(api, job, within=within)
    except (ApiError, UnfitError, TransportError, UntrustedError):
        raise
    except NvueError as exc:
        return str(exc).rstrip(".")
    return ""


class Boot(NamedTuple):
    """A reboot that was asked for: when, and for how long the switch had run by then, in seconds."""

    since: float
    uptime: int


def reboot(api: Api) -> Boot:
    """Ask for a reboot; NvueError where nothing would show that it was done."""
    uptime = operational.about(api).uptime
    if uptime is None:
        raise NvueError(f"{api.port.target}: it reports no uptime, which shows a boot.")
    boot = Boot(api.clock.now(), uptime)
    actions.start(api, ("system",), "reboot", {"no-confirm": True})
    return boot


def await_boot(api: Api, boot: Boot, within: float, say: Callable[[str], None]) -> None:
    """Wait until a switch answers that has booted since; NvueError where it does not come back.

    While it is away everything is normal: no answer, a foreign certificate, 401 from a login that is not there yet.
    """
    since = said = boot.since
    last, away = "it still runs", False
    while True:
        refused = False
        try:
            uptime = operational.about(api).uptime
            if uptime is None:
                raise NvueError(f"{api.port.target}: it reports no uptime, which shows a boot.")
            fresh = uptime <= api.clock.now() - since + UPTIME_SLACK
            if fresh and (away or uptime < boot.uptime):
                return
            last = f"it runs for {uptime} s"
        except NvueError as exc:
            if not _away(exc):
                raise
            last, away = str(exc).rstrip("."), True
            refused = isinstance(exc, ApiError) and exc.status == 401
        finally:
            api.port.close()
        waited = api.clock.now() - since
        if waited >= within:
            raise NvueError(
                f"{api.port.target}: it is not back {waited:.0f} s after the reboot ({last}): look at its console."
            )
        if api.clock.now() - said >= _TICK:
            said = api.clock.now()
            say(f"{api.port.target} reboots for {waited:.0f} s, at most {within:g} s ({last})")
        api.clock.sleep(_LOGIN if refused else min(_POLL, 0.2 + waited / 10))


def _away(exc: NvueError) -> bool:
    """Check whether an error is that of a switch that boots."""
    if isinstance(exc, ApiError):
        return exc.status == 401 or exc.status >= 500
    return isinstance(exc, TransportError | UntrustedError | UnfitError)
