# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A written description is the design again, and editors may check it."""

from __future__ import annotations

import re

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.designs import (
    designs,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.request import (
    Request,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.starter import description

ASKS = [
    Request(gpus=12),
    Request(gpus=256, name="berlin-1"),
    Request(gpus=520, final_gpus=2048),
    Request(gpus=1000, planes=2),
    Request(gpus=640, planes=8),
    Request(gpus=20_000),
    Request(gpus=64, switch="SN6600_LD"),
]


@pytest.mark.parametrize("ask", ASKS, ids=str)
def test_what_is_written_loads_as_the_design(ask, tmp_path):
    for number, design in enumerate(designs(ask)):
        path = tmp_path / f"{number}.yml"
        path.write_text(description.text(design), encoding="utf-8")
        assert Fabric.load(str(path)).description == design.fabric.description


def test_keys_for_later_work_as_they_are_shown(tmp_path):
    """Each commented key loads when its comment is removed, and none is left out."""
    text = description.text(designs(Request(gpus=16, rails=2))[0])
    later = text.partition("Decide later")[2]
    keys = [line for line in later.splitlines() if re.match(r"# \w+: ", line)]
    assert len(keys) == len(description.OPEN)
    shown = re.sub(r"^# (?=(management|wipe|manage): |  (dpu|switch)_)", "", text, flags=re.M)
    shown = shown.replace("  # pci: ", "  pci: ").replace(", ...]", "]")
    path = tmp_path / "fabric.yml"
    path.write_text(shown, encoding="utf-8")
    d = Fabric.load(str(path)).description
    assert len(d.nics.pci) == 2
    assert d.wipe
    assert d.management.ntp
    assert "switch_tenants" in d.manage


def test_the_first_line_names_the_schema_and_lines_fit():
    lines = description.text(designs(Request(gpus=256))[0]).splitlines()
    assert lines[0] == "# yaml-language-server: $schema=fabric.schema.json"
    assert max(map(len, lines)) <= 114
