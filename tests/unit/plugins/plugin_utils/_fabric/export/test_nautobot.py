# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CSV files that Nautobot imports."""

from __future__ import annotations

import ipaddress
import shutil

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.nautobot_table import NO_PLACE
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.context import (
    Context,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.difference import (
    Update,
    difference,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.ids import (
    new_id,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.mark import (
    parted,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.plan_things import (
    of_kind,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    TAG,
    DcimObject,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.nautobot import (
    TABLES,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    example,
)

from .exported import export, table

NUMBER = {row.file: number for number, row in enumerate(TABLES, start=1)}


def rows(folder, name):
    return table(folder, f"nautobot/{NUMBER[name]:02}-{name}.csv")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The files of the lab."""
    folder = tmp_path_factory.mktemp("lab")
    export(example("lab"), folder, kinds=["nautobot"])
    return folder


def test_devices_are_told_apart_by_their_location(lab):
    """A device is found by name and location, a device type by manufacturer and model."""
    (location,) = rows(lab, "locations")
    devices = rows(lab, "devices")
    assert {row["location__name"] for row in devices} == {location["name"]} == {"lab"}
    ports = rows(lab, "interfaces")
    assert {row["device__name"] for row in ports} == {row["name"] for row in devices}
    assert {row["device__location__name"] for row in ports} == {"lab"}
    types = {(r["manufacturer__name"], r["model"]) for r in rows(lab, "device-types")}
    used = {(r["device_type__manufacturer__name"], r["device_type__model"]) for r in devices}
    assert used == types


def test_words_are_those_of_nautobot(lab):
    assert {row["status__name"] for row in rows(lab, "devices")} == {"Planned"}
    assert {row["type"] for row in rows(lab, "prefixes")} == {"container", "network"}
    roles = {row["role__name"] for row in rows(lab, "ip-addresses")}
    assert roles == {"NoObject", "Loopback", "VIP"}


def test_every_address_is_inside_a_prefix_that_comes_first(lab):
    """Nautobot refuses an address without a parent."""
    known = [ipaddress.ip_network(row["prefix"]) for row in rows(lab, "prefixes")]
    assert NUMBER["prefixes"] < NUMBER["ip-addresses"]
    for row in rows(lab, "ip-addresses"):
        address = ipaddress.ip_interface(row["address"]).ip
        assert any(address in network for network in known)


def test_what_is_found_by_ids_only_is_left_out(lab):
    assert not {"cables", "asns"} & NUMBER.keys()


def test_no_related_object_is_without_a_name(lab):
    """Nautobot reads an empty cell as an object whose name is empty, and refuses the file."""
    for name in NUMBER.keys() - {"vlan-groups", "vlans"}:
        for row in rows(lab, name):
            assert all(cell for column, cell in row.items() if "__" in column)


def test_bonds_subinterfaces_and_vlans_are_found_by_their_natural_keys(tmp_path):
    """An interface by device and name, a VLAN by number and group; lists of both have one length."""
    export(example("lab-converged"), tmp_path, kinds=["nautobot"])
    known = {(r["vid"], r["vlan_group__name"]) for r in rows(tmp_path, "vlans")}
    assert {group for _vid, group in known} == {r["name"] for r in rows(tmp_path, "vlan-groups")}
    seen, found = set(), {}
    for row in rows(tmp_path, "interfaces"):
        here = (row["device__name"], row["name"])
        for other in ("lag", "parent_interface"):
            at = (row[f"{other}__device__name"], row[f"{other}__name"])
            assert at == ("NoObject", "NoObject") or (at in seen and at[0] == here[0])
            assert (row[f"{other}__device__location__name"] == "NoObject") == (at[1] == "NoObject")
        for field in ("untagged_vlan", "tagged_vlans"):
            vids, groups = (
                row[f"{field}__{key}"].split(",") for key in ("vid", "vlan_group__name")
            )
            assert {*zip(vids, groups, strict=True)} <= known | {("NoObject", "NoObject")}
        seen.add(here)
        found[here] = row
    assert found["storage-leaf-001-1", "bond5001"]["tagged_vlans__vid"] == "2004,2021,2022"
    sub = found["border-leaf-01-1", "swp1s0.3021"]
    assert (sub["parent_interface__name"], sub["tagged_vlans__vid"]) == ("swp1s0", "3021")
    assert found["worker-su01-rack01-h01", "stor1"]["lag__name"] == "stor"
    prefixes = {r["prefix"]: r for r in rows(tmp_path, "prefixes")}
    assert prefixes["10.216.14.0/23"]["vlan__vid"] == "2021"
    assert prefixes["10.216.14.0/23"]["vlan__vlan_group__name"] == "lab-converged storage"


def test_interfaces_have_no_vrf(lab):
    """Nautobot refuses one that its device does not have yet."""
    assert "vrf__name" not in rows(lab, "interfaces")[0]


def with_serial(folder):
    """The lab, whose site knows a serial: DHCP may then reserve an address."""
    shutil.copytree(INVENTORIES / "lab" / "model", folder / "model")
    path = folder / "model" / "fabric.yml"
    path.write_text(f"{path.read_text()}devices: devices.csv\n")
    (folder / "model" / "devices.csv").write_text("place,serial\nleaf-p1-su001-r1,SN1\n")
    return Fabric.load(str(path))


def pushed(fabric, folder, kind, name, **lacking):
    """Push the things of a file, of which Nautobot has everything but some fields."""
    marks = dict(parted(row["cf_spx_place"]) for row in rows(folder, name))
    things = []
    for thing in of_kind(kind, Context(fabric, Registry.load(fabric))):
        no_place = dict.fromkeys(NO_PLACE.get(kind, ()))
        things.append(thing._replace(values={**thing.values, **no_place}))
    found = [
        DcimObject(kind, key, key, name, {**values, **lacking}, True, (TAG,), "1", marks[key])
        for kind, key, name, values in things
    ]
    return list(difference(things, found))


@pytest.mark.parametrize(
    "kind, name, lacking",
    [
        ("interface", "interfaces", {"role": "", "vrf": ""}),
        ("prefix", "prefixes", {"dhcp": False, "vrf": ""}),
        ("address", "ip-addresses", {"dhcp": False, "interfaces": ()}),
    ],
)
def test_a_push_writes_what_a_file_cannot_have(tmp_path, kind, name, lacking):
    """It takes no such field for one that somebody changed."""
    fabric = with_serial(tmp_path)
    export(fabric, tmp_path, kinds=["nautobot"])
    found = pushed(fabric, tmp_path, kind, name, **lacking)
    assert {type(change) for change in found} == {Update}
    assert {field for change in found for field in change.fields} == lacking.keys()


def test_things_have_the_ids_of_a_push(lab):
    """Nautobot has two racks or two VRFs of one name, but no id twice."""
    kinds = {row.file: row.kind for row in TABLES if "id" in row.columns}
    assert kinds.keys() >= {"racks", "vrfs", "devices"}
    for name in kinds.keys() - {"vlans"}:
        for row in rows(lab, name):
            key, _digest = parted(row["cf_spx_place"])
            assert row["id"] == new_id(kinds[name], key)


@pytest.mark.parametrize("tagged", [True, False])
def test_equal_addresses_of_two_tenants_have_a_row_for_the_first(tmp_path, tagged):
    """Nautobot has each once in a namespace, and would refuse the whole file; on subinterfaces, and on ports."""
    shutil.copytree(INVENTORIES / "lab-converged" / "model", tmp_path / "model")
    path = tmp_path / "model" / "tenants.yml"
    registry = yaml.safe_load(path.read_text())
    for tenant, link in zip(registry["tenants"], ("isp-a", "isp-b")):
        own = {"link": link, "tagged": tagged, "address": "198.51.100.0/31"}
        tenant["external_peers"][0] |= {**own, "peer_address": "198.51.100.1"}
    path.write_text(yaml.safe_dump(registry))
    export(Fabric.load(str(path.with_name("fabric.yml"))), tmp_path, kinds=["nautobot", "netbox"])
    for name, column, twice in (
        ("prefixes", "prefix", "198.51.100.0/31"),
        ("ip-addresses", "address", "198.51.100.0/31"),
    ):
        found = [row[column] for row in rows(tmp_path, name)]
        assert found.count(twice) == 1
        assert len(set(found)) == len(found)
        (file,) = (tmp_path / "netbox").glob(f"*-{name}.csv")
        both = [row["vrf.name"] for row in table(tmp_path, file) if row[column] == twice]
        assert both == ["t21-acme", "t22-globex"]
