# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`nv action ping system <destination>` as an action of the API.

Published (user guides of 5.12 and 5.13, Network Troubleshooting): the command, its options and their
ranges, the object that it prints, and for a ping without an answer "Action failed with the following
issue: 3 packets transmitted, 0 received, 100% packet loss, time 2056ms". Inferred: that the body
names the destination `destination` and the options as the command does; that the object stands as
text in the job's `status`; that a route which is missing is reported in the words of ping(8).
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from typing import TYPE_CHECKING, Any

from . import tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .switch import Switch

SINCE = "5.12"
RANGES = {"count": (1, 10), "interval": (0.1, 5), "size": (1, 9216), "wait": (0.1, 10)}
WORDS = ("destination", "vrf", "source", "source-interface", "l3protocol", "do-not-fragment")
COUNT = 3
NANOSECONDS = 1_000_000
"""Of a millisecond: the times of the published object are whole numbers of this size."""
NO_ROUTE = "ping: connect: Network is unreachable"


def check(parameters: Mapping[str, Any]) -> None:
    """Raise ValueError for parameters that the command does not take."""
    if not parameters.get("destination"):
        raise ValueError("ping: destination is required")
    for name, value in parameters.items():
        if name in RANGES:
            least, most = RANGES[name]
            if not isinstance(value, int | float) or not least <= value <= most:
                raise ValueError(f"ping: {name} {value!r} is not between {least} and {most}")
        elif name not in WORDS:
            raise ValueError(f"ping: unknown parameter {name!r}")


async def outcome(switch: Switch, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outcome of the job."""
    vrf, count = str(parameters.get("vrf", "default")), int(parameters.get("count", COUNT))
    if vrf not in ("default", "mgmt") and tree.get(switch.running, ["vrf", vrf]) is tree.MISSING:
        return _failed(f"VRF {vrf} does not exist")
    options = {**parameters, "count": count}
    if switch.realiser is not None:
        loop = asyncio.get_running_loop()
        times, words = await loop.run_in_executor(None, switch.realiser.ping, vrf, options)
    else:
        times, words = simulated(switch.running, vrf, options)
        times = times if switch.options.link_state == "up" else []
    if not times:
        lost = f"{count} packets transmitted, 0 received, 100% packet loss, time 2056ms"
        return _failed(words or lost)
    text = json.dumps(answer(str(parameters["destination"]), count, times), indent=4)
    return {"state": "action_success", "status": text}


def answer(source: str, sent: int, times: list[float]) -> dict[str, Any]:
    """The published object; `times` in milliseconds."""
    whole = [round(time * NANOSECONDS) for time in times]
    return {
        "sent": sent,
        "received": len(whole),
        "min_time": min(whole),
        "avg_time": sum(whole) // len(whole),
        "max_time": max(whole),
        "packets_info": {
            str(number): {"bytes": 64, "source": source, "ttl": 64, "time": time}
            for number, time in enumerate(whole, 1)
        },
    }


def _failed(words: str) -> dict[str, Any]:
    return {"state": "action_error", "issue": [{"message": words}], "http_status": 400}


def simulated(
    document: Mapping[str, Any], vrf: str, options: Mapping[str, Any]
) -> tuple[list[float], str]:
    """As `Realiser.ping`, without a machine: an address answers that lies on a link of the VRF."""
    there = ipaddress.ip_address(str(options["destination"]))
    found = any(there in network for network in _networks(document, vrf))
    return ([0.6] * int(options["count"]), "") if found else ([], NO_ROUTE)


def _networks(document: Mapping[str, Any], vrf: str) -> Iterator[Any]:
    for body in document.get("interface", {}).values():
        if (body.get("vrf") or "default") == vrf:
            for family in ("ipv4", "ipv6"):
                for address in (body.get(family) or {}).get("address") or {}:
                    yield ipaddress.ip_interface(address).network
