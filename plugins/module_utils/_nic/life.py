# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the kernel created a card's network devices again: at a boot, a reset, a reload of the driver.

The kernel numbers network devices and uses no number twice before the next boot. A port with a new
device has lost every connection, and its card what was written to it until the next reset.
The note of the devices outlives a boot, so that a card without a note never counts as new.
"""

from __future__ import annotations

from contextlib import suppress

from .discover import card_of, discover
from .errors import NicError
from .records import PortRecord
from .state import boot_id, load, save
from .tools import Host

KEPT = "/var/lib/spectrum-x"


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


def _lives(host: Host) -> dict[str, list[str]]:
    return {
        card_of(card["pci"]): [life(host, port) for port in card["ports"] if port["netdev"]]
        for card in discover(host)
    }


def _note(card: str) -> str:
    return f"life-{card}"
