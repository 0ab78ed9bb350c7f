# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""FRR and lldpd: feeding them what differs, and asking them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

from . import delta, vty
from .policy import Contexts
from .shell import CommandError, inside, run

LLDPD_RUN = Path("/run/lldpd")


class Frr:
    """The routing daemons, by vtysh."""

    def __init__(self) -> None:
        self.current: Contexts = {("",): []}
        self._unsure = False

    def apply(self, wanted: Contexts) -> int:
        """Bring FRR to `wanted`; returns the number of lines sent. CommandError with its words."""
        leaving, lines = delta.stages(self.current, wanted)
        vnis = [line.split()[-1] for line in leaving if line.startswith("no vni ")]
        self.current = wanted
        self._send(leaving)
        for vni in vnis:
            self._await_gone(vni)
        self._send(lines)
        self._unsure = False
        return len(leaving) + len(lines)

    def _await_gone(self, vni: str, seconds: float = 5.0) -> None:
        """Wait until bgpd has let go of an L3VNI; while its device is there, zebra makes an L2VNI of it."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            known = self.ask("show bgp l2vpn evpn vni json")
            found = known.get(vni) if isinstance(known, dict) else None
            if not isinstance(found, dict) or found.get("type") == "L2":
                return
            time.sleep(0.02)

    def _send(self, lines: list[str]) -> None:
        """Have each daemon configured with what is its own; CommandError with its words about a line it refuses."""
        refused = [
            text for daemon, own in vty.shared(lines) for text in vty.configured(daemon, own)
        ]
        if refused and not self._unsure:
            self._unsure = True
            raise CommandError(f"FRR reload failed: {'; '.join(refused[:4])}")

    def await_vrf(self, name: str, seconds: float = 5.0) -> bool:
        """Wait until zebra has taken up a VRF; what is made there earlier may escape it."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with contextlib.suppress(CommandError):
                for line in run(["vtysh", "-c", "show vrf"]).splitlines():
                    if line.split()[:2] == ["vrf", name] and "inactive" not in line:
                        return True
            time.sleep(0.02)
        return False

    def vnis_down(self) -> dict[str, int]:
        """L3VNIs that zebra does not have up: VRF to VNI."""
        reply = self.ask("show vrf vni json") or {}
        return {
            item["vrf"]: int(item["vni"])
            for item in reply.get("vrfs", [])
            if str(item.get("state", "")).lower() != "up"
        }

    def ask(self, command: str) -> Any:
        """The JSON answer to a show command; None when there is none."""
        try:
            text = vty.shown(command)
            return json.loads(text) if text.strip() else None
        except (OSError, ValueError):
            return None


class Lldp:
    """One lldpd per namespace that holds ports; the device's own is started by start.sh."""

    def __init__(self, description: str) -> None:
        self.description = description
        self.settings: dict[str, Any] = {}
        self.hostname = ""
        self._told: dict[str, tuple[Any, ...]] = {}

    def follow(self, spaces: list[str], hostname: str, settings: dict[str, Any]) -> None:
        """Have a daemon in each namespace, told of name and timers."""
        for space in spaces:
            if space and not self._socket(space).exists():
                self._start(space)
        self.hostname, self.settings = hostname, settings
        wanted = (
            hostname,
            settings.get("tx-interval", 30),
            settings.get("tx-hold-multiplier", 4),
            settings.get("state", "enabled"),
        )
        for space in ["", *spaces]:
            if self._told.get(space) != wanted and self._tell(space, *wanted):
                self._told[space] = wanted

    def leave(self, space: str) -> None:
        """End the daemon of a namespace that is about to go."""
        self._told.pop(space, None)
        pid_file = self._socket(space).with_suffix(".pid")
        with contextlib.suppress(OSError, ValueError):
            os.kill(int(pid_file.read_text("ascii")), signal.SIGTERM)
        for path in (pid_file, self._socket(space)):
            path.unlink(missing_ok=True)

    def _socket(self, space: str) -> Path:
        return Path("/run/lldpd.socket") if not space else LLDPD_RUN / f"{space}.socket"

    def _start(self, space: str) -> None:
        LLDPD_RUN.mkdir(parents=True, exist_ok=True)
        socket = self._socket(space)
        command = ["lldpd", "-u", str(socket), "-p", str(socket.with_suffix(".pid"))]
        with contextlib.suppress(CommandError, FileNotFoundError):
            run(inside(space, [*command, "-I", "swp*", "-S", self.description]))

    def _tell(self, space: str, hostname: str, interval: Any, hold: Any, state: str) -> bool:
        if not self._socket(space).exists():
            return False
        orders = [
            f"configure system hostname {hostname}",
            "configure lldp portidsubtype ifname",
            f"configure lldp tx-interval {interval}",
            f"configure lldp tx-hold {hold}",
            "resume" if state == "enabled" else "pause",
        ]
        try:
            for order in orders:
                run(["lldpcli", "-u", str(self._socket(space)), *order.split()])
        except (CommandError, FileNotFoundError):
            return False
        return True

    def neighbours(self, spaces: list[str]) -> list[Any]:
        """Return the neighbours of each daemon, as lldpcli's JSON (form json0)."""
        found = []
        for space in ["", *spaces]:
            with contextlib.suppress(CommandError, FileNotFoundError, ValueError):
                command = ["lldpcli", "-u", str(self._socket(space)), "-f", "json0"]
                found.append(json.loads(run([*command, "show", "neighbors", "details"])))
        return found
