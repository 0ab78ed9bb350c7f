# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time since the boot of a host, and the links that train in it."""

from __future__ import annotations

from collections.abc import Sequence

from .._nic.tools import Host

UPTIME = "/proc/uptime"
"""Seconds since the boot, with hundredths, and those of idle processors (proc(5))."""
UP = 1
"""The flag IFF_UP of netdevice(7): somebody wants the link."""


def uptime(host: Host) -> int | None:
    """Return the seconds since the boot, None where they are not known."""
    whole = (host.text(UPTIME) or "").partition(".")[0]
    return int(whole) if whole.isdecimal() else None


def wait_for_links(host: Host, ports: Sequence[str], until: int) -> list[str]:
    """Wait for the links of ports, by PCI address; return those without one `until` seconds after the boot.

    A port that nobody has set up has no link to wait for.
    """
    waiting = list(ports)

    def ready() -> bool:
        waiting[:] = [port for port in waiting if _trains(host, port)]
        return not waiting

    age = uptime(host)
    host.wait(ready, 0 if age is None else max(0, until - age), every=1)
    return waiting


def _trains(host: Host, port: str) -> bool:
    """Check whether a port is set up and has no link yet."""
    folder = f"/sys/bus/pci/devices/{port}/net"
    for name in host.entries(folder):
        flags = int(host.text(f"{folder}/{name}/flags") or "0", 16)
        if flags & UP and host.text(f"{folder}/{name}/operstate") != "up":
            return True
    return False
