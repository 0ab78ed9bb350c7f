# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GPUs beside the cards, the flavours of their driver, nvidia_peermem, and modules of others."""

from __future__ import annotations

import os

import pytest
from nicsim import real

NAME = "nvidia-peermem"


def run(host, path):
    return host.folder / "run" / path


def listed(host):
    lines = host("lsmod").out.splitlines()
    assert lines[0] == "Module                  Size  Used by"
    return {line.split()[0]: line for line in lines[1:]}


@pytest.fixture(name="gpus")
def _gpus(host):
    assert host.admin("gpu", "open").rc == 0
    return host


def test_a_host_has_no_gpu_unless_told(host):
    host.admin("sync")
    assert not run(host, "proc/driver").exists()
    assert not run(host, "sys/module/nvidia").exists()
    assert host("lspci", "-d", "10de:").out == ""
    assert not any(name.startswith("nvidia") for name in listed(host))
    assert host("modinfo", "nvidia") == (1, "", "modinfo: ERROR: Module nvidia not found.\n")
    kernel = os.uname().release
    assert host("modprobe", NAME) == (
        1, "", f"modprobe: FATAL: Module {NAME} not found in directory /lib/modules/{kernel}\n",
    )  # fmt: skip
    assert host("modprobe", "-r", NAME).err == f"modprobe: FATAL: Module {NAME} not found.\n"


def test_a_module_of_others_upon_the_driver_needs_its_build_after_a_boot(host):
    host.admin("set", "host.upon", '["spx_site"]')
    holder = run(host, "sys/module/ib_core/holders/spx_site")
    assert holder.is_dir()
    assert run(host, "sys/module/spx_site").is_dir()
    host.admin("reboot")
    assert not holder.exists()
    assert not run(host, "sys/module/spx_site").exists()


@pytest.mark.parametrize(
    "flavour, license_, banner",
    [
        ("open", "Dual MIT/GPL", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  565."),
        ("proprietary", "NVIDIA", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  515.76  Mon "),
    ],
)
def test_the_flavour_is_in_the_version_and_the_license(host, flavour, license_, banner):
    host.admin("gpu", flavour)
    text = run(host, "proc/driver/nvidia/version").read_text()
    assert text.startswith(banner)
    assert text.splitlines()[1].startswith("GCC version:  gcc version ")
    assert host("modinfo", "-F", "license", "nvidia").out == f"{license_}\n"
    assert f"\nlicense:        {license_}\n" in host("modinfo", "nvidia").out
    version = run(host, "sys/module/nvidia/version").read_text()
    assert host("modinfo", "-F", "version", "nvidia").out == version
    assert ("DMA_BUF" in host("modinfo", "nvidia").out) == (flavour == "open")


def test_a_gpu_stands_below_the_switch_of_each_card(gpus):
    assert gpus("lspci", "-d", "10de:").out.splitlines() == [
        "15:00.0 3D controller: NVIDIA Corporation GH100[H100 SXM5 80GB] (rev a1)",
        "37:00.0 3D controller: NVIDIA Corporation GH100[H100 SXM5 80GB] (rev a1)",
    ]
    gpu = run(gpus, "sys/bus/pci/devices/0000:15:00.0").resolve()
    card = run(gpus, "sys/bus/pci/devices/0000:18:00.0").resolve()
    assert gpu.parts[-3:] == ("0000:16:00.0", "0000:17:10.0", "0000:15:00.0")
    assert card.parents[1] == gpu.parents[1]
    gpus.admin("fault", "add", "acs-on")
    assert gpus("setpci", "-s", "17:10.0", "ECAP_ACS+6.w").out == "001d\n"
    gpus.admin("gpu", "none")
    assert not run(gpus, "sys/bus/pci/devices/0000:15:00.0").exists()


def test_peermem_is_loaded_by_hand_and_shown_everywhere(gpus):
    assert "nvidia_peermem" not in listed(gpus)
    assert not run(gpus, "sys/module/nvidia_peermem").exists()
    assert gpus("modinfo", "-F", "depends", NAME).out == "ib_core,nvidia\n"
    assert gpus("modprobe", NAME) == (0, "", "")
    rows = listed(gpus)
    assert rows["nvidia_peermem"] == "nvidia_peermem         16384  0"
    assert rows["nvidia"].endswith(" nvidia_uvm,nvidia_peermem,nvidia_modeset")
    assert "nvidia_peermem" in rows["ib_core"].split()[3].split(",")
    assert run(gpus, "sys/module/nvidia_peermem/version").read_text() == "565.57.01\n"
    modules = run(gpus, "proc/modules").read_text()
    assert "\nnvidia_peermem 16384 0 - Live 0x0000000000000000\n" in modules
    assert gpus.log(writes=True)[-1]["argv"] == [NAME]
    assert gpus("modprobe", "-r", "nvidia_peermem").rc == 0
    assert "nvidia_peermem" not in listed(gpus)


@pytest.mark.parametrize(
    "text, loaded",
    [("nvidia-peermem\n", True), ("# x\nnvidia_peermem\n", True), ("#nvidia-peermem\n", False)],
)
def test_a_boot_loads_peermem_only_where_it_is_asked_for(gpus, text, loaded):
    gpus("modprobe", NAME)
    gpus.admin("reboot")
    assert "nvidia_peermem" not in listed(gpus)
    (gpus.folder / "modules-load.d" / "gpu.conf").write_text(text)
    gpus.admin("reboot")
    assert ("nvidia_peermem" in listed(gpus)) == loaded


def test_peermem_that_was_built_without_the_symbols(gpus):
    (gpus.folder / "modules-load.d" / "gpu.conf").write_text("nvidia-peermem\n")
    gpus.admin("fault", "add", "peermem-refused")
    refused = "modprobe: ERROR: could not insert 'nvidia_peermem': Invalid argument\n"
    assert gpus("modprobe", NAME) == (1, "", refused)
    gpus.admin("reboot")
    assert "nvidia_peermem" not in listed(gpus)


def test_other_modules_are_the_real_tools_business(gpus, monkeypatch):
    monkeypatch.setattr(real, "delegate", lambda call: 7)
    assert gpus("modprobe", "rdma_cm").rc == gpus("modinfo", "mlx5_core").rc == 7
    assert {"mlx5_core", "mlx5_ib", "ib_core", "ib_uverbs", "rdma_cm"} <= set(listed(gpus))
