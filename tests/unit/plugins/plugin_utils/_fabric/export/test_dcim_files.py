# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Import files of a DCIM: how cells are written and files are cut."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    dcim_files,
    nautobot,
    netbox,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim_files import (
    Table,
    begins,
    files,
    of,
    text,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

PORTS = [Table("ports", "interface", {"name": of("name"), "mtu": of("mtu")})]


@pytest.mark.parametrize(
    "value, cell", [(True, "true"), (False, "false"), (9216, 9216), (None, ""), ("a", "a")]
)
def test_cells(value, cell):
    assert text(value) == cell


def test_a_table_that_does_not_fit_goes_on_below_the_same_header(monkeypatch):
    monkeypatch.setattr(dcim_files, "MOST_BYTES", 400)
    made = {name: list(lines) for name, lines in files(example("lab"), None, "x", PORTS)}
    assert list(made)[:3] == ["x/01-ports.csv", "x/01-ports-2.csv", "x/01-ports-3.csv"]
    assert {lines[0] for lines in made.values()} == {"name,mtu\n"}
    assert all(len("".join(lines)) <= 400 for lines in made.values())
    assert sum(len(lines) - 1 for lines in made.values()) == 78


def test_files_are_known_by_their_headers():
    found = begins(PORTS)
    assert found.match(b"name,mtu\nlo,\n")
    assert not found.match(b"name,mtu,notes\n")


@pytest.mark.parametrize("tables", [netbox.TABLES, nautobot.TABLES])
def test_files_of_an_earlier_version_are_known_by_our_field(tables):
    """Ports had tags: what is left of such a file would be imported after the others."""
    columns = next(",".join(table.columns) for table in tables if table.file == "interfaces")
    older = columns.replace("cf_spx_place", "tags,cf_spx_place")
    assert older != columns
    found = begins(tables)
    assert found.match(f"{older}\n".encode())
    assert found.match(f"{older},more\n".encode())
    assert not found.match(b"name,notes\nabout,cf_spx_place\n")


@pytest.mark.parametrize("tables", [netbox.TABLES, nautobot.TABLES])
def test_ports_have_the_tag_of_their_device(tables):
    without = {table.kind for table in tables if "cf_spx_place" in table.columns}
    without -= {table.kind for table in tables if "tags" in table.columns}
    assert without == {"interface"}
