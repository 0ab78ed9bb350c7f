# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration space, lspci and setpci: what pciutils 3.9.0 of Debian 12 printed from this tree.

The expected texts are those of the real tools, run with `-O sysfs.path=` on the simulated tree.
"""

from __future__ import annotations

import os
import pathlib

import pytest

BDF = "0000:18:00.0"
PORT, SWITCH, ROOT = "0000:17:00.0", "0000:16:00.0", "0000:00:01.0"
CONTROL = "CAP_EXP+08.w"
HELP = "Try `setpci --help' for more information.\n"
MISSING = "setpci: {}: Instance #0 of {} not found - there are no capabilities with that id.\n"
OFF = "SrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-"
ON = "SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-"


def acs(host, address):
    lines = host("lspci", "-vvv", "-s", address).out.splitlines()
    return [line.partition("ACSCtl:\t")[2] for line in lines if "ACSCtl" in line]


def sysfs(host, path):
    return host.folder / "run" / "sys" / path


# -------------------------------------------------------------------------- MaxReadRequest


def test_maxreadreq_is_bits_14_to_12_of_device_control(host):
    assert host("setpci", "-s", BDF, CONTROL).out == "2936\n"
    assert "MaxPayload 256 bytes, MaxReadReq 512 bytes" in host("lspci", "-vvv", "-s", BDF).out
    written = host("setpci", "-s", BDF, f"{CONTROL}=5000:F000")
    assert written == (0, "", "")
    assert host("setpci", "-s", BDF, CONTROL).out == "5936\n"
    assert "MaxPayload 256 bytes, MaxReadReq 4096 bytes" in host("lspci", "-vvv", "-s", BDF).out
    assert host("setpci", "-s", "0000:3a:00.0", CONTROL).out == "2936\n"
    assert [(entry["tool"], entry["rc"]) for entry in host.log(writes=True)] == [("setpci", 0)]


@pytest.mark.parametrize(
    "act, value",
    [
        (("reboot",), "2936\n"),
        (("power-cycle",), "2936\n"),
        (("driver-reload",), "5936\n"),
    ],
)
def test_how_long_it_lasts(host, act, value):
    host("setpci", "-s", BDF, f"{CONTROL}=5000:F000")
    host.admin(*act)
    assert host("setpci", "-s", BDF, CONTROL).out == value


def test_a_reset_of_the_card_loses_it(host):
    for bdf in (BDF, "0000:3a:00.0"):
        host("setpci", "-s", bdf, f"{CONTROL}=5000:F000")
    assert host("mlxfwreset", "-d", BDF, "-y", "reset").rc == 0
    assert host("setpci", "-s", BDF, CONTROL).out == "2936\n"
    assert host("setpci", "-s", "0000:3a:00.0", CONTROL).out == "5936\n"


def test_an_unknown_device_is_a_warning_and_no_failure(host):
    assert host("setpci", "-s", "99:00.0", CONTROL) == (
        0, "", "setpci: Warning: No devices selected for operation group 1.\n",
    )  # fmt: skip
    assert host("lspci", "-s", "99:00.0") == (0, "", "")


@pytest.mark.parametrize(
    "words, said",
    [
        (("-s", BDF, "CAP_EXPX+8.w"), 'setpci: Unknown register "CAP_EXPX".\n' + HELP),
        (("-s", BDF, "CAP_EXP+8"), "setpci: Missing width.\n" + HELP),
        (("-s", BDF, "CAP_EXP+9.w"), "setpci: Unaligned register address 09.\n" + HELP),
        (("-s", BDF, "CAP_EXP+8.w=zz"), 'setpci: Invalid value "zz".\n' + HELP),
        (("-s", BDF, "CAP_EXP+8.w=1:zz"), 'setpci: Invalid mask "zz".\n' + HELP),
        (
            ("-s", BDF, "CAP_EXP+8.w=15000:f000"),
            'setpci: Value "15000:f000" is out of range.\n' + HELP,
        ),
        (
            ("-s", "zz:00.0", "CAP_EXP+8.w"),
            "setpci: Unable to parse filter -s Invalid bus number.\n" + HELP,
        ),
        (("CAP_EXP+8.w",), "setpci: Filter specification expected.\n" + HELP),
        ((), "setpci: No operation specified.\n" + HELP),
        (("-s", BDF, "CAP_MSI+2.w"), MISSING.format(BDF, "Capability 0005")),
        (("-s", BDF, "SECONDARY_BUS"), f"setpci: {BDF}: Does not have register SECONDARY_BUS.\n"),
    ],
)
def test_refusals_of_setpci(host, words, said):
    assert host("setpci", *words) == (1, "", said)
    assert host.log(writes=True) == [] or "=" in words[-1]


def test_the_trace_and_the_dry_run(host):
    assert host("setpci", "-D", "-v", "-s", "18:00.0", "CAP_EXP+8.w=5000:F000").out == (
        f"{BDF} (cap 10 @60) @68 2936->(5000:f000)->5936\n"
    )
    assert host("setpci", "-v", "-s", PORT, "ECAP_ACS+0x6.w=0000").out == (
        f"{PORT} (ecap 000d @f24) @f2a 0000\n"
    )
    assert host("setpci", "-v", "-s", PORT, "ECAP_ACS+0x6.w").out == (
        f"{PORT} (ecap 000d @f24) @f2a = 0000\n"
    )
    assert host("setpci", "-s", BDF, CONTROL).out == "2936\n"


def test_what_is_read_only_stays(host):
    host("setpci", "-s", BDF, "VENDOR_ID=1234")
    host("setpci", "-s", BDF, "CAP_EXP+08.w=8000:8000")
    host("setpci", "-s", ROOT, "ECAP_ACS+6.w=ffff")
    assert host("setpci", "-s", BDF, "VENDOR_ID", CONTROL).out == "15b3\n2936\n"
    assert host("setpci", "-s", ROOT, "ECAP_ACS+6.w").out == "001f\n"


def test_the_whole_host_as_the_real_lspci_prints_it(host):
    """lspci-3.9.0-vvv.txt is what the real tool made of the same tree."""
    real = pathlib.Path(__file__).with_name("lspci-3.9.0-vvv.txt").read_text(encoding="utf-8")
    assert host("lspci", "-vvv").out == real


# ------------------------------------------------------------------------------ the way and ACS


def test_every_card_stands_below_a_root_port_and_a_switch(host):
    host.admin("sync")
    link = sysfs(host, f"bus/pci/devices/{BDF}")
    assert link.is_symlink()
    assert link.resolve().parts[-5:] == ("pci0000:00", ROOT, SWITCH, PORT, BDF)
    for bridge in (ROOT, SWITCH, PORT):
        assert sysfs(host, f"bus/pci/devices/{bridge}/class").read_text() == "0x060400\n"
    assert sysfs(host, "class/net/ens3np0/device").resolve() == link.resolve()
    assert sysfs(host, "class/infiniband/mlx5_0/device").resolve() == link.resolve()
    assert os.readlink(link / "driver").endswith("/bus/pci/drivers/mlx5_core")


def test_lspci_lists_bridges_too(host):
    assert host("lspci").out.splitlines()[:4] == [
        "00:01.0 PCI bridge: Intel Corporation Device 352a (rev 11)",
        "00:02.0 PCI bridge: Intel Corporation Device 352a (rev 11)",
        "16:00.0 PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)",
        "17:00.0 PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)",
    ]
    assert host("setpci", "-s", PORT, "PRIMARY_BUS", "SECONDARY_BUS", "SUBORDINATE_BUS").out == (
        "17\n18\n18\n"
    )
    assert len(host("lspci", "-d", "*:*:*").out.splitlines()) == 8
    assert len(host("lspci", "-d", "::0604").out.splitlines()) == 6


def test_acs_is_off_and_absent_in_the_upstream_port(host):
    assert [acs(host, address) for address in (ROOT, SWITCH, PORT)] == [[OFF], [], [OFF]]
    assert host("setpci", "-s", PORT, "ECAP_ACS+6.w").out == "0000\n"
    said = MISSING.format(SWITCH, "Extended capability 000d")
    assert host("setpci", "-s", SWITCH, "ECAP_ACS+6.w") == (1, "", said)


def test_acs_returns_with_every_boot(host):
    host.admin("fault", "add", "acs-on", "--nic", BDF)
    assert [acs(host, address) for address in (ROOT, PORT, "0000:39:00.0")] == [[ON], [ON], [OFF]]
    assert host("setpci", "-s", PORT, "ECAP_ACS+6.w").out == "001d\n"
    for address in (ROOT, PORT):
        assert host("setpci", "-s", address, "ECAP_ACS+0x6.w=0000").rc == 0
    host("mlxfwreset", "-d", BDF, "-y", "reset")
    assert [acs(host, address) for address in (ROOT, PORT)] == [[OFF], [OFF]]
    host.admin("reboot")
    assert [acs(host, address) for address in (ROOT, PORT)] == [[ON], [ON]]
    host.admin("fault", "clear")
    assert [acs(host, address) for address in (ROOT, PORT)] == [[OFF], [OFF]]


def test_bridges_of_cards_whose_buses_follow_each_other(empty):
    ports = ", ".join(
        f'{{"port": "r{n}", "netdev": "eth{n}", "pci": "0000:{n:02x}:00.0"}}' for n in range(1, 9)
    )
    (empty.folder / "nics.json").write_text(f"[{ports}]")
    lines = empty.init()("lspci", "-n").out.splitlines()
    assert len({line.split()[0] for line in lines}) == len(lines) == 8 * 4


# ------------------------------------------------------------------------------- without root


def test_without_root_capabilities_are_denied(host):
    host.admin("fault", "add", "config-short")
    text = host("lspci", "-vvv", "-s", BDF).out
    assert "\tNUMA node: 0\n\tCapabilities: <access denied>\n\tKernel driver" in text
    assert acs(host, PORT) == []
    assert sysfs(host, f"bus/pci/devices/{BDF}/config").stat().st_size == 64
    none = MISSING.format(BDF, "Capability 0010")
    assert host("setpci", "-s", BDF, CONTROL) == (1, "", none)


def test_without_root_a_write_by_number_fails_and_ends_with_0(host):
    host.admin("fault", "add", "config-short")
    closed = f"pcilib: Cannot open /sys/bus/pci/devices/{BDF}/config\n"
    assert host("setpci", "-s", BDF, "68.w") == (0, "ffff\n", "")
    assert host("setpci", "-s", BDF, "68.w=5936") == (0, "", closed)
    none = MISSING.format(BDF, "Capability 0010")
    assert host("setpci", "-s", BDF, f"{CONTROL}=5000:F000") == (1, "", closed * 4 + none)
    host.admin("fault", "clear")
    assert host("setpci", "-s", BDF, CONTROL).out == "2936\n"


# ---------------------------------------------------------------------------- the config file


def test_the_config_file_shows_and_takes_registers(host):
    host.admin("sync")
    file = sysfs(host, f"bus/pci/devices/{BDF}/config")
    image = bytearray(file.read_bytes())
    assert len(image) == 4096
    assert image[:4] == b"\xb3\x15\xdc\xa2"
    assert image[0x68:0x6A] == b"\x36\x29"
    image[0x69] = 0x59
    file.write_bytes(image)
    assert host("setpci", "-s", BDF, CONTROL).out == "5936\n"
    entry = host.log(writes=True)[0]
    assert (entry["tool"], entry["argv"][1], entry["rc"]) == ("sysfs", "069-069", 0)


def test_a_write_to_what_is_read_only_is_refused_in_the_file(host):
    host.admin("sync")
    file = sysfs(host, f"bus/pci/devices/{BDF}/config")
    before = file.read_bytes()
    file.write_bytes(b"\0" + before[1:])
    host.admin("sync")
    assert file.read_bytes() == before
    assert host.log(writes=True)[-1]["rc"] == 1
