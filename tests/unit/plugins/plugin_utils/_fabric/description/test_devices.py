# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`devices.csv`: a site's own values, both ways, and none that collides with the plan."""

from __future__ import annotations

import csv

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import (
    devices as devices_file,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import netbox
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    rows as export_rows,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.plan_things import (
    wanted,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.locate import (
    address_of,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    compose,
    system,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report import (
    earlier_plan,
    plan_difference,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    described,
    example,
)

MODEL = INVENTORIES / "brownfield-256" / "model"
HEADER = "place,name,serial,mac,management,rack,unit,asn,loopback,vtep"


def rows(name):
    with (MODEL / name).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_the_plan_renumbers_nothing_of_the_site():
    """Every value of both tables stands in the plan, and comes back from it."""
    fabric = example("brownfield-256")
    renumbered = []
    for row in rows("devices.csv"):
        (device,) = fabric.locate(row["name"])
        slice_ = fabric.slice(row["name"])
        for column in ("name", "serial", "mac", "management", "asn", "loopback", "vtep"):
            if row[column] and str(slice_[column]) != row[column]:
                renumbered.append((row["name"], column))
        assert fabric.locate(row["serial"]) == [device]
        if row["mac"]:
            for mac in (row["mac"], row["mac"].upper().replace(":", "-")):
                assert fabric.locate(mac) == [device]
        for column in ("management", "loopback", "vtep"):
            if row[column]:
                (place,) = fabric.locate(row[column])
                assert (place["device"], place["kind"]) == (row["name"], column)
        assert (device["site_rack"], device["site_unit"]) == (row["rack"], row["unit"])
    for row in rows("links.csv"):
        (place,) = fabric.locate(row["host"])
        if (f"{place['address']}/31", f"{place['peer_address']}/31") != (row["host"], row["leaf"]):
            renumbered.append(row["place"])
    assert renumbered == []
    assert len(rows("links.csv")) == 256
    assert len(rows("devices.csv")) == 8 + 4 + 32


def test_names_of_the_plan_give_way_to_those_of_the_site():
    fabric = example("brownfield-256")
    assert fabric.device("leaf-p1-su001-r1") is None
    assert fabric.name(fabric.device("tor-a1")) == "tor-a1"
    peers = {port["peer"]["device"] for port in fabric.slice("gpu-101")["ports"]}
    assert peers == {f"tor-{side}{number}" for side in "ab" for number in range(1, 5)}


def test_addresses_that_the_site_replaced_belong_to_nobody():
    fabric = example("brownfield-256")
    for address in ("10.134.0.0", "10.142.0.0", "10.198.0.1", "10.176.0.1"):
        with pytest.raises(NotInFabric):
            fabric.locate(address)


def test_against_itself_nothing_changes():
    fabric = example("brownfield-256")
    assert list(plan_difference.against(earlier_plan.computed(fabric), fabric)) == []


def load(tmp_path, *lines, header=HEADER, **changes):
    """A 2,048-GPU fabric with these rows."""
    (tmp_path / "fabric.yml").write_text(
        yaml.safe_dump(described(devices="devices.csv", **changes))
    )
    (tmp_path / "devices.csv").write_text("\n".join([header, *lines]) + "\n")
    return Fabric.load(str(tmp_path / "fabric.yml"))


def test_a_few_rows_leave_the_rest_to_the_plan(tmp_path):
    fabric = load(tmp_path, "su01/h01,gpu-0107,SN1,,192.0.2.7/24,R12,4,,,")
    assert fabric.slice("gpu-0107")["management"] == "192.0.2.7/24"
    assert fabric.locate("192.0.2.7")[0]["device"] == "gpu-0107"
    assert fabric.locate("worker-su01-rack01-h02")[0]["slot"] == 1


def test_a_management_address_keeps_its_prefix_length(tmp_path):
    """Wherever the address is told with a length: slice, lists, NetBox; and the way back."""
    fabric = load(
        tmp_path, "su01/h01,,,,192.0.2.7/26,,,,,", f"{LEAF},,,,198.51.100.9,,,,,", header=HEADER
    )
    node, leaf = Node(0, 0, 0), fabric.device(LEAF)
    assert fabric.slice(node)["management"] == "192.0.2.7/26"
    assert fabric.slice(leaf)["management"] == "198.51.100.9/32"
    listed = {x.address: x.length for x in export_rows.addresses(fabric)}
    assert (listed["192.0.2.7"], listed["198.51.100.9"]) == (26, 32)
    tables = dict(netbox.netbox(fabric, None))
    (addresses,) = [text for name, text in tables.items() if "ip-addresses" in name]
    assert "192.0.2.7/26,,,active" in "".join(addresses)
    (place,) = fabric.locate("192.0.2.7")
    assert (place["kind"], place["prefix"]) == ("management", "192.0.2.0/26")
    assert fabric.locate("192.0.2.7/26") == [place]


@pytest.mark.parametrize(
    ("cell", "whole", "prefix"),
    [
        ("FD00:0:0:7::11/64", "fd00:0:0:7::11/64", "fd00:0:0:7::/64"),
        ("2001:db8::7", "2001:db8::7/128", "2001:db8::7/128"),
    ],
)
def test_a_management_address_of_ipv6(tmp_path, cell, whole, prefix):
    """Slice, lists, the way back, /etc/hosts, DNS, NetBox; a switch listens there."""
    fabric = load(
        tmp_path, f"su01/h01,,,,{cell},,,,,", f"{LEAF},,,,fd00:0:0:7::9/64,,,,,", header=HEADER
    )
    bare, _slash, length = whole.partition("/")
    assert fabric.slice(Node(0, 0, 0))["management"] == whole
    assert {x.address: x.length for x in export_rows.addresses(fabric)}[bare] == int(length)
    for text in (bare, cell.upper(), f"{bare}/{length}"):
        (place,) = fabric.locate(text)
        assert (place["kind"], place["prefix"], place["slot"]) == ("management", prefix, 0)
    assert address_of(fabric, place) == bare
    assert compose.context(fabric, LEAF).slice["management_gateway"] is None
    listener = system.api(compose.context(fabric, LEAF))
    assert listener == {"system": {"api": {"listening-address": {"fd00:0:0:7::9": {}}}}}
    things = {(x.kind, x.key): x for x in wanted(fabric, Registry.empty(fabric))}
    node, name = fabric.name(Node(0, 0, 0)), fabric.description.name
    assert things["address", f"{name}/{node}/mgmt"].values["address"] == whole
    assert things["primary", f"{name}/{node}"].values["version"] == 6
    assert ("prefix", f"{name}/subnet/{prefix}") in things


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("fe80::1", "'fe80::1' is not an IPv4 or a global IPv6 address"),
        ("::ffff:10.0.0.1", "is not an IPv4 or a global IPv6 address"),
        ("ff02::1", "is not an IPv4 or a global IPv6 address"),
        ("::1", "is not an IPv4 or a global IPv6 address"),
        ("fd00::1%eth0", "is not an IPv4 or a global IPv6 address"),
        ("fd00::1/129", "has no prefix length from 1 to 128: write one such as /64"),
        ("10.0.0.1/64", "has no prefix length from 1 to 32: write one such as /24"),
    ],
)
def test_addresses_of_ipv6_that_no_device_has(tmp_path, cell, words):
    with pytest.raises(FabricError) as caught:
        load(tmp_path, f"su01/h01,,,,{cell},,,,,")
    assert words in str(caught.value)


def test_a_netbox_export_is_accepted(tmp_path):
    fabric = load(
        tmp_path,
        "gpu-0107,SN1,192.0.2.7/24,,R12,4,active,su01/h01",
        "Coffee machine #1,SN2,192.0.2.8/24,,R12,5,active,",
        header="name,Serial number,IP Address,IPv4 address,rack,position,status,cf_spx_place",
    )
    assert fabric.locate("SN1")[0]["slot"] == 0
    assert fabric.slice("gpu-0107")["site_unit"] == "4"
    assert fabric.slice("gpu-0107")["management"] == "192.0.2.7/24"


LEAF, OTHER = "leaf-p1-su001-r1", "leaf-p1-su001-r2"


@pytest.mark.parametrize(
    "header, part",
    [
        ("where,name", "no column 'place'"),
        ("", "no column 'place'"),
        (HEADER + ",colour", "column: 'colour' is not known"),
        (HEADER + ",name", "column: 'name' occurs twice"),
    ],
)
def test_wrong_columns(tmp_path, header, part):
    with pytest.raises(FabricError) as caught:
        load(tmp_path, f"{LEAF},,,,,,,,,,", header=header)
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("cell", "unit"),
    [
        *[(text, 12) for text in ("12", "U12", "u12", "RU12", "RU 12", "U-12", "12U", "12 U", "12.0", "12,0", "12.5")],
        *[(text, 0) for text in ("", "U", "12.3", "1200", "-1", "U12-U14", "top")],
    ],
)  # fmt: skip
def test_rack_units_as_sites_write_them(cell, unit):
    assert devices_file.unit_of(cell) == unit


@pytest.mark.parametrize(
    ("cell", "asn"),
    [
        *[(text, 4200001001) for text in ("4200001001", "AS4200001001", "as 4200001001", "64086.60905")],
        ("0.65001", 65001),
        *[(text, 0) for text in ("", "0", "AS", "4294967296", "65536.1", "1.65536", "AS65001, AS65002")],
    ],
)  # fmt: skip
def test_as_numbers_as_sites_write_them(cell, asn):
    assert devices_file.asn_of(cell) == asn
