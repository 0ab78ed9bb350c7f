# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of the last run in the atlas."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
    overlay,
)

from ...fabrics import example
from .. import runs

NODE, LEAF = "worker-su02-rack01-h02", "leaf-p1-su002-r2"


def test_failed_ports_and_suspects() -> None:
    fabric = example("lab")
    record = runs.of(fabric, slow={(NODE, 1): 0.48}, suspects=[runs.cable(NODE, LEAF)])
    found = overlay.of(fabric, record)
    assert next(iter(found["devices"])) == NODE
    assert (found["state"], found["words"]) == ("failed", "8 of 72 measurements failed.")
    ((port, failed, tests, words),) = found["devices"][NODE]
    assert (port, failed, tests) == ("rail2p1", 8, 12)
    assert "is below the limit of 3" in words
    title, ends, reasons = found["suspects"][0]
    assert title == f"cable {NODE} rail2p1 <-> {LEAF} swp1s1"
    assert ends == [[NODE, "rail2p1"], [LEAF, "swp1s1"]]
    assert reasons == [f"All measurements through {NODE} rail2p1 failed, with 3 partners."]


def test_nothing_of_a_node_that_is_well_or_gone() -> None:
    fabric = example("lab")
    record = runs.of(fabric)
    assert overlay.of(fabric, record)["devices"] == {}
    elsewhere = example("lab-3tier")
    gone = elsewhere.name(next(elsewhere.nodes()))
    other = runs.of(elsewhere, slow={(gone, 0): 0.5})
    assert other["summary"]["result"] == "fail"
    assert gone not in overlay.of(fabric, other)["devices"]


@pytest.mark.parametrize(
    "result, state", [("fail", "failed"), ("pass", "passed"), ("incomplete", "partly")]
)
def test_states(result: str, state: str) -> None:
    fabric = example("lab")
    record = runs.of(fabric)
    record["summary"]["result"] = result
    assert overlay.of(fabric, record)["state"] == state
