# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""racks.csv: read whole, or refused with a sentence for each fault."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import racks
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    example,
)


def read(folder, text):
    path = folder / "racks.csv"
    path.write_text(text, encoding="utf-8")
    return racks.read(str(path))


def test_the_example():
    found = racks.read(str(INVENTORIES / "brownfield-256" / "model" / "racks.csv"))
    assert found[4] == racks.Rack("N1", "A", 5, 48)
    assert example("brownfield-256").racks == found


def test_units_may_be_left_out_and_columns_have_any_order(tmp_path):
    found = read(tmp_path, "\ufeffPosition, row ,rack\r\n2,A,R 1\r\n\r\n1,A,Ü\r\n")
    assert found == [racks.Rack("R 1", "A", 2, 0), racks.Rack("Ü", "A", 1, 0)]


@pytest.mark.parametrize("cell", ["17.5", "17,5"])
def test_kilowatts_have_a_point_or_a_comma(tmp_path, cell):
    (rack,) = read(tmp_path, f"rack;row;position;kw\nR;A;1;{cell}\n")
    assert rack.kw == 17.5


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "racks.csv line 1: no column 'rack' or 'row' or 'position' is there, and the"),
        ("rack,row\n", "racks.csv line 1: no column 'position' is there, and the separator is ','"),
        ("rack,row,positon\n", "'positon' is not known, did you mean 'position'"),
        ("rack,row,row\n", "'row' occurs twice"),
        ("rack,row,position\n,A,1\n", "racks.csv line 2, rack: '' is not a name of 1 to 64"),
        ("rack,row,position\n=1,A,1\n", "rack: '=1' is not a name"),
        ("rack,row,position\nR,A,0\n", "position: '0' is not a whole number from 1 to 999"),
        ("rack,row,position\nR,A,\n", "position: '' is not a whole number from 1 to 999"),
        (
            "rack,row,position,units\nR,A,1,101\n",
            "units: '101' is not a whole number from 1 to 100",
        ),
        (
            "rack,row,position,kw\nR,A,1,much\n",
            "kw: 'much' is not a number of kilowatts such as 17.5",
        ),
        ("rack,row,position\nR,A,1\nR,A,2\n", "line 3, rack: 'R' is in line 2 already"),
        (
            "rack,row,position\nR,A,1\nS,A,1\n",
            "line 3, position: 1 of row 'A' is in line 2 already",
        ),
    ],
)
def test_what_is_refused(tmp_path, text, sentence):
    with pytest.raises(FabricError) as caught:
        read(tmp_path, text)
    assert sentence in str(caught.value)


def test_all_faults_at_once(tmp_path):
    with pytest.raises(FabricError) as caught:
        read(tmp_path, "rack,row,position,units\n,,x,y\n")
    assert len(caught.value.sentences) == 4


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FabricError, match=r"cabling.racks: .* cannot be read"):
        racks.read(str(tmp_path / "none.csv"))
