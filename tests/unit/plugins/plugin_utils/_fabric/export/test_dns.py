# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Zones: `dig -x` is a locate."""

from __future__ import annotations

import ipaddress
import os
import re
import resource

import dns.reversename
import dns.zone

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    rows,
)

from .exported import FABRICS, export, tree


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
