# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated host for tests: the stand-ins of the tools, and what its cards shall be."""

from __future__ import annotations

import json
import subprocess

import pytest
from simulated_host import TARGET, SimulatedHost

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import nics_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.discover import discover
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.ra import (
    load_profile,
)

FIRMWARE = "32.48.1000"


class Lab(SimulatedHost):
    """A simulated host as the modules see it."""

    def host(self, *, check: bool = False) -> Host:
        return Host(check_mode=check, sysfs=str(self.folder / "run/sys"), root=str(self.folder))

    def writes(self) -> list[str]:
        lines = self.sim("log", "--writes", "--clear").splitlines()
        return [json.loads(line)["tool"] for line in lines]

    def rooted(self) -> None:
        """Tools need true paths, our own looks at files have the folder as their root: make both one."""
        (self.folder / str(self.folder)[1:]).parent.mkdir(parents=True)
        (self.folder / str(self.folder)[1:]).symlink_to(self.folder)

    def algorithm(self, rdma: str) -> subprocess.Popen[bytes]:
        program = subprocess.Popen(
            [str(self.folder / "bin/doca_spcx_cc"), "--device", rdma], stdout=subprocess.DEVNULL
        )
        (self.folder / "proc" / str(program.pid)).symlink_to(f"/proc/{program.pid}")
        note = self.folder / f"run/spectrum-x/cc-{rdma}.json"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps({"pid": program.pid, "state": "active"}))
        return program


def simulated(tmp_path, monkeypatch):
    """Return the host, whose tools this test's processes find; skips where they are not shipped."""
    if not TARGET.is_dir():
        pytest.skip("the stand-ins are not shipped")
    lab = Lab(tmp_path)
    for name, value in lab.environment.items():
        monkeypatch.setenv(name, value)
    # Of the machine's processes a test sees its own: simulated hosts may run beside it.
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "sys").symlink_to("/proc/sys")
    return lab


def bluefield(**parts):
    nic = load_profile("2.1", "a2dc", "none", overlay=True)["nic"]
    nic["qos"] = {**nic["qos"], "dcbx": "os", "pfc_prevention_timeout": "auto"}
    return nics_from([{**nic, "pci": "0000:18:00.0", "mode": "nic", **parts}])


def bundled(lab):
    """Return a BlueField of a host that is ready to install a bundle."""
    lab.start("bf3-nic-2rail")
    lab.sim("make-bfb", str(lab.folder / "fw.bfb"), "--nic-fw", FIRMWARE)
    subprocess.run([str(lab.folder / "bin/rshim")], check=True, stdout=subprocess.DEVNULL)
    lab.rooted()
    return bluefield(firmware={"version": FIRMWARE, "bundle": str(lab.folder / "fw.bfb")})


def connectx(lab, **parts):
    """Return the ConnectX-8 of a host with two planes."""
    lab.start("cx8-2plane")
    nic = load_profile("2.1", "1023", "swplb", planes=2)["nic"]
    pci = discover(lab.host())[0]["pci"]
    return nics_from([{**nic, "pci": pci, **parts}])
