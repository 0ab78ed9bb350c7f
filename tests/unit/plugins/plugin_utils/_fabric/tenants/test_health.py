# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of nodes that nobody rents."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.health import (
    held,
    lines,
)

from .tenants import TENANTS

MOVING = "moving: {su01/h01: {from: acme, to: globex, step: withdraw}}\n"


def test_nodes_are_told_by_where_they_sit(lab, registry):
    found = held(lab, registry(TENANTS))
    (row,) = found["rest"]
    assert (row["node"], row["had"], row["group"]) == (
        "worker-su01-rack01-h02",
        "globex",
        "burn-in",
    )
    assert row["no_hook"] == ["acceptance"]
    assert len(found["quarantine"]) == 2
    assert all(row["wipe"] is None for row in found["quarantine"])
    assert found["moving"] == []


def test_a_node_on_its_way_is_in_neither(lab, registry):
    found = held(lab, registry(TENANTS + MOVING))
    (row,) = found["moving"]
    assert (row["node"], row["to"]) == ("worker-su01-rack01-h01", "globex")


def test_lines_name_what_is_known_and_count_the_rest(lab, registry):
    said = lines(held(lab, registry(TENANTS + MOVING)))
    assert "rest: 1 node" in said
    assert "quarantine: 2 nodes" in said
    assert "  2 nodes without a record" in said
    assert any("(had globex) since 2026-11-01" in line for line in said)
    assert any("from acme to globex, step withdraw" in line for line in said)
