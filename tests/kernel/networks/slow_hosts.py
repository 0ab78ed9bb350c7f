# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Daemons themselves make the bond and the storage VLAN of a host from our files, in a kernel that has both.

The files of netplan become those of systemd-networkd by its own generator.

What it made is compared as the module of hosts compares it. ``make drill DRILL=packets`` runs it.
"""

from __future__ import annotations

import pytest
from kernel.conftest import LOGS

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host import networks
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.backends import files
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.interfaces import (
    LiveState,
    by_hop,
)

STORY = "hosts"
FOLDERS = {
    "networkd": {"/etc/systemd/network/": "/run/systemd/network"},
    "netplan": {"/etc/netplan/": "/run/netplan/etc/netplan"},
    "networkmanager": {
        "/etc/NetworkManager/system-connections/": "/run/connections",
        "/etc/NetworkManager/conf.d/": "/run/nm.d",
    },
}
ARRAYS = "10.216.0.0/13"
ROWS = [
    *(
        {
            "name": f"front{n}",
            "network": "front-end",
            "pci": f"0000:01:00.{n - 1}",
            "mtu": 9166,
            "bond": "front",
        }
        for n in (1, 2)
    ),
    {
        "name": "front",
        "network": "front-end",
        "members": ["front1", "front2"],
        "mtu": 9166,
        "metric": 512,
    },
    {
        "name": "front.2021",
        "network": "storage",
        "parent": "front",
        "vlan": 2021,
        "mtu": 9166,
        "metric": 0,
        "gateway": "10.216.14.1",
        "routes": [{"to": ARRAYS, "metric": 512}],
    },
]
SUBNETS = {
    "agg": {"gateway": "10.208.14.1", "first": "10.208.14.10"},
    "agg.2021": {"gateway": "10.216.14.1", "first": "10.216.14.10"},
}
PLANNED = networks.networks_from(ROWS)


def story(_folder):
    """The files of each daemon, where the story has its folders, and where run.sh has unpacked the packages."""
    gateways = [row["gateway"] for row in SUBNETS.values()]
    texts = {daemon: dict(_files(daemon, folders)) for daemon, folders in FOLDERS.items()}
    order = {"files": texts, "subnets": SUBNETS, "goals": gateways}
    return None, {**order, "packages": str(LOGS / "packages")}


def _files(daemon, folders):
    for one in files(daemon, PLANNED.ports, virtual=PLANNED.virtual):
        folder, _slash, name = one.path.rpartition("/")
        if one.content and f"{folder}/" in folders:
            yield f"{folders[f'{folder}/']}/{name}", one.content.decode()


@pytest.fixture(params=[(daemon, start) for daemon in FOLDERS for start in ("first", "boot")])
def seen(request, answer):
    daemon, start = request.param
    return answer[daemon][start]


def test_there_is_no_difference_to_the_plan(seen):
    """By the look of the module itself, at what the kernel says."""
    links = {row["ifname"]: row for row in seen["links"]}
    by_pci = {port.pci: port.name for port in PLANNED.ports}
    found = LiveState(links, by_hop(seen["routes"]), tuple(seen["rules"]), by_pci)
    assert networks.differences(found, PLANNED) == {}
    assert networks.seen(found, PLANNED)["default_by"] == "front"


def test_both_ports_have_the_leaf_as_partner_and_both_gateways_answer(seen):
    assert (seen["partners"]["ports"], len(seen["partners"]["partners"])) == (2, 1)
    assert seen["reached"] == [row["gateway"] for row in SUBNETS.values()]


def test_addresses_are_those_of_the_servers(seen):
    addresses = {
        row["ifname"]: [one["local"] for one in row["addr_info"] if one["family"] == "inet"]
        for row in seen["links"]
    }
    assert (addresses["front"], addresses["front.2021"]) == (["10.208.14.10"], ["10.216.14.10"])
    assert addresses["front1"] == addresses["front2"] == []


@pytest.mark.parametrize("daemon", FOLDERS)
def test_the_daemon_takes_every_line(answer, daemon):
    log = answer[daemon]["log"]
    assert [line for line in log if "nknown" in line or "gnoring" in line or "nvalid" in line] == []
