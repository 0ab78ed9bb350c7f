# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated host whose files all lie in a folder, for tests of all kinds.

    host = SimulatedHost(tmp_path)
    host.start("bf3-nic-2rail")
    host.sim("fault", "add", "cc-crashes")
    subprocess.run(["mlxconfig", "-d", "0000:18:00.0", "q"], env=os.environ | host.environment)

The stand-ins are described in tests/targets/host/README.md. Where that folder is not shipped
(`TARGET.is_dir()`) tests of them are skipped.
"""

from __future__ import annotations

import os
import pathlib
import subprocess

TARGET = pathlib.Path(__file__).resolve().parent / "targets" / "host"
TOOLS = (
    *("mst", "mlxconfig", "flint", "mlxfwmanager", "mlxfwreset", "mlxreg", "mlxprivhost"),
    *("mlnx_qos", "cma_roce_tos", "cma_roce_mode", "bfb-install", "doca_spcx_cc", "ethtool"),
    *("devlink", "rdma", "rshim", "ipmitool", "lspci", "setpci", "modprobe"),
    *("ib_write_bw", "ib_write_lat", "mpirun", "srun", "all_reduce_perf", "all_gather_perf"),
    *("reduce_scatter_perf", "alltoall_perf", "sendrecv_perf"),
)
FOLDERS = {
    "KERNEL_NET": "net",
    "DEV": "dev",
    "TMP": "tmp",
    "UDEV": "rules.d",
    "LINKS": "links",
    "MODULES": "modules-load.d",
}
"""Places that are there before a simulation begins, by their variable without NICSIM_."""
MADE = {
    "STATE": "lib/state.json",
    "RUN": "run",
    "NICS": "nics.json",
    "MODEL": "links.json",
    "FLOWS": "flows",
}
"""Places that the simulation makes, or whoever cables it."""


class SimulatedHost:
    """One host; `environment` is what a process needs to meet it, its tools first on the PATH."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.environment = {
            **{f"NICSIM_{name}": str(folder / at) for name, at in (FOLDERS | MADE).items()},
            "NICSIM_BFB_STEP": "0",
            "PATH": f"{folder / 'bin'}:/usr/bin:/bin:/usr/sbin:/sbin",
        }
        for place in (*FOLDERS.values(), "bin"):
            (folder / place).mkdir()
        for tool in TOOLS:
            (folder / "bin" / tool).symlink_to(TARGET / "bin" / "nicsim-tool")

    def sim(self, *argv: str) -> str:
        """Run `nicsim ...` and return its output."""
        done = subprocess.run(
            [TARGET / "bin" / "nicsim", *argv],
            env=os.environ | self.environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout

    def start(self, profile: str, *arguments: str) -> None:
        """Factory state of a profile, with its view of /sys."""
        self.sim("init", "--from", profile, *arguments)
        self.sim("sync")
