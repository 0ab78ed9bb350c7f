# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of udev, .link files and cloud-init that give a port another name, or another MAC address."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.interfaces import (
    interfaces_from,
)

from .conftest import PCI, WANTED
from .others import BURNED, MAC, NETWORKS, RULES, Prepared

NET = 'SUBSYSTEM=="net", '
ETH9 = 'NAME="eth9"\n'
LATE = f"{RULES}/99-x.rules"
LINK = f"{NETWORKS}/10-x.link"
CLOUD = "/etc/cloud/cloud.cfg.d/50-curtin.cfg"
V1 = f"network:\n  config:\n  - {{type: physical, name: eth9, mac_address: '{BURNED}'}}\n"


@pytest.mark.parametrize(
    ("path", "text", "key"),
    [
        (LATE, f'{NET}ACTION=="add", DRIVERS=="?*", ATTR{{address}}=="{MAC}", {ETH9}', "NAME=eth9"),
        ("/run/udev/rules.d/99-x.rules", f'{NET}KERNELS=="{PCI}", {ETH9}', "NAME=eth9"),
        (
            f"{RULES}/80-x.rules",
            f'{NET}ACTION=="add|move", DRIVERS=="mlx5_core", {ETH9}',
            "NAME=eth9",
        ),
        (f"{RULES}/10-x.rules", f'{NET}KERNELS=="{PCI}", NAME:="eth9"\n', "NAME:=eth9"),
        (f"{RULES}/10-nic-net-interface-naming.rules", f'{NET}KERNELS=="{PCI}", {ETH9}', None),
        (LATE, f'{NET}KERNELS=="0000:99:00.0", {ETH9}', None),
        (LATE, f'{NET}ENV{{X}}=="1", {ETH9}', "NAME=eth9"),
        (LATE, f'{NET}ATTR{{phys_port_name}}=="p0", {ETH9}', "NAME=eth9"),
        (LATE, f'{NET}ATTR{{phys_port_name}}!="p0", {ETH9}', None),
        ("/usr/lib/udev/rules.d/99-x.rules", f'{NET}ENV{{X}}=="1", {ETH9}', None),
        (LATE, f'NAME=="", ENV{{ID_NET_NAME}}!="", {ETH9}', None),
        (LATE, f"# {NET}{ETH9}", None),
        (LATE, f'{NET}NAME="rail1p1"\n', None),
        (LINK, f"[Match]\nPermanentMACAddress={BURNED}\n[Link]\nName=eth9\n", "Name=eth9"),
        (
            LINK,
            "[Match]\nDriver=mlx5_core\n[Link]\nMACAddress=2:0:0:0:0:1\n",
            "MACAddress=2:0:0:0:0:1",
        ),
        (LINK, "[Match]\nDriver=ice\n[Link]\nName=eth9\n", None),
        (
            "/usr/lib/systemd/network/99-x.link",
            "[Match]\nOriginalName=*\n[Link]\nName=eth9\n",
            None,
        ),
        (CLOUD, V1, "network"),
        (CLOUD, "network:\n  config: disabled\n", None),
        (CLOUD, f"users: ['{BURNED}']\n", None),
    ],
)
def test_what_renames_a_port_at_a_boot_counts(prepared, path, text, key):
    prepared.by("networkd").judge(path, text, key)


def test_cloud_init_that_is_off_renames_nothing(prepared):
    prepared.machine.write("/etc/cloud/cloud-init.disabled", "")
    prepared.by("networkd").judge(CLOUD, V1, None)


@pytest.mark.parametrize(("number", "counts"), [("10", True), ("60", False)])
def test_of_rdma_devices_the_first_rename_wins(machine, number, counts):
    """The line is that of NVIDIA's NIC configuration operator (pkg/udev/manager.go)."""
    rdma = interfaces_from([{**WANTED, "rdma": "rail1"}])
    host = Prepared(machine, rdma).by("networkd")
    path = f"{RULES}/{number}-nic-rdma-interface-naming.rules"
    line = f'ACTION=="add", KERNELS=="{PCI}", SUBSYSTEM=="infiniband", PROGRAM="rdma_rename %k NAME_FIXED roce_r0"\n'
    key = "rdma_rename %k NAME_FIXED roce_r0" if counts else None
    host.judge(path, line, key)
