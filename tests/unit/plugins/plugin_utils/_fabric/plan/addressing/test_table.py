# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses that exist already."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    described,
    example,
)


def test_table_gives_the_addresses_of_the_site():
    fabric = example("brownfield-256")
    (place,) = fabric.locate("10.40.1.53")
    assert (place["device"], place["port"], place["side"]) == ("gpu-120", "rail3p1", "host")
    assert (place["peer_device"], place["peer_address"]) == ("tor-a2", "10.40.1.52")
    assert place["prefix"] == "10.40.1.52/31"
    routes = fabric.slice("gpu-120")["ports"][2]["routes"]
    assert "10.40.1.52/31" in routes
    assert len(routes) == 32


LINKS = """place,host,leaf
su01/h01/rail1p1,10.4.0.1/31,10.4.0.0/31
su01/h02/rail1p1,10.4.0.3/31,10.4.0.2/31
"""
WRONG_TABLES = [
    (LINKS.replace("10.4.0.3", "10.4.0.1"), "line 3: 10.4.0.1 is already in line 2"),
    (LINKS.replace("10.4.0.2/31", "10.4.0.4/31"), "10.4.0.3/31 and 10.4.0.4/31 are not of one"),
    (LINKS.replace("h02/rail1p1", "h01/rail1p1"), "su01/h01/rail1p1 occurs twice"),
    (LINKS.replace("h02", "h03"), "(h 03, and there are 1 to 2)"),
    (LINKS.replace("rail1p1", "rail9p1"), "'su01/h01/rail9p1' is not a NIC port"),
    (LINKS.replace("10.4.0.3/31", "10.4.0.3/x"), "'10.4.0.3/x' has no prefix length"),
    (LINKS.replace("10.4.0.3/31", "ten"), "'ten' is not an IPv4 or IPv6 address"),
    (LINKS.replace("10.4.0.3/31,10.4.0.2/31", "10.4.0.3/30,10.4.0.2/30"), "mixes prefix lengths"),
    (LINKS.rsplit("su01", 1)[0], "NIC ports of built slots without a row: 1"),
    (LINKS.replace("10.4.0", "10.128.0"), "lies in 10.128.0.0/13, the block of loopback"),
    (LINKS.replace("10.4.0", "224.4.0"), "224.4.0.0 lies in 224.0.0.0/3"),
    ("place,host\n", "no column 'leaf' is there, and the separator is ','"),
    ("", "no column 'place' or 'host' or 'leaf' is there"),
    ("place,host,leaf\n", "links.csv: it has no row"),
]


def load_table(tmp_path, rows, **changes):
    """A fabric of two nodes with one rail whose links come from a CSV."""
    described_ = described(
        capacity={"sus_per_pod": 1, "slots_per_su": 2},
        **{"rails": 1, "addressing": {"profile": "table", "table": "links.csv"}, **changes},
    )
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump(described_))
    (tmp_path / "links.csv").write_text(rows)
    return Fabric.load(str(tmp_path / "fabric.yml"))


def test_a_small_table(tmp_path):
    fabric = load_table(tmp_path, LINKS)
    assert fabric.slice(Node(0, 0, 1))["ports"][0]["gateway"] == "10.4.0.2"


@pytest.mark.parametrize("rows, part", WRONG_TABLES)
def test_wrong_tables(tmp_path, rows, part):
    with pytest.raises(FabricError) as caught:
        load_table(tmp_path, rows)
    assert part in str(caught.value)
    assert "links.csv" in str(caught.value)


def test_a_missing_table(tmp_path):
    with pytest.raises(FabricError, match=r"addressing.table: .*gone.csv cannot be read"):
        load_table(tmp_path, LINKS, addressing={"profile": "table", "table": "gone.csv"})
    with pytest.raises(FabricError, match=r"addressing.table: the key is missing"):
        build(addressing={"profile": "table"})


def test_a_slot_that_is_not_built_needs_no_row(tmp_path):
    """It gets its addresses with its node; the port of its leaf waits without any."""
    fabric = load_table(tmp_path, LINKS.rsplit("su01", 1)[0], absent=["su01/h02"])
    ports = {port["port"]: port for port in fabric.slice("leaf-p1-su001-r1")["ports"]}
    assert ports["swp1s0"]["address"] == "10.4.0.0"
    assert "address" not in ports["swp1s1"]
    assert not ports["swp1s1"]["present"]
    assert fabric.locate("10.4.0.1")[0]["device"] == "worker-su01-rack01-h01"
    with pytest.raises(FabricError, match="belongs to no place"):
        fabric.locate("0.0.0.0")


@pytest.mark.parametrize("name", ["leaf-p1-su001-r1", "spine-p1-s01"])
def test_documents_of_a_leaf_whose_slots_wait(tmp_path, name):
    fabric = load_table(tmp_path, LINKS.rsplit("su01", 1)[0], absent=["su01/h02"])
    full = load_table(tmp_path, LINKS)
    text, whole = (
        str(compose.document(f, name, tenants=Registry.empty(f))) for f in (fabric, full)
    )
    assert "10.4.0.2" not in text
    assert ("10.4.0.2" in whole) == name.startswith("leaf")
    assert "0.0.0.0" not in text


def test_a_built_slot_needs_its_row(tmp_path):
    rows = LINKS.rsplit("su01", 1)[0]
    with pytest.raises(FabricError, match="built slots without a row: 1, the first is su01/h02"):
        load_table(tmp_path, rows)
    with pytest.raises(FabricError, match="row: 2, the first is su01/h01/rail2p1"):
        load_table(tmp_path, LINKS, rails=2)
