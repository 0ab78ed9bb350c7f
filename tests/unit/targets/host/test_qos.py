# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlnx_qos, dcb and the cma tools: layout, no-op trust, custom maps, what a restart forgets."""

from __future__ import annotations

import json

import pytest

NET = "ens3np0"
PFC = "--pfc=0,0,0,1,0,0,0,0"


def trust(host):
    return host("mlnx_qos", "-i", NET).out.splitlines()[1]


def test_a_fresh_port_trusts_pcp_and_has_no_pfc(host):
    lines = host("mlnx_qos", "-i", NET).out.splitlines()
    assert lines[:2] == ["DCBX mode: OS controlled", "Priority trust state: pcp"]
    assert not [line for line in lines if "dscp" in line]
    assert "\tenabled     0   0   0   0   0   0   0   0   " in lines


def test_layout_after_trust_and_pfc(host):
    lines = host("mlnx_qos", "-i", NET, "--trust=dscp", PFC).out.splitlines()
    assert lines[1] == "Priority trust state: dscp"
    assert lines[2] == "dscp2prio mapping:"
    assert lines[3] == "\tprio:0 dscp:07,06,05,04,03,02,01,00,"
    assert lines[6] == "\tprio:3 dscp:31,30,29,28,27,26,25,24,"
    assert lines[9] == "\tprio:6 dscp:55,54,53,52,51,50,49,48,"
    assert "Receive buffer size (bytes): 19872,243072,0,0,0,0,0,0,max_buffer_size=2069280" in lines
    at = lines.index("PFC configuration:")
    assert lines[at - 1] == "Cable len: 7"
    assert [line.rstrip() for line in lines[at + 1 : at + 4]] == [
        "\tpriority    0   1   2   3   4   5   6   7",
        "\tenabled     0   0   0   1   0   0   0   0",
        "\tbuffer      0   0   0   1   0   0   0   0",
    ]
    assert lines[at + 4 : at + 8] == [
        "tc: 0 ratelimit: unlimited, tsa: vendor",
        "\t priority:  1",
        "tc: 1 ratelimit: unlimited, tsa: vendor",
        "\t priority:  0",
    ]


def test_more_than_eight_entries_take_another_line(host):
    host("mlnx_qos", "-i", NET, "--trust", "dscp")
    text = host("mlnx_qos", "-i", NET, "--dscp2prio", "set,40,3").out
    assert "\tprio:3 dscp:40,31,30,29,28,27,26,25,\n\tprio:3 dscp:24,\n" in text


def test_trust_dscp_does_not_repair_a_custom_map(host):
    host("mlnx_qos", "-i", NET, "--dscp2prio=set,26,5")
    assert trust(host) == "Priority trust state: dscp"
    again = host("mlnx_qos", "-i", NET, "--trust=dscp")
    assert again.rc == 0
    assert host.state("nics.0.functions.0.runtime.dscp2prio") == {"26": 5}
    host("mlnx_qos", "-i", NET, "--dscp2prio=flush")
    assert trust(host) == "Priority trust state: pcp"
    host("mlnx_qos", "-i", NET, "--trust=dscp")
    found = host.state("nics.0.functions.0.runtime.dscp2prio")
    assert len(found) == 64
    assert found["26"] == 3


def test_deleting_the_last_entry_returns_to_pcp(host):
    host("mlnx_qos", "-i", NET, "--dscp2prio=set,30,2")
    host("mlnx_qos", "-i", NET, "--dscp2prio=del,30,2")
    assert trust(host) == "Priority trust state: pcp"


@pytest.mark.parametrize(
    "arguments, text",
    [
        (
            ("--trust=dscp", "--dscp2prio=set,1,1"),
            "trust and dscp2prio commands cannot be used at the same time.",
        ),
        (("--trust=both",), "Invalid trust state command"),
        (("--pfc=0,0,0,1",), "pfc list must have 8 items"),
        (("--pfc=0,0,0,2,0,0,0,0",), "Bad value for PFC"),
        (("--dscp2prio=set,64,1",), "Invalid dscp2prio command"),
        (("--dcbx=maybe",), "Invalid dcbx mode command"),
    ],
)
def test_refusals(host, arguments, text):
    result = host("mlnx_qos", "-i", NET, *arguments)
    assert result.rc == 1
    assert text in result.out


def test_an_unknown_interface(host):
    result = host("mlnx_qos", "-i", "eth9")
    assert result.rc != 0
    assert "Netdevice eth9 does not exist" in result.out


