# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlxconfig: table formats, staging, hidden names, and what a reset does to the mode."""

from __future__ import annotations

import json
import re

import pytest

BDF = "0000:18:00.0"


def rows(text: str) -> dict[str, list[str]]:
    """Rows as the reference says to read them: strip, drop * and RO, split on 2+ spaces."""
    found = {}
    for line in text.splitlines():
        parts = re.split(r"\s{2,}", re.sub(r"^\*?\s*(RO)?\s+", "", line.strip()))
        if len(parts) > 1 and re.fullmatch(r"[A-Z0-9_]+(\[[\d.]+\])?", parts[0]):
            found[parts[0]] = parts[1:]
    return found


def test_a_query_has_the_published_shape(host):
    text = host("mlxconfig", "-d", BDF, "-e", "q", "SRIOV_EN", "MEMIC_BAR_SIZE").out
    assert text.startswith("\nDevice #1:\n----------\n\nDevice type:        BlueField3\n")
    assert "\nDevice:             0000:18:00.0\n\nConfigurations:" in text
    lines = text.splitlines()
    assert lines[-2] == (
        "        SRIOV_EN                                    False(0)            "
        "False(0)            False(0)"
    )
    assert lines[-1] == (
        "        MEMIC_BAR_SIZE                              0                   0                   0"
    )
    header = next(line for line in lines if line.startswith("Configurations:"))
    assert header.split() == ["Configurations:", "Default", "Current", "Next", "Boot"]
    assert header.index("Default") == 56


def test_without_e_there_is_one_value_column_and_never_a_star(host):
    host("mlxconfig", "-y", "-d", BDF, "set", "SRIOV_EN=1")
    text = host("mlxconfig", "-d", BDF, "q").out
    assert "Next Boot" in text
    assert "Current" not in text
    assert "*" not in text.replace("'*'", "")
    assert rows(text)["SRIOV_EN"] == ["True(1)"]


def test_set_stages_and_prints_the_new_column(host):
    text = host("mlxconfig", "-y", "-d", BDF, "set", "SRIOV_EN=1", "NUM_OF_VFS=0x1").out
    assert re.search(r"^Configurations:\s+Next Boot\s+New$", text, re.MULTILINE)
    assert rows(text)["SRIOV_EN"] == ["False(0)", "True(1)"]
    tail = text.splitlines()[-3:]
    assert tail == [
        " Apply new Configuration? (y/n) [n] : y",
        "Applying... Done!",
        "-I- Please reboot machine to load new configurations.",
    ]
    text = host("mlxconfig", "-d", BDF, "-e", "q", "SRIOV_EN").out
    line = next(x for x in text.splitlines() if "SRIOV_EN" in x)
    assert line.startswith("*       SRIOV_EN ")
    assert rows(text)["SRIOV_EN"] == ["False(0)", "False(0)", "True(1)"]
    assert text.splitlines()[-1] == (
        "The '*' shows parameters with next value different from default/current value."
    )


@pytest.mark.parametrize(
    "command, running",
    [
        (("reboot",), "True(1)"),
        (("power-cycle",), "True(1)"),
        (("driver-reload",), "False(0)"),
    ],
)
def test_staged_becomes_current_by_a_restart_of_the_firmware_only(host, command, running):
    host("mlxconfig", "-y", "-d", BDF, "set", "SRIOV_EN=1")
    host.admin(*command)
    text = host("mlxconfig", "-d", BDF, "-e", "q", "SRIOV_EN").out
    assert rows(text)["SRIOV_EN"] == ["False(0)", running, "True(1)"]


def test_equal_values_are_written_again_unless_with_default(host):
    again = host("mlxconfig", "-y", "-d", BDF, "set", "SRIOV_EN=0")
    assert "Applying... Done!" in again.out
    quiet = host("mlxconfig", "-y", "--with_default", "-d", BDF, "set", "SRIOV_EN=0")
    assert quiet.out.splitlines() == [
        "Param SRIOV_EN is not going to be set since value matches next value",
        "Nothing to set",
    ]


@pytest.mark.parametrize("value", ["1", "0x1", "True", "true", "TRUE"])
def test_values_are_numbers_or_aliases_in_any_case(host, value):
    assert host("mlxconfig", "-y", "-d", BDF, "set", f"SRIOV_EN={value}").rc == 0
    assert host.state("nics.0.nv.next.SRIOV_EN") == 1


