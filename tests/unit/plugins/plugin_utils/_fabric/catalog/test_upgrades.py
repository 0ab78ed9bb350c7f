# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of upgrades: what no page allows is refused, what is not clear is not eligible."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import upgrades
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse


@pytest.mark.parametrize(
    "before, after, asic, words",
    [
        ("5.14.0", "5.16.1", "", ""),
        ("5.16.1", "5.16.7", "spectrum-4", ""),
        ("5.16.5", "5.17.0", "", ""),
        ("5.16.6", "5.17.0", "", "no page allows an optimised image upgrade from 5.16.6 to 5.17.0, which"),
        ("5.13.1", "5.16.1", "", "which is reached from 5.14.0-5.16.99"),
        ("5.18.0", "5.18.1", "", "no page allows"),
        ("5.18.0", "5.19.0", "", "qualified 5.19 for other fabrics"),
        ("5.16.1", "5.16.1", "", "not newer"),
        ("5.16.7", "5.16.1", "", "a downgrade"),
        ("5.9.0", "5.12.0", "", "to 5.12.0"),
        ("5.17.0", "5.18.0", "spectrum-6", "spectrum-6: its BMC"),
    ],
)  # fmt: skip
def test_a_path_is_one_that_a_page_allows(before, after, asic, words):
    said = upgrades.path_refusal(before, after, asic)
    assert words in said
    assert bool(said) is bool(words)


@pytest.mark.parametrize(
    "method, before, after, word",
    [
        ("image", "5.14.0", "5.16.1", "no"),
        ("image", "5.16.1", "5.16.7", "unknown"),
        ("image", "5.16.1", "5.17.0", "no"),
        ("image", "5.17.0", "5.18.0", "contradictory"),
        ("package", "5.16.1", "5.16.7", "no"),
        ("onie", "5.16.1", "5.16.7", "unknown"),
    ],
)
def test_only_a_clear_yes_is_eligible(method, before, after, word, monkeypatch):
    found = upgrades.issu(method, before, after)
    assert (found.eligible, found.word, bool(found.why)) == (False, word, True)
    row = {"method": method, "into": "*", "from": "*", "eligible": "yes", "why": "a page"}
    rows = [{**row, "source": "a page"}, *table("upgrades")["issu"]]
    monkeypatch.setattr(upgrades, "table", lambda _name: {"issu": rows})
    assert upgrades.issu(method, before, after).eligible is (word == "unknown")


def test_every_row_can_be_read():
    data = table("upgrades")
    for row in [*data["paths"], *data["issu"]]:
        for spans in (row["into"], row["from"]):
            assert all(span == "*" or parse(span) for span in spans.replace("-", ", ").split(", "))
    assert {row["eligible"] for row in data["issu"]} <= {"yes", "no", "contradictory", "unknown"}
    assert all(upgrades.seconds(name) > 0 for name in data["seconds"])
