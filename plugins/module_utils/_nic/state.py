# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small notes kept below /run/spectrum-x: they vanish with a reboot, as the settings do.

The notes of network devices outlive a boot: did the kernel create those of a card again, at a boot, a
reset, a reload of the driver? It numbers network devices and uses no number twice before the next boot. A
port with a new device has lost every connection, and its card what was written to it until the next reset.
A card without a note never counts as new. The unit of a card, which may toggle the links of new devices, notes
them; the watchdog, which may not, notes them at its second look only, when the unit has had its turn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from .. import _files, _json
from .discover import card_of, discover
from .errors import NicError
from .records import PortRecord
from .tools import Host

FOLDER = "/run/spectrum-x"
KEPT = "/var/lib/spectrum-x"
SEEN = "new-devices"


def load(host: Host, name: str, folder: str = FOLDER) -> dict[str, Any]:
    """The note `name`, {} where there is none or it is damaged."""
    try:
        data = _json.parse(host.text(f"{folder}/{name}.json") or "{}")
    except (ValueError, NicError):
        return {}
    return data if isinstance(data, dict) else {}


def save(host: Host, name: str, data: Mapping[str, object], folder: str = FOLDER) -> None:
    """Replace the note at once; nothing happens in check mode."""
    if host.check_mode:
        return
    text = json.dumps(data, sort_keys=True) + "\n"
    try:
        _files.put(host.path(f"{folder}/{name}.json"), text.encode(), 0o644)
    except OSError as exc:
        raise NicError(f"{folder}/{name}.json: it cannot be written: {exc.strerror}.") from exc


def boot_id(host: Host) -> str:
    """The kernel's name for this boot."""
    return host.text("/proc/sys/kernel/random/boot_id") or ""


# The network devices of the cards


def life(host: Host, port: PortRecord) -> str:
    """The boot and the number of a port's network device."""
    return f"{boot_id(host)} {host.text('/sys/class/net/{netdev}/ifindex'.format(**port)) or ''}"


def renewed(host: Host) -> set[str]:
    """The cards, as `card_of` names them, whose ports all have other devices than were noted."""
    found = set()
    for card, ports in _lives(host).items():
        noted = load(host, _note(card), KEPT).get("ports")
        if noted and not set(noted) & set(ports):
            found.add(card)
    return found


def note_lives(host: Host, only: set[str] | None = None) -> None:
    """Note the devices of the cards; a card that cannot be noted does not count as new."""
    for card, ports in _lives(host).items():
        if only is None or card in only:
            with suppress(NicError):
                save(host, _note(card), {"ports": ports}, KEPT)


def note_seen(host: Host) -> None:
    """Note the devices of the cards for the watchdog: those of a new card when it has seen the same ones before.

    Where that cannot be remembered, they are noted at once: the gap then waits, and no job loses its link.
    """
    lives, before = _lives(host), load(host, SEEN)
    new = {card: lives[card] for card in renewed(host) if card in lives}
    try:
        save(host, SEEN, new)
    except NicError:
        new = {}
    note_lives(host, {card for card in lives if card not in new or before.get(card) == new[card]})


def _lives(host: Host) -> dict[str, list[str]]:
    return {
        card_of(card["pci"]): [life(host, port) for port in card["ports"] if port["netdev"]]
        for card in discover(host)
    }


def _note(card: str) -> str:
    return f"life-{card}"
