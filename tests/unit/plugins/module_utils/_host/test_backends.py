# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of each backend, and which backend a host has."""

from __future__ import annotations

import configparser
import pathlib

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.backends import (
    CARRIER,
    NAMES,
    NETPLAN,
    RULES,
    choose,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.interfaces import (
    interfaces_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.module_utils._host.conftest import (
    WANTED,
)

from .ports import SHARING, written


@pytest.fixture
def planes():
    return interfaces_from([WANTED, SHARING])


def test_every_backend_names_the_ports(wanted):
    for backend in NAMES:
        rules = written(backend, wanted)[RULES]
        assert 'DEVPATH=="*/0000:18:00.0/net/*", NAME="rail1p1"' in rules


def test_netplan(wanted):
    (one,) = yaml.safe_load(written("netplan", wanted)[NETPLAN])["network"]["ethernets"].values()
    assert (one["mtu"], one["addresses"], one["ignore-carrier"]) == (9166, ["172.16.0.0/31"], True)
    assert {"to": "172.16.0.0/12", "via": "172.16.0.1", "metric": 101} in one["routes"]
    assert one["routing-policy"] == [{"from": "172.16.0.0", "table": 1001, "priority": 1000}]


def test_networkd(wanted):
    text = written("networkd", wanted)["/etc/systemd/network/30-spectrum-x-rail1p1.network"]
    parser = configparser.ConfigParser(strict=False)
    parser.read_string(text)
    assert parser["Network"]["ConfigureWithoutCarrier"] == "yes"
    assert parser["Link"]["MTUBytes"] == "9166"
    assert text.count("[Route]") == 4
    assert "From=172.16.0.0\nTable=1001\n" in text


def test_networkmanager(wanted):
    name = "/etc/NetworkManager/system-connections/spectrum-x-rail1p1.nmconnection"
    parser = configparser.ConfigParser()
    parser.read_string(written("networkmanager", wanted)[name])
    ipv4 = parser["ipv4"]
    assert (ipv4["method"], ipv4["address1"], ipv4["never-default"]) == (
        "manual",
        "172.16.0.0/31",
        "true",
    )
    assert ipv4["routing-rule1"] == "priority 1000 from 172.16.0.0/32 table 1001"
    assert ipv4["route4_options"] == "table=1001"
    assert parser["ipv6"]["method"] == "link-local"


IPV6 = {
    **WANTED,
    "address": "fd02:0:100::1",
    "length": 64,
    "gateway": "fd02:0:100::2",
    "routes": [{"to": "fd02:0:100::/40", "metric": 100}, {"to": "fd02::/32", "metric": 101}],
}
KEYFILES = pathlib.Path(__file__).parent / "keyfiles"
"""Output of `nmcli --offline connection modify` of NetworkManager 1.42.4 for its input, but for the uuid.

It leaves out, without a word, what it does not understand.
"""


def keys(text):
    """Section -> key -> value, without what says the default or says it at greater length."""
    parser = configparser.ConfigParser()
    parser.read_string(text)
    found = {name: dict(parser[name]) for name in parser.sections()}
    assert found["connection"].pop("autoconnect", "true") == "true"
    for family in ("ipv4", "ipv6"):
        rule = found[family].get("routing-rule1", "")
        found[family]["routing-rule1"] = rule.replace("/32 ", " ").replace("/128 ", " ")
    return found


@pytest.mark.parametrize("name, row", [("ipv4", WANTED), ("ipv6", IPV6), ("bare", SHARING)])
def test_networkmanager_reads_what_was_meant(name, row):
    (ours,) = (
        text
        for path, text in written("networkmanager", interfaces_from([row])).items()
        if path.endswith(".nmconnection")
    )
    assert keys(ours) == keys((KEYFILES / f"{name}.nmconnection").read_text(encoding="utf-8"))


def test_networkmanager_keeps_a_port_without_carrier(planes):
    assert written("networkmanager", planes)[CARRIER].splitlines()[1:] == [
        "[device-spectrum-x]",
        "match-device=interface-name:=rail1p1,interface-name:=rail1p2",
        "ignore-carrier=true",
    ]


@pytest.mark.parametrize(
    "netplan, units, expected",
    [
        (True, {}, "netplan"),
        (False, {"NetworkManager.service": ("loaded", "enabled", "active")}, "networkmanager"),
        (False, {"systemd-networkd.service": ("loaded", "disabled", "inactive")}, "networkd"),
    ],
)
def test_the_backend_is_what_the_host_has(machine, netplan, units, expected):
    machine.units = units
    if netplan:
        for place in ("usr/sbin/netplan", "etc/netplan"):
            (machine.folder / place).mkdir(parents=True)
    assert choose(machine.host()) == expected


def test_a_host_without_any_is_told(machine):
    machine.units = {}
    with pytest.raises(NicError, match="neither netplan, systemd-networkd nor NetworkManager"):
        choose(machine.host())
