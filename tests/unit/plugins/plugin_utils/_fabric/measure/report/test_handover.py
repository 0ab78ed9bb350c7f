# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sheet for the customer: what was measured and the result, and nothing of the inside of the fabric."""

from __future__ import annotations

import hashlib
import re

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
    handover,
    results,
)

from ...fabrics import example
from .. import runs

NODE, LEAF = "worker-su02-rack01-h02", "leaf-p1-su002-r2"


def test_it_names_no_device() -> None:
    fabric = example("lab")
    record = runs.of(
        fabric,
        slow={(NODE, 1): 0.48},
        suspects=[runs.cable(NODE, LEAF)],
        counters={f"{NODE}:rail2p1": {"rx_symbol_err_phy": 12}},
        disturbances=[f"{LEAF} was drained."],
    )
    text = handover.handover(record, customer="Acme <Inc.>")
    names = [fabric.name(device) for device in fabric.devices()]
    assert [name for name in [*names, "rx_symbol", "swp", "rail2p1"] if name in text] == []
    assert "8 of 72 measurements failed." in text
    assert "Acme &lt;Inc.&gt;" in text
    assert "6 nodes in 2 scalable units, 2 rails" in text


def test_it_says_what_is_not_proven_and_of_which_record_it_is(tmp_path) -> None:
    record = runs.of(example("lab"))
    path = results.write(str(tmp_path), record)
    digest = hashlib.sha256((tmp_path / path).read_bytes()).hexdigest()
    text = handover.handover(record)
    assert f"Made from {runs.RUN}.json, SHA-256 {digest}." in text
    assert "grey failures" in text
    assert "collectives: No node has a GPU." in text
    assert "– Not complete" in text


def test_rows_say_what_passed() -> None:
    text = handover.handover(runs.of(example("lab"), not_run=[]))
    assert re.findall(r'class="state">([^<]*)<', text)[:2] == ["Result", "✓ passed"]
    assert runs.OURS not in text
    assert "chosen for this test, as no figure is published: 95 % of a port of 400G" in text
