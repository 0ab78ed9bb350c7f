# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Network namespaces of a lab: the management network and the room where the cables meet.

Neither has a route outside. In the first a bridge joins one ``eth0`` of every device; in the
second every cable is a bridge of two ports, whose other halves are the devices' ports.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
from collections.abc import Iterable, Mapping

from lab.errors import LabError
from lab.shell import run
from lab.state import BRIDGE_ADDRESS, Lab

BRIDGE = "mgmt0"
NETNS = pathlib.Path("/run/netns")


def exists(namespace: str) -> bool:
    """Return whether a named network namespace is there."""
    return (NETNS / namespace).exists()


def batch(namespace: str, lines: Iterable[str], *, force: bool = False) -> None:
    """Run ip(8) lines in a namespace in one process; with `force` go on after a failure."""
    text = "\n".join(lines)
    if text:
        argv = ["ip", "-n", namespace, *(["-force"] if force else []), "-batch", "-"]
        run(argv, text=text + "\n", check=not force)


def batch_of(pid: int, lines: Iterable[str]) -> None:
    """Run ip(8) lines in the network namespace of a process."""
    run(["nsenter", "-t", str(pid), "-n", "ip", "-batch", "-"], text="\n".join(lines) + "\n")


def inside(namespace: str, argv: list[str]) -> list[str]:
    """Return the command that runs `argv` in a named network namespace."""
    return ["ip", "netns", "exec", namespace, *argv]


def make(lab: Lab) -> None:
    """Make both namespaces and the management bridge."""
    for namespace in (lab.management, lab.panel):
        if exists(namespace):
            raise LabError(
                f"network namespace {namespace} exists already; run `lab down {lab.name}`"
            )
        run(["ip", "netns", "add", namespace])
        batch(namespace, ["link set lo up"])
    quiet = "for f in all default; do echo 1 > /proc/sys/net/ipv6/conf/$f/disable_ipv6; done"
    run(inside(lab.panel, ["sh", "-c", quiet]), check=False)
    batch(
        lab.management,
        [
            f"link add {BRIDGE} type bridge mcast_snooping 0",
            f"addr add {BRIDGE_ADDRESS}/16 dev {BRIDGE}",
            f"link set {BRIDGE} up",
        ],
    )


def remove(lab: Lab) -> None:
    """Delete both namespaces; whatever is in them goes too."""
    for namespace in (lab.management, lab.panel):
        if exists(namespace):
            run(["ip", "netns", "delete", namespace])


def plug_management(lab: Lab, pids: Mapping[str, int]) -> None:
    """Give each device its eth0 on the management bridge, with its address."""
    lines = []
    for device, pid in pids.items():
        port = f"m{lab.cabling.names().index(device)}"
        lines += [
            f"link add {port} type veth peer name eth0 address {mac(lab.name, device)} netns {pid}",
            f"link set {port} master {BRIDGE} up",
        ]
    batch(lab.management, lines)
    for device, pid in pids.items():
        batch_of(
            pid,
            [
                "link set lo up",
                f"addr add {lab.address(device)}/16 dev eth0",
                "link set eth0 up",
            ],
        )


def mac(lab: str, port: str) -> str:
    """Return the factory MAC address of a port: the same each time, locally administered.

    An address that the kernel draws itself would be replaced by udev a moment later.

    >>> mac("a", "leaf:swp1")[:2]
    '02'
    """
    digest = hashlib.sha256(f"{lab}/{port}".encode()).hexdigest()
    return ":".join(["02", *(digest[i : i + 2] for i in range(0, 10, 2))])


def unplug_management(lab: Lab, device: str) -> None:
    """Remove a device's eth0, if it is there."""
    batch(lab.management, [f"link del m{lab.cabling.names().index(device)}"], force=True)


def here() -> int:
    """Return the identity of the network namespace this process is in."""
    return os.stat("/proc/self/ns/net").st_ino


def identity(namespace: str) -> int | None:
    """Return the identity of a named network namespace, None when it is not there."""
    try:
        return (NETNS / namespace).stat().st_ino
    except OSError:
        return None