@pytest.mark.parametrize(
    "profile, bdf, argument",
    [
        ("bf3-nic-2rail", BDF, "NO_SUCH_NAME=1"),
        ("cx8-2plane", BDF, "LINK_TYPE_P2=2"),
        ("cx8-2plane", "0000:3a:00.0", "LINK_TYPE_P1=2"),
        ("cx8-2plane", BDF, "INTERNAL_CPU_OFFLOAD_ENGINE=1"),
        ("bf3-nic-2rail", BDF, "SRIOV_EN=2"),
        ("bf3-nic-2rail", BDF, "MODULE_SPLIT_M0=1"),
        ("bf3-nic-2rail", BDF, "MODULE_SPLIT_M0[16]=1"),
    ],
)
def test_one_bad_name_breaks_the_whole_set(empty, profile, bdf, argument):
    host = empty.init(profile)
    result = host("mlxconfig", "-y", "-d", bdf, "set", "SRIOV_EN=1", argument)
    assert result.rc != 0
    assert "-E- " in result.out
    assert host.state("nics.0.nv.next.SRIOV_EN") == 0


def test_names_hidden_by_others_are_missing_rows_and_cannot_be_set(host):
    assert "MULTIPATH_DSCP" in rows(host("mlxconfig", "-d", BDF, "q").out)
    both = host(
        "mlxconfig", "-y", "-d", BDF, "set", "FLEX_PARSER_PROFILE_ENABLE=10", "MULTIPATH_DSCP=0"
    )
    assert both.rc != 0
    host("mlxconfig", "-y", "-d", BDF, "set", "FLEX_PARSER_PROFILE_ENABLE=10")
    found = rows(host("mlxconfig", "-d", BDF, "q").out)
    assert "MULTIPATH_DSCP" not in found
    host("mlxconfig", "-y", "-d", BDF, "set", "ROCE_CC_LEGACY_DCQCN=1")
    assert "USER_PROGRAMMABLE_CC" not in rows(host("mlxconfig", "-d", BDF, "q").out)
    host("mlxconfig", "-y", "-d", BDF, "set", "INTERNAL_CPU_MODEL=0")
    assert "INTERNAL_CPU_OFFLOAD_ENGINE" not in rows(host("mlxconfig", "-d", BDF, "q").out)


def test_arrays_are_one_row_until_asked_for_by_index(host):
    assert rows(host("mlxconfig", "-d", BDF, "q").out)["MODULE_SPLIT_M0"] == ["Array[0..15]"]
    host("mlxconfig", "-y", "-d", BDF, "set", "MODULE_SPLIT_M0[0]=0x1", "MODULE_SPLIT_M0[15]=255")
    found = rows(host("mlxconfig", "-d", BDF, "-e", "q", "MODULE_SPLIT_M0[0..15]").out)
    assert found["MODULE_SPLIT_M0[0]"] == ["0", "0", "1"]
    assert found["MODULE_SPLIT_M0[15]"] == ["0", "0", "255"]
    assert len(found) == 16


@pytest.mark.parametrize("layout", ["old", "mid", "new"])
def test_a_value_as_wide_as_its_column_is_followed_by_one_space(host, layout):
    host.admin("set", "host.mft_layout", layout)
    text = host("mlxconfig", "-d", BDF, "-e", "q", "TX_SCHEDULER_LOCALITY_MODE").out
    line = text.splitlines()[-1]
    assert line.split() == ["TX_SCHEDULER_LOCALITY_MODE", *["DEVICE_DEFAULT(0)"] * 3]
    gap = re.search(r"\(0\)(\s+)D", line)
    assert gap
    assert (len(gap.group(1)) == 1) == (layout == "old")


def test_reset_returns_a_supernic_to_dpu_mode_at_the_next_restart(host):
    host("mlxconfig", "-y", "-d", BDF, "reset")
    name = "INTERNAL_CPU_OFFLOAD_ENGINE"
    text = host("mlxconfig", "-d", BDF, "-e", "q", name).out
    assert rows(text)[name] == ["ENABLED(0)", "DISABLED(1)", "ENABLED(0)"]
    host.admin("reboot")
    text = host("mlxconfig", "-d", BDF, "-e", "q", name).out
    assert rows(text)[name] == ["ENABLED(0)", "ENABLED(0)", "ENABLED(0)"]


