# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""flint, mlxfwmanager, mlxfwreset, bfb-install: burned, running, staged, and every way to fail."""

from __future__ import annotations

import json
import time
from xml.etree import ElementTree

import pytest

BDF = "0000:18:00.0"
PSID = "MT_0000001069"
NEW = "32.48.1000"


def image(host, version=NEW, psid=PSID):
    file = host.folder / f"fw-{psid}-{version}.bin"
    host.admin("make-image", str(file), "--psid", psid, "--version", version)
    return str(file)


def bundle(host, version=NEW, psid=PSID):
    file = host.folder / "bundle.bfb"
    host.admin("make-bfb", str(file), "--nic-fw", version, "--psid", psid)
    return str(file)


def keys(text):
    return {
        line[:22].strip(): line[23:] for line in text.splitlines() if line[:22].rstrip()[-1:] == ":"
    }


def versions(host):
    firmware = host.state("nics.0.firmware")
    return firmware["running"], firmware["burned"]


def test_query_pads_keys_to_22_and_hides_an_equal_running_version(host):
    text = host("flint", "-d", BDF, "q").out
    assert text.splitlines()[1] == "FW Version:            32.43.1014"
    assert "FW Version(Running)" not in text
    assert keys(text)["PSID:"] == PSID


def test_a_burn_is_staged_until_a_reset(host):
    result = host("flint", "-d", BDF, "-i", image(host), "-y", "burn")
    assert result.rc == 0
    text = host("flint", "-d", BDF, "q").out
    assert text.splitlines()[1:3] == [
        "FW Version:            32.48.1000",
        "FW Version(Running):   32.43.1014",
    ]
    info = json.loads(host("devlink", "dev", "info", "-j", f"pci/{BDF}").out)
    found = info["info"][f"pci/{BDF}"]["versions"]
    assert found["running"]["fw.version"] == "32.43.1014"
    assert found["stored"]["fw.version"] == NEW
    assert found["fixed"]["fw.psid"] == PSID
    assert host("mlxfwreset", "-d", BDF, "-y", "reset").out.splitlines()[-1] == (
        "-I- FW was loaded successfully."
    )
    assert versions(host) == (NEW, NEW)


def test_an_image_for_another_card_is_refused(host):
    result = host("flint", "-d", BDF, "-i", image(host, psid="MT_0000000884"), "-y", "burn")
    assert result.rc != 0
    assert "PSID mismatch" in result.out
    assert versions(host)[1] == "32.43.1014"


def test_an_image_can_be_asked_for_its_psid(host):
    text = host("flint", "-i", image(host), "q").out
    assert keys(text)["PSID:"] == PSID
    assert keys(text)["FW Version:"] == NEW


@pytest.mark.parametrize("fault", ["burn-fails", "restricted"])
def test_a_burn_that_fails_changes_nothing(host, fault):
    host.admin("fault", "add", fault)
    result = host("flint", "-d", BDF, "-i", image(host), "-y", "burn")
    assert result.rc != 0
    assert "-E- " in result.out
    assert versions(host)[1] == "32.43.1014"


def test_staged_only_firmware_needs_a_power_cycle(host):
    host.admin("fault", "add", "staged-only")
    host("flint", "-d", BDF, "-i", image(host), "-y", "burn")
    host("mlxfwreset", "-d", BDF, "-y", "reset")
    host.admin("reboot")
    assert versions(host) == ("32.43.1014", NEW)
    assert host("ipmitool", "chassis", "power", "cycle").rc == 0
    assert versions(host) == (NEW, NEW)


def test_mlxfwreset_cannot_activate_a_downgrade_but_a_reboot_can(host):
    host("flint", "-d", BDF, "-i", image(host, "32.42.1000"), "-y", "burn")
    host("mlxfwreset", "-d", BDF, "-y", "reset")
    assert versions(host) == ("32.43.1014", "32.42.1000")
    host.admin("reboot")
    assert versions(host) == ("32.42.1000", "32.42.1000")


def test_mlxfwmanager_text_and_update(host):
    image(host)
    text = host("mlxfwmanager", "-d", BDF, "-D", str(host.folder), "-u", "-y").out
    assert text.startswith("Querying Mellanox devices firmware ...\n\nDevice #1:\n----------\n")
    assert "  Versions:         Current        Available     \n" in text
    assert "     FW             32.43.1014     32.48.1000    \n" in text
    assert "  Status:           Update required\n" in text
    assert text.endswith("Restart needed for updates to take effect.\n")
    again = host("mlxfwmanager", "-d", BDF, "-D", str(host.folder)).out
    assert "     FW (Running)   32.43.1014     N/A           \n" in again
    assert "  Status:           Up to date\n" in again


