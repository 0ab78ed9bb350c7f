# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CSV files that NetBox imports."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    example,
)

from .exported import export, table

# Columns that NetBox 4 takes in the CSV import of each model (its bulk import forms), and of
# those the ones it requires.
NETBOX = {
    "devices": (
        "name,role,tenant,manufacturer,device_type,platform,serial,asset_tag,status,site,location,"
        "rack,position,face,latitude,longitude,parent,device_bay,airflow,virtual_chassis,vc_position,"
        "vc_priority,cluster,description,config_template,comments,tags",
        "role,manufacturer,device_type,status,site",
    ),
    "interfaces": (
        "device,name,label,parent,bridge,lag,type,speed,duplex,enabled,mark_connected,wwn,vdcs,mtu,"
        "mgmt_only,description,poe_mode,poe_type,mode,vrf,rf_role,rf_channel,rf_channel_frequency,"
        "rf_channel_width,tx_power,tags",
        "device,name,type",
    ),
    "cables": (
        "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status,"
        "tenant,label,color,length,length_unit,description,comments,tags",
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
    "route-targets": ("name,tenant,description,owner,comments,tags", "name"),
    "asns": ("asn,rir,tenant,description,owner,comments,tags", "asn,rir"),
}


@pytest.mark.parametrize("name", NETBOX)
def test_netbox_columns(name, tmp_path):
    known, required = (set(columns.split(",")) for columns in NETBOX[name])
    export(example("lab"), tmp_path, kinds=["netbox"])
    found = table(tmp_path, f"netbox/{name}.csv")
    columns = set(found[0])
    assert {column for column in columns if not column.startswith("cf_")} <= known
    assert required <= columns
    for row in found:
        assert None not in row
        assert all(row[column] for column in required)


def test_netbox_rows_refer_to_each_other(fabric, tmp_path):
    """Interfaces, cables and addresses name devices and interfaces that the other files hold."""
    export(fabric, tmp_path, kinds=["netbox"])
    devices = [row["name"] for row in table(tmp_path, "netbox/devices.csv")]
    interfaces = [(r["device"], r["name"]) for r in table(tmp_path, "netbox/interfaces.csv")]
    assert len(set(devices)) == len(devices)
    assert len(set(interfaces)) == len(interfaces)
    assert {device for device, _name in interfaces} == set(devices)
    ends = []
    for row in table(tmp_path, "netbox/cables.csv"):
        ends += [(row[f"side_{side}_device"], row[f"side_{side}_name"]) for side in "ab"]
    assert len(set(ends)) == len(ends)
    addresses = table(tmp_path, "netbox/ip-addresses.csv")
    assert set(ends) | {(r["device"], r["interface"]) for r in addresses} <= set(interfaces)
    targets = {row["name"] for row in table(tmp_path, "netbox/route-targets.csv")}
    assert targets == {
        target
        for row in table(tmp_path, "netbox/vrfs.csv")
        for key in ("import_targets", "export_targets")
        for target in row[key].split(",")
        if target
    }


REGISTRY = """
leaking: true
tenants:
  - {id: 21, slug: acme, nodes: [su01/h01], shared: [store]}
  - {id: 22, slug: globex, routes: rail, nodes: [su01/h02]}
services:
  - {id: 4, slug: store}
"""
VRFS = [
    ("t1-quarantine", "", "", "lab quarantine quarantine"),
    ("t2-rest", "64512:4000002", "64512:4000002", "lab rest rest, L3VNI 4000002"),
    ("t3-shared", "64512:4000003", "64512:4000003", "lab service shared, L3VNI 4000003"),
    (
        "t4-store",
        "64512:4000004,64512:4000021",
        "64512:4000004",
        "lab service store, L3VNI 4000004",
    ),
    ("t21-acme", "64512:4000004,64512:4000021", "64512:4000021", "lab tenant acme, L3VNI 4000021"),
    (
        "t22-globex",
        "64512:14000022,64512:24000022",
        "64512:14000022,64512:24000022,64512:4000022",
        "lab tenant globex, L3VNI 4000022",
    ),
]


def test_netbox_has_the_vrfs_of_the_registry(tmp_path):
    """What any leaf of theirs imports and exports: leaks and the targets of single rails too."""
    (tmp_path / "fabric.yml").write_text(
        (INVENTORIES / "lab" / "model" / "fabric.yml").read_text(encoding="utf-8")
    )
    (tmp_path / "tenants.yml").write_text(REGISTRY)
    export(Fabric.load(str(tmp_path / "fabric.yml")), tmp_path, kinds=["netbox"])
    columns = ("name", "import_targets", "export_targets", "description")
    found = table(tmp_path, "netbox/vrfs.csv")
    assert [tuple(row[column] for column in columns) for row in found] == VRFS


def test_netbox_primary_addresses_come_last(tmp_path):
    """NetBox clears the primary address of a device at each row that says false."""
    export(example("lab"), tmp_path, kinds=["netbox"])
    said = [row["is_primary"] for row in table(tmp_path, "netbox/ip-addresses.csv")]
    assert said == sorted(said)
    primary = {
        row["device"]: row["address"]
        for row in table(tmp_path, "netbox/ip-addresses.csv")
        if row["is_primary"] == "true"
    }
    fabric = example("lab")
    assert primary == {fabric.name(d): fabric.slice(d)["management"] for d in fabric.devices()}
