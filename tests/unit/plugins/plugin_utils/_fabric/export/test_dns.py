# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Zones: `dig -x` is a locate."""

from __future__ import annotations

import ipaddress
import os
import re
import resource
import shutil
import subprocess

import dns.reversename
import dns.zone
import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    dns as module,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    rows,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    build,
    example,
)

from .exported import FABRICS, TINY, export, tree

SERVERS = [
    {"name": "ns1.gpu.example", "address": "192.0.2.53"},
    {"name": "ns2.gpu.example", "address": "2001:db8::53"},
    {"name": "ns.partner.example"},
]
STATED = {"name_servers": SERVERS, "hostmaster": "net.ops@corp.example", "ttl": 900}
OWN = {"management": {"domain": "gpu.example"}, "addressing": {"profile": "octet-v4"}}


def zones(folder):
    """Every zone file, parsed."""
    return {
        path.stem: dns.zone.from_text(path.read_text(), origin=f"{path.stem}.", relativize=False)
        for path in (folder / "dns").glob("*.zone")
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


def test_switches_of_the_other_networks_have_names(tmp_path):
    """Their loopbacks, VTEPs and management addresses, forwards and back."""
    fabric = example("lab-converged")
    export(fabric, tmp_path, kinds=["dns"])
    parsed = zones(tmp_path)
    domain = fabric.description.management.domain or f"{fabric.description.name}.example"
    texts = {origin: zone.to_text() for origin, zone in parsed.items()}
    back = "".join(text for origin, text in texts.items() if origin != domain)
    for switch in fabric.converged.switches():
        name = fabric.name(switch)
        assert re.search(rf"^{name}(\.{re.escape(domain)}\.)? ", texts[domain], re.M), name
        assert f"lo.{name}.{domain}." in back


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


def serials(folder):
    """The serial of each zone."""
    return {
        name: next(zone.iterate_rdatas("SOA"))[2].serial for name, zone in zones(folder).items()
    }


def test_zones_name_the_servers_of_the_site(tmp_path):
    export(build(**TINY, **OWN, zones=STATED), tmp_path, kinds=["dns"])
    for name, zone in zones(tmp_path).items():
        (_owner, ttl, soa) = next(zone.iterate_rdatas("SOA"))
        assert (str(soa.mname), str(soa.rname)) == ("ns1.gpu.example.", r"net\.ops.corp.example.")
        assert ttl == 900
        found = [str(record.target) for _o, _t, record in zone.iterate_rdatas("NS")]
        assert found == [f"{server['name']}." for server in SERVERS], name
    forward = (tmp_path / "dns" / "gpu.example.zone").read_text()
    assert "ns1.gpu.example. A 192.0.2.53\nns2.gpu.example. AAAA 2001:db8::53\n" in forward
    assert "127.0.0.1" not in forward


def test_a_server_in_the_domain_needs_an_address():
    with pytest.raises(
        FabricError, match=r"zones.name_servers\[0\].name: ns1.gpu.example is in the"
    ):
        build(**TINY, **OWN, zones={"name_servers": [{"name": "ns1.gpu.example"}]})
    assert build(**TINY, zones={"name_servers": [{"name": "ns1.gpu.example"}]})


def named(folder, *names, zones=""):
    """The lab with nodes of these names."""
    rows = "".join(f"su01/h{n:02},{name}\n" for n, name in enumerate(names, start=1))
    (folder / "devices.csv").write_text(f"place,name\n{rows}")
    text = (INVENTORIES / "lab" / "model" / "fabric.yml").read_text()
    (folder / "fabric.yml").write_text(f"{text}devices: devices.csv\n{zones}")
    return Fabric.load(str(folder / "fabric.yml"))


@pytest.mark.parametrize(
    "names, free", [(["gpu"], "ns"), (["ns"], "ns1"), (["ns", "ns1"], "ns2"), (["ns1"], "ns")]
)
def test_the_server_of_this_machine_takes_no_name_of_a_device(names, free, tmp_path):
    """One name with two addresses would be asked in turn."""
    fabric = named(tmp_path, *names)
    export(fabric, tmp_path, kinds=["dns"])
    text = (tmp_path / "dns" / "lab.example.zone").read_text()
    assert f"@ NS {free}.lab.example.\n{free}.lab.example. A 127.0.0.1\n" in text
    owners = re.findall(r"^(\S+) A ", text, re.MULTILINE)
    assert not set(names).intersection([free, f"{free}.lab.example."])
    assert set(names) <= set(owners)


def test_a_server_of_the_site_with_the_name_of_a_device_is_refused(tmp_path):
    zones = "zones: {name_servers: [{name: ns.lab.example, address: 192.0.2.53}]}\n"
    with pytest.raises(FabricError, match=r"ns.lab.example is also the name of device ns: give"):
        export(named(tmp_path, "ns", zones=zones), tmp_path / "plan")
    assert not (tmp_path / "plan").exists()
    export(named(tmp_path, "gpu", zones=zones), tmp_path / "plan", kinds=["dns"])


@pytest.mark.parametrize("hostmaster", ["hostmaster", "a b@c.example", "@c.example", "a@", "a@b c"])
def test_a_hostmaster_is_a_mailbox(hostmaster):
    with pytest.raises(
        FabricError, match=r"use an e-mail address such as hostmaster@fabric.example"
    ):
        build(**TINY, zones={"hostmaster": hostmaster})


def test_a_serial_grows_with_the_content_of_its_zone_alone(tmp_path):
    def run(**changes):
        output = export(build(**TINY, **OWN, **changes), tmp_path, kinds=["dns"])
        return serials(tmp_path), output.changed

    first, _changed = run()
    assert set(first.values()) == {1}
    assert run() == (first, [])
    grown, changed = run(absent=["su02/h03"])
    different = {name for name in grown if grown[name] != 1}
    assert {grown[name] for name in different} == {2}
    assert {f"dns/{name}.zone" for name in different} == set(changed)
    assert "gpu.example" in different
    assert len(different) < len(grown)
    back, _changed = run()
    assert {back[name] for name in different} == {3}, "never back to an earlier serial"
    servers, _changed = run(zones={"ttl": 901})
    assert servers == {name: back[name] + 1 for name in back}


def test_a_serial_edited_by_hand_is_never_undercut(tmp_path):
    fabric = build(**TINY, **OWN)
    export(fabric, tmp_path, kinds=["dns"])
    path = tmp_path / "dns" / "gpu.example.zone"
    text = path.read_text()
    path.write_text(text.replace("(1 3600", "(2026112501 3600") + "extra A 192.0.2.9\n")
    export(fabric, tmp_path, kinds=["dns"])
    assert serials(tmp_path)["gpu.example"] == 2026112502
    assert path.read_text() == text.replace("(1 3600", "(2026112502 3600")


@pytest.mark.parametrize("old, serial", [(4294967295, 1), (4294967294, 4294967295)])
def test_a_serial_stays_in_its_32_bits(tmp_path, old, serial):
    fabric = build(**TINY, **OWN)
    export(fabric, tmp_path, kinds=["dns"])
    path = tmp_path / "dns" / "gpu.example.zone"
    path.write_text(path.read_text().replace("(1 3600", f"({old} 3600") + "x A 192.0.2.9\n")
    export(fabric, tmp_path, kinds=["dns"])
    assert serials(tmp_path)["gpu.example"] == serial


def test_the_least_serial_is_stated(tmp_path):
    fabric = build(**TINY, **OWN, zones={"serial": 2026010100})
    export(fabric, tmp_path, kinds=["dns"])
    assert set(serials(tmp_path).values()) == {2026010100}
    export(build(**TINY, **OWN), tmp_path, kinds=["dns"])
    assert set(serials(tmp_path).values()) == {2026010100}, "the content is the same"


def test_reverse_zones_stay_inside_the_prefixes_of_the_plan(tmp_path):
    """A site's own management prefix of /24 or longer gets no zone that others have addresses in."""
    export(example("brownfield-256"), tmp_path, kinds=["dns"])
    names = {
        name.removesuffix(".in-addr.arpa") for name in zones(tmp_path) if name.endswith("arpa")
    }
    assert names == {"0.40.10", "1.40.10", "0.41.10", "1.41.10", "2.41.10", "3.41.10"}


def small(folder):
    """A fabric whose management addresses share a /24 with others."""
    rows = (
        "place,management\nleaf-p1-su001-r1,198.51.100.66/26\nleaf-p1-su001-r2,198.51.100.67/26\n"
    )
    (folder / "devices.csv").write_text(rows)
    return build(**TINY, **OWN, zones=STATED, devices=str(folder / "devices.csv"))


def test_less_than_a_24_is_delegated_as_rfc_2317_says(tmp_path):
    export(small(tmp_path), tmp_path / "out", kinds=["dns"])
    zone = zones(tmp_path / "out")["64-26.100.51.198.in-addr.arpa"]
    found = {str(owner): str(r.target) for owner, _t, r in zone.iterate_rdatas("PTR")}
    assert found == {
        "66.64-26.100.51.198.in-addr.arpa.": "leaf-p1-su001-r1.gpu.example.",
        "67.64-26.100.51.198.in-addr.arpa.": "leaf-p1-su001-r2.gpu.example.",
    }
    lines = (tmp_path / "out" / "dns" / "delegation.txt").read_text().splitlines()
    assert "64-26.100.51.198.in-addr.arpa. NS ns1.gpu.example." in lines
    assert "66.100.51.198.in-addr.arpa. CNAME 66.64-26.100.51.198.in-addr.arpa." in lines
    assert "ns1.gpu.example. A 192.0.2.53" in lines


def test_the_zones_above_are_given_what_delegates(tmp_path):
    export(example("lab"), tmp_path, kinds=["dns"])
    text = (tmp_path / "dns" / "delegation.txt").read_text()
    for name in zones(tmp_path):
        assert f"{name}. NS ns.lab.example.\n" in text
    assert "CNAME" not in text


def check(*command):
    """Run a tool of BIND and return its output; the test is left out where it is not installed."""
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("kind", [*FABRICS, "stated"])
def test_bind_takes_every_zone(kind, tmp_path):
    fabric = small(tmp_path) if kind == "stated" else FABRICS[kind]()
    export(fabric, tmp_path / "out", kinds=["dns"])
    folder = tmp_path / "out" / "dns"
    config = folder / "try.conf"
    config.write_text(f'options {{ directory "{folder}"; }};\ninclude "{folder}/named.conf";\n')
    text = check("named-checkconf", "-z", str(config))
    assert text.count("loaded serial 1") == len(zones(tmp_path / "out"))
    for path in folder.glob("*.zone"):
        check("named-checkzone", "-i", "full", path.name.removesuffix(".zone"), str(path))


def test_a_zone_is_known_by_how_it_begins(tmp_path):
    export(FABRICS["numbered"](), tmp_path, kinds=["dns"])
    for path in (tmp_path / "dns").glob("*.zone"):
        assert module.BEGINS.match(path.read_bytes())
    assert not module.BEGINS.match(b"$ORIGIN corp.example.\n$TTL 1h\n@ IN SOA a b ( 1 )\n")


@pytest.mark.parametrize(
    ("old", "serial"),
    [
        ("; ours\n@ SOA ns.x. me.x. (900 3600 600 604800 60)\n", 901),
        ("@ IN SOA ns.x. me.x. (\n  41 ; serial\n 3600 600 604800 60)\n", 42),
    ],
)
def test_a_serial_never_goes_back(tmp_path, old, serial):
    """Whoever wrote the file: other servers have its serial."""
    fabric = build(**TINY, **OWN, zones=STATED)
    export(fabric, tmp_path, kinds=["dns"])
    (tmp_path / "dns" / "gpu.example.zone").write_text(old)
    export(fabric, tmp_path, kinds=["dns"])
    assert serials(tmp_path)["gpu.example"] == serial


def test_a_serial_that_cannot_be_read_is_refused(tmp_path):
    fabric = build(**TINY, **OWN, zones=STATED)
    export(fabric, tmp_path, kinds=["dns"])
    (tmp_path / "dns" / "gpu.example.zone").write_text("$INCLUDE other\n")
    with pytest.raises(FabricError, match="has no serial that can be read: remove it where"):
        export(fabric, tmp_path, kinds=["dns"])