def test_mlxfwmanager_xml(host):
    root = ElementTree.fromstring(host("mlxfwmanager", "--query-format", "XML").out)
    device = root.find("Device")
    assert device.attrib["pciName"] == BDF
    assert device.attrib["psid"] == PSID
    assert device.find("Versions/FW").attrib["current"] == "32.43.1014"
    assert device.find("Status").text.strip() == "No matching image found"


def test_reset_query_lines_are_padded_to_62(host):
    lines = host("mlxfwreset", "-d", BDF, "q").out.splitlines()
    assert lines[0] == "Reset-levels:"
    assert "3: " + f"{'Driver restart and PCI reset':<62}-Supported     (default)" in lines
    assert any(line.startswith("0: Driver, PCI link") and line.endswith("-Not Supported")
               for line in lines)  # fmt: skip
    assert "Reset-types (relevant only for reset-levels 1,3,4):" in lines


def test_reset_status_as_json(host):
    quiet = json.loads(host("mlxfwreset", "-d", BDF, "status", "--json").out)
    assert quiet["reset_needed"] is False
    assert quiet["pending_fw_version"] == "N/A (FW is up to date)"
    assert quiet["pending_nvconfig_parameters"] == "N/A (No pending NVCONFIG parameters)"
    host("mlxconfig", "-y", "-d", BDF, "set", "SRIOV_EN=1")
    busy = json.loads(host("mlxfwreset", "-d", BDF, "s", "--json").out)
    assert busy["reset_needed"] is True
    assert busy["pending_nvconfig_parameters"] == [
        {"name": "SRIOV_EN", "default": "False(0)", "current": "False(0)", "next_boot": "True(1)"}
    ]


def test_reset_loses_runtime_settings_and_applies_nv(host):
    host("mlnx_qos", "-i", "ens3np0", "--pfc=0,0,0,1,0,0,0,0")
    host("mlnx_qos", "-i", "ens4np0", "--pfc=0,0,0,1,0,0,0,0")
    host("mlxconfig", "-y", "-d", BDF, "set", "SRIOV_EN=1")
    host("mlxfwreset", "-d", BDF, "-y", "-l", "3", "reset")
    assert host("mlnx_qos", "-i", "ens3np0", "-P", "3").out == "0\n"
    assert host("mlnx_qos", "-i", "ens4np0", "-P", "3").out == "1\n"
    assert host.state("nics.0.nv.current.SRIOV_EN") == 1


@pytest.mark.parametrize(
    "fault, arguments, text",
    [
        ("fwreset-fails", (), "-E- Firmware reset failed, retry operation or reboot machine."),
        ("fwreset-unsupported", (), "-E- Reset-level 3 is not supported"),
        (None, ("-l", "0"), "-E- Reset-level 0 is not supported"),
        (None, ("--sync", "0"), "-E- Sync 0 flow is not supported by BlueField2 and BlueField3"),
    ],
)
def test_refused_resets(host, fault, arguments, text):
    if fault:
        host.admin("fault", "add", fault)
    host("mlxconfig", "-y", "-d", BDF, "set", "SRIOV_EN=1")
    result = host("mlxfwreset", "-d", BDF, "-y", *arguments, "reset")
    assert result.rc != 0
    assert text in result.out
    assert host.state("nics.0.nv.current.SRIOV_EN") == 0


def test_reset_refuses_fwctl_and_dpu_mode(host, empty):
    result = host("mlxfwreset", "-d", "/dev/fwctl/fwctl0", "-y", "reset")
    assert "-E- mlxfwreset is not supported for fwctl devices" in result.out
    empty.init("bf3-dpu")
    assert host("mlxfwreset", "-d", BDF, "-y", "reset").rc != 0


def test_a_reset_may_lose_the_mode(host):
    host.admin("fault", "add", "reset-loses-mode")
    host("mlxfwreset", "-d", BDF, "-y", "reset")
    assert host.state("nics.0.nv.current.INTERNAL_CPU_OFFLOAD_ENGINE") == 0


