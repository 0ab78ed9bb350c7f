# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Definitions of others are moved aside as far as they mean ports of the plan alone."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result

from .conftest import PCI
from .others import IFUPDOWN, INTERFACES, MAC, NETWORKS, ON, RULES


def test_what_means_other_devices_too_is_left_and_refused(prepared):
    host = prepared.by("networkd")
    host.machine.write(f"{NETWORKS}/10-x.network", "[Match]\nType=ether\n")
    host.machine.strangers = ["eno1"]
    (host.machine.folder / "sys/class/net/eno1/device").mkdir(parents=True)
    with pytest.raises(NicError, match="Type=ether"):
        host.apply()
    assert host.machine.calls == []


def test_stanzas_and_rules_of_other_ports_stay_in_their_file(prepared):
    host = prepared.by("networkd")
    host.machine.units[IFUPDOWN] = ON
    mine = "auto eno1\niface eno1 inet dhcp\n"
    host.machine.write(
        INTERFACES, f"{mine}auto rail1p1\niface rail1p1 inet static\n  address 10.9.9.9/24\n"
    )
    rule = 'SUBSYSTEM=="net", KERNELS=="0000:01:00.0", NAME="eno1"\n'
    host.machine.write(
        f"{RULES}/99-x.rules", f'{rule}SUBSYSTEM=="net", KERNELS=="{PCI}", NAME="eth9"\n'
    )
    assert [row["addresses"] for row in host.look()["addresses"]] == [["10.9.9.9/24"], []]
    host.apply()
    assert (host.machine.folder / INTERFACES.lstrip("/")).read_text() == f"{mine}auto rail1p1\n"
    assert (host.machine.folder / f"{RULES}/99-x.rules".lstrip("/")).read_text() == rule


def test_netplan_takes_a_definition_out_of_its_files(prepared, monkeypatch):
    """The tool itself is tried in tests/kernel/networks/slow_takeover.py."""
    host, before = prepared.by("netplan"), prepared.machine.run
    path, theirs = (
        "/etc/netplan/50-cloud-init.yaml",
        "network: {ethernets: {eno1: {}, enp24s0f0np0: {}}}\n",
    )
    host.machine.write("/usr/libexec/netplan/generate", "")
    host.machine.write(path, theirs)
    rule = f'SUBSYSTEM=="net", ACTION=="add", ATTR{{address}}=="{MAC}", NAME="enp24s0f0np0"\n'

    def run(argv, timeout):
        if argv[:2] == ["netplan", "set"]:
            assert argv[4] == "ethernets.enp24s0f0np0=NULL"
            place = host.machine.folder.__class__(argv[3] + path)
            place.write_text("network: {ethernets: {eno1: {}}}\n")
            return Result(0, "", "")
        if argv[0] != "/usr/libexec/netplan/generate":
            return before(argv, timeout)
        root = host.machine.folder.__class__(argv[2])
        if "enp24s0f0np0" in (root / path.lstrip("/")).read_text():
            (root / "run/udev/rules.d").mkdir(parents=True)
            (root / "run/udev/rules.d/99-netplan-enp24s0f0np0.rules").write_text(rule)
        return Result(0, "", "")

    monkeypatch.setattr(host.machine, "run", run)
    assert host.named() == [(path, "NAME=enp24s0f0np0")]
    done = host.apply()
    assert path in done["files"]
    assert (
        host.machine.folder / path.lstrip("/")
    ).read_text() == "network: {ethernets: {eno1: {}}}\n"
    assert host.named() == []
