# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The realiser: a document in, the machine as it says; and what the machine really does."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from typing import Any

from . import acl, bgp, coverage, echo, filters, kernel, observe, relay
from .daemons import Frr, Lldp
from .document import Refused, at
from .links import Fabricator
from .mend import Mender
from .model import Machine, machine
from .policy import Contexts
from .shell import CommandError
from .tracking import Tracker

SETTLE_SECONDS = 3.0
RELAY = "service.dhcp-relay."


class Realiser:
    """Realises documents on the machine (container or namespace) this process runs in.

    `backend` is "kernel" (vrf devices), "netns" (a namespace per VRF), or "auto": kernel where
    the kernel has the vrf device. `failure` is the exception raised when a document cannot be
    realised. `set_hostname` lets the document name the machine, which needs a UTS namespace of
    its own.
    """

    def __init__(
        self,
        backend: str,
        failure: type[Exception],
        *,
        mac: str = "44:38:39:00:00:01",
        description: str = "Cumulus Linux",
        set_hostname: bool = False,
    ) -> None:
        if backend == "auto":
            backend = "kernel" if kernel.has_vrf_device() else "netns"
        self.backend = backend
        self.failure = failure
        self.set_hostname = set_hostname
        self.frr = Frr()
        self.lldp = Lldp(description)
        self.fabricator = Fabricator(backend, mac, self.frr.await_vrf)
        self.acls: dict[str, acl.Filters] = {}
        self.wanted: Machine | None = None
        self.not_realised: list[str] = []
        self.sent = 0
        self.revived: list[str] = []
        self.mender = Mender(backend)
        self.tracker = Tracker()
        self.relays = relay.Relays()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    async def apply(self, document: dict[str, Any]) -> None:
        """Make the machine as the document says, or raise `failure` with the reason."""
        try:
            await asyncio.get_running_loop().run_in_executor(None, self.realise, document)
        except (Refused, CommandError) as error:
            raise self.failure(str(error)) from error

    def realise(self, document: dict[str, Any]) -> None:
        """The same, without a loop; raises Refused or CommandError."""
        with self._lock:
            self._realise(document)

    def _realise(self, document: dict[str, Any]) -> None:
        refused, self.not_realised = coverage.sort(document)
        if refused:
            raise Refused(f"not understood by this realiser: {', '.join(refused[:8])}")
        if self.backend == "netns" and (taking := bgp.leaks(document)):
            raise Refused(f"{taking[0]} takes routes of another VRF: that needs VRF devices")
        wanted = machine(document)
        if self.backend == "netns" and (lacking := wanted.layer2.needs):
            raise Refused(f"{lacking[0]} need a kernel with VRF devices and VLANs")
        contexts, filtered = bgp.contexts(document), acl.filters(document, self.backend)
        port = at(document, "nve", "vxlan").get("port")
        if isinstance(port, int):
            self.not_realised.append("nve.vxlan.port")
        if self.set_hostname and socket.gethostname() != wanted.hostname:
            socket.sethostname(wanted.hostname)
        now = self.fabricator.prepare(wanted)
        self._filter(filtered)
        self.fabricator.add(now, wanted)
        self.sent = self.frr.apply(contexts)
        relays = relay.relays(document) if self.backend == "kernel" else {}
        if relays:
            stored = (path for path in self.not_realised if not path.startswith(RELAY))
            self.not_realised = list(stored)
        self.relays.leave(relays)
        spaces = sorted(wanted.vrfs) if self.backend == "netns" else []
        for gone in sorted(self.fabricator.vrfs() - set(wanted.vrfs)):
            self.lldp.leave(gone)
            self.acls.pop(gone, None)
        self.fabricator.remove(wanted)
        self.relays.follow(relays)
        self.lldp.follow(spaces, wanted.hostname, wanted.lldp)
        self.wanted = wanted
        self.tracker.follow(wanted)
        self.mender.follow(_instances(contexts, wanted))
        if wanted.vtep and any(vrf.vni for vrf in wanted.vrfs.values()):
            self._watch(wanted)

    def _revive(self, armed_for: Machine) -> None:
        """Show L3VNIs to zebra once more that it does not have up after a while.

        A bridge's carrier is announced up to a second late, so this waits first; it is not part
        of the apply, as a switch's apply does not wait for routing either.
        """
        with self._lock:
            if self.wanted is not armed_for:
                return
            due = {name for name, vrf in armed_for.vrfs.items() if vrf.vni}
            for name, vni in self.frr.vnis_down().items():
                if name in due:
                    self.revived.append(name)
                    self.fabricator.nudge(name, vni)

    def _watch(self, wanted: Machine) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(SETTLE_SECONDS, self._revive, [wanted])
        self._timer.daemon = True
        self._timer.start()

    def _filter(self, filtered: dict[str, acl.Filters]) -> None:
        """Have the filters in place while ports that move are down: after they left, and before they arrive."""
        for vrf, wanted in filtered.items():
            if self.acls.get(vrf) != wanted and (wanted.rules or vrf in self.acls):
                filters.load(wanted, vrf)
            self.acls[vrf] = wanted

    def operational(self, path: list[str]) -> Any:
        """Return the real state at `path`; observe.MISSING where nothing is known."""
        return observe.answer(self, path)

    def ping(self, vrf: str, options: dict[str, Any]) -> tuple[list[float], str]:
        """Milliseconds of each answer to a real ping from a VRF, and its words when it fails."""
        return echo.ping(self.backend, vrf, options)

    def report(self) -> dict[str, Any]:
        """The backend, what is not realised, and ports the document names but nobody plugged."""
        return {
            "backend": self.backend,
            "not_realised": sorted(self.not_realised),
            "absent_ports": sorted(self.fabricator.absent),
            "frr_lines": self.sent,
            "revived": list(self.revived),
            "mended": list(self.mender.mended),
            "pid": os.getpid(),
        }


def _instances(contexts: Contexts, wanted: Machine) -> dict[str, tuple[str, int]]:
    """The tenant VRFs with an L3VNI: name -> (line of its BGP instance, VNI)."""
    lines = {key[0].partition(" vrf ")[2]: key[0] for key in contexts if " vrf " in key[0]}
    return {
        name: (lines[name], vrf.vni)
        for name, vrf in wanted.vrfs.items()
        if vrf.vni and wanted.vtep and lines.get(name, "").startswith("router bgp ")
    }
