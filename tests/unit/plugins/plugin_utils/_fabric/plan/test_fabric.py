# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The waist: a description is loaded once, and again when a file of it changes."""

from __future__ import annotations

import os

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

LAB = INVENTORIES / "lab" / "model" / "fabric.yml"


def test_a_description_is_parsed_once(tmp_path):
    path = tmp_path / "fabric.yml"
    path.write_text(LAB.read_text())
    first = Fabric.load(str(path))
    assert Fabric.load(str(path)) is first


def test_a_changed_description_is_read_again(tmp_path):
    path = tmp_path / "fabric.yml"
    path.write_text(LAB.read_text())
    first = Fabric.load(str(path))
    path.write_text(LAB.read_text().replace("name: lab", "name: lab-two"))
    os.utime(path, ns=(1, 1))
    assert Fabric.load(str(path)) is not first
    assert Fabric.load(str(path)).description.name == "lab-two"


def test_a_changed_file_beside_it_is_read_again(tmp_path):
    path, devices = tmp_path / "fabric.yml", tmp_path / "devices.csv"
    path.write_text(LAB.read_text() + "devices: devices.csv\n")
    devices.write_text("place,name\nsu01/h01,gpu-1\n")
    assert Fabric.load(str(path)).name(Node(0, 0, 0)) == "gpu-1"
    devices.write_text("place,name\nsu01/h01,gpu-27\n")
    assert Fabric.load(str(path)).name(Node(0, 0, 0)) == "gpu-27"


def test_a_broken_change_is_not_hidden_by_the_memo(tmp_path):
    path = tmp_path / "fabric.yml"
    path.write_text(LAB.read_text())
    Fabric.load(str(path))
    path.write_text("name: lab\n")
    with pytest.raises(FabricError):
        Fabric.load(str(path))