def test_one_priority_is_read_or_changed_silently(host):
    assert host("mlnx_qos", "-i", NET, "-F", "x,x,x,1,x,x,x,x").out == ""
    assert host("mlnx_qos", "-i", NET, "-P", "3").out == "1\n"
    assert host("mlnx_qos", "-i", NET, "-P", "4").out == "0\n"


def test_cable_length_leaves_pfc_alone(host):
    host("mlnx_qos", "-i", NET, PFC)
    host("mlnx_qos", "-i", NET, "--cable_len", "50")
    text = host("mlnx_qos", "-i", NET).out
    assert "Cable len: 50" in text
    assert host("mlnx_qos", "-i", NET, "-P", "3").out == "1\n"


def test_dcb_json_agrees_with_mlnx_qos(host):
    host("mlnx_qos", "-i", NET, "--trust=dscp", PFC)
    pfc = json.loads(host("dcb", "-j", "pfc", "show", "dev", NET).out)
    assert pfc["pfc_cap"] == 8
    assert pfc["prio_pfc"] == [False, False, False, True, False, False, False, False]
    app = json.loads(host("dcb", "-j", "app", "show", "dev", NET).out)
    assert [26, 3] in app["dscp_prio"]
    assert len(app["dscp_prio"]) == 64
    buffer = json.loads(host("dcb", "-j", "buffer", "show", "dev", NET).out)
    assert buffer["prio_buffer"] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert buffer["total_size"] == 2069280
    ets = json.loads(host("dcb", "-j", "ets", "show", "dev", NET).out)
    assert ets["tc_tsa"] == ["vendor"] * 8


def test_dcb_writes(host):
    host("dcb", "pfc", "set", "dev", NET, "prio-pfc", "all:off", "3:on")
    host("dcb", "app", "add", "dev", NET, "dscp-prio", "26:3")
    assert host("mlnx_qos", "-i", NET, "-P", "3").out == "1\n"
    assert trust(host) == "Priority trust state: dscp"
    assert [entry["tool"] for entry in host.log(writes=True)] == ["dcb", "dcb"]


@pytest.mark.parametrize("command", ["reboot", "driver-reload"])
def test_a_restart_forgets_everything_volatile(host, command):
    host("mlnx_qos", "-i", NET, "--trust=dscp", PFC)
    host("cma_roce_tos", "-d", "mlx5_0", "-t", "96")
    host.admin(command)
    assert trust(host) == "Priority trust state: pcp"
    assert host("mlnx_qos", "-i", NET, "-P", "3").out == "0\n"
    assert host("cma_roce_tos", "-d", "mlx5_0").out == "0\n"


def test_cma_tools_print_one_value(host):
    assert host("cma_roce_tos", "-d", "mlx5_0", "-t", "96").out == "96\n"
    assert host("cma_roce_mode", "-d", "mlx5_0", "-p", "1").out == "RoCE v2\n"
    assert host("cma_roce_mode", "-d", "mlx5_0", "-p", "1", "-m", "1").out == "IB/RoCE v1\n"


def test_cma_tools_refuse_a_network_device(host):
    assert host("cma_roce_tos", "-d", NET, "-t", "96").rc == 1


def test_lldpad_warning_and_firmware_controlled_dcbx(host):
    host.admin("fault", "add", "lldpad")
    host("mlnx_qos", "-i", NET, PFC)
    host.admin("fault", "add", "dcbx-firmware")
    text = host("mlnx_qos", "-i", NET).out
    assert text.startswith("****** WARNING: lldpad service is running")
    assert "DCBX mode: Firmware controlled" in text
    assert host("mlnx_qos", "-i", NET, "-P", "3").out.endswith("0\n")


def test_pfc_that_prints_success_and_does_nothing(host):
    host.admin("fault", "add", "pfc-silent")
    assert host("mlnx_qos", "-i", NET, PFC).rc == 0
    assert host("mlnx_qos", "-i", NET, "-P", "3").out == "0\n"


def test_where_trust_is_a_file_neither_flush_nor_del_does_anything(host):
    host("mlnx_qos", "-i", NET, "--trust", "dscp")
    host.admin("fault", "add", "trust-file")
    for change in ("flush", "del,24,3"):
        assert host("mlnx_qos", "-i", NET, "--dscp2prio", change).rc == 0
    assert host.state("nics.0.functions.0.runtime.dscp2prio")["24"] == 3


def test_the_default_priority_is_not_printed(host):
    assert "default priority" not in host("mlnx_qos", "-i", NET).out
