# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports: streams that agree with the plan, files that other programs read, no byte that moves."""

from __future__ import annotations

import csv
import ipaddress
import itertools
import json
import os
import re
import resource
import tempfile
from pathlib import Path

import dns.reversename
import dns.zone
import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    everything,
    rows,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    SMALL,
    build,
    example,
)

TINY = {"capacity": {"sus_per_pod": 2, "slots_per_su": 3}, "switches": {"usable_ports": 16}}
FABRICS = {
    **{name: lambda name=name: example(name) for name in (*SMALL, "brownfield-256")},
    "hwplb": lambda: build(
        **TINY,
        nics={"model": "ConnectX-8"},
        planes={"count": 2, "mode": "split", "balancing": "hwplb"},
    ),
    "by rail": lambda: build(**TINY, planes={"count": 8, "mode": "by-rail"}),
    "v6": lambda: build(**TINY, addressing={"profile": "nvidia-guide-v6"}, absent=["su02/h02"]),
    "numbered": lambda: build(
        **TINY,
        management={"domain": "gpu.example"},
        addressing={"profile": "octet-v4", "inter_switch": "numbered-31"},
    ),
}


@pytest.fixture(params=FABRICS)
def fabric(request):
    return FABRICS[request.param]()


def export(fabric, folder, **options):
    output = Output(str(folder))
    everything.write(fabric, output, **options)
    return output


