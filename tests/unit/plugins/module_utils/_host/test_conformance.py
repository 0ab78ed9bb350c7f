# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every tool of a host is asked once; what its parser misses is said, with what it printed."""

from __future__ import annotations

import os
import subprocess

import pytest
from simulated_host import TARGET, SimulatedHost

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.conformance import conformance
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import (
    MISSING,
    Host,
    Result,
)

pytestmark = pytest.mark.skipif(not TARGET.is_dir(), reason="the stand-ins are not shipped")
SYSTEM = {
    "ip -j address": '[{"ifname": "lo", "operstate": "UNKNOWN", "mtu": 65536, "addr_info": []}]',
    "ip -j route": '[{"dst": "default"}]',
    "systemctl show": "Id=ssh.service\nLoadState=loaded\nActiveState=active\n",
}


@pytest.fixture
def ask(tmp_path):
    """Return a function that asks a simulated host, with tools that print something else."""
    simulated = SimulatedHost(tmp_path)
    simulated.start("bf3-nic-2rail")

    def _ask(**disguises):
        def run(argv, timeout):
            line = " ".join(argv)
            if argv[0] in disguises:
                return Result(0, disguises[argv[0]], "")
            for start, out in SYSTEM.items():
                if line.startswith(start):
                    return Result(0, out, "")
            if not (tmp_path / "bin" / argv[0]).exists():
                return Result(MISSING, "", "not found")
            env = os.environ | simulated.environment
            done = subprocess.run(
                argv, env=env, capture_output=True, text=True, timeout=timeout, check=False
            )
            return Result(done.returncode, done.stdout, done.stderr)

        host = Host(run=run, sysfs=str(tmp_path / "run/sys"), check_mode=True)
        return {one["tool"]: one for one in conformance(host)}, host

    return _ask


def test_the_stand_ins_answer_as_the_parsers_read(ask):
    told, host = ask()
    assert {name: one["lacks"] for name, one in told.items() if one["lacks"]} == {}
    assert {"mlxconfig", "flint", "mlxreg", "mlnx_qos", "ethtool", "devlink"} <= set(told)
    assert not host.writes


@pytest.mark.large
@pytest.mark.parametrize(
    "tool, printed, lacks",
    [
        ("mlxconfig", "Device #1:\n", "no settings in the answer"),
        ("flint", "FW Version: 32.43.1014\n", "no psid is read"),
        ("mlxreg", "Field Name | Data\n", "no fields in the answer"),
        ("devlink", "{}", "no card in the answer"),
        ("mlnx_qos", "Priority trust state: dscp\n", "no pfc is read"),
        ("ethtool", "NIC statistics:\n     rx_packets: 7\n", "no rx_prio3_packets is read"),
        ("ip", "1: lo: <LOOPBACK>", "no list of rows in the answer"),
        ("mlxfwmanager", "Querying ...", "no device with a psid in the answer"),
    ],
)
def test_exactly_the_tool_that_prints_something_else_is_found(ask, tool, printed, lacks):
    told, _host = ask(**{tool: printed})
    assert {name for name, one in told.items() if one["lacks"]} == {tool}
    assert any(lacks in text for text in told[tool]["lacks"])
    assert told[tool]["out"] == printed


def test_a_host_without_a_nic_is_said(tmp_path):
    def run(argv, _timeout):
        said = (out for start, out in SYSTEM.items() if " ".join(argv).startswith(start))
        return Result(0, next(said, "version 1"), "")

    told = conformance(Host(run=run, sysfs=str(tmp_path), check_mode=True))
    assert {one["tool"]: one["lacks"] for one in told if one["lacks"]} == {
        "/sys": ["no NIC of NVIDIA in /sys/bus/pci/devices"]
    }


def test_a_tool_that_is_not_installed_is_said(ask):
    told, _host = ask()
    assert told["dcb"]["missing"] is True
