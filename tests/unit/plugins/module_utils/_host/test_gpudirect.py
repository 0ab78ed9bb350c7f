# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GPUs, what opens their memory to NICs, and ACS on the bridges above the NICs."""

from __future__ import annotations

import os
import subprocess

import pytest
from simulated_host import TARGET, SimulatedHost

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.gpudirect import (
    bridges_above,
    read_gpudirect,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result

NIC, GPU = "0000:1a:00.0", "0000:1b:00.0"
ROOT, UP, DOWN = "0000:15:01.0", "0000:16:00.0", "0000:17:00.0"
# What pciutils prints (setpci.c, exec_op) of a bridge without the capability.
LACKING = Result(
    1,
    "",
    f"setpci: {UP}: Instance #0 of Extended capability 000d not found - there are no capabilities with that id.\n",
)


class Machine:
    """/sys of a host: functions below a root port and a switch, linked as the kernel links them."""

    def __init__(self, root):
        self.root, self.answers, self.asked = root, {}, []
        for pci, vendor, kind in ((NIC, "0x15b3", "0x020000"), (GPU, "0x10de", "0x030200")):
            self.function(f"pci0000:15/{ROOT}/{UP}/{DOWN}/{pci}", vendor, kind)
        for at, bridge in enumerate((ROOT, UP, DOWN)):
            self.function("/".join(["pci0000:15", ROOT, UP, DOWN][: at + 2]), "0x1000", "0x060400")
            self.answers[bridge] = Result(0, "0000\n", "")

    def function(self, where, vendor, kind):
        folder = self.root / "sys/devices" / where
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "vendor").write_text(f"{vendor}\n")
        (folder / "class").write_text(f"{kind}\n")
        (folder / "config").write_bytes(bytes(4096))
        link = self.root / "sys/bus/pci/devices" / folder.name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(f"../../../devices/{where}")

    def put(self, name, text):
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, argv, _timeout):
        assert (argv[0], argv[3]) == ("setpci", "ECAP_ACS+6.w")
        self.asked.append(argv[2])
        return self.answers[argv[2]]

    def read(self, *cards):
        host = Host(run=self.run, sysfs=str(self.root / "sys"), root=str(self.root))
        return read_gpudirect(host, list(cards or (NIC,)))


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_every_bridge_above_a_card_is_asked_once(machine):
    machine.answers[DOWN] = Result(0, "001d\n", "")
    found = machine.read(NIC, "0000:1a:00.0")
    assert machine.asked == [ROOT, UP, DOWN]
    assert found["gpus"] == [GPU]
    assert found["acs"] == [
        {"pci": NIC, "bridge": bridge, "control": control, "unknown": ""}
        for bridge, control in ((ROOT, 0), (UP, 0), (DOWN, 0x1D))
    ]


def test_a_host_without_a_gpu_is_asked_for_nothing(machine):
    (machine.root / "sys/bus/pci/devices" / GPU / "class").write_text("0x060400\n")
    assert machine.read() == {"gpus": [], "memory": "", "acs": [], "iommu": {}}
    assert machine.asked == []


def test_a_bridge_without_the_capability_is_fine_where_all_of_its_space_is_shown(machine):
    machine.answers[UP] = LACKING
    assert [row["unknown"] for row in machine.read()["acs"]] == ["", "", ""]


