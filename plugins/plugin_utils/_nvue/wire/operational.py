# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operational state of a switch: release, identity, carriers, counters, neighbours.

The shapes are known here, in ``sessions``, and nowhere else. ``build`` and the LLDP shape were seen in
public clients and in show output, ``version.product-release`` (5.14 and later) in a capture of 5.16.0;
where releases differ every known form is read.

All interfaces are never read whole: such answers have crashed switches with many of them. NVIDIA's client
(nv-config-manager, ``CumulusConnection.get_interfaces``) repeats ``include=/*/link/oper-status`` for each
place that it needs, and asks for state, LLDP and counters apart. So does this one: a part is what one
reader needs, since a question for each interface would be some 300. ``*`` is any key of a mapping
(``include`` of ``--view``, guide of 5.12 and later, NVUE CLI).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ....module_utils._json import Doc, Json
from ..document.paths import Globs, Path
from ..document.release import Release, parse
from ..document.shapes import MisfitError, Shape, T, below, configuration, mapping, mappings
from ..document.tree import get, select
from ..errors import ApiError
from .api import Api
from .port import Values

OPERATIONAL = {"rev": "operational"}

Include = tuple[str, ...]
"""Places below all interfaces, as ``include`` names them."""

STATE: Include = ("/*/link/oper-status", "/*/link/state")
COUNTERS = ("in-pkts", "out-pkts")
PACKETS: Include = tuple(f"/*/link/stats/{name}" for name in COUNTERS)
NEIGHBOURS: Include = ("/*/lldp/neighbor",)
RESOLVED: Include = ("/*/neighbor",)
"""Addresses of layer 2 by ARP and neighbour discovery, as `interface/<port>/neighbor` has them."""


@dataclass(frozen=True)
class SwitchVersion:
    """Release and host name of a running switch."""

    release: Release
    hostname: str = ""
    uptime: int | None = None
    """Seconds since the boot; None where they are not reported."""


@dataclass(frozen=True)
class Hardware:
    """Serial number and model of a switch; a simulated one has no model of the catalog."""

    serial: str = ""
    model: str = ""


class Neighbour(NamedTuple):
    """Neighbour that LLDP hears at a port: names of system and port, and the descriptions of both."""

    system: str
    port: str
    about: str = ""
    description: str = ""


_MODEL = re.compile(r"SN\d{4}")
_UPTIME = re.compile(r"(?:(\d{1,5}) days?, )?(?:(\d{1,2}):(\d{2}):)?(\d{1,9})(?:\.\d{1,9})?")


def about(api: Api) -> SwitchVersion:
    """Read the release (one GET of ``/system``)."""
    return api.get(("system",), OPERATIONAL, about_of)


def about_of(found: Json) -> SwitchVersion:
    """Read the release and the host name of ``/system``."""
    system = mapping(found)
    for word in _release_words(system):
        if isinstance(word, str) and any(letter.isdigit() for letter in word):
            uptime = _seconds(system.get("uptime"))
            return SwitchVersion(parse(word), str(system.get("hostname") or ""), uptime)
    raise MisfitError("a release of Cumulus Linux")


