# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Is this the switch that is meant? Asked before the first write, and of a new switch also where nothing differs.

The serial number decides where one is expected; else the applied host name; else the places that
LLDP shows. A switch from the factory has no name of its own.

LLDP counts at ports towards other switches alone. A host says what its root likes: it must neither prove a switch nor
keep it from being written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..errors import RefusedError
from ..wire import operational
from ..wire.api import Api

# Names that a switch has before anybody gave it one.
FACTORY_NAMES = frozenset({"", "cumulus", "localhost"})


class Place(NamedTuple):
    """The far end of a cable."""

    system: str
    port: str

    def is_at(self, name: str, port: str) -> bool:
        """Check whether a neighbour is this place, by the device's name with or without a domain."""
        return port == self.port and f"{name}.".lower().startswith(f"{self.system}.".lower())


@dataclass(frozen=True)
class Identity:
    """Identity of the device: any of serial, host name, and the place at the other end of some ports.

    ``factory`` allows a switch that has no name yet and shows no neighbour that has one. ``model``
    recognises nobody; a switch that says to be of another model is refused. ``sure`` asks also where nothing differs.
    """

    serial: str = ""
    hostname: str = ""
    lldp: Mapping[str, Place] = field(default_factory=dict)
    factory: bool = False
    model: str = ""
    sure: bool = False


def check(api: Api, expected: Identity, hostname: str, *, device: str) -> str:
    """Return by what the device was recognised; refuse one that is another."""
    asked = expected.serial or expected.model
    told = operational.hardware(api) if asked else operational.Hardware()
    # A switch says SN3700 or SN6600, whatever the letters behind it.
    if expected.model and not expected.model.startswith(told.model):
        raise RefusedError(
            f"{device}: the switch at {api.port.target} is a {told.model}, expected "
            f"{expected.model}: put the planned model there, or correct the model in the "
            "description; nothing was written."
        )
    if expected.serial:
        found = told.serial
        if found.lower() == expected.serial.lower():
            return f"serial {found}"
        if found:
            raise _another(api, device, f"serial {expected.serial}", f"serial {found}")
    if expected.hostname and hostname.lower() not in FACTORY_NAMES:
        if hostname == expected.hostname:
            return f"host name {hostname}"
        raise _another(api, device, f"host name {expected.hostname}", f"host name {hostname}")
    if expected.lldp:
        seen = _places(api, expected, device)
        if seen:
            return f"LLDP neighbours of {', '.join(seen)}"
    return _unknown(api, expected, device)


def _places(api: Api, expected: Identity, device: str) -> list[str]:
    """Ports at which the planned neighbour alone is heard; where it is one of several, the port shows nothing."""
    seen = []
    for port, place in sorted(expected.lldp.items()):
        heard = operational.lldp(api, port)
        planned = [place.is_at(*neighbor) for neighbor in heard]
        others = [found for found in heard if found[0].lower() not in FACTORY_NAMES]
        if heard and all(planned):
            seen.append(port)
        elif others and not any(planned):
            wanted = f"{place.system} {place.port} at {port}"
            raise _another(api, device, wanted, f"{', '.join(map(' '.join, others))} there")
    return seen


def _unknown(api: Api, expected: Identity, device: str) -> str:
    asked = expected.serial or expected.hostname or expected.lldp
    if not asked or expected.factory:
        return ""
    raise RefusedError(
        f"{device}: nothing shows that the switch at {api.port.target} is {device} (no serial, a "
        "factory host name, no port at which the planned switch alone is heard by LLDP); set its host name, or for its "
        "first configuration expected.factory (playbooks take it as -e spx_factory=true)."
    )


def _another(api: Api, device: str, expected: str, found: str) -> RefusedError:
    return RefusedError(
        f"{device}: the switch at {api.port.target} is another one: expected {expected}, found "
        f"{found}; nothing was written."
    )
