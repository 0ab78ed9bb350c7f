# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bonds, VLANs and their ports in the files of each backend."""

from __future__ import annotations

import configparser
import json
import os
import shutil
import subprocess

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.backends import (
    CARRIER,
    NETPLAN,
    SYSCTL,
    files,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.networks import networks_from

from .converged import BONDED, ROUTED, SHARED


def written(backend, rows):
    made = networks_from(rows)
    found = files(backend, made.ports, virtual=made.virtual)
    return {one.path: one.content.decode() for one in found if one.content}


def parsed(text):
    parser = configparser.ConfigParser(strict=False)
    parser.optionxform = str
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections()}


def test_netplan():
    found = yaml.safe_load(written("netplan", BONDED)[NETPLAN])["network"]
    bond, vlan = found["bonds"]["front"], found["vlans"]["front.2021"]
    assert bond["interfaces"] == ["front1", "front2"]
    assert bond["parameters"] == {
        "mode": "802.3ad",
        "mii-monitor-interval": 100,
        "transmit-hash-policy": "layer3+4",
        "lacp-rate": "fast",
    }
    assert bond["dhcp4-overrides"] == {"route-metric": 512, "use-mtu": False}
    assert (bond["dhcp4"], bond["mtu"], "optional" in bond) == (True, 9166, False)
    assert (vlan["id"], vlan["link"], vlan["optional"]) == (2021, "front", True)
    assert vlan["dhcp4-overrides"] == {"use-routes": False, "use-mtu": False}
    member = found["ethernets"]["front1"]
    assert (member["dhcp4"], member["link-local"], "ignore-carrier" in member) == (False, [], False)


def test_networkd():
    found = written("networkd", BONDED)
    base = "/etc/systemd/network/30-spectrum-x-front"
    device, own = parsed(found[f"{base}.netdev"]), parsed(found[f"{base}.network"])
    assert device["NetDev"] == {"Name": "front", "Kind": "bond", "MTUBytes": "9166"}
    assert device["Bond"] == {
        "Mode": "802.3ad",
        "MIIMonitorSec": "100ms",
        "TransmitHashPolicy": "layer3+4",
        "LACPTransmitRate": "fast",
    }
    assert (own["Network"]["DHCP"], own["Network"]["VLAN"]) == ("ipv4", "front.2021")
    assert own["DHCPv4"] == {"RouteMetric": "512", "UseMTU": "no"}
    assert "RequiredForOnline" not in own["Link"]
    member = parsed(found["/etc/systemd/network/30-spectrum-x-front1.network"])["Network"]
    assert (member["Bond"], "ConfigureWithoutCarrier" in member) == ("front", False)
    vlan = parsed(found[f"{base}.2021.netdev"])
    assert (vlan["NetDev"]["Kind"], vlan["VLAN"]["Id"]) == ("vlan", "2021")
    assert parsed(found[f"{base}.2021.network"])["DHCPv4"]["UseRoutes"] == "no"


def test_networkmanager():
    found = written("networkmanager", BONDED)
    base = "/etc/NetworkManager/system-connections/spectrum-x-front"
    bond = parsed(found[f"{base}.nmconnection"])
    assert (bond["connection"]["type"], bond["connection"]["interface-name"]) == ("bond", "front")
    assert bond["bond"] == {
        "mode": "802.3ad",
        "miimon": "100",
        "xmit_hash_policy": "layer3+4",
        "lacp_rate": "fast",
    }
    assert bond["ipv4"] == {"method": "auto", "route-metric": "512"}
    member = parsed(found[f"{base}1.nmconnection"])
    assert (member["connection"]["master"], member["connection"]["slave-type"]) == ("front", "bond")
    assert "ipv4" not in member
    vlan = parsed(found[f"{base}.2021.nmconnection"])
    assert (vlan["vlan"]["id"], vlan["vlan"]["parent"]) == ("2021", "front")
    assert (vlan["ipv4"]["never-default"], vlan["ipv4"]["ignore-auto-routes"]) == ("true", "true")
    assert "front" not in found[CARRIER]


SIX = [
    {**row, "address": f"fd04::{2 * n or ''}", "gateway": f"fd04::{2 * n + 1}", "length": 127}
    | {"routes": [{"to": "::/0", "metric": row["routes"][0]["metric"]}]}
    for n, row in enumerate(ROUTED)
]
FIRST = {
    "netplan": (NETPLAN, '{{to: "{to}", via: "{via}", metric: 512}}'),
    "networkd": (
        "/etc/systemd/network/30-spectrum-x-front1.network",
        "Destination={to}\nGateway={via}\nMetric=512\n",
    ),
    "networkmanager": (
        "/etc/NetworkManager/system-connections/spectrum-x-front1.nmconnection",
        "route1={to},{via},512\n",
    ),
}
"""The file that has the default route of the first port, and its words."""


