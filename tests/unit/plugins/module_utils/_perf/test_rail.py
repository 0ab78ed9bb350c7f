# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The port of a measurement, and the GPU nearest to it."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.rail import (
    everything,
    nearest,
    rail,
)

NIC, GPU = "0000:1a:00.0", "0000:1b:00.0"
ADDRESS = "172.16.0.0"
FAR = "pci0000:80/0000:80:01.0"


def test_the_gid_is_that_of_the_address_in_roce_v2(machine):
    found = rail(machine.host(), "rail1p1", ADDRESS)
    assert (found.rdma, found.gid_index, found.netdevs) == ("mlx5_0", 3, ("rail1p1",))
    assert (found.pci, found.numa) == (NIC, 1)


def test_a_machine_with_one_node_has_no_numa(machine):
    machine.card("0000:2a:00.0", "rail2p1", "mlx5_1", numa="-1")
    assert rail(machine.host(), "rail2p1", ADDRESS).numa is None


def test_planes_share_the_device_of_the_first_port(machine):
    """With hwplb the other ports of a card have no RDMA device, and carry the traffic too."""
    machine.card("0000:1a:00.1", "rail1p2", "")
    assert rail(machine.host(), "rail1p1", ADDRESS).netdevs == ("rail1p1", "rail1p2")


def test_a_port_with_a_device_of_its_own_is_no_plane(machine):
    machine.card("0000:1a:00.1", "rail2p1", "mlx5_1")
    assert rail(machine.host(), "rail1p1", ADDRESS).netdevs == ("rail1p1",)


def test_a_software_device_is_found_by_its_gids(machine):
    machine.put("sys/class/net/eth0/operstate", "up")
    machine.gid("rxe0", 1, f"::ffff:{ADDRESS}", "RoCE v2", "eth0")
    found = rail(machine.host(), "eth0", ADDRESS)
    assert (found.rdma, found.gid_index, found.pci) == ("rxe0", 1, "")


@pytest.mark.parametrize(
    ("interface", "address", "words"),
    [
        ("rail9p1", ADDRESS, "rail9p1: this host has no such interface; run the playbook dpus"),
        ("eth1", ADDRESS, "eth1: it has no RDMA device"),
        ("rail1p1", "172.16.9.9", "rail1p1: mlx5_0 has no RoCE v2 GID of 172.16.9.9"),
        ("rail1p1", "fe80::1", "rail1p1: mlx5_0 has no RoCE v2 GID of fe80::1"),
    ],
)
def test_what_a_port_lacks_is_one_sentence(machine, interface, address, words):
    machine.put("sys/class/net/eth1/operstate", "up")
    with pytest.raises(NicError, match=words):
        rail(machine.host(), interface, address)


def test_the_nearest_gpu_shares_the_switch(machine):
    machine.gpu("0000:05:00.0", FAR)
    machine.gpu()
    found = nearest(machine.host(), NIC)
    assert (found.gpu, found.number, found.dmabuf, found.note) == (GPU, 1, True, "")


def test_without_a_common_switch_the_numa_node_decides(machine):
    machine.gpu("0000:05:00.0", FAR, numa="0")
    machine.gpu("0000:06:00.0", FAR, numa="1")
    assert nearest(machine.host(), NIC).gpu == "0000:06:00.0"


def test_nvidia_peermem_needs_no_dmabuf(machine):
    machine.gpu()
    machine.put("sys/module/nvidia_peermem/initstate", "live")
    assert nearest(machine.host(), NIC).dmabuf is False


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (None, "host memory: the driver of the GPUs is not loaded"),
        (
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15",
            "neither nvidia-peermem nor DMA-BUF",
        ),
    ],
)
def test_host_memory_says_why(machine, version, words):
    machine.gpu()
    path = machine.folder / "proc/driver/nvidia/version"
    path.unlink()
    if version:
        path.write_text(version)
    found = nearest(machine.host(), NIC)
    assert not found.gpu
    assert words in found.note


def test_a_host_without_gpu_says_so(machine):
    assert nearest(machine.host(), NIC).note == "host memory: this host has no GPU"


def test_runs_of_all_rails_use_all_cards(machine):
    machine.card("0000:1a:00.1", "rail1p2", "")
    machine.card("0000:2a:00.0", "rail2p1", "mlx5_1")
    machine.card("0000:3a:00.0", "mgmt0", "")
    found = everything(machine.host())
    assert found.netdevs == ("rail1p1", "rail1p2", "rail2p1")
    assert found.rdmas == ("mlx5_0", "mlx5_1")