@pytest.mark.parametrize("shown", [0, 64, 256])
def test_a_short_configuration_space_hides_the_capability(machine, shown):
    """The kernel shows 64 bytes to other users than root, and 256 where it cannot reach the extended space."""
    machine.answers[UP] = LACKING
    (machine.root / "sys/bus/pci/devices" / UP / "config").write_bytes(bytes(shown))
    (row,) = [row for row in machine.read()["acs"] if row["unknown"]]
    assert (row["bridge"], row["unknown"]) == (
        UP,
        f"{shown} of 4096 bytes of its configuration space are shown",
    )


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (Result(127, "", ""), "setpci is not installed on this host; install the package pciutils"),
        (Result(0, "ffff\n", ""), "setpci says 'ffff'"),
        (Result(1, "", "pcilib: Cannot open /proc/bus/pci\n"), "setpci says 'pcilib: Cannot open"),
        (
            Result(0, "", "setpci: Warning: No devices selected for operation group 1.\n"),
            "setpci says 'setpci: Warning: No devices selected",
        ),
    ],
)
def test_an_error_is_no_answer(machine, said, words):
    machine.answers[ROOT] = said
    assert machine.read()["acs"][0]["unknown"].startswith(words)


def test_what_is_above_a_card_is_not_guessed(machine):
    lost = machine.root / "sys/bus/pci/devices/0000:2a:00.0"
    lost.mkdir()
    host = Host(sysfs=str(machine.root / "sys"))
    assert bridges_above(host, lost.name) is None
    (row,) = machine.read(lost.name)["acs"]
    assert row["unknown"] == "/sys does not show what is above it"


@pytest.mark.parametrize(
    ("name", "text", "memory"),
    [
        ("/sys/module/nvidia_peermem/initstate", "live\n", "nvidia-peermem"),
        # The two flavours of NVIDIA's driver name themselves in the first line of this file.
        (
            "/proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build\n",
            "DMA-BUF",
        ),
        (
            "/proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\n",
            "",
        ),
        ("/proc/driver/other", "", ""),
    ],
)
def test_what_opens_the_memory_of_gpus(machine, name, text, memory):
    machine.put(name, text)
    assert machine.read()["memory"] == memory


@pytest.mark.skipif(not TARGET.is_dir(), reason="the stand-ins are not shipped")
@pytest.mark.parametrize(
    ("gpu", "faults", "module", "memory", "on", "unknown"),
    [
        ("none", [], "", "", 0, 0),
        ("open", [], "", "DMA-BUF", 0, 0),
        ("proprietary", [], "", "", 0, 0),
        ("proprietary", [], "nvidia-peermem", "nvidia-peermem", 0, 0),
        ("open", ["acs-on"], "", "DMA-BUF", 2, 0),
        ("open", ["config-short"], "", "DMA-BUF", 0, 3),
    ],
)
def test_the_simulated_host_is_read(tmp_path, gpu, faults, module, memory, on, unknown):
    """It was written from public pages, by somebody who had not seen this reader."""
    simulated = SimulatedHost(tmp_path)
    simulated.start("bf3-nic-2rail")
    simulated.sim("gpu", gpu)
    for fault in faults:
        simulated.sim("fault", "add", fault)
    simulated.sim("sync")
    env = os.environ | simulated.environment

    def run(argv, timeout):
        done = subprocess.run(
            argv, env=env, capture_output=True, text=True, timeout=timeout, check=False
        )
        return Result(done.returncode, done.stdout, done.stderr)

    if module:
        assert run(["modprobe", module], 60).rc == 0
    host = Host(run=run, sysfs=str(tmp_path / "run" / "sys"), root=str(tmp_path / "run"))
    cards = [pci for pci in host.entries("/sys/bus/pci/devices") if pci.endswith("18:00.0")]
    found = read_gpudirect(host, cards)
    assert bool(found["gpus"]) is (gpu != "none")
    assert found["memory"] == memory
    assert len([row for row in found["acs"] if row["control"]]) == on, found
    assert len([row for row in found["acs"] if row["unknown"]]) == unknown, found


def test_the_iommu_domain_of_a_card(machine):
    assert machine.read()["iommu"] == {NIC: ""}
    group = machine.root / "sys/kernel/iommu_groups/7"
    group.mkdir(parents=True)
    (group / "type").write_text("DMA-FQ\n")
    (machine.root / "sys/bus/pci/devices" / NIC / "iommu_group").symlink_to(group)
    assert machine.read()["iommu"] == {NIC: "DMA-FQ"}
