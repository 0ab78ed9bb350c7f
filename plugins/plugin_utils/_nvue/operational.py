# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a switch says about itself: release, identity, sessions, carriers, neighbours.

The shapes are known here and nowhere else. ``build`` and the LLDP and BGP shapes were seen in
public clients and in show output; where releases differ every known form is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .api import Api
from .errors import ApiError, NvueError
from .paths import Path
from .release import Release, parse
from .tree import Doc, get

OPERATIONAL = {"rev": "operational"}

Session = tuple[str, str]


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
    found = _get(api, ("system",))
    for key in ("build", "product-release", "version"):
        word = found.get(key)
        word = word.get("image") if isinstance(word, dict) else word
        if isinstance(word, str) and any(letter.isdigit() for letter in word):
            return About(parse(word), str(found.get("hostname") or ""))
    raise NvueError(
        f"{api.port.target}: /system names no release; is this the NVUE API of Cumulus Linux?"
    )


def applied(api: Api) -> Doc:
    """Read the whole applied configuration without defaults (one GET)."""
    return _configuration(api, "applied")


def startup(api: Api) -> Doc:
    """Read the configuration of the next boot without defaults (one GET)."""
    return _configuration(api, "startup")


def _configuration(api: Api, rev: str) -> Doc:
    found = api.get((), {"rev": rev, "filled": "false"})
    if not isinstance(found, dict):
        raise ApiError(f"{api.port.target}: the {rev} configuration is not a mapping.", status=200)
    return found


def hardware(api: Api) -> Hardware:
    """Read serial number and model (one GET); each is empty where the switch tells none."""
    found = _get(api, ("platform",), missing_ok=True)
    inner = found.get("hardware")
    bodies = (found, inner if isinstance(inner, dict) else {})
    serials = [body[key] for body in bodies for key in ("serial-number", "serial") if body.get(key)]
    models = [
        match[0]
        for body in bodies
        for key in ("model", "product-name")
        if (match := _MODEL.search(str(body.get(key, "")).upper()))
    ]
    return Hardware(str(serials[0]).strip() if serials else "", models[0] if models else "")


def sessions(api: Api, vrfs: Iterable[str]) -> dict[Session, str]:
    """Read the state of every BGP session of some VRFs, in lower case (one GET per VRF).

    A state is empty where the answer has none that is known.
    """
    found: dict[Session, str] = {}
    for vrf in sorted(vrfs):
        peers = _get(api, ("vrf", vrf, "router", "bgp", "neighbor"), missing_ok=True)
        for name, body in peers.items():
            found[vrf, name] = str(get(body, ("state",)) or "").lower()
    return found


def established(found: dict[Session, str]) -> set[Session]:
    """Return the sessions that are up."""
    return {session for session, state in found.items() if state == "established"}


def ports_with_carrier(api: Api) -> set[str]:
    """Read which interfaces are operationally up (one GET)."""
    found = _get(api, ("interface",))
    return {name for name, body in found.items() if isinstance(body, dict) and _is_up(body)}


def _is_up(interface: Doc) -> bool:
    link = interface.get("link")
    link = link if isinstance(link, dict) else {}
    state = link.get("oper-status") or interface.get("oper-status")
    if isinstance(state, str):
        return state.lower() == "up"
    state = link.get("state")
    return state == "up" or (isinstance(state, dict) and "up" in state)


def lldp(api: Api, port: str) -> list[tuple[str, str]]:
    """Read the LLDP neighbours of a port as (system, port) (one GET)."""
    found = _get(api, ("interface", port, "lldp"), missing_ok=True)
    neighbors = found.get("neighbor")
    return [
        (_name(body, ("chassis", "system-name"), name), _name(body, ("port", "name"), ""))
        for name, body in (neighbors if isinstance(neighbors, dict) else {}).items()
        if isinstance(body, dict)
    ]


def _name(body: Doc, path: Path, default: str) -> str:
    return str(get(body, path) or default)


def _get(api: Api, path: Path, *, missing_ok: bool = False) -> Doc:
    try:
        found = api.get(path, OPERATIONAL)
    except ApiError as exc:
        if missing_ok and exc.status == 404:
            return {}
        raise
    return found if isinstance(found, dict) else {}
