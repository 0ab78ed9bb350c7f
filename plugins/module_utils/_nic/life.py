# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which life of a card this is: a boot, a reset or a reload of the driver begins another one.

The kernel numbers network devices and uses no number twice before the next boot. With its device
every connection of a port has gone, and so has what was written to the card until the next reset.
The note of a life outlives a boot, so that a card without one is never taken for new.
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
    """The life of one port."""
    return f"{boot_id(host)} {host.text('/sys/class/net/{netdev}/ifindex'.format(**port)) or ''}"


def reborn(host: Host) -> set[str]:
    """The cards, as `card_of` names them, all of whose ports live another life than was noted."""
    found = set()
    for card, ports in _lives(host).items():
        noted = load(host, _note(card), KEPT).get("ports")
        if noted and not set(noted) & set(ports):
            found.add(card)
    return found


def note_lives(host: Host, only: set[str] | None = None) -> None:
    """Note the lives of the cards; one that cannot be noted is taken for an old one."""
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
