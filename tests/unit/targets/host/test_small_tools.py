# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Query tools: the published line formats, and which device each accepts."""

from __future__ import annotations

import json
import re

import pytest

BDF = "0000:18:00.0"
NET = "ens3np0"


def address(host, text, family="inet", scope="global"):
    host.admin("set", "nics.0.functions.0.addresses",
               json.dumps([{"local": text, "family": family, "scope": scope}]))  # fmt: skip


def test_mst_status(host):
    assert "MST PCI configuration module is not loaded" in host("mst", "status", "-v").out
    host("mst", "start")
    lines = host("mst", "status", "-v").out.splitlines()
    assert lines[:4] == [
        "MST modules:",
        "------------",
        "    MST PCI module is not loaded",
        "    MST PCI configuration module loaded",
    ]
    at = lines.index("PCI devices:")
    assert lines[at + 2] == (
        "DEVICE_TYPE             MST                           PCI       RDMA            "
        "NET                                     NUMA"
    )
    assert lines[at + 3] == (
        "BlueField3(rev:1)       /dev/mst/mt41692_pciconf0     18:00.0   mlx5_0          "
        "net-ens3np0                             0"
    )
    assert lines[at + 4] == ""


def test_ibdev2netdev(host):
    assert host("ibdev2netdev").out.splitlines()[0] == "mlx5_0 port 1 ==> ens3np0 (Up)"
    host.admin("fault", "add", "link-down", "--nic", BDF)
    lines = host("ibdev2netdev", "-v").out.splitlines()
    assert re.fullmatch(
        r"0000:18:00\.0 mlx5_0 \(MT41692 - 900-\S+\) .+ fw 32\.43\.1014 port 1 \(DOWN  \) "
        r"==> ens3np0 \(Down\)",
        lines[0],
    )
    assert lines[1].endswith("port 1 (ACTIVE) ==> ens4np0 (Up)")


def test_show_gids_has_index_3_for_one_ipv4_address(host):
    address(host, "172.16.0.0")
    lines = host("show_gids", "mlx5_0").out.splitlines()
    assert lines[0].split() == ["DEV", "PORT", "INDEX", "GID", "IPv4", "VER", "DEV"]
    assert lines[-1] == "n_gids_found=4"
    fields = lines[5].split()
    assert fields[:3] == ["mlx5_0", "1", "3"]
    assert fields[3] == "0000:0000:0000:0000:0000:ffff:ac10:0000"
    assert fields[4:] == ["172.16.0.0", "v2", NET]


def test_privilege(host):
    text = host("mlxprivhost", "-d", BDF, "q").out
    assert text.splitlines()[:3] == [
        "Host configurations",
        "-------------------",
        "level                         : PRIVILEGED",
    ]
    host.admin("fault", "add", "restricted", "--nic", BDF)
    text = host("mlxprivhost", "-d", BDF, "q").out
    assert "level                         : RESTRICTED\n\nPort functions status:\n" in text
    assert "disable_rshim                 : TRUE" in text


def test_rdma_json(host):
    link = json.loads(host("rdma", "link", "-j").out)[0]
    index = link.pop("netdev_index")
    assert isinstance(index, int)
    assert link == {
        "ifindex": 0,
        "ifname": "mlx5_0",
        "port": 1,
        "state": "ACTIVE",
        "physical_state": "LINK_UP",
        "netdev": NET,
    }
    dev = json.loads(host("rdma", "dev", "-j").out)[0]
    assert {"node_type", "fw", "node_guid", "sys_image_guid"} <= set(dev)
    statistics = json.loads(host("rdma", "statistic", "show", "-j").out)[0]
    assert statistics["roce_adp_retrans_to"] == 0


def test_rdma_rename(host):
    assert host("rdma", "dev", "set", "mlx5_0", "name", "roce_r1").rc == 0
    assert host("ibdev2netdev").out.startswith("roce_r1 port 1 ==> ens3np0")
    assert host("rdma", "dev", "set", "roce_r1", "name", "mlx5_2").rc != 0


