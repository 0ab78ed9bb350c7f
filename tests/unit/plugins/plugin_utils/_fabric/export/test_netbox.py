# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CSV files that NetBox imports."""

from __future__ import annotations

import csv
import ipaddress
import json
import shutil

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import devices
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.netbox import TABLES
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    build,
    example,
)

from ..tenants.converged_lab import laboratory
from .exported import FABRICS, TINY, export, table

# Columns that NetBox 4 takes in the CSV import of each model (its bulk import forms), and of
# those the ones it requires. A column may say by which attribute the other object is found.
NETBOX = {
    "devices": (
        "name,role,tenant,manufacturer,device_type,platform,serial,asset_tag,status,site,location,"
        "rack,position,face,latitude,longitude,parent,device_bay,airflow,virtual_chassis,vc_position,"
        "vc_priority,cluster,description,config_template,comments,tags",
        "role,manufacturer,device_type,status,site",
    ),
    "interfaces": (
        "device,name,label,parent,bridge,lag,type,speed,duplex,enabled,mark_connected,wwn,vdcs,mtu,"
        "mgmt_only,description,poe_mode,poe_type,mode,vlan_group,untagged_vlan,tagged_vlans,qinq_svlan,vrf,rf_role,"
        "rf_channel,rf_channel_frequency,"
        "rf_channel_width,tx_power,tags",
        "device,name,type",
    ),
    "mac-addresses": (
        "mac_address,device,virtual_machine,interface,is_primary,description,owner,comments,tags",
        "mac_address",
    ),
    "cables": (
        "side_a_site,side_a_device,side_a_type,side_a_name,side_b_site,side_b_device,side_b_type,side_b_name,type,"
        "status,tenant,label,color,length,length_unit,description,comments,tags",
        "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name",
    ),
    "ip-addresses": (
        "address,vrf,tenant,status,role,device,virtual_machine,interface,fhrp_group,is_primary,is_oob,"
        "dns_name,description,owner,comments,tags",
        "address,status",
    ),
    "prefixes": (
        "prefix,vrf,tenant,vlan_group,vlan_site,vlan,status,role,scope_type,scope_id,is_pool,"
        "mark_utilized,description,owner,comments,tags",
        "prefix,status",
    ),
    "vrfs": (
        "name,rd,tenant,enforce_unique,description,import_targets,export_targets,owner,comments,tags",
        "name",
    ),
    "vlan-groups": (
        "name,slug,scope_type,scope_name,scope_id,vid_ranges,tenant,description,owner,comments,tags",
        "name,slug",
    ),
    "vlans": (
        "site,group,vid,name,tenant,status,role,description,qinq_role,qinq_svlan,owner,comments,tags",
        "vid,name,status",
    ),
    "route-targets": ("name,tenant,description,owner,comments,tags", "name"),
    "asns": ("asn,rir,tenant,description,owner,comments,tags", "asn,rir"),
    "tags": ("name,slug,color,weight,description,object_types,owner", "name,slug"),
    "custom-fields": (
        "name,label,group_name,type,object_types,related_object_type,required,unique,description,search_weight,"
        "filter_logic,default,choice_set,weight,validation_minimum,validation_maximum,validation_regex,"
        "validation_schema,ui_visible,ui_editable,is_cloneable,nulls_first,owner,comments",
        "name,type,object_types",
    ),
}
NUMBER = {row.file: number for number, row in enumerate(TABLES, start=1)}


def path(name):
    return f"netbox/{NUMBER[name]:02}-{name}.csv"


@pytest.mark.parametrize("name", NETBOX)
def test_netbox_columns(name, tmp_path):
    known, required = (set(columns.split(",")) for columns in NETBOX[name])
    export(example("lab-converged"), tmp_path, kinds=["netbox"])
    file = tmp_path / path(name)
    columns = {column.partition(".")[0] for column in file.read_text().splitlines()[0].split(",")}
    assert {column for column in columns if not column.startswith("cf_")} <= known
    assert required <= columns
    for row in table(tmp_path, path(name)):
        assert None not in row
        assert all(row[column] for column in required)


