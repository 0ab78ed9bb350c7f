# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure the TCP throughput of a path of the lab: real iperf3 between two hosts, through the switches between them.

iperf3 is this machine's own, and runs in the hosts' network namespaces: a host needs nothing. What comes out is what
this machine's kernel can copy from veth to veth, not what a switch can carry.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
import shutil
import subprocess
import time
from typing import Any

from lab.errors import LabError

PORT = 5201
PATIENCE = 10
"""Seconds for the server to listen, and beyond the test's own time for the client to end."""
CONNECT_MS = 2000
INSTALL = "run tests/setup/packages.sh lab, or install it"


@dataclasses.dataclass(frozen=True)
class Path:
    """A way from one host to another: pids of their first processes, and addresses of a port of each."""

    client: int
    source: str
    server: int
    target: str
    port: int = PORT


def measure(path: Path, *, seconds: int = 1) -> dict[str, Any]:
    """Send as much as TCP takes for a time, from the client to the server.

    Returns ``{"schema": 1, "reached", "gbps", "retransmits", "reason"}``; where the server is not reached `gbps` is
    None and `reason` says what iperf3 said. LabError where iperf3 is missing or does not listen.
    """
    if not shutil.which("iperf3"):
        raise LabError(f"iperf3 is not here: {INSTALL}")
    listen = ["iperf3", "-s", "-1", "-B", path.target, "-p", str(path.port)]
    server = subprocess.Popen(
        _in(path.server, listen), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        _await(server, path)
        return _client(path, seconds)
    finally:
        server.kill()
        server.wait()


def _client(path: Path, seconds: int) -> dict[str, Any]:
    options = ["-p", str(path.port), "-B", path.source, "-t", str(seconds), "-J"]
    argv = ["iperf3", "-c", path.target, *options, "--connect-timeout", str(CONNECT_MS)]
    done = subprocess.run(
        _in(path.client, argv),
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds + PATIENCE,
    )
    return outcome(json.loads(done.stdout))


def outcome(said: dict[str, Any]) -> dict[str, Any]:
    """Translate a document of iperf3 into our words."""
    end = said.get("end", {})
    reached = "error" not in said and "sum_received" in end
    return {
        "schema": 1,
        "reached": reached,
        "gbps": round(end["sum_received"]["bits_per_second"] / 1e9, 3) if reached else None,
        "retransmits": end["sum_sent"].get("retransmits", 0) if reached else 0,
        "reason": said.get("error", ""),
    }


def _await(server: subprocess.Popen[str], path: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not _listens(path):
        if server.poll() is not None or time.monotonic() > deadline:
            server.kill()
            words = server.communicate()[0].strip() or "no words"
            raise LabError(f"iperf3 does not listen at {path.target} port {path.port}: {words}")
        time.sleep(0.02)


def _listens(path: Path) -> bool:
    """Check whether somebody listens at the port, by the kernel's table of the server's namespace."""
    ending, listens = f":{path.port:04X}", "0A"
    rows = []
    for table in ("tcp", "tcp6"):
        text = pathlib.Path(f"/proc/{path.server}/net/{table}").read_text(encoding="utf-8")
        rows += [line.split() for line in text.splitlines()[1:]]
    return any(row[1].endswith(ending) and row[3] == listens for row in rows)


def _in(pid: int, argv: list[str]) -> list[str]:
    return ["nsenter", "-t", str(pid), "-n", *argv]
