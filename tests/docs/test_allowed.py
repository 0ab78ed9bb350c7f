# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of allowed values: the readers accept them, and nothing of them is missing."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import results
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import (
    description,
    devices,
    errors,
    racks,
    schema,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology import uplinks
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    schema as tenancy,
)

from . import allowed, columns, generate
from .blocks import ROOT

READERS = {
    "devices.csv": devices.read,
    "racks.csv": racks.read,
    "uplinks.csv": uplinks.read,
    "waivers.yml": results.waivers,
}
Values = dict[str, str]


def written(folder: Path, file: str, values: Values) -> str:
    """A file of one row."""
    path = folder / file
    if file == "waivers.yml":
        path.write_text(yaml.safe_dump([values]), encoding="utf-8")
    else:
        with path.open("w", encoding="utf-8", newline="") as handle:
            csv.writer(handle).writerows([values, values.values()])
    return str(path)


def good(file: str) -> Values:
    """The good value of each column."""
    return {column.name: column.good for column in columns.TABLES[file]}


@pytest.mark.parametrize("file", columns.TABLES)
def test_every_column_is_listed(file: str) -> None:
    assert {column.name for column in columns.TABLES[file]} == set(columns.COLUMNS[file])


@pytest.mark.parametrize("file", READERS)
def test_good_values_are_read(file: str, tmp_path: Path) -> None:
    assert READERS[file](written(tmp_path, file, good(file)))


@pytest.mark.parametrize("file", READERS)
def test_bad_values_are_refused(file: str, tmp_path: Path) -> None:
    for column in columns.TABLES[file]:
        values = good(file) | {column.name: column.bad}
        if column.bad:
            with pytest.raises(errors.FabricError):
                READERS[file](written(tmp_path, file, values))


@pytest.mark.parametrize("file", ["devices.csv", "racks.csv", "waivers.yml"])
def test_only_what_is_needed_is_needed(file: str, tmp_path: Path) -> None:
    for column in columns.TABLES[file]:
        values = {name: value for name, value in good(file).items() if name != column.name}
        if column.needed:
            with pytest.raises(errors.FabricError):
                READERS[file](written(tmp_path, file, values))
        else:
            assert READERS[file](written(tmp_path, file, values))


@pytest.mark.parametrize("side", ["place", "host", "leaf"])
def test_a_bad_cell_of_links_is_refused(side: str, tmp_path: Path) -> None:
    model = ROOT / "inventories" / "brownfield-256" / "model"
    for path in model.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    lines = (tmp_path / "links.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split(",") == list(columns.COLUMNS["links.csv"])
    assert lines[1].split(",") == list(good("links.csv").values())
    bad = next(column.bad for column in columns.TABLES["links.csv"] if column.name == side)
    lines[1] = ",".join((good("links.csv") | {side: bad}).values())
    (tmp_path / "links.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(errors.FabricError):
        assert Fabric.load(str(tmp_path / "fabric.yml")).known


def test_every_key_has_words_and_a_meaning() -> None:
    made = tenancy.TenantsFile.model_json_schema()
    rows = generate.keys_of(description.Description, schema.fabric(table))
    rows += generate.keys_of(tenancy.TenantsFile, made)
    assert len(rows) > 150
    assert [row[0] for row in rows if not row[1] or not row[3]] == []


def test_words_follow_from_the_models() -> None:
    of = allowed.of_field
    assert of(description.Description, "site") == "whole number, 0 to 255"
    assert of(description.Description, "tiers") == "``2`` or ``3``"
    assert "lower-case letters" in of(description.Description, "name")
    assert "host name" in of(description.Management, "ntp")
    assert of(description.SwappedPorts, "ports") == "list of texts, exactly 2"
    assert of(tenancy.MovingRecord, "from").startswith("lower-case")
    assert "64512:4000021" in of(tenancy.RouteTargets, "imports")
    models = of(description.Switches, "model", ["SN5600", "SN5400"])
    assert models == "``SN5600`` or ``SN5400``"
    assert of(description.Description, "manage", ["a", "b"]) == "list of ``a`` or ``b``"
