# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who else sets the ports of a running host: services, processes, operators, scripts, virtual functions."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.network import apply_network

from .conftest import PCI

UNIT = "[Service]\nExecStart=-/usr/local/sbin/tune.sh all\n"


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        (
            "/etc/rc.local",
            "mlnx_qos -i rail1p1 --trust pcp\n",
            "/etc/rc.local, mlnx_qos: it runs at a boot",
        ),
        ("/etc/rc.local", "#!/bin/sh\n# mlnx_qos -i rail1p1\n", None),
        ("/etc/cron.d/nic", "@reboot root mlxconfig -y -d 18:00.0 s SRIOV_EN=1\n", "mlxconfig"),
        (
            "/etc/systemd/system/tune.service",
            "[Service]\nExecStart=/bin/cma_roce_tos -t 106\n",
            "cma_roce_tos",
        ),
        (
            "/etc/udev/rules.d/50-x.rules",
            'SUBSYSTEM=="net", RUN+="/bin/mlnx_qos -i %k"\n',
            "50-x.rules",
        ),
        (
            "/etc/networkd-dispatcher/routable.d/q",
            "dcb pfc set dev $IFACE prio-pfc all:off\n",
            "dcb pfc",
        ),
        (
            "/etc/systemd/system/spectrum-x-watch.service",
            "[Service]\nExecStart=/x/mlnx_qos\n",
            None,
        ),
        (f"/etc/sriov-operator/pci/{PCI}", "{}", "the SR-IOV network operator configures"),
        (f"/sys/bus/pci/devices/{PCI}/sriov_numvfs", "8\n", "sriov_numvfs=8"),
        (f"/sys/bus/pci/devices/{PCI}/sriov_numvfs", "0\n", None),
        ("/proc/77/comm", "dmsd\n", "DMS of DOCA runs here"),
        ("/proc/77/comm", "nic-configurati\n", "the NIC configuration operator runs here"),
        ("/proc/77/comm", "sshd\n", None),
    ],
)
def test_who_else_sets_a_port_is_named(machine, wanted, path, text, says):
    machine.write(path, text)
    found = apply_network(machine.host(check=True), wanted, partly=True)
    assert [says in row["sentence"] for row in found["writers"]] == ([True] if says else [])


def test_a_program_of_a_unit_is_read_too_and_lldpad_counts_by_its_unit(machine, wanted):
    machine.write("/etc/systemd/system/tune.service", UNIT)
    machine.write("/usr/local/sbin/tune.sh", "#!/bin/sh\nfor i in $*; do mlnx_qos -i $i; done\n")
    machine.units["lldpad.service"] = ("loaded", "enabled", "inactive")
    machine.strangers = ["rail1p1.100"]
    found = apply_network(machine.host(check=True), wanted, partly=True)
    assert [row["sentence"].partition(":")[0] for row in found["writers"]] == [
        "lldpad.service",
        "/usr/local/sbin/tune.sh, for i in $*; do mlnx_qos",
    ]
    assert {row["role"] for row in found["writers"]} == {"dpu_qos"}


def test_folders_and_programs_of_any_size_are_no_scripts(machine, wanted):
    """A host has folders of units wanted by a target, and services whose program is larger than a script may be."""
    machine.write("/etc/systemd/system/default.target.wants/x.service", "[Service]\n")
    machine.write("/etc/systemd/system/tune.service", "[Service]\nExecStart=/usr/local/bin/agent\n")
    machine.write("/usr/local/bin/agent", "x" * (2 << 20))
    assert apply_network(machine.host(check=True), wanted, partly=True)["writers"] == []


@pytest.mark.parametrize(
    ("unit", "rules", "says"),
    [
        (("loaded", "enabled", "active"), "", True),
        (("loaded", "enabled", "inactive"), "hostname\n", True),
        (("loaded", "disabled", "inactive"), "", False),
        (("loaded", "enabled", "active"), "denyinterfaces docker* rail*\n", False),
        (("loaded", "enabled", "active"), "allowinterfaces eno1\n", False),
        (("loaded", "enabled", "active"), "allowinterfaces eno1 rail?p1\n", True),
        (("loaded", "enabled", "active"), "# denyinterfaces rail*\n", True),
    ],
)
def test_dhcpcd_takes_each_port_that_its_rules_allow(prepared, unit, rules, says):
    host = prepared.by("networkd")
    host.machine.units["dhcpcd.service"] = unit
    host.machine.write("/etc/dhcpcd.conf", rules)
    rows = [row for row in host.look()["writers"] if "dhcpcd" in row["sentence"]]
    assert [row["role"] for row in rows] == (["dpu_interfaces"] if says else [])
