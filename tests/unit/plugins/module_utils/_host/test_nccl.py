# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NCCL's files of a node."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.nccl import files
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.desired import (
    desired,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    BY_RAIL,
    TWO_PLANES,
    build,
    example,
)

PCI = [f"0000:{bus:02x}:00.0" for bus in range(0x18, 0x20)]


def plan(fabric):
    name = fabric.name(next(fabric.nodes()))
    wanted = desired(fabric, name, registry=Registry.empty(fabric))
    return wanted["nccl"], wanted["interfaces"]


def found(*indexes, rdma="mlx5_{}"):
    return [
        {"name": f"rail{n}p1", "rdma": rdma.format(n - 1), "gid_index": index}
        for n, index in enumerate(indexes, 1)
    ]


def test_the_environment_names_devices_by_rail_and_the_index_of_the_address():
    made = files(*plan(example("lab")), found(3, 3), {"NCCL_SOCKET_IFNAME": "eno1"})
    lines = made["environment"].splitlines()
    assert "NCCL_IB_HCA==mlx5_0:1,mlx5_1:1" in lines
    assert {"NCCL_IB_GID_INDEX=3", "NCCL_IB_TC=96", "NCCL_SOCKET_IFNAME=eno1"} <= set(lines)
    assert lines == sorted(lines)
    assert lines[0] == "# Versions of RA 2.1.2: NCCL 2.29.2, HPC-X 2.26"
    assert json.loads(made["topology"])["versions"] == {
        "ra": "2.1.2",
        "nccl": ["2.29.2"],
        "hpcx": ["2.26"],
    }
    rails = json.loads(made["topology"])["rails"]
    assert [(row["rdma"], row["leaf"]) for row in rails] == [
        ("mlx5_0", "leaf-p1-su001-r1"),
        ("mlx5_1", "leaf-p1-su001-r2"),
    ]


def test_versions_that_are_not_published_are_not_named():
    older = build(nics={"pci": PCI}, release={"ra": "1.3", "cumulus": "5.12.1"})
    made = files(*plan(older), found(*[3] * 8))
    assert not made["environment"].startswith("#")
    assert json.loads(made["topology"])["versions"] == {"ra": "1.3.0", "nccl": [], "hpcx": []}


def test_rails_that_do_not_meet_are_told():
    by_rail, _rows = plan(build(nics={"pci": PCI}, planes=BY_RAIL, capacity={"sus_per_pod": 2}))
    assert by_rail["env"]["NCCL_CROSS_NIC"] == "0"
    assert by_rail["crosses_rails"] is False
    assert "NCCL_CROSS_NIC" not in plan(example("lab"))[0]["env"]


def test_hardware_planes_have_one_device_for_each_nic():
    """The second function of a NIC shows none of its own."""
    fabric = build(
        nics={"model": "ConnectX-8", "pci": PCI[:2]},
        rails=2,
        planes={**TWO_PLANES, "balancing": "hwplb"},
        capacity={"sus_per_pod": 2},
    )
    rows = [
        {"name": f"rail{n}p{p}", "rdma": f"mlx5_{n - 1}" if p == 1 else "", "gid_index": 3}
        for n in (1, 2)
        for p in (1, 2)
    ]
    made = files(*plan(fabric), rows)
    assert "NCCL_IB_HCA==mlx5_0:1,mlx5_1:1" in made["environment"].splitlines()
    topology = json.loads(made["topology"])
    assert (topology["planes"], topology["balancing"]) == (2, "hwplb")
    assert [(row["interface"], row["leaf"]) for row in topology["rails"]] == [
        ("rail1p1", "leaf-p1-su001-r1"),
        ("rail2p1", "leaf-p1-su001-r2"),
    ]


@pytest.mark.parametrize(
    "rows, words",
    [
        (found(3, 5), "GID indexes differ between rails (rail1p1 3, rail2p1 5)"),
        (found(3), "rail2p1: it has no RDMA device"),
    ],
)
def test_what_nccl_could_not_use_is_refused(rows, words):
    with pytest.raises(NicError) as caught:
        files(*plan(example("lab")), rows)
    assert words in str(caught.value)