def test_nic_mode_comes_back_only_by_a_power_cycle(host):
    name = "INTERNAL_CPU_OFFLOAD_ENGINE"
    host("mlxconfig", "-y", "-d", BDF, "reset")
    host.admin("reboot")
    host("mlxconfig", "-y", "-d", BDF, "set", "INTERNAL_CPU_MODEL=1", f"{name}=1", "SRIOV_EN=1")
    host.admin("reboot")
    assert host.state("nics.0.nv.current")[name] == 0
    assert host.state("nics.0.nv.current")["SRIOV_EN"] == 1
    host.admin("power-cycle")
    assert host.state("nics.0.nv.current")[name] == 1


def test_json_has_the_published_shape(host):
    file = host.folder / "out.json"
    result = host("mlxconfig", "-d", BDF, "-e", "-j", str(file), "q")
    assert result.out == f"Query output saved to {file} successfully\n"
    device = json.loads(file.read_text())["Device #1"]
    assert set(device) == {"device_type", "name", "description", "device", "tlv_configuration"}
    assert device["tlv_configuration"]["INTERNAL_CPU_OFFLOAD_ENGINE"] == {
        "read_only": False,
        "next_value": "DISABLED(1)",
        "modified": True,
        "default_value": "ENABLED(0)",
        "current_value": "DISABLED(1)",
    }


@pytest.mark.parametrize(
    "fault, text",
    [("nv-set-fails", "-E- Failed to set"), ("restricted", "-E- Failed to set")],
)
def test_faults_while_applying(host, fault, text):
    host.admin("fault", "add", fault)
    result = host("mlxconfig", "-y", "-d", BDF, "set", "SRIOV_EN=1")
    assert result.rc != 0
    assert "Applying... Failed!" in result.out
    assert text in result.out
    assert host.state("nics.0.nv.next.SRIOV_EN") == 0


def test_power_cycle_text_and_semantics(host):
    host.admin("fault", "add", "nv-needs-power-cycle")
    result = host("mlxconfig", "-y", "-d", BDF, "set", "SRIOV_EN=1")
    last = result.out.splitlines()[-1]
    assert last == "-I- Please power cycle machine to load new configurations."
    host.admin("reboot")
    assert host.state("nics.0.nv.current.SRIOV_EN") == 0
    host.admin("power-cycle")
    assert host.state("nics.0.nv.current.SRIOV_EN") == 1


def test_without_yes_nothing_is_applied(host, monkeypatch):
    monkeypatch.setattr("sys.stdin", open("/dev/null"))  # noqa: SIM115
    result = host("mlxconfig", "-d", BDF, "set", "SRIOV_EN=1")
    assert result.rc != 0
    assert "-E- Aborted by user." in result.out
    assert host.state("nics.0.nv.next.SRIOV_EN") == 0


@pytest.mark.parametrize("token", ["0000:18:00.0", "18:00.0", "mlx5_0", "/dev/fwctl/fwctl0"])
def test_names_of_a_device(host, token):
    assert host("mlxconfig", "-d", token, "q").rc == 0


def test_an_mst_name_needs_mst_started(host):
    assert host("mlxconfig", "-d", "/dev/mst/mt41692_pciconf1", "q").rc != 0
    host("mst", "start")
    result = host("mlxconfig", "-d", "/dev/mst/mt41692_pciconf1", "q")
    assert result.rc == 0


def test_an_unknown_name_is_refused_below_the_header_of_the_table(host):
    said = host("mlxconfig", "-d", BDF, "-e", "q", "NO_SUCH_NAME")
    assert said.rc == 3
    assert "\nConfigurations:" in said.out
    assert "-E- The Device doesn't support NO_SUCH_NAME parameter" in said.out + said.err


def test_older_firmware_lacks_a_name_until_newer_runs(host):
    host.admin("fault", "add", "nv-since", "--value", "RDE_DISABLE=32.46.1006")
    assert host("mlxconfig", "-d", BDF, "q", "RDE_DISABLE").rc == 3
    assert host("mlxconfig", "-y", "-d", BDF, "set", "RDE_DISABLE=1").rc == 3
    assert "RDE_DISABLE" not in host("mlxconfig", "-d", BDF, "q").out
    host.admin("set", "nics.0.firmware.running", '"32.48.1000"')
    assert host("mlxconfig", "-y", "-d", BDF, "set", "RDE_DISABLE=1").rc == 0


def test_a_supernic_shows_ats(host):
    assert rows(host("mlxconfig", "-d", BDF, "-e", "q").out)["ATS_ENABLED"][0] == "False(0)"
