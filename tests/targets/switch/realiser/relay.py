# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DHCP relays: one dnsmasq for each VRF of `service.dhcp-relay`, in place of the relay of ISC that a switch has.

It relays what comes in by a downstream interface to the servers, in the VRF. The address of the interface is the
gateway address of a request and its source (`source-ip giaddress`). The upstream interface follows from the route.
"""

from __future__ import annotations

import shutil
import subprocess

from .document import Doc, at
from .shell import CommandError

PROGRAM = "dnsmasq"
ALONE = (
    *("--keep-in-foreground", "--conf-file=/dev/null", "--pid-file=", "--user=root"),
    *("--port=0", "--no-resolv", "--no-hosts", "--leasefile-ro"),
)
"""It relays, and does nothing else; the files of the machine are not read."""


def relays(doc: Doc) -> dict[str, list[str]]:
    """The words of each VRF's relay: its own address on a downstream interface, and a server, for each pair of them."""
    found = {}
    for vrf, body in at(doc, "service", "dhcp-relay").items():
        words = []
        for name, row in at(body, "downstream-interface").items():
            group = at(body, "server-group")[row["server-group-name"]]
            own = [text.partition("/")[0] for text in at(doc, "interface", name, "ipv4", "address")]
            words += [f"--dhcp-relay={own[0]},{server}" for server in at(group, "server") if own]
        if words:
            found[vrf] = words
    return found


class Relays:
    """The relays of one switch."""

    def __init__(self) -> None:
        self._running: dict[str, tuple[list[str], subprocess.Popen[bytes]]] = {}

    def leave(self, wanted: dict[str, list[str]]) -> None:
        """End those that are not as wanted, before their VRFs go."""
        for vrf, (words, process) in list(self._running.items()):
            if wanted.get(vrf) != words:
                process.terminate()
                process.wait(10)
                del self._running[vrf]

    def follow(self, wanted: dict[str, list[str]]) -> None:
        """Have a relay in each VRF that wants one, whose addresses are there."""
        if wanted and shutil.which(PROGRAM) is None:
            raise CommandError(
                f"{PROGRAM}, which relays DHCP here, is not installed: run tests/setup/packages.sh lab"
            )
        for vrf in wanted.keys() - self._running.keys():
            command = ["ip", "vrf", "exec", vrf, PROGRAM, *ALONE, *wanted[vrf]]
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            self._running[vrf] = (wanted[vrf], process)