def test_netbox_rows_refer_to_each_other(fabric, tmp_path):
    """Whatever a row names is in another file."""
    export(fabric, tmp_path, kinds=["netbox"])

    def column(name, *keys):
        return [tuple(row[key] for key in keys) for row in table(tmp_path, path(name))]

    names = [name for (name,) in column("devices", "name")]
    interfaces = column("interfaces", "device", "name")
    assert len(set(names)) == len(names)
    assert len(set(interfaces)) == len(interfaces)
    assert {device for device, _name in interfaces} == set(names)
    ends = [
        end for side in "ab" for end in column("cables", f"side_{side}_device", f"side_{side}_name")
    ]
    assert len(set(ends)) == len(ends)
    assert {*ends, *column("ip-addresses", "device", "interface")} <= set(interfaces)
    (site,) = column("sites", "name")
    assert {*column("cables", "side_a_site"), *column("devices", "site")} == {site}
    racks = set(column("racks", "name"))
    assert {rack for rack in column("devices", "rack") if rack[0]} <= racks
    vrfs = set(column("vrfs", "name")) | {("",)}
    for name in ("interfaces", "ip-addresses", "prefixes"):
        assert set(column(name, "vrf.name")) <= vrfs
    targets = {
        (target,)
        for both in column("vrfs", "import_targets", "export_targets")
        for row in both
        for target in row.split(",")
        if target
    }
    assert targets == set(column("route-targets", "name"))


def test_bonds_subinterfaces_and_vlans_are_named_after_they_are_there(tmp_path):
    """NetBox reads a file row by row, and finds a VLAN by its number in the group of the row."""
    export(example("lab-converged"), tmp_path, kinds=["netbox"])
    known = {(r["group"], r["vid"]) for r in table(tmp_path, path("vlans"))}
    groups = {r["name"] for r in table(tmp_path, path("vlan-groups"))}
    assert groups == {f"lab-converged {name}" for name in ("front-end", "storage", "border")}
    assert max(NUMBER["vlans"], NUMBER["vrfs"]) < NUMBER["prefixes"] < NUMBER["interfaces"]
    seen, found = set(), {}
    for row in table(tmp_path, path("interfaces")):
        for other in ("lag", "parent"):
            assert not row[other] or (row["device"], row[other]) in seen
        for vid in filter(None, (row["untagged_vlan"], *row["tagged_vlans"].split(","))):
            assert (row["vlan_group"], vid) in known
        seen.add((row["device"], row["name"]))
        found[row["device"], row["name"]] = row
    leaf = [found["storage-leaf-001-1", name] for name in ("swp1s0", "bond5001")]
    assert [(r["lag"], r["tagged_vlans"]) for r in leaf] == [
        ("bond5001", ""),
        ("", "2004,2021,2022"),
    ]
    sub = found["border-leaf-01-1", "swp1s0.3021"]
    assert (sub["type"], sub["parent"], sub["mode"]) == ("virtual", "swp1s0", "tagged")
    assert (sub["tagged_vlans"], sub["vrf.name"]) == ("3021", "t21-acme")
    assert found["worker-su01-rack01-h01", "front2"]["lag"] == "front"
    prefixes = {r["prefix"]: r for r in table(tmp_path, path("prefixes"))}
    assert (prefixes["10.208.14.0/23"]["vlan"], prefixes["198.51.100.0/31"]["vlan"]) == (
        "21",
        "3021",
    )
    assert all((r["vlan_group"], r["vlan"]) in known for r in prefixes.values() if r["vlan"])


def test_a_bond_with_vlans_of_two_groups_names_none(tmp_path):
    """Storage is a tagged VLAN on the front-end bond, where nodes have no ports of their own for it."""
    fabric = laboratory(storage={"node_ports": 0, "pci": []})
    text = "tenants: [{id: 21, slug: acme, nodes: [su01/h01], networks: [east-west, front-end, storage]}]\n"
    (tmp_path / "tenants.yml").write_text(text)
    (tmp_path / "fabric.yml").write_text(json.dumps(fabric.source.data))
    export(Fabric.load(str(tmp_path / "fabric.yml")), tmp_path, kinds=["netbox"])
    rows = {(r["device"], r["name"]): r for r in table(tmp_path, path("interfaces"))}
    bond = rows["front-end-leaf-001-1", "bond1"]
    assert (bond["vlan_group"], bond["untagged_vlan"], bond["tagged_vlans"]) == ("", "21", "2021")


