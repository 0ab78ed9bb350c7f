# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permission to stop rails: nobody rents them, or a window covers every node that is rented."""

from __future__ import annotations

import datetime

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch.windows import Windows
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
)

LEAF = "leaf-p1-su001-r1"
TENANTS = """
tenants:
  - {id: 21, slug: acme, nodes: [su01/h01]}
  - {id: 22, slug: globex, nodes: [su01/h02]}
"""
NOW = datetime.datetime.fromisoformat("2026-12-31T02:30:00+00:00")


def window(*where, hours=("02", "04")):
    times = {"from": f"2026-12-31T{hours[0]}:00+00:00", "until": f"2026-12-31T{hours[1]}:00+00:00"}
    return {"where": list(where), "reason": "CHG-42", **times}


@pytest.mark.parametrize(
    "rows, name, words",
    [
        ([], "leaf-p1-su002-r1", ""),
        ([], LEAF, "worker-su01-rack01-h01, worker-su01-rack01-h02: somebody rents"),
        ([window("su01")], LEAF, ""),
        ([window(LEAF)], LEAF, ""),
        ([window(LEAF)], "leaf-p1-su001-r2", "somebody rents what stops there"),
        ([window("acme")], LEAF, "worker-su01-rack01-h02: somebody rents"),
        ([window("acme"), window("globex")], LEAF, ""),
        ([window("su01", hours=("03", "04"))], LEAF, "its window opens at 2026-12-31T03:00"),
        ([window("su01", hours=("01", "02"))], LEAF, "no window is open"),
        ([window("su02")], LEAF, "no window is open"),
        ([], "spine-p1-s01", "worker-su01-rack01-h01"),
    ],
)
def test_a_window_covers_each_node_that_somebody_rents(rows, name, words):
    fabric = build(windows=rows)
    registry = Registry.parse(fabric, TENANTS)
    said = Windows(fabric, registry, now=NOW).lacking(name)
    assert words in said
    assert bool(said) is bool(words)


def test_the_window_of_the_run_covers_all_until_its_day_is_over():
    fabric = build()
    registry = Registry.parse(fabric, TENANTS)
    assert Windows(fabric, registry, "2026-12-31 CHG-42", now=NOW).lacking(LEAF) == ""
    with pytest.raises(FabricError, match="spx_window: it expired"):
        Windows(fabric, registry, "2026-12-30 CHG-42", now=NOW)


def test_a_window_has_to_stay_open_for_the_work():
    fabric = build(windows=[window("su01")])
    registry = Registry.parse(fabric, TENANTS)
    assert Windows(fabric, registry, now=NOW, seconds=5400).lacking(LEAF) == ""
    said = Windows(fabric, registry, now=NOW, seconds=5401).lacking(LEAF)
    assert "no window is open for the next 5401 s" in said