def _seconds(found: Json) -> int | None:
    """Read an uptime: `1 day, 2:03:04` of captures, or a number."""
    match = _UPTIME.fullmatch(str(found))
    if not match:
        return None
    days, hours, minutes, seconds = (int(number or 0) for number in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _release_words(system: Doc) -> Iterator[Json]:
    """Yield the places of the release: `version.product-release` from 5.14 on, `build` or others before."""
    version = system.get("version")
    if isinstance(version, dict):
        yield version.get("product-release")
    yield system.get("product-release")
    yield system.get("build")
    yield version.get("image") if isinstance(version, dict) else version


def applied(api: Api) -> Doc:
    """Read the whole applied configuration without defaults (one GET)."""
    return _configuration(api, "applied")


def startup(api: Api) -> Doc:
    """Read the configuration of the next boot without defaults (one GET)."""
    return _configuration(api, "startup")


def _configuration(api: Api, rev: str) -> Doc:
    return api.get((), {"rev": rev, "filled": "false"}, configuration)


def hardware(api: Api) -> Hardware:
    """Read serial number and model (one GET); each is empty where the switch reports none."""
    return read(api, ("platform",), hardware_of) or Hardware()


def hardware_of(found: Json) -> Hardware:
    """Read serial number and model of ``/platform``."""
    body = mapping(found)
    bodies = (body, below(body, "hardware"))
    serials = [body[key] for body in bodies for key in ("serial-number", "serial") if body.get(key)]
    models = [
        match[0]
        for body in bodies
        for key in ("model", "product-name")
        if (match := _MODEL.search(str(body.get(key, "")).upper()))
    ]
    return Hardware(str(serials[0]).strip() if serials else "", models[0] if models else "")


def interfaces(api: Api, include: Include) -> dict[str, Doc]:
    """Read some places of every interface (one GET); what an answer has beside them is left out.

    An interface without any of them is not there: nothing is known of it. So is each where the switch refuses
    the question.
    """
    return _part(api, include, mappings) or {}


def _part(api: Api, include: Include, shape: Shape[T]) -> T | None:
    def asked(found: Json) -> T:
        mappings(found)
        return shape(select(mapping(found), Globs(include)))

    return read(api, ("interface",), asked, include=include)


def carriers(api: Api) -> dict[str, bool]:
    """Read which interfaces are up (one GET); one whose state is not known is left out."""
    states = {port: state_of(body) for port, body in interfaces(api, STATE).items()}
    return {port: state == "up" for port, state in states.items() if state}


def state_of(interface: Doc) -> str:
    """Return the state of an interface, a word or the key of a choice; empty where it is not known."""
    link = below(interface, "link")
    state = link.get("oper-status") or link.get("state") or ""
    word = str(next(iter(state), "") if isinstance(state, dict) else state).lower()
    return "" if word == "unknown" else word


def packets(api: Api) -> dict[str, tuple[int, ...]]:
    """Read the packets in and out of every port that counts both (one GET)."""
    return _part(api, PACKETS, packets_of) or {}


def packets_of(found: Json) -> dict[str, tuple[int, ...]]:
    """Read the packets in and out of each port that counts both."""
    made: dict[str, tuple[int, ...]] = {}
    for port, body in mappings(found).items():
        stats = below(body, "link", "stats")
        counts = [stats[name] for name in COUNTERS if name in stats]
        if not all(str(count).isdecimal() for count in counts):
            raise MisfitError(f"numbers of packets at {port}")
        if len(counts) == len(COUNTERS):
            made[port] = tuple(int(str(count)) for count in counts)
    return made


def lldp(api: Api, port: str) -> list[tuple[str, str]]:
    """Read the LLDP neighbours of a port as (system, port) (one GET)."""
    return [one[:2] for one in read(api, ("interface", port, "lldp"), neighbours) or []]


def neighbours(found: Json) -> list[Neighbour]:
    """Read each LLDP neighbour of a port."""
    return [
        Neighbour(
            _name(body, ("chassis", "system-name"), name),
            _name(body, ("port", "name"), ""),
            _name(body, ("chassis", "system-description"), ""),
            _name(body, ("port", "description"), ""),
        )
        for name, body in mappings(below(mapping(found), "neighbor")).items()
    ]


def neighbours_by_port(api: Api) -> dict[str, list[Neighbour]]:
    """Read the LLDP neighbours of all ports (one GET)."""
    return _part(api, NEIGHBOURS, heard) or {}


def heard(interfaces: Json) -> dict[str, list[Neighbour]]:
    """LLDP neighbours by port."""
    return {
        port: neighbours(body["lldp"])
        for port, body in mappings(interfaces).items()
        if "neighbor" in below(body, "lldp")
    }


def _name(body: Doc, path: Path, default: str) -> str:
    """The text of a name without what some agents end it with: a NUL, or blanks."""
    return str(get(body, path) or default).strip("\0 \t\r\n") or default


def read(api: Api, path: Path, shape: Shape[T], **params: Values) -> T | None:
    """Read operational state; ``None`` where the switch says that it has none there."""
    try:
        return api.get(path, {**OPERATIONAL, **params}, shape)
    except ApiError as exc:
        if exc.absent:
            return None
        raise
