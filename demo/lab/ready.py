# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wait until devices answer on their management port.

Runs as a program inside the management namespace (``python -m lab.ready``), with
``{"seconds": 60, "targets": {"leaf-1": ["198.18.0.10", 8765]}}`` on its input; prints the names
that never answered as a JSON list.
"""

from __future__ import annotations

import json
import pathlib
import socket
import sys
import time
from collections.abc import Mapping

from lab import boot
from lab.cabling import Device, listing
from lab.errors import LabError
from lab.machine import PYTHON
from lab.shell import run
from lab.spaces import inside
from lab.state import TARGETS, Lab

API, SSH = 8765, 22
PAUSE = 0.1


def port(lab: Lab, device: Device) -> int | None:
    """Return the port that shows that a device is up; None when nothing would listen."""
    if device.kind == "router":
        return None
    if device.kind == "switch":
        return API if (TARGETS / "switch" / "start.sh").is_file() else None
    if lab.images.get("rootfs") == "host" and not pathlib.Path("/usr/sbin/sshd").exists():
        return None
    return SSH


def wait(lab: Lab, pids: Mapping[str, int], seconds: float) -> None:
    """Wait at most `seconds` for the devices; raise LabError naming those that stay silent."""
    begun = time.monotonic()
    silent = _listening(lab, list(pids), seconds)
    routers = [name for name in pids if lab.cabling.device(name).kind == "router"]
    while not silent and not all(_ready(pids[name]) for name in routers):
        if time.monotonic() - begun > seconds:
            silent = [name for name in routers if not _ready(pids[name])]
        time.sleep(PAUSE)
    if silent:
        raise LabError(
            f"{listing(silent)} did not answer within {seconds:g} seconds; look at "
            f"`lab node {lab.name} {silent[0]} -- tail {boot.LOG}`"
        )


def _ready(pid: int) -> bool:
    """Check whether the start script of a router has ended."""
    return pathlib.Path(f"/proc/{pid}/root/run/spx/ready").exists()


def _listening(lab: Lab, names: list[str], seconds: float) -> list[str]:
    """Wait for those on which something listens; return who stays silent."""
    targets = {}
    for name in names:
        number = port(lab, lab.cabling.device(name))
        if number is not None:
            targets[name] = [lab.address(name), number]
    if not targets:
        return []
    source = pathlib.Path(__file__).resolve().parents[1]
    argv = inside(lab.management, ["env", f"PYTHONPATH={source}", PYTHON, "-m", "lab.ready"])
    order = json.dumps({"seconds": seconds, "targets": targets})
    silent: list[str] = json.loads(run(argv, text=order, timeout=seconds + 20).stdout)
    return silent


def answers(address: str, number: int) -> bool:
    """Return whether a TCP connection can be opened."""
    try:
        with socket.create_connection((address, number), timeout=0.5):
            return True
    except OSError:
        return False


def main() -> None:
    """Read the order, poll, print who stayed silent."""
    order = json.load(sys.stdin)
    deadline = time.monotonic() + order["seconds"]
    silent = dict(order["targets"])
    while silent:
        silent = {name: at for name, at in silent.items() if not answers(*at)}
        if time.monotonic() > deadline:
            break
        time.sleep(PAUSE if silent else 0)
    print(json.dumps(sorted(silent)))


if __name__ == "__main__":
    main()
