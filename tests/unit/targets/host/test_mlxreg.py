# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlxreg: the table, field-select semantics, PPCC and the inter-packet gap."""

from __future__ import annotations

import re

import pytest

BDF = "0000:18:00.0"
ACCL = ("--reg_name", "ROCE_ACCL")
PAOS = "0x0.8:4={},0x0.16:8=1,0x4.8:1=1,0x4.31:1=1"


def table(text):
    return {
        match.group(1): int(match.group(2), 16)
        for match in re.finditer(r"^(\w+) +\| 0x([0-9a-f]{8})$", text, re.MULTILINE)
    }


def accl(host):
    return table(host("mlxreg", "-d", BDF, *ACCL, "--get").out)


def enable_routing(host):
    host("mlxconfig", "-y", "-d", BDF, "set", "ROCE_ADAPTIVE_ROUTING_EN=1")
    host.admin("reboot")


def test_the_answer_has_the_published_shape(host):
    lines = host("mlxreg", "-d", BDF, *ACCL, "--get").out.splitlines()
    assert lines[0] == "Sending access register..."
    assert lines[2] == "Field Name                                     | Data"
    assert lines[3] == "=" * 60
    assert lines[4] == "roce_adp_retrans_field_select                  | 0x00000001"
    assert lines[-1] == "=" * 60


def test_an_unconfigured_card_has_the_published_defaults(host):
    found = accl(host)
    names = ("roce_adp_retrans_en", "roce_tx_window_en", "roce_slow_restart_en",
             "roce_slow_restart_idle_en")  # fmt: skip
    assert [found[name] for name in names] == [1, 0, 1, 0]
    assert found["adaptive_routing_forced_en_field_select"] == 0


def test_a_plain_set_overlays_what_was_read(host):
    result = host("mlxreg", "-d", BDF, *ACCL, "--set", "roce_tx_window_en=0x1", "--yes")
    assert result.out.startswith(
        "You are about to send access register: ROCE_ACCL with the following data:\n"
    )
    assert "Do you want to continue ? (y/n) [n] : y\n Sending access register...\n" in result.out
    found = accl(host)
    assert (found["roce_tx_window_en"], found["roce_adp_retrans_en"]) == (1, 1)


def test_forcing_adaptive_routing_is_a_silent_no_op_until_it_is_enabled(host):
    forced = ("mlxreg", "-d", BDF, *ACCL, "--set", "adaptive_routing_forced_en=0x1", "--yes")
    assert host(*forced).rc == 0
    assert accl(host)["adaptive_routing_forced_en"] == 0
    enable_routing(host)
    host(*forced)
    assert accl(host)["adaptive_routing_forced_en"] == 1
    host.admin("reboot")
    assert accl(host)["adaptive_routing_forced_en"] == 0


def test_select_bits_say_which_fields_are_applied(host):
    host("mlxreg", "-d", BDF, *ACCL, "-y", "--set",
         "roce_tx_window_en=1,roce_tx_window_field_select=0")  # fmt: skip
    assert accl(host)["roce_tx_window_en"] == 0
    host("mlxreg", "-d", BDF, *ACCL, "-y", "-w", "--set", "roce_tx_window_en=1")
    assert accl(host)["roce_tx_window_en"] == 0
    host("mlxreg", "-d", BDF, *ACCL, "-y", "-w", "--set",
         "roce_tx_window_en=1,roce_tx_window_field_select=1")  # fmt: skip
    found = accl(host)
    assert (found["roce_tx_window_en"], found["roce_slow_restart_en"]) == (1, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--reg_name", "NOPE", "--get"),
        (*ACCL, "--set", "no_such_field=1", "--yes"),
        (*ACCL, "--set", "roce_tx_window_en=one", "--yes"),
        ("--reg_name", "PPCC", "--get", "--indexes", "local_port=1"),
        (*ACCL,),
    ],
)
def test_mistakes(host, arguments):
    result = host("mlxreg", "-d", BDF, *arguments)
    assert result.rc != 0
    assert "-E- " in result.out


def ppcc(slot, parameter=0):
    return (
        "--reg_name", "PPCC", "--indexes",
        f"local_port=1,pnat=0,lp_msb=0,algo_slot={slot},algo_param_index={parameter}",
    )  # fmt: skip


def ppcc_read(host, slot, command, parameter=0):
    result = host(
        "mlxreg", "-d", BDF, "--get", *ppcc(slot, parameter), "--op", f"cmd_type={command}"
    )
    return table(result.out)["value"]


def test_congestion_control_parameters_and_slots(host):
    host("mlxreg", "-d", BDF, "-y", "--set", "cmd_type=8,value=69468", *ppcc(0, 3))
    assert ppcc_read(host, 0, 6, 3) == 69468
    assert ppcc_read(host, 0, 6, 4) == 0
    assert ppcc_read(host, 15, 3) == 1
    host("mlxreg", "-d", BDF, "-y", "--set", "cmd_type=2", *ppcc(15))
    host("mlxreg", "-d", BDF, "-y", "--set", "cmd_type=1,counter_en=1", *ppcc(0))
    assert ppcc_read(host, 15, 3) == 0
    assert ppcc_read(host, 0, 3) == 1
    assert host.state("nics.0.functions.0.runtime.ppcc.0.counter_en") == 1
    host.admin("reboot")
    assert ppcc_read(host, 0, 6, 3) == 0


def gap(host):
    indexes = "local_port=1,lp_msb=0,ipg_cap_index=0"
    found = table(host("mlxreg", "-d", BDF, "-g", "--reg_name", "PIPG", "-i", indexes).out)
    return found["ipg"], found["ipg_oper"]


def test_the_gap_takes_effect_after_a_link_toggle(host):
    indexes = "local_port=1,lp_msb=0,ipg_cap_index=0"
    host("mlxreg", "-d", BDF, "-y", "--set", "ipg=0x00000019", "--reg_name", "PIPG",
         "--indexes", indexes)  # fmt: skip
    assert gap(host) == (25, 0)
    for state in (2, 1):
        result = host("mlxreg", "-d", BDF, "-y", "--reg_id", "0x5006", "--reg_len", "16",
                      "--set", PAOS.format(state))  # fmt: skip
        assert result.rc == 0
    assert gap(host) == (25, 25)


def test_a_toggle_of_the_real_link_counts_too(host):
    net = host.folder / "net" / "ens3np0"
    net.mkdir()
    (net / "ifindex").write_text("7\n")
    (net / "carrier_down_count").write_text("3\n")
    (net / "carrier").write_text("1\n")
    indexes = "local_port=1,lp_msb=0,ipg_cap_index=0"
    host("mlxreg", "-d", BDF, "-y", "--set", "ipg=33", "--reg_name", "PIPG", "-i", indexes)
    assert gap(host) == (33, 0)
    (net / "carrier_down_count").write_text("4\n")
    assert gap(host) == (33, 33)


@pytest.mark.parametrize("fault", ["mlxreg-fails", "restricted"])
def test_faults(host, fault):
    host.admin("fault", "add", fault)
    result = host("mlxreg", "-d", BDF, *ACCL, "--set", "roce_tx_window_en=1", "--yes")
    assert result.rc != 0
    assert accl(host)["roce_tx_window_en"] == 0


def test_adaptive_routing_that_never_becomes_supported(host):
    enable_routing(host)
    host.admin("fault", "add", "ar-unsupported", "--nic", BDF)
    assert accl(host)["adaptive_routing_forced_en_field_select"] == 0
