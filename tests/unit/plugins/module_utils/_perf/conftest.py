# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host in a folder: /sys with a card and a GPU below one switch; tools answer from a table."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result

NIC, GPU = "0000:1a:00.0", "0000:1b:00.0"
ABOVE = "pci0000:15/0000:15:01.0/0000:16:00.0"
ADDRESS, PEER = "172.16.0.0", "172.16.0.2"
MODULE = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06\n"


@dataclass
class Machine:
    """`says` has the answer of a tool by its name; a number of `sent` is added to the counters while it runs."""

    folder: Path
    says: dict[str, Result] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    rises: dict[str, int] = field(default_factory=dict)
    calls: list[list[str]] = field(default_factory=list)

    def put(self, name: str, text: str) -> None:
        path = self.folder / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")

    def program(self, name: str) -> None:
        """An executable file, as `installed` looks for it."""
        self.put(name, "")
        (self.folder / name.lstrip("/")).chmod(0o755)

    def function(self, where: str, **files: str) -> None:
        for name, text in files.items():
            self.put(f"sys/devices/{where}/{name}", text)
        pci = where.rpartition("/")[2]
        link = self.folder / "sys/bus/pci/devices" / pci
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(f"../../../devices/{where}")

    def card(
        self, pci: str, netdev: str, rdma: str, *, above: str = ABOVE, numa: str = "1"
    ) -> None:
        where = f"{above}/{pci}"
        net = f"net/{netdev}/phys_port_name"
        files = {
            "vendor": "0x15b3",
            "device": "0x1023",
            "class": "0x020000",
            "numa_node": numa,
            net: "p0",
        }
        self.function(where, **files, **({f"infiniband/{rdma}/x": ""} if rdma else {}))
        self.put(f"sys/class/net/{netdev}/operstate", "up")
        if rdma:
            self.gid(rdma, 0, "fe80::1", "IB/RoCE v1", netdev)
            self.gid(rdma, 3, f"::ffff:{ADDRESS}", "RoCE v2", netdev)

    def gid(self, rdma: str, index: int, gid: str, kind: str, netdev: str) -> None:
        base = f"sys/class/infiniband/{rdma}/ports/1"
        self.put(f"{base}/gids/{index}", gid)
        self.put(f"{base}/gid_attrs/types/{index}", kind)
        self.put(f"{base}/gid_attrs/ndevs/{index}", netdev)

    def gpu(self, pci: str = GPU, above: str = ABOVE, numa: str = "1") -> None:
        where = f"{above}/{pci}"
        self.function(where, **{"vendor": "0x10de", "class": "0x030200", "numa_node": numa})
        self.put("proc/driver/nvidia/version", MODULE)

    def host(self, run: Callable[..., Result] | None = None, *, check: bool = False) -> Host:
        root = str(self.folder)
        return Host(run=run or self.run, root=root, sysfs=f"{root}/sys", check_mode=check)

    def run(self, argv: list[str], _timeout: float) -> Result:
        self.calls.append(list(argv))
        if argv[0] == "ethtool":
            rows = "".join(f"     {name}: {value}\n" for name, value in self.counters.items())
            return Result(0, f"NIC statistics:\n{rows}", "")
        known = next((name for name in self.says if argv[-1] == "--help" and argv[0] == name), "")
        if known:
            return self.says[known]
        if argv[-1] == "--help":
            return Result(127, "", f"{argv[0]}: No such file or directory")
        for name, value in self.rises.items():
            self.counters[name] = self.counters.get(name, 0) + value
        return self.says["run"]

    @property
    def ran(self) -> list[str]:
        """The command of the run itself."""
        (found,) = [
            call for call in self.calls if call[0] not in ("ethtool",) and call[-1] != "--help"
        ]
        return found


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    made.card(NIC, "rail1p1", "mlx5_0")
    made.counters = {"tx_prio3_bytes": 1000, "rx_prio3_bytes": 5000}
    return made


@pytest.fixture
def processes(machine):
    """The machine with the processes of this one, for tests that start real ones."""
    (machine.folder / "proc").symlink_to("/proc")
    return machine


def job(**values: object) -> dict[str, object]:
    """A client of ib_write_bw."""
    return {
        "id": "pairs/r1/a>b",
        "tool": "ib_write_bw",
        "side": "client",
        "interface": "rail1p1",
        "address": ADDRESS,
        "peer": PEER,
        "port": 18515,
        "size": 65536,
        "qps": 4,
        "seconds": 10,
        "dscp": 24,
        "priority": 3,
        "bidirectional": False,
        "gpu": "none",
        "command": [],
        **values,
    }


@pytest.fixture
def a_job():
    return job


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """Write a program of sh into a folder of PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def write(name: str, body: str) -> None:
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)

    return write
