# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slices and facts of the plan, as a playbook asks for them."""

from __future__ import annotations


def test_slices_facts_and_keys(answers):
    found = answers(
        "lookup('spectrum_x.fabric.plan', 'leaf-p1-su001-r1').name",
        "lookup('spectrum_x.fabric.plan', 'leaf-p1-su001-r1', key='mtu.fabric')",
        "lookup('spectrum_x.fabric.plan', 'fabric', key='switches') | length > 0",
        "query('spectrum_x.fabric.plan', 'spine-p1-s01', 'spine-p1-s02') | map(attribute='name')",
        "lookup('spectrum_x.fabric.plan', 'leaf-p1-su001-r1', key='mtu.fabrik')",
        "lookup('spectrum_x.fabric.plan', 7)",
    )
    assert found[:4] == ["leaf-p1-su001-r1", 9216, True, ["spine-p1-s01", "spine-p1-s02"]]
    assert found[4].startswith("key 'mtu.fabrik': 'fabrik' is not there, did you mean 'fabric'")
    assert found[5].startswith("7 is not a device name")