def test_an_address_of_an_array_is_on_no_interface(tmp_path):
    text = "tenants: [{id: 21, slug: acme, networks: [east-west, storage], storage: {vips: [10.216.14.9]}}]\n"
    shutil.copytree(INVENTORIES / "lab-converged" / "model", tmp_path / "model")
    (tmp_path / "model" / "tenants.yml").write_text(text)
    export(
        Fabric.load(str(tmp_path / "model" / "fabric.yml")), tmp_path, kinds=["netbox", "nautobot"]
    )
    for system, column, vrf in (("netbox", "role", "s21-acme"), ("nautobot", "role__name", None)):
        (file,) = (tmp_path / system).glob("*-ip-addresses.csv")
        (row,) = [
            r
            for r in table(tmp_path, file.relative_to(tmp_path))
            if r["address"] == "10.216.14.9/23"
        ]
        assert row[column].lower() == "vip"
        if vrf:
            assert (row["vrf.name"], row["device"], row["interface"]) == (vrf, "", "")


REGISTRY = """
leaking: true
tenants:
  - {id: 21, slug: acme, nodes: [su01/h01], shared: [store]}
  - {id: 22, slug: globex, routes: rail, nodes: [su01/h02]}
services:
  - {id: 4, slug: store}
"""
VRFS = [
    ("t1-quarantine", "", "", "", "lab quarantine quarantine, stays on each leaf"),
    (
        "t2-rest",
        "",
        "64512:4000002",
        "64512:4000002",
        "lab rest rest, L3VNI 4000002, RD of a leaf: its loopback:2",
    ),
    (
        "t3-shared",
        "",
        "64512:4000003",
        "64512:4000003",
        "lab service shared, L3VNI 4000003, RD of a leaf: its loopback:3",
    ),
    (
        "t4-store",
        "",
        "64512:4000004,64512:4000021",
        "64512:4000004",
        "lab service store, L3VNI 4000004, RD of a leaf: its loopback:4",
    ),
    (
        "t21-acme",
        "acme",
        "64512:4000004,64512:4000021",
        "64512:4000021",
        "lab tenant acme, L3VNI 4000021, RD of a leaf: its loopback:21",
    ),
    (
        "t22-globex",
        "globex",
        "64512:14000022,64512:24000022",
        "64512:14000022,64512:24000022,64512:4000022",
        "lab tenant globex, L3VNI 4000022, RD of a leaf: its loopback:22",
    ),
]


@pytest.fixture
def rented(tmp_path):
    """The lab with two tenants."""
    (tmp_path / "fabric.yml").write_text(
        (INVENTORIES / "lab" / "model" / "fabric.yml").read_text(encoding="utf-8")
    )
    (tmp_path / "tenants.yml").write_text(REGISTRY)
    return Fabric.load(str(tmp_path / "fabric.yml"))


def test_vrfs_are_those_of_the_registry(rented, tmp_path):
    """Check the imports and exports of any leaf of theirs: leaks and the targets of single rails too."""
    export(rented, tmp_path, kinds=["netbox"])
    columns = ("name", "tenant", "import_targets", "export_targets", "description")
    found = table(tmp_path, path("vrfs"))
    assert [tuple(row[column] for column in columns) for row in found] == VRFS


def test_a_second_import_is_refused(tmp_path):
    """Nothing in NetBox keeps two VRFs of one name apart: our field is unique, and each row has its own."""
    export(example("lab"), tmp_path, kinds=["netbox"])
    (field,) = table(tmp_path, path("custom-fields"))
    assert (field["name"], field["unique"]) == ("spx_place", "true")
    for name in ("vrfs", "devices", "interfaces", "prefixes", "ip-addresses", "cables"):
        marks = [row["cf_spx_place"] for row in table(tmp_path, path(name))]
        assert len(set(marks)) == len(marks)
        assert all(mark.startswith("lab/") for mark in marks)


