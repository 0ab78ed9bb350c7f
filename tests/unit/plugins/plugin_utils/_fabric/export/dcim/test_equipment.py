# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Racks, devices, interfaces, addresses and cables."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

from .wishes import changed, fabric_of, things


def test_an_address_on_every_plane_is_one_thing():
    """Hardware balancing: the ports of all planes carry it, and it is anycast."""
    shared = [x for x in things(fabric_of("hwplb")) if x.values.get("role") == "anycast"]
    assert {len(x.values["interfaces"]) for x in shared} == {2}
    planes = {
        tuple(ref.key.split("/")[1].split("-")[1] for ref in x.values["interfaces"])
        for x in shared if "/leaf-" in x.key
    }  # fmt: skip
    assert planes == {("p1", "p2")}


def test_ports_are_in_the_vrf_of_who_holds_the_node():
    text = "tenants:\n  - {id: 21, slug: acme, nodes: [su01/h01]}\n"
    made = things(example("lab"), text=text)
    (own,) = [x for x in made if x.kind == "vrf" and x.name == "t21-acme"]
    ports = [x for x in made if x.kind == "interface" and x.values["vrf"] == ("vrf", own.key)]
    assert {x.values["role"] for x in ports} == {"downlink"}
    addresses = [x for x in made if x.kind == "address" and x.values["vrf"] == ("vrf", own.key)]
    assert {x.values["tenant"].key for x in addresses} == {"lab/acme"}


def test_a_planned_port_of_a_node_that_is_not_built_is_there():
    made = things(changed("lab", absent=["su02/h02"]))
    ports = [x for x in made if x.kind == "interface" and "/leaf-p1-su002-r1/" in x.key]
    ends = {ref.key for x in made if x.kind == "cable" for ref in x.values["ends"]}
    host = [x for x in ports if x.values["role"] == "downlink"]
    assert len([x for x in host if x.key not in ends]) == 1
    assert {x.values["vrf"].key for x in host if x.key not in ends} == {"lab/t1-quarantine"}


@pytest.mark.parametrize(
    "model, speed, kind",
    [
        ("BlueField-3", "400G", "400gbase-x-qsfp112"),
        ("BlueField-3", "200G", "200gbase-x-qsfp56"),
        ("ConnectX-8", "400G", "400gbase-x-osfp"),
        ("ConnectX-8", "800G", "800gbase-x-osfp"),
    ],
)
def test_connectors(model, speed, kind):
    fabric = build(
        nics={"model": model},
        switches={"host_speed": speed, "usable_ports": 16},
        capacity={"sus_per_pod": 1, "slots_per_su": 2},
        routing={"adaptive_routing": False},
    )
    nics = [x for x in things(fabric) if x.kind == "interface" and "/rail1p1" in x.key]
    assert {x.values["type"] for x in nics} == {kind}


def test_what_the_site_knows_of_a_device(load, tmp_path):
    rows = [
        "place,name,serial,mac,rack,unit",
        "leaf-p1-su001-r1,tor-1,SN1,00-00-5E-00-53-01,N1,U40",
        "leaf-p1-su001-r2,,,,,",
    ]
    (tmp_path / "devices.csv").write_text("\n".join(rows))
    made = {(x.kind, x.key): x.values for x in things(load("lab", devices="devices.csv"))}
    leaf = made["device", "lab/leaf-p1-su001-r1"]
    assert (leaf["name"], leaf["serial"], leaf["rack"].key) == ("tor-1", "SN1", "lab/N1")
    assert (leaf["unit"], leaf["face"]) == (40, "front")
    assert made["interface", "lab/leaf-p1-su001-r1/eth0"]["mac"] == "00:00:5e:00:53:01"
    assert made["address", "lab/leaf-p1-su001-r1/eth0"]["dhcp"] is True
    assert {
        x["dhcp"] for (kind, key), x in made.items() if kind == "address" and "r1/eth0" not in key
    } == {False}
    other = made["device", "lab/leaf-p1-su001-r2"]
    assert (other["rack"], other["unit"], other["face"], other["serial"]) == (None,) * 4


def test_a_device_that_is_out_of_service_is_offline():
    out = [{"device": "leaf-p1-su001-r1", "since": "2026-01-01", "reason": "fan"}]
    made = things(changed("lab", out_of_service=out))
    found = {x.name: x.values["status"] for x in made if x.kind == "device"}
    assert found.pop("leaf-p1-su001-r1") == "offline"
    assert set(found.values()) == {"planned"}


def test_a_port_that_is_shut_for_a_move_is_disabled():
    text = (
        "tenants:\n  - {id: 21, slug: acme, nodes: [su01/h01]}\n"
        "moving:\n  worker-su01-rack01-h01: {from: acme, to: rest, step: quarantine}\n"
    )
    made = [x for x in things(example("lab"), text=text) if x.kind == "interface"]
    shut = {x.key.split("/")[1] for x in made if not x.values["enabled"]}
    assert shut == {"leaf-p1-su001-r1", "leaf-p1-su001-r2"}


def test_the_primary_address_is_that_of_management():
    fabric = example("lab")
    made = {(x.kind, x.key): x for x in things(fabric)}
    for device in fabric.devices():
        primary = made["primary", f"lab/{fabric.name(device)}"]
        address = made[tuple(primary.values["address"])]
        assert address.values["address"] == fabric.slice(device)["management"]
