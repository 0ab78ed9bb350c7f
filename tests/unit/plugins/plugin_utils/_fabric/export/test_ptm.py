# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cabling of a switch for PTM."""

from __future__ import annotations

import re

from .exported import export


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
