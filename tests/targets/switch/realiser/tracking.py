# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the bonds of Ethernet segments down while a switch has no uplink, so that hosts use its partner.

FRR would do it by holding their ports down (protodown), which virtual Ethernet ports do not know.
"""

from __future__ import annotations

import threading
from pathlib import Path

from .model import Machine
from .shell import ip_batch

PERIOD = 0.5
SYS = Path("/sys/class/net")


class Tracker:
    """Watches the uplinks of one switch in a thread of its own."""

    def __init__(self) -> None:
        self.held = False
        self._uplinks: frozenset[str] = frozenset()
        self._ports: tuple[str, ...] = ()
        self._thread: threading.Thread | None = None

    def follow(self, wanted: Machine) -> None:
        """Watch for this machine from now on; its ports have just been brought up."""
        self._uplinks, self.held = wanted.uplinks, False
        bonds = wanted.layer2.bonds.values()
        self._ports = tuple(port for bond in bonds if bond.tracked for port in bond.members)
        if self._uplinks and self._ports and self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(PERIOD)
            self.look()

    def look(self) -> None:
        """Take the ports down when the last uplink went, and up when one is back."""
        lost = bool(self._uplinks) and not any(map(_carries, self._uplinks))
        if lost != self.held:
            self.held = lost
            state = "down" if lost else "up"
            ip_batch("", [f"link set {port} {state}" for port in self._ports], check=False)


def _carries(port: str) -> bool:
    try:
        return (SYS / port / "carrier").read_text("ascii").strip() == "1"
    except OSError:
        return False  # a port that is down has no carrier to tell of