def test_mlxlink_json_has_only_strings_as_leaves(host):
    report = json.loads(host("mlxlink", "-d", BDF, "--json").out)
    assert report["status"] == {"code": 0, "message": "success"}
    output = report["result"]["output"]
    assert output["Operational Info"]["State"] == "Active"
    assert output["Operational Info"]["Physical state"] == "LinkUp"
    assert output["Operational Info"]["Speed"] == "400G"
    leaves = [v for block in output.values() for v in block.values() if not isinstance(v, dict)]
    assert all(isinstance(leaf, str) for leaf in leaves)


def test_lspci_by_vendor(host):
    assert host("lspci", "-nD", "-d", "15b3:").out.splitlines() == [
        "0000:18:00.0 0200: 15b3:a2dc (rev 01)",
        "0000:3a:00.0 0200: 15b3:a2dc (rev 01)",
    ]
    host("setpci", "-s", BDF, "CAP_EXP+08.w=5000:F000")
    assert "MaxReadReq 4096 bytes" in host("lspci", "-vv", "-s", BDF).out
    assert "MaxReadReq 512 bytes" in host("lspci", "-vv", "-s", "0000:3a:00.0").out


def test_ofed_info_keeps_its_colon(host, monkeypatch):
    from nicsim import packages

    assert host("ofed_info", "-s").rc != 0
    for version, line in {
        "24.10-2.1.8.0": "MLNX_OFED_LINUX-24.10-2.1.8.0:\n",
        "26.01.OFED.26.01.0.8.8": "OFED-internal-26.01-0.8.8:\n",
    }.items():
        monkeypatch.setattr(packages, "installed", lambda v=version: {"ofed-scripts": v})
        assert host("ofed_info", "-s").out == line


def counters(host):
    lines = host("ethtool", "-S", NET).out.splitlines()
    assert lines[0] == "NIC statistics:"
    return {key: int(value) for key, value in (line.strip().split(": ") for line in lines[1:])}


def test_priority_pause_counters_exist_only_with_pfc(host):
    assert "rx_prio3_pause" not in counters(host)
    host("mlnx_qos", "-i", NET, "--pfc=0,0,0,1,0,0,0,0")
    assert counters(host)["rx_prio3_pause"] == 0


@pytest.mark.parametrize(
    "fault, name",
    [("pause-storm", "tx_pause_storm_error_events"), ("stuck-queue", "rx_prio3_discards")],
)
def test_counters_that_rise(host, fault, name):
    assert counters(host)[name] == counters(host)[name] == 0
    host.admin("fault", "add", fault)
    first, second = counters(host)[name], counters(host)[name]
    assert 0 < first < second
    host.admin("fault", "clear", fault)
    assert counters(host)[name] == counters(host)[name] == second


@pytest.mark.parametrize(
    "value, status, result", [("0", 0, 0), ("100", 0, 100), ("65535", 0, 100), ("8000", 0, 8000),
                              ("99", 1, 8000), ("8001", 1, 8000)],
)  # fmt: skip
def test_pause_prevention_range(host, value, status, result):
    assert host("ethtool", "--set-tunable", NET, "pfc-prevention-tout", value).rc == status
    found = host("ethtool", "--get-tunable", NET, "pfc-prevention-tout").out
    assert found == f"pfc-prevention-tout: {result}\n"


def test_ethtool_pause_and_rings(host):
    host("ethtool", "-A", NET, "rx", "off", "tx", "off")
    assert "RX:\t\toff\nTX:\t\toff" in host("ethtool", "-a", NET).out
    host("ethtool", "-G", NET, "rx", "8192", "tx", "8192")
    assert "Current hardware settings:\nRX:\t\t8192" in host("ethtool", "-g", NET).out


def test_health_reporters_are_healthy(host):
    found = json.loads(host("devlink", "health", "show", "-j", f"pci/{BDF}").out)
    assert {reporter["state"] for reporter in found["health"][f"pci/{BDF}"]} == {"healthy"}


def test_bundle_content(host, monkeypatch):
    monkeypatch.chdir(host.folder)
    host.admin("make-bfb", "b.bfb", "--nic-fw", "32.48.1000")
    assert host("mlx-mkbfb", "-x", "-n", "info-v0", "b.bfb").rc == 0
    members = json.loads((host.folder / "dump-info-v0").read_text())["Members"]
    assert {"Name": "BF3_NIC_FW", "Version": "32.48.1000"} in members
