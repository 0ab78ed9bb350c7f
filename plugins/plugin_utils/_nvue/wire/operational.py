# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a switch says about itself: release, identity, sessions, carriers, neighbours.

The shapes are known here and nowhere else. ``build`` and the LLDP and BGP shapes were seen in
public clients and in show output, ``version.product-release`` (5.14 and later) in a capture of 5.16.0;
where releases differ every known form is read.

The states of a BGP session are those of FRR (bgpd/bgp_debug.c, ``bgp_status_msg``): the six of RFC
4271 and two by which a session is taken down. In brackets FRR adds why, as in ``Idle (Admin)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ....module_utils._json import Doc, Json
from ..document.paths import Path
from ..document.release import Release, parse
from ..document.shapes import MisfitError, Shape, T, below, configuration, mapping, mappings
from ..document.tree import get
from ..errors import ApiError
from .api import Api

OPERATIONAL = {"rev": "operational"}

COUNTERS = ("in-pkts", "out-pkts")

Session = tuple[str, str]

UP = "established"
SESSION_STATES = frozenset(
    {"idle", "connect", "active", "opensent", "openconfirm", UP, "clearing", "deleted"}
)


@dataclass(frozen=True)
class About:
    """Release and host name of a running switch."""

    release: Release
    hostname: str = ""


@dataclass(frozen=True)
class Hardware:
    """Serial number and model of a switch; a simulated one has no model of the catalog."""

    serial: str = ""
    model: str = ""


_MODEL = re.compile(r"SN\d{4}")


def about(api: Api) -> About:
    """Read the release (one GET of ``/system``)."""
    return api.get(("system",), OPERATIONAL, about_of)


def about_of(found: Json) -> About:
    """Read the release and the host name of ``/system``."""
    system = mapping(found)
    for word in _release_words(system):
        if isinstance(word, str) and any(letter.isdigit() for letter in word):
            return About(parse(word), str(system.get("hostname") or ""))
    raise MisfitError("a release of Cumulus Linux")


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


def sessions(api: Api, vrfs: Iterable[str]) -> dict[Session, str]:
    """Read the state of every BGP session of some VRFs (one GET per VRF).

    A session is left out where the switch reports no state that FRR has, and a VRF's sessions where
    it says that it has none.
    """
    found: dict[Session, str] = {}
    for vrf in sorted(vrfs):
        peers = read(api, ("vrf", vrf, "router", "bgp", "neighbor"), mappings) or {}
        for name, body in peers.items():
            if (state := _session_state(body)) in SESSION_STATES:
                found[vrf, name] = state
    return found


def _session_state(neighbor: Doc) -> str:
    return str(neighbor.get("state") or "").partition("(")[0].strip().lower()


def established(found: dict[Session, str]) -> set[Session]:
    """Return the sessions that are up."""
    return {session for session, state in found.items() if state == UP}


def ports_with_carrier(api: Api) -> set[str]:
    """Read which interfaces are operationally up (one GET)."""
    return api.get(("interface",), OPERATIONAL, _carriers)


def _carriers(found: Json) -> set[str]:
    return {name for name, body in mappings(found).items() if _is_up(body)}


def _is_up(interface: Doc) -> bool:
    link = below(interface, "link")
    state = link.get("oper-status") or interface.get("oper-status")
    if isinstance(state, str):
        return state.lower() == "up"
    state = link.get("state")
    return state == "up" or (isinstance(state, dict) and "up" in state)


def packets(api: Api) -> dict[str, tuple[int, ...]]:
    """Read the packets in and out of every port that counts both (one GET)."""
    return api.get(("interface",), OPERATIONAL, packets_of)


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
    return read(api, ("interface", port, "lldp"), neighbours) or []


def neighbours(found: Json) -> list[tuple[str, str]]:
    """Read (system, port) of each LLDP neighbour of a port."""
    return [
        (_name(body, ("chassis", "system-name"), name), _name(body, ("port", "name"), ""))
        for name, body in mappings(below(mapping(found), "neighbor")).items()
    ]


def heard(interfaces: Json) -> dict[str, list[tuple[str, str]]]:
    """LLDP neighbours by port, as (system, port)."""
    return {
        port: neighbours(body["lldp"])
        for port, body in mappings(interfaces).items()
        if "neighbor" in below(body, "lldp")
    }


def _name(body: Doc, path: Path, default: str) -> str:
    return str(get(body, path) or default)


def read(api: Api, path: Path, shape: Shape[T], **params: str) -> T | None:
    """Read operational state; ``None`` where the switch says that it has none there."""
    try:
        return api.get(path, {**OPERATIONAL, **params}, shape)
    except ApiError as exc:
        if exc.absent:
            return None
        raise