def table(folder, name):
    with (folder / name).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def tree(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_a_second_run_changes_nothing(fabric, tmp_path):
    first = export(fabric, tmp_path)
    before = tree(tmp_path)
    assert sorted(map(str, before)) == sorted(first.changed)
    times = {path: (tmp_path / path).stat().st_mtime_ns for path in before}
    assert export(fabric, tmp_path).changed == []
    assert tree(tmp_path) == before
    assert {path: (tmp_path / path).stat().st_mtime_ns for path in before} == times


def test_a_dry_run_writes_nothing(tmp_path):
    fabric = example("lab")
    output = Output(str(tmp_path), dry=True)
    everything.write(fabric, output)
    assert tree(tmp_path) == {}
    assert len(output.changed) == output.files
    export(fabric, tmp_path)
    dry = Output(str(tmp_path), dry=True)
    everything.write(fabric, dry)
    assert dry.changed == []


def test_growth_changes_only_what_it_touches(tmp_path):
    capacity = {"capacity": {"sus_per_pod": 3, "slots_per_su": 3}, "switches": {"usable_ports": 32}}
    export(build(**capacity, absent=["su03"]), tmp_path, kinds=["slices"])
    before = tree(tmp_path)
    output = export(build(**capacity), tmp_path, kinds=["slices"])
    after = tree(tmp_path)
    new = {path for path in after if path not in before}
    assert {str(path).split("/")[2] for path in new} == {"su-0003"}
    moved = {str(path).split("/")[2] for path in before if before[path] != after[path]}
    assert moved == {"spine"}, "only the spines see new leaves"
    assert len(output.changed) == len(new) + sum(before[path] != after[path] for path in before)


def test_files_of_devices_that_are_gone_are_removed(tmp_path):
    capacity = {"capacity": {"sus_per_pod": 3, "slots_per_su": 3}, "switches": {"usable_ports": 32}}
    export(build(**capacity), tmp_path, kinds=["slices"])
    output = export(build(**capacity, absent=["su03"]), tmp_path, kinds=["slices"])
    assert not any("su-0003" in str(path) for path in tree(tmp_path))
    assert sum("su-0003" in name for name in output.changed) == 8 + 3


def test_links_csv_is_every_cable_once(fabric, tmp_path):
    export(fabric, tmp_path, kinds=["links"])
    found = table(tmp_path, "links.csv")
    ends = [(row[f"{side}_device"], row[f"{side}_port"]) for row in found for side in "ab"]
    assert len(set(ends)) == len(ends)
    expected = set()
    for device in fabric.devices():
        for port in fabric.slice(device)["ports"]:
            if port.get("present", True):
                expected.add((fabric.name(device), port["port"]))
    assert set(ends) == expected
    for row in found:
        device, port = fabric.peer(fabric.device(row["a_device"]), row["a_port"])
        assert (fabric.name(device), port) == (row["b_device"], row["b_port"])


def test_links_csv_names_rack_and_unit(tmp_path):
    export(example("brownfield-256"), tmp_path, kinds=["links"])
    row = table(tmp_path, "links.csv")[0]
    assert [row[key] for key in ("a_device", "a_rack", "a_unit")] == ["gpu-101", "G01", "4"]
    assert [row[key] for key in ("b_device", "b_rack", "b_unit")] == ["tor-a1", "N1", "40"]


def test_addresses_csv_agrees_with_the_slices(fabric, tmp_path):
    export(fabric, tmp_path, kinds=["addresses"])
    found = {(r["device"], r["port"], r["address"]) for r in table(tmp_path, "addresses.csv")}
    expected = set()
    for device in fabric.devices():
        data = fabric.slice(device)
        name = data["name"]
        port = "mgmt" if data["role"] == "node" else "eth0"
        expected.add((name, port, data["management"].partition("/")[0]))
        for key in ("loopback", "vtep"):
            if key in data:
                expected.add((name, "lo", data[key]))
        for row in data["ports"]:
            if row.get("present", True) and row.get("address"):
                expected.add((name, row["port"], row["address"]))
    assert found == expected


def test_slices_are_sharded_json(fabric, tmp_path):
    output = export(fabric, tmp_path, kinds=["slices"])
    found = {}
    for path in (tmp_path / "slices").rglob("*.json"):
        data = json.loads(path.read_text())
        assert path.stem == data["name"]
        found[data["name"]] = data
    assert found == {fabric.name(d): fabric.slice(d) for d in fabric.devices()}
    assert output.files == len(found)


def test_ptm_has_a_cabling_slice_for_each_switch(fabric, tmp_path):
    export(fabric, tmp_path, kinds=["ptm"])
    line = re.compile(r'  "([^"]+)":"([^"]+)" -- "([^"]+)":"([^"]+)"')
    for switch in fabric.switches():
        name = fabric.name(switch)
        first, *body, last = (tmp_path / "ptm" / f"{name}.dot").read_text().splitlines()
        assert first == f'graph "{fabric.description.name}" {{'
        assert last == "}"
        found = {line.fullmatch(text).groups() for text in body}
        expected = {
            (name, port["port"], port["peer"]["device"], port["peer"]["port"])
            for port in fabric.slice(switch)["ports"]
            if port["present"]
        }
        assert found == expected


def zones(folder):
    """Every zone file, parsed."""
    return {
        path.stem: dns.zone.from_text(path.read_text(), origin=f"{path.stem}.", relativize=False)
        for path in (folder / "dns").iterdir()
    }


def test_dig_x_is_a_locate(fabric, tmp_path):
    """Each PTR record names a device and port that locate gives for the address, and the reverse."""
    export(fabric, tmp_path, kinds=["dns"])
    parsed = zones(tmp_path)
    domain = fabric.description.management.domain or f"{fabric.description.name}.example"
    assert domain in parsed
    told = {}
    for origin, zone in parsed.items():
        for owner, _ttl, record in zone.iterate_rdatas("PTR"):
            assert origin != domain
            address = dns.reversename.to_address(owner)
            label = str(record.target).removesuffix(f".{domain}.")
            told.setdefault(address, set()).add(label)
    ports = {}
    for row in rows.addresses(fabric):
        ports.setdefault(row.address, set()).add(row.port)
    assert set(told) == set(ports)
    for address, labels in told.items():
        expected = set()
        for place in fabric.locate(address):
            port = {"loopback": "lo", "vtep": "vtep"}.get(place["kind"], place.get("port"))
            expected.add(f"{port}.{place['device']}" if port else place["device"])
        assert labels == expected or ports[address] == {"lo"}


def test_reverse_zones_are_cut_at_16_and_48_bits(tmp_path):
    export(FABRICS["v6"](), tmp_path, kinds=["dns"])
    labels = {name: len(name.split(".")) - 2 for name in zones(tmp_path) if name.endswith(".arpa")}
    assert {n for name, n in labels.items() if name.endswith("in-addr.arpa")} == {2}
    assert {n for name, n in labels.items() if name.endswith("ip6.arpa")} == {12}


def test_forward_and_reverse_agree(fabric, tmp_path):
    export(fabric, tmp_path, kinds=["dns"])
    parsed = zones(tmp_path)
    domain = fabric.description.management.domain or f"{fabric.description.name}.example"
    forward = {
        (str(owner), record.address)
        for kind in ("A", "AAAA")
        for owner, _ttl, record in parsed[domain].iterate_rdatas(kind)
        if not str(owner).startswith("ns.")
    }
    reverse = {
        (str(record.target), dns.reversename.to_address(owner))
        for origin, zone in parsed.items()
        if origin != domain
        for owner, _ttl, record in zone.iterate_rdatas("PTR")
    }
    assert forward == reverse
    assert len(forward) >= len({row.address for row in rows.addresses(fabric)})


def test_hosts_file(fabric, tmp_path):
    export(fabric, tmp_path, kinds=["hosts"])
    for text in (tmp_path / "hosts").read_text().splitlines():
        address, name = text.split("\t")
        ipaddress.ip_address(address)
        assert re.fullmatch(r"[A-Za-z0-9.-]+", name)


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


def test_a_part_of_the_largest(tmp_path):
    """One pod to disk, others into a sink that only counts: the same number of files."""
    fabric = example("max-524288")
    kinds = ["slices", "links", "addresses", "ptm", "netbox"]
    disk = export(fabric, tmp_path, kinds=kinds, scope=rows.Scope([0]))
    assert disk.files == len(tree(tmp_path)) == 640 + 128 + 2 + 8
    assert len(table(tmp_path, "links.csv")) == 3 * 4096
    sizes = set()
    for pod in (1, 127):
        sink = Output(None)
        everything.write(fabric, sink, kinds=kinds, scope=rows.Scope([pod]))
        assert sink.files == disk.files
        sizes.add(sink.size)
    assert all(abs(size - disk.size) < disk.size // 50 for size in sizes)


def test_long_work_says_how_far_it_is():
    """Each kind as it begins, and every 5,000 files of it."""
    told: list[str] = []
    sink = Output(None, tell=told.append)
    for number in range(12_000):
        sink.write(str(number), [])
    assert told == ["5000 files ...", "10000 files ..."]
    everything.write(example("lab"), sink, kinds=["links", "hosts"], progress=sink.tell)
    assert told[2:] == ["links ...", "hosts ..."]


def test_streams_are_lazy():
    """The first links of the largest fabric come at once."""
    first = list(itertools.islice(rows.links(example("max-524288")), 16))
    assert {link.a.device for link in first} == {
        "worker-pod001-su01-rack01-h01",
        "worker-pod001-su01-rack01-h02",
    }


def test_unknown_exports_are_refused(tmp_path):
    with pytest.raises(FabricError, match="export 'slice' is not known, did you mean 'slices'"):
        export(example("lab"), tmp_path, kinds=["slice"])
    assert tree(tmp_path) == {}


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FabricError, match=r"cannot be written .*: move what stands there"):
        export(example("lab"), tmp_path / "file", kinds=["links"])


def test_what_stands_in_the_way_of_a_file(tmp_path):
    """A folder is refused; a link is not followed, a pipe not read: neither is the plan's."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    for name, put in (
        ("folder/links.csv", Path.mkdir),
        ("draft/links.csv.part", lambda path: path.symlink_to(victim)),
    ):
        path = tmp_path / name
        path.parent.mkdir()
        put(path)
        with pytest.raises(FabricError, match="move what stands there, or choose another folder"):
            export(example("lab"), path.parent, kinds=["links"])
    for name, put in (
        ("link/links.csv", lambda path: path.symlink_to(victim)),
        ("pipe/links.csv", os.mkfifo),
    ):
        path = tmp_path / name
        path.parent.mkdir()
        put(path)
        export(example("lab"), path.parent, kinds=["links"])
        assert path.is_file()
        assert not path.is_symlink()
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("kind", ["links", "dns"])
def test_a_full_disk(kind, tmp_path, monkeypatch):
    """Also the one for drafts. Nothing is left half written; with room again all is there."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(FabricError, match="make room, or choose another folder"):
            export(example("lab"), tmp_path / "plan", kinds=[kind])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert tree(tmp_path) == {}
    assert export(example("lab"), tmp_path / "plan", kinds=[kind]).changed


def test_more_zones_than_open_files(tmp_path):
    """IPv6 has a zone for each plane, rail and pod."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 6, hard))
    try:
        export(FABRICS["v6"](), tmp_path, kinds=["dns"])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(tree(tmp_path)) > 8


def test_csv_cells_survive_commas(tmp_path):
    """A rack may hold any text of the site."""
    fabric = example("brownfield-256")
    device = next(iter(fabric.rows))
    row = fabric.rows[device]
    fabric.rows[device] = type(row)(**{**row.__dict__, "rack": 'row 1, "left"'})
    try:
        export(fabric, tmp_path, kinds=["links"])
    finally:
        fabric.rows[device] = row
    found = table(tmp_path, "links.csv")
    assert found[0]["b_rack"] == 'row 1, "left"'
    assert not any(None in line for line in found)


def test_files_of_the_site_are_not_removed(tmp_path):
    own = [tmp_path / "dns" / "corp.zone", tmp_path / "ptm" / "README", tmp_path / "slices" / "x"]
    for path in own:
        path.parent.mkdir()
        path.write_text("$ORIGIN corp.example.\n", encoding="utf-8")
    export(example("lab"), tmp_path)
    assert all(path.exists() for path in own)
    assert export(example("lab"), tmp_path).changed == []


@pytest.mark.parametrize("kind", ["slices", "ptm", "dns"])
def test_what_an_earlier_plan_left_is_removed(kind, tmp_path):
    before = build(**TINY, name="before", addressing={"profile": "nvidia-guide-v6"})
    export(before, tmp_path, kinds=[kind])
    old = set(tree(tmp_path))
    fabric = build(**TINY, naming={"leaf": "tor-{plane}-{su}-{rail}"}, absent=["su02/h02"])
    export(fabric, tmp_path / "alone", kinds=[kind])
    wanted = set(tree(tmp_path / "alone"))
    export(fabric, tmp_path, kinds=[kind])
    left = {path for path in tree(tmp_path) if path.parts[0] != "alone"}
    assert left == wanted
    assert old - wanted


def test_pods_written_one_by_one_are_the_whole(tmp_path):
    fabric = example("lab-3tier")
    export(fabric, tmp_path / "whole", kinds=["slices", "ptm"])
    for pod in (0, 1):
        export(fabric, tmp_path / "parts", kinds=["slices", "ptm"], scope=rows.Scope([pod]))
    whole = {path for path in tree(tmp_path / "whole") if "super-spine" not in str(path)}
    assert set(tree(tmp_path / "parts")) == whole


def test_a_folder_has_one_writer(tmp_path):
    with Output(str(tmp_path / "new")).alone():
        with (
            pytest.raises(FabricError, match="being written by another run"),
            Output(str(tmp_path / "new")).alone(),
        ):
            pass
        with Output(str(tmp_path / "new"), dry=True).alone(), Output(None).alone():
            pass
    with Output(str(tmp_path / "new")).alone():
        pass
    assert list((tmp_path / "new").iterdir()) == []


def test_a_failure_on_the_way_leaves_no_draft(tmp_path):
    def chunks():
        yield "half\n" * 100_000
        raise FabricError.of("no more")

    output = Output(str(tmp_path))
    output.write("a.txt", ["before"])
    with pytest.raises(FabricError, match="no more"):
        output.write("a.txt", chunks())
    assert tree(tmp_path) == {Path("a.txt"): b"before"}