@pytest.mark.parametrize("backend", FIRST)
@pytest.mark.parametrize(("rows", "version"), [(ROUTED, 4), (SIX, 6)])
def test_a_routed_port_has_a_default_route_and_loses_it_with_its_carrier(backend, rows, version):
    found, (path, words) = written(backend, rows), FIRST[backend]
    assert words.format(to=rows[0]["routes"][0]["to"], via=rows[0]["gateway"]) in found[path]
    assert "never-default" not in found[path]
    settings = [line for line in found[SYSCTL].splitlines() if "linkdown" in line]
    assert settings == [
        f"net.ipv{version}.conf.front{n}.ignore_routes_with_linkdown = 1" for n in (1, 2)
    ]


@pytest.mark.parametrize(
    ("backend", "path", "words"),
    [
        (
            "netplan",
            NETPLAN,
            '      routes:\n        - {to: "10.216.0.0/13", via: "10.216.14.1", metric: 512}\n',
        ),
        (
            "networkd",
            "/etc/systemd/network/30-spectrum-x-front.2021.network",
            "[Route]\nDestination=10.216.0.0/13\nGateway=10.216.14.1\nMetric=512\n",
        ),
        (
            "networkmanager",
            "/etc/NetworkManager/system-connections/spectrum-x-front.2021.nmconnection",
            "never-default=true\nroute1=10.216.0.0/13,10.216.14.1,512\n",
        ),
    ],
)
def test_what_takes_its_address_by_dhcp_may_lead_to_arrays_of_other_subnets(backend, path, words):
    assert words in written(backend, [*BONDED[:-1], SHARED])[path]
    assert words not in written(backend, BONDED)[path]


DAEMON = "/lib/systemd/systemd-networkd"
ALONE = """
mount -t tmpfs none /run && mount -t tmpfs none /etc/systemd && mount -t sysfs -o ro none /sys || exit 77
mkdir -p /etc/systemd/network /run/systemd/netif/links /run/systemd/netif/leases /run/systemd/netif/lldp
cp "$1"/* /etc/systemd/network/ && chmod -R a+rX /etc/systemd
chown -R systemd-network:systemd-network /run/systemd/netif
ip link set lo up
for n in 1 2; do ip link add front$n type veth peer name leaf$n && ip link set leaf$n up; done
SYSTEMD_LOG_TARGET=console SYSTEMD_LOG_LEVEL=warning "$2" >&2 &
for n in $(seq 200); do ip -4 route show default | grep -q front2 && break; sleep 0.05; done
for n in 1 2; do echo 1 > /proc/sys/net/ipv4/conf/front$n/ignore_routes_with_linkdown; done
show() { ip -j -4 route get 192.0.2.9 "$@" | tr -d '\\n'; echo; }
show; show from 10.192.0.4; ip link set leaf1 down; sleep 0.2; show; ip -j -4 address show front1 | tr -d '\\n'
"""


@pytest.fixture
def alone(tmp_path):
    """Kernel state of two routed ports that systemd-networkd itself has set up by our files."""
    if os.geteuid() or not os.path.exists(DAEMON) or not shutil.which("unshare"):
        pytest.skip("needs root, unshare and systemd-networkd")
    rows = [{**row, "mtu": 1500} for row in ROUTED]
    for path, text in written("networkd", rows).items():
        if path.startswith("/etc/systemd/network/"):
            (tmp_path / path.rpartition("/")[2]).write_text(text)
    inside = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ALONE]
    made = subprocess.run(
        [*inside, "sh", str(tmp_path), DAEMON],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if made.returncode == 77 or "unshare failed" in made.stderr:
        pytest.skip("namespaces are not allowed")
    return made


def test_systemd_networkd_makes_of_the_files_what_is_planned(alone):
    said = [json.loads(line)[0] for line in alone.stdout.splitlines()]
    first, own, later, port = said
    assert (first["dev"], first["gateway"]) == ("front1", "10.192.0.3")
    assert (own["dev"], own["gateway"]) == ("front2", "10.192.0.5")  # by its own table
    assert (later["dev"], later["gateway"]) == ("front2", "10.192.0.5")  # without carrier
    assert [row["local"] for row in port["addr_info"]] == ["10.192.0.2"]
    assert "ignoring" not in alone.stderr, alone.stderr