def test_bundle_in_nic_mode(host):
    host("rshim")
    result = host("bfb-install", "-b", bundle(host), "-r", "rshim0")
    lines = result.out.splitlines()
    assert lines[0] == "Checking if local host has root access..."
    assert lines[1] == "Checking if rshim driver is running locally..."
    assert lines[2] == "/dev/rshim0 (0000:18:00.0) is in NIC mode"
    assert "Unbinding pf0 (0000:18:00.0)" in lines
    assert " INFO[MISC]: NIC firmware update done: 32.48.1000" in lines
    assert " INFO[MISC]: In Enhanced NIC mode" in lines
    assert "DPU is ready" not in result.out
    log = (host.folder / "tmp" / "bfb-install-rshim0.log").read_text()
    assert " INFO[MISC]: In Enhanced NIC mode" in log
    assert "In Enhanced NIC mode" in (host.folder / "dev" / "rshim0" / "misc").read_text()
    host.admin("reboot")
    assert versions(host) == ("32.43.1014", NEW)
    host.admin("power-cycle")
    assert versions(host) == (NEW, NEW)


def test_bundle_in_dpu_mode_installs_the_system_too(empty):
    host = empty.init("bf3-dpu")
    host("rshim")
    file = host.folder / "os.bfb"
    host.admin("make-bfb", str(file), "--nic-fw", NEW, "--dpu",
               '{"atf": "A", "uefi": "U", "bsp": "4.14.0", "os_release": "R"}')  # fmt: skip
    result = host("bfb-install", "-b", str(file), "-r", "rshim0", "-c", "bf.cfg")
    assert " INFO[MISC]: DPU is ready" in result.out.splitlines()
    assert "is in NIC mode" not in result.out
    lines = host("bfver").out.splitlines()
    assert lines[0] == "--/dev/mmcblk0boot0"
    assert lines[3] == "BlueField BSP version: 4.14.0"
    assert lines[-1] == "OS Release Version: R"


def test_critical_error_ends_with_status_0(host):
    host("rshim")
    host.admin("fault", "add", "bfb-critical")
    result = host("bfb-install", "-b", bundle(host), "-r", "rshim0")
    assert result.rc == 0
    assert "CRITICAL ERROR" in result.out
    assert versions(host)[1] == "32.43.1014"


@pytest.mark.parametrize("psid, fault", [("MT_0000000884", None), (PSID, "burn-fails")])
def test_a_failed_firmware_part_ends_with_status_0(host, psid, fault):
    host("rshim")
    if fault:
        host.admin("fault", "add", fault)
    result = host("bfb-install", "-b", bundle(host, psid=psid), "-r", "rshim0")
    assert result.rc == 0
    assert " ERR[MISC]: NIC firmware update failed" in result.out.splitlines()
    assert versions(host)[1] == "32.43.1014"


def test_rshim_belongs_to_the_bmc_until_forced(host):
    host.admin("fault", "add", "rshim-bmc", "--nic", BDF)
    assert "another backend already attached" in host("rshim").out
    refused = host("bfb-install", "-b", bundle(host), "-r", "rshim0")
    assert refused.rc != 0
    assert not (host.folder / "dev" / "rshim0").exists()
    assert (host.folder / "dev" / "rshim1").exists()
    host("rshim", "-b", "pcie", "-F", "-l", "3")
    assert host("bfb-install", "-b", bundle(host), "-r", "rshim0").rc == 0


@pytest.mark.parametrize(
    "fault, burned", [("bfb-hangs", "32.43.1014"), ("bfb-hangs-after-success", NEW)]
)
def test_an_install_that_hangs(host, fault, burned):
    host("rshim")
    host.admin("fault", "add", fault)
    file = bundle(host)
    process = host.spawn("bfb-install", "-b", file, "-r", "rshim0")
    try:
        deadline = time.monotonic() + 10
        last = "BL31 START" if fault == "bfb-hangs" else "In Enhanced NIC mode"
        while last not in process.stdout.readline():
            assert time.monotonic() < deadline
        while versions(host)[1] != burned:
            assert time.monotonic() < deadline
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


def test_wrong_psid(host):
    host.admin("fault", "add", "wrong-psid", "--nic", BDF, "--value", "DEL0000000001")
    assert keys(host("flint", "-d", BDF, "q").out)["PSID:"] == "DEL0000000001"
    assert keys(host("flint", "-d", "0000:3a:00.0", "q").out)["PSID:"] == PSID
    assert "PSID mismatch" in host("flint", "-d", BDF, "-i", image(host), "-y", "burn").out