def test_links_are_in_the_vrf_of_the_tenant(rented, tmp_path):
    """Both ends, their prefix and the port of the leaf; addresses have the names of the zones."""
    export(rented, tmp_path, kinds=["netbox", "dns"])
    rows = table(tmp_path, path("ip-addresses"))
    own = [row for row in rows if row["vrf.name"] == "t21-acme"]
    node = rented.slice("worker-su01-rack01-h01")
    assert {row["address"].partition("/")[0] for row in own} >= {
        p["address"] for p in node["ports"]
    }
    assert {row["tenant"] for row in own} == {"acme"}
    prefixes = [r for r in table(tmp_path, path("prefixes")) if r["vrf.name"] == "t21-acme"]
    assert len(prefixes) * 2 == len(own)
    assert {row["prefix"].rpartition("/")[2] for row in prefixes} == {"31"}
    ports = [r for r in table(tmp_path, path("interfaces")) if r["vrf.name"] == "t21-acme"]
    assert len(ports) == len(node["ports"])
    zone = (tmp_path / "dns" / "lab.example.zone").read_text()
    for row in rows:
        label, address = (
            row["dns_name"].removesuffix(".lab.example"),
            row["address"].partition("/")[0],
        )
        assert f"{label} A {address}\n" in zone


def test_management_has_its_subnets(tmp_path):
    fabric = example("lab")
    export(fabric, tmp_path, kinds=["netbox"])
    prefixes = {row["prefix"]: row["status"] for row in table(tmp_path, path("prefixes"))}
    for device in fabric.devices():
        subnet = ipaddress.ip_interface(fabric.slice(device)["management"]).network
        assert prefixes[str(subnet)] == "active"


def test_two_fabrics_of_equal_names_are_at_two_sites(tmp_path):
    """All examples are site 0: the name of the fabric tells their sites apart, also at the ends of cables."""
    sites = set()
    for name in ("one", "other"):
        folder = tmp_path / name
        export(build(**TINY, name=name), folder, kinds=["netbox"])
        for row in table(folder, path("cables")):
            sites.add((name, row["side_a_site"], row["side_b_site"]))
    assert sites == {("one", "one", "one"), ("other", "other", "other")}


def test_a_pod_has_no_cables_to_devices_of_others(tmp_path):
    """The super-spines are in no pod."""
    fabric = example("lab-3tier")
    export(fabric, tmp_path, kinds=["netbox"], pods=[0])
    names = {row["name"] for row in table(tmp_path, path("devices"))}
    ends = {row[f"side_{side}_device"] for row in table(tmp_path, path("cables")) for side in "ab"}
    assert ends <= names
    assert not any(name.startswith("super-spine") for name in names)


def test_files_fit_into_the_form(tmp_path):
    """Rows go on in the next file, below the same header."""
    fabric = example("max-524288")
    export(fabric, tmp_path, kinds=["netbox"], pods=[0])
    files = sorted(tmp_path.glob("netbox/*-interfaces*.csv"))
    assert len(files) > 1
    rows = [row for file in files for row in csv.DictReader(file.read_text().splitlines())]
    assert len(rows) == len({row["cf_spx_place"] for row in rows})
    whole = tmp_path.glob("netbox/*.csv")
    assert max(file.stat().st_size for file in whole) < 2_500_000


def test_files_of_a_larger_plan_are_removed(tmp_path):
    export(example("lab"), tmp_path, kinds=["netbox"])
    first = tmp_path / path("cables")
    old = first.with_name(first.name.replace(".csv", "-2.csv"))
    old.write_text(first.read_text())
    notes = first.with_name("notes.csv")
    notes.write_text("ours\n")
    export(example("lab"), tmp_path, kinds=["netbox"])
    assert not old.exists()
    assert notes.exists()


