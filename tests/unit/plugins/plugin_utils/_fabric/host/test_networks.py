# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the ports of a slice to what a host is to have."""

from __future__ import annotations

import itertools

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.networks import networks_from
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host import networks
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host.desired import desired

from ..fabrics import build
from .attached import FRONT, STORAGE, ports

CASES = {
    "bonds": [*ports(FRONT), *ports(STORAGE)],
    "one bond and a VLAN": ports(FRONT, vlan=2021),
    "routed": [*ports(FRONT, bond=False), *ports(STORAGE, bond=False, routes=["10.216.0.0/13"])],
    "one port": ports(FRONT)[:1],
}


@pytest.mark.parametrize("case", CASES)
def test_the_module_takes_what_is_planned(case):
    rows = networks.rows(CASES[case], table_base=1000)
    made = networks_from(rows)
    assert {row["name"] for row in rows} == {
        one.name for one in itertools.chain(made.ports, made.virtual)
    }


def test_only_the_front_end_has_a_default_route():
    rows = {row["name"]: row for row in networks.rows(CASES["bonds"], table_base=1000)}
    assert (rows["front"]["metric"], rows["stor"]["metric"]) == (networks.METRIC, 0)
    assert rows["front"]["members"] == ["front1", "front2"]
    assert rows["front"]["system"] == "44:38:39:ff:01:00"
    routed = {row["name"]: row for row in networks.rows(CASES["routed"], table_base=1000)}
    assert routed["front1"]["routes"] == [{"to": "0.0.0.0/0", "metric": 512}]
    assert routed["front2"]["routes"] == [{"to": "0.0.0.0/0", "metric": 513}]
    assert routed["stor2"]["routes"] == [{"to": "10.216.0.0/13", "metric": 513}]
    assert len({row["table"] for row in routed.values()}) == 4


def test_the_storage_vlan_is_on_the_bond_of_the_front_end():
    (vlan,) = (
        r for r in networks.rows(CASES["one bond and a VLAN"], table_base=1000) if "vlan" in r
    )
    assert vlan == {
        "name": "front.2021",
        "network": "storage",
        "parent": "front",
        "vlan": 2021,
        "mtu": 9166,
        "metric": 0,
    }


@pytest.mark.parametrize("rails", [1, 8])
def test_no_metric_or_table_is_that_of_a_rail(rails):
    pci = [f"0000:{bus:02x}:00.0" for bus in range(0x18, 0x18 + rails)]
    fabric = build(rails=rails, nics={"model": "BlueField-3", "pci": pci, "mode": "nic"})
    planned = desired(fabric, fabric.name(next(fabric.nodes())))
    assert planned["networks"] == []
    metrics = [route["metric"] for row in planned["interfaces"] for route in row["routes"]]
    assert max(metrics) < networks.METRIC
    own = networks.rows(CASES["routed"], table_base=1000)
    assert {row["table"] for row in own}.isdisjoint(row["table"] for row in planned["interfaces"])
