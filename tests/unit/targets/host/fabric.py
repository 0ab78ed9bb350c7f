# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two simulated hosts on one machine, with a model of the links between them."""

from __future__ import annotations

import json
import os
import pathlib
import socket
import subprocess
import time
from typing import Any

from simulated_host import SimulatedHost

PATIENCE = 10


def port(node: int, rail: int, leaf: str, *, plane: int = 1, gbps: int = 400) -> dict[str, Any]:
    """A port of the model."""
    return {"node": f"n{node}", "port": f"rail{rail}p{plane}", "leaf": leaf, "gbps": gbps}


def model(*faults: dict[str, Any], nodes: int = 4, rails: int = 2) -> dict[str, Any]:
    """Nodes in pairs below leaves of their rail; the first port of the first node is 172.16.0.0."""
    ports = {
        f"172.16.{rail}.{node}": port(node, rail + 1, f"leaf{node // 2}r{rail + 1}")
        for node in range(nodes)
        for rail in range(rails)
    }
    return _model(ports, faults, spines=2)


def planes(*faults: dict[str, Any]) -> dict[str, Any]:
    """Four nodes with one rail in two planes, each with one spine: 172.16 is plane 1, 172.20 plane 2."""
    ports = {
        f"172.{12 + 4 * plane}.0.{node}": port(node, 1, f"leaf{node // 2}p{plane}", plane=plane)
        for node in range(4)
        for plane in (1, 2)
    }
    return _model(ports, faults, spines=1)


def _model(
    ports: dict[str, Any], faults: tuple[dict[str, Any], ...], *, spines: int
) -> dict[str, Any]:
    """Each leaf has two uplinks of 400 Gb/s: one to each of two spines, or both to the only one of its plane."""
    leaves = {row["leaf"] for row in ports.values()}
    uplinks = {
        leaf: {f"up{n}": {"spine": f"spine{n % spines}{leaf[5:]}", "gbps": 400} for n in range(2)}
        for leaf in sorted(leaves)
    }
    return {"schema": 1, "ports": ports, "uplinks": uplinks, "faults": list(faults)}


class Pair:
    """A server's and a client's host, the first with node 0's addresses, the second with another node's."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.hosts = [self._host(name) for name in ("server", "client")]
        self.environment: dict[str, str] = {}
        self.nodes: dict[int, int] = {}
        self.restore()
        self.model()

    def restore(self) -> None:
        """The server is node 0 and the client node 2, and no counter has risen."""
        self.place(0, node=0)
        self.place(1, node=2)
        self.risen = [self._all(host) for host in (0, 1)] if self.nodes else []

    def _host(self, name: str) -> SimulatedHost:
        (self.folder / name).mkdir()
        host = SimulatedHost(self.folder / name)
        host.start("bf3-nic-2rail")
        return host

    def place(self, host: int, *, node: int) -> None:
        """Give the rail ports of a host the addresses of a node of the model."""
        for rail in (0, 1) if self.nodes.get(host) != node else ():
            row = [{"local": f"172.16.{rail}.{node}", "family": "inet", "scope": "global"}]
            self.hosts[host].sim("set", f"nics.{rail}.functions.0.addresses", json.dumps(row))
        self.nodes[host] = node

    def model(self, *faults: dict[str, Any]) -> None:
        """Let both hosts see a fabric with these faults."""
        (self.folder / "links.json").write_text(json.dumps(model(*faults)))

    def around(self, host: int) -> dict[str, str]:
        """The environment of a host's programs."""
        shared = {
            "NICSIM_MODEL": str(self.folder / "links.json"),
            "NICSIM_FLOWS": str(self.folder / "flows"),
        }
        return os.environ | self.hosts[host].environment | shared | self.environment

    def start(self, host: int, *words: str) -> subprocess.Popen[str]:
        """A program that goes on."""
        kept = subprocess.PIPE
        return subprocess.Popen(
            words, env=self.around(host), cwd=self.folder, stdout=kept, stderr=kept, text=True
        )

    def run(self, host: int, *words: str) -> subprocess.CompletedProcess[str]:
        """A program to its end."""
        return subprocess.run(
            words,
            env=self.around(host),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def test(self, *words: str, server: tuple[str, ...] = ()) -> tuple[Any, Any]:
        """(server, client) of one test; the server's words are the client's where none are given."""
        number = str(free())
        begun = self.start(0, *(server or words), "-p", number)
        listening(int(number), begun)
        client = self.run(1, *words, "-p", number, "127.0.0.1")
        out, err = begun.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(begun.args, begun.returncode, out, err), client

    def counters(self, host: int) -> dict[str, int]:
        """Return ethtool's counts at the first port since the last restoring."""
        return {
            name: value - self.risen[host].get(name, 0) for name, value in self._all(host).items()
        }

    def rdma_counter(self, host: int, name: str) -> int:
        """Return sysfs's count at the first RDMA device."""
        return self.counters(host)[f"hw {name}"]

    def _all(self, host: int) -> dict[str, int]:
        lines = self.run(host, "ethtool", "-S", "ens3np0").stdout.splitlines()[1:]
        found = {name: int(value) for name, value in (line.strip().split(": ") for line in lines)}
        sysfs = self.hosts[host].folder / "run/sys/class/infiniband/mlx5_0/ports/1/hw_counters"
        return found | {f"hw {path.name}": int(path.read_text()) for path in sysfs.iterdir()}


def free() -> int:
    """A TCP port that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listening(number: int, process: subprocess.Popen[str]) -> None:
    """Wait until somebody listens at a port, without connecting to it."""
    deadline, wanted = time.monotonic() + PATIENCE, f":{number:04X}"
    while time.monotonic() < deadline and process.poll() is None:
        for table in ("tcp", "tcp6"):
            rows = [
                line.split()
                for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]
            ]
            if any(row[1].endswith(wanted) and row[3] == "0A" for row in rows):
                return
        time.sleep(0.01)


def flowing(folder: pathlib.Path) -> None:
    """Wait until a flow runs."""
    deadline = time.monotonic() + PATIENCE
    while not [*folder.glob("*.flow")] and time.monotonic() < deadline:
        time.sleep(0.01)