def _with_rows(tmp_path, *rows):
    text = (INVENTORIES / "lab" / "model" / "fabric.yml").read_text(encoding="utf-8")
    (tmp_path / "fabric.yml").write_text(f"{text}devices: devices.csv\n")
    (tmp_path / "devices.csv").write_text("\n".join(["place,name,serial,mac,rack,unit", *rows, ""]))
    return Fabric.load(str(tmp_path / "fabric.yml"))


def test_rack_unit_and_mac_are_there(tmp_path):
    fabric = _with_rows(tmp_path, "leaf-p1-su001-r1,tor-1,SN1,00-00-5E-00-53-01,N1,U40")
    export(fabric, tmp_path, kinds=["netbox"])
    (device,) = [row for row in table(tmp_path, path("devices")) if row["name"] == "tor-1"]
    assert (device["rack"], device["position"], device["face"]) == ("N1", "40", "front")
    (mac,) = table(tmp_path, path("mac-addresses"))
    assert (mac["mac_address"], mac["device"], mac["interface"]) == (
        "00:00:5e:00:53:01",
        "tor-1",
        "eth0",
    )


def test_nothing_is_said_to_be_connected_before_it_was_seen(load, tmp_path):
    out = [{"device": "leaf-p1-su001-r1", "since": "2026-01-01", "reason": "fan"}]
    export(load("lab", out_of_service=out), tmp_path, kinds=["netbox"])
    devices_ = {row["name"]: row["status"] for row in table(tmp_path, path("devices"))}
    assert devices_.pop("leaf-p1-su001-r1") == "offline"
    assert set(devices_.values()) == {"planned"}
    assert {row["status"] for row in table(tmp_path, path("cables"))} == {"planned"}


def test_connectors_are_those_of_the_card(tmp_path):
    """A BlueField-3 has QSFP112 cages, the switch OSFP ones."""
    export(example("h200-2048"), tmp_path, kinds=["netbox"])
    kinds = {
        (row["device"].partition("-")[0], row["type"])
        for row in table(tmp_path, path("interfaces"))
        if row["mgmt_only"] == "false" and row["name"] != "lo"
    }
    assert kinds == {
        ("worker", "400gbase-x-qsfp112"),
        ("leaf", "400gbase-x-osfp"),
        ("spine", "400gbase-x-osfp"),
    }


def test_the_devices_of_the_file_are_read_back(tmp_path):
    """NetBox's export has the columns of its import: each device keeps its place, whatever fabric it is of."""
    fabric = _with_rows(tmp_path, "leaf-p1-su001-r1,tor-1,SN1,,N1,U40")
    export(fabric, tmp_path, kinds=["netbox"])
    found = {row.place: row for row in devices.read(str(tmp_path / path("devices")), fabric="lab")}
    assert set(found) == {fabric.names.name(device) for device in fabric.devices()}
    assert found["leaf-p1-su001-r1"].serial == "SN1"
    assert devices.read(str(tmp_path / path("devices")), fabric="other") == []


def test_netbox_primary_addresses_come_last(tmp_path):
    """NetBox clears the primary address of a device at each row that says false."""
    export(example("lab"), tmp_path, kinds=["netbox"])
    rows = table(tmp_path, path("ip-addresses"))
    said = [row["is_primary"] for row in rows]
    assert said == sorted(said)
    primary = {row["device"]: row["address"] for row in rows if row["is_primary"] == "true"}
    fabric = example("lab")
    assert primary == {fabric.name(d): fabric.slice(d)["management"] for d in fabric.devices()}


def test_an_address_of_several_ports_is_one_row(tmp_path):
    """With balancing in hardware every plane has the same addresses: NetBox takes one port, the text has the others."""
    export(FABRICS["hwplb"](), tmp_path, kinds=["netbox"])
    rows = table(tmp_path, path("ip-addresses"))
    assert len({(row["vrf.name"], row["address"]) for row in rows}) == len(rows)
    shared = [row for row in rows if row["role"] == "anycast"]
    assert shared
    assert all(row["description"].startswith("also on ") for row in shared)
