# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""links.csv, addresses.csv and slices."""

from __future__ import annotations

import json
import re

from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

from .exported import export, table


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


def test_links_csv_has_kinds_in_words(tmp_path):
    export(example("lab-3tier"), tmp_path, kinds=["links"])
    kinds = {row["kind"] for row in table(tmp_path, "links.csv")}
    assert kinds == {"host link", "leaf to spine", "spine to super-spine"}


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
