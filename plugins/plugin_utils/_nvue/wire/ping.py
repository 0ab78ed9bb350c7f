# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A ping from a VRF of the switch: ``nv action ping system <destination> vrf <vrf>``.

Sources: ``D512`` and ``D513`` are the user guides of those releases (What's New; Network
Troubleshooting). They publish the command line. Its form over REST follows the pattern of other
actions and is *inferred*: the parameter ``destination``, and where the job keeps what the command
prints. So whatever cannot be read is no answer and no silence, but a reason.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from ....module_utils._json import Doc, Json
from ..._http import strict_json
from ..document.release import Release
from ..errors import NvueError
from . import actions
from .api import Api

SINCE = Release(5, 12)  # D512, What's New: "Ping command"
COUNT = 1  # D513: 1 to 10
WAIT = 1  # seconds; D513: 0.1 to 10. A first draft of D512 called it time, its What's New wait
PLACES = ("status", "detail")  # inferred: where a job keeps the printed object
JOB_SECONDS = 10.0

# D513: "Action failed with the following issue: 3 packets transmitted, 0 received, 100% packet loss"
_FAILED = "ended as action_error: "
_LOST = re.compile(r"\b0 received,.{0,80} 100% packet loss")
# Inferred: a route that is missing is reported in the words of ping(8) of iputils.
_NO_ROUTE = re.compile(r"Network is unreachable|No route to host|Host Unreachable")


@dataclass(frozen=True)
class Echo:
    """Answer of a destination, None where nothing is known; with the reason."""

    answered: bool | None
    reason: str = ""


def unpublished(release: Release) -> str:
    """Reason that a release has no ping over NVUE; empty where it has one."""
    if release >= SINCE:
        return ""
    return (
        f"Cumulus Linux {release} has no ping over NVUE: it came with {SINCE.major}.{SINCE.minor}."
    )


def parameters(vrf: str, destination: str, *, count: int = COUNT) -> Doc:
    """The parameters of the action ``ping`` on ``system``; `count` is a number of packets."""
    made: Doc = {"destination": destination, "count": count, "wait": WAIT, "vrf": vrf}
    six = ipaddress.ip_address(destination).version == 6
    return made | ({"l3protocol": "ipv6"} if six else {})


def ping(api: Api, vrf: str, destination: str) -> Echo:
    """Send one packet from a VRF; never raises for what the switch says, or does not say."""
    try:
        job = actions.start(api, ("system",), "ping", parameters(vrf, destination))
        return _read(actions.follow(api, job, within=JOB_SECONDS), destination)
    except NvueError as exc:
        said = api.clean(str(exc))
        why = said.partition(_FAILED)[2].partition("\n")[0]
        silent = _LOST.search(why) or _NO_ROUTE.search(why)
        return Echo(answered=False) if silent else Echo(None, said)


def _read(job: Doc, destination: str) -> Echo:
    for place in PLACES:
        told = _printed(job.get(place))
        if told is not None and isinstance(told.get("received"), int):
            return _judge(told, destination)
    return Echo(None, f"The answer of the switch to a ping cannot be read: {str(job)[:200]}")


def _judge(told: Doc, destination: str) -> Echo:
    """An answer counts when a packet came from the destination itself."""
    if told["received"] == 0:
        return Echo(answered=False)
    packets = told.get("packets_info")
    rows = packets.values() if isinstance(packets, dict) else ()
    if any(_same(row.get("source"), destination) for row in rows if isinstance(row, dict)):
        return Echo(answered=True)
    return Echo(
        None, f"The switch reports an answer, but not from {destination}: {str(told)[:200]}"
    )


def _same(source: Json, destination: str) -> bool:
    try:
        found = ipaddress.ip_address(str(source).partition("%")[0])
    except ValueError:
        return False
    return found == ipaddress.ip_address(destination)


def _printed(found: Json) -> Doc | None:
    """The object in what the command prints, with or without words around it."""
    if isinstance(found, str) and "{" in found:
        try:
            found = strict_json.parse(found[found.index("{") : found.rindex("}") + 1].encode())
        except ValueError:
            return None
    return found if isinstance(found, dict) else None
