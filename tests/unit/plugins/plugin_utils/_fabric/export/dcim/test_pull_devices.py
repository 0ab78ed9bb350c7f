# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""devices.csv, with what a DCIM says."""

from __future__ import annotations

import pytest

from .pulling import Project

LEAF, NODE = "leaf-p1-su001-r1", "worker-su01-rack01-h01"


def test_rows_and_columns_keep_their_order(tmp_path):
    """A site's own names stay, in rows of places and of names."""
    rows = "name,place,serial\ngpu-1,su01/h01,SN1\ntor-1,leaf-p1-su001-r1,\n"
    project = Project(tmp_path, rows=rows)
    project.says("device", LEAF, serial="SN2")
    project.says("device", NODE, serial="SN9", unit=4, rack="R1")
    (made,) = project.pull().proposals
    assert made.after == (
        "name,place,serial,rack,unit\ngpu-1,su01/h01,SN9,R1,4\ntor-1,leaf-p1-su001-r1,SN2,,\n"
    )


def test_a_file_keeps_its_separator(tmp_path):
    project = Project(tmp_path, rows=f"sep=;\nPlace;Serial;\n{LEAF};SN1;\n")
    project.says("device", LEAF, serial="SN2")
    (made,) = project.pull().proposals
    assert made.after == f"sep=;\nplace;serial\n{LEAF};SN2\n"


def test_a_unit_without_its_rack_is_not_proposed(tmp_path):
    project = Project(tmp_path)
    project.says("device", LEAF, unit=4, rack="")
    assert project.pull().proposals == []
    project.says("device", LEAF, unit=4, rack="R1")
    assert f"{LEAF},R1,4" in project.pull().proposals[0].after


def test_what_the_dcim_does_not_have_erases_nothing(tmp_path):
    project = Project(
        tmp_path, rows=f"place,serial,mac,rack,unit\n{LEAF},SN1,00:00:5e:00:53:01,N1,40\n"
    )
    project.says("device", LEAF, serial="", rack=None, unit=None)
    project.says("interface", f"{LEAF}/eth0", mac="")
    assert project.pull().proposals == []


@pytest.mark.parametrize(
    "field, value, words",
    [
        ("unit", 400, "is not a rack unit"),
        ("serial", "=1+1", "is a formula"),
        ("rack", "a\tb", "printable"),
    ],
)
def test_a_value_that_the_file_cannot_have_is_named(tmp_path, field, value, words):
    project = Project(tmp_path)
    project.says("device", LEAF, **{field: value})
    pulled = project.pull()
    assert pulled.proposals == []
    (note,) = pulled.notes
    assert note.startswith(f"{LEAF}, {field}: ")
    assert words in note


def test_a_primary_address_of_ipv6_is_none_of_the_project(tmp_path):
    project = Project(tmp_path)
    project.says("primary", LEAF, address="2001:db8::1/64")
    assert project.pull().proposals == []


def test_the_computed_rack_of_a_node_is_not_repeated(tmp_path):
    project = Project(tmp_path)
    project.says("device", NODE, rack="su01-rack01", unit="U4")
    (csv, _description) = project.pull().proposals
    assert csv.after == f"place,unit\n{NODE},U4\n"


def test_an_export_of_netbox_becomes_a_file_of_the_project(tmp_path):
    rows = f"name,Serial number,rack,position,cf_spx_place\ntor-1,SN1,N1,40,lab/{LEAF}#00000000\n"
    project = Project(tmp_path, rows=rows)
    project.says("device", LEAF, serial="SN2")
    (made,) = project.pull().proposals
    assert made.after == f"place,name,serial,rack,unit\n{LEAF},tor-1,SN2,N1,40\n"


def test_a_device_without_our_key_is_known_by_its_name(tmp_path):
    """A pull may come before the first push."""
    project = Project(tmp_path)
    one = project.there["device", f"lab/{LEAF}"]
    values = {**one.values, "serial": "SN1"}
    project.there = {1: one._replace(key="", owned=False, values=values)}
    csv = project.pull().proposals[0]
    assert csv.after == f"place,serial\n{LEAF},SN1\n"


@pytest.mark.parametrize(
    "rows, field, value",
    [
        ("", "serial", "SN1"),
        (f"place,serial\n{NODE},SN1\n", "serial", "sn1"),
        ("", "mac", "00:00:5E:00:53:01"),
    ],
)
def test_what_only_one_device_can_have_is_named_and_not_proposed(tmp_path, rows, field, value):
    """Accepted, the project could not be read any more."""
    project = Project(tmp_path, rows=rows)
    ports = {"serial": ("device", "", ""), "mac": ("interface", "/eth0", "/mgmt")}
    kind, *tails = ports[field]
    for place, tail in zip((LEAF, "leaf-p1-su001-r2"), (tails[0], tails[0])):
        project.says(kind, f"{place}{tail}", **{field: value})
    pulled = project.pull()
    assert all(value not in one.after for one in pulled.proposals)
    (note,) = [each for each in pulled.notes if f", {field}: " in each]
    assert LEAF in note
    assert note.endswith(
        "is the value of each of them, and only one can have it: correct the others."
    )
