# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One reader for every table: what a spreadsheet or a DCIM does to it changes nothing that it says."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import (
    devices,
    racks,
    tables,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import (
    table as links,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology import uplinks

FORMS = [devices.FORM, racks.FORM, links.FORM, uplinks.FORM]
CELL = st.text("aZ09é .:/,;|\t\"'-\n", max_size=8)


@st.composite
def sheets(draw):
    """A form, rows by column, and the bytes of a file with them as some program saves it."""
    form = draw(st.sampled_from(FORMS))
    optional = [column for column in form.columns if column not in form.needed]
    chosen = draw(st.lists(st.sampled_from(optional), unique=True)) if optional else []
    columns = draw(st.permutations([*form.needed, *chosen]))
    if len(columns) == 1:
        columns = [*columns, optional[0]]
    rows = draw(st.lists(st.fixed_dictionaries(dict.fromkeys(columns, CELL)), max_size=4))
    rows = [row for row in rows if any(cell.strip() for cell in row.values())]
    separator = draw(st.sampled_from(list(tables.SEPARATORS)))
    text = io.StringIO()
    writer = csv.writer(
        text,
        delimiter=separator,
        lineterminator=draw(st.sampled_from(["\n", "\r\n"])),
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
    )
    beyond = [""] * draw(st.integers(0, 3))
    if draw(st.booleans()):
        text.write(
            draw(st.sampled_from(["sep={}\r\n", "SEP={}\n", '"sep={}"\n'])).format(separator)
        )
    cells = [[row[column] for column in columns] for row in rows]
    for line in [[head(draw, form, column) for column in columns], *cells]:
        for _empty in range(draw(st.integers(0, 2))):
            text.write(draw(st.sampled_from(["", separator, separator * 4])) + "\r\n")
        writer.writerow([*line, *beyond])
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    return form, rows, text.getvalue().encode(encoding)


def head(draw, form, column):
    """A head of a column as people and exports write it."""
    labels = [label for label, meant in form.labels.items() if meant == column]
    text = draw(st.sampled_from([column, *labels]))
    changed = (str, str.upper, str.title, lambda text: text.replace("_", " "), " {} ".format)
    return draw(st.sampled_from(changed))(text)


@settings(max_examples=150, deadline=None)
@given(sheets())
def test_any_mixture_is_read(tmp_path_factory, sheet):
    form, rows, content = sheet
    path = tmp_path_factory.getbasetemp() / "mixture.csv"
    path.write_bytes(content)
    table = tables.read(str(path), form)
    told = [{column: cell.strip() for column, cell in row.items()} for row in rows]
    assert [{c: row.cells[c] for c in table.columns} for row in table.rows] == told
    assert table.wrong == []


def saved(folder, text):
    path = folder / "devices.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("where;name;mac\n", "line 1: no column 'place' .* is there, and the separator is ';'"),
        ("where\tname\n", "line 1: .*, and the separator is a tab: add it"),
        ("sep=:\nplace:name\n", "line 1: no column 'place'"),
        (
            "place;name\n\nsu01/h01;gpu-1;;x\n",
            "line 3, column 4: 'x' has no header, and the separator is ';': remove the cell, or quote",
        ),
        ('place,name\n"su01/h01,gpu-1\n', "line 2 cannot be cut into cells .*: correct its quotes"),
        ("x" * 200_000, "line 1: no column 'place'"),
    ],
)
def test_a_fault_is_named_with_its_line_its_column_and_the_separator(tmp_path, text, sentence):
    with pytest.raises(FabricError) as caught:
        devices.read(saved(tmp_path, text))
    assert re.search(f"devices.csv {sentence}", str(caught.value)), str(caught.value)


def test_an_export_with_labels_and_both_ip_versions(tmp_path):
    """The head of our custom field is its label; a NetBox that prefers IPv6 has that first."""
    text = (
        "Name,Status,Rack,IP Address,IPv4 Address,Serial number,Position,Place in the fabric\n"
        "gpu-1,Active,R1,2001:db8::7/64,192.0.2.7/24,SN1,4.0,lab/su01/h01#3f2a90c1\n"
        "gpu-9,Active,R1,2001:db8::9/64,,SN9,4.0,other/su01/h01#3f2a90c1\n"
    )
    (row,) = devices.read(saved(tmp_path, text), fabric="lab")
    assert (row.place, row.name, row.serial, row.rack) == ("su01/h01", "gpu-1", "SN1", "R1")
    assert (row.management, row.management_length) == ("192.0.2.7", 24)


def test_a_nautobot_export(tmp_path):
    text = (
        "display,name,serial,rack__name,position,primary_ip4__host,cf_spx_place\n"
        "gpu-1,gpu-1,SN1,R1,4,192.0.2.7,lab/su01/h01#3f2a90c1\n"
    )
    (row,) = devices.read(saved(tmp_path, text), fabric="lab")
    assert (row.rack, row.unit, row.management) == ("R1", "4", "192.0.2.7")


@pytest.mark.parametrize(
    "mac", ["00:00:5E:00:53:01", "00-00-5e-00-53-01", "0000.5e00.5301", "00005E005301"]
)
def test_a_mac_in_four_forms(tmp_path, mac):
    (row,) = devices.read(saved(tmp_path, f"place,mac\nsu01/h01,{mac}\n"))
    assert row.mac == "00:00:5e:00:53:01"
    with pytest.raises(FabricError, match="is already in line 2"):
        devices.read(saved(tmp_path, f"place,mac\na,00:00:5e:00:53:01\nb,{mac}\n"))


def test_addresses_by_name(tmp_path):
    """A table of management addresses, such as an export of a DCIM."""
    text = "Name;Status;IP Address\nleaf-1;Active;192.0.2.1/24\nleaf-2;Planned;\n"
    assert devices.addresses(saved(tmp_path, text)) == {"leaf-1": "192.0.2.1"}
    with pytest.raises(FabricError, match=r"line 3, address: '192.0.2.2' differs from 192.0.2.1"):
        devices.addresses(saved(tmp_path, "device,management\na,192.0.2.1\na,192.0.2.2\n"))
