# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives zebra back what FRR 8.4 forgets.

When the best path of a type-5 route moves to another spine while the VTEP stays the same, zebra
8.4.4 drops the VTEP's router MAC and does not install it again: the route stands, its next hop
resolves to nothing. Announcing the VRF's routes anew (a change of BGP's distance and back, which
loses no packet) restores it. A switch's own FRR is not known to need this; each time is counted in
the report as ``mended``, so that no proof hides it.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping
from typing import Any

from .shell import CommandError, run

PERIOD = 0.5
"""Seconds between two looks; a next hop must be missing in two of them in a row."""


class Mender:
    """Watches the tenant VRFs of one switch in a thread of its own."""

    def __init__(self) -> None:
        self.mended: list[str] = []
        self._instances: Mapping[str, tuple[str, int]] = {}
        self._missing: dict[str, set[str]] = {}
        self._thread: threading.Thread | None = None

    def follow(self, instances: Mapping[str, tuple[str, int]]) -> None:
        """Watch these VRFs from now on: name -> (line of its BGP instance, VNI)."""
        self._instances = dict(instances)
        if self._instances and self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(PERIOD)
            for name, (instance, vni) in dict(self._instances).items():
                try:
                    self._look(name, instance, vni)
                except (CommandError, subprocess.TimeoutExpired, ValueError):
                    continue  # the VRF is going or coming; the next look tells

    def _look(self, name: str, instance: str, vni: int) -> None:
        bridge = f"br{vni}"
        routes = _rows("ip", "-n", name, "-j", "route", "show", "proto", "bgp", "dev", bridge)
        known = _rows("ip", "-n", name, "-j", "neigh", "show", "dev", bridge, "nud", "noarp")
        missing = {row["gateway"] for row in routes if "gateway" in row} - {
            row["dst"] for row in known
        }
        if missing & self._missing.get(name, set()):
            self.mended.append(f"{name}: {', '.join(sorted(missing))}")
            lead = ["-c", "configure terminal", "-c", instance, "-c", "address-family ipv4 unicast"]
            run(["vtysh", *lead, "-c", "distance bgp 21 200 200", "-c", "no distance bgp"])
            missing = set()
        self._missing[name] = missing


def _rows(*command: str) -> list[dict[str, Any]]:
    found = json.loads(run(command) or "[]")
    return [row for row in found if row]
