# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalog's tables: facts, each with where it comes from."""

from __future__ import annotations

import ipaddress

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table


def test_every_switch_model_has_its_source():
    for row in table("switches")["models"].values():
        assert row["source"]
        assert row["since"]
        if "unpublished" in row:
            continue
        fastest = max(max(speeds) for speeds in row["splits"].values())
        assert row["cages"] > 0
        if "oob" not in row:
            assert row["ar_min_gbps"] <= row["ar_max_gbps"] <= fastest
        assert fastest <= row["cage_gbps"]
        for number, speeds in row["splits"].items():
            assert number * max(speeds) <= row["cage_gbps"]


def test_what_is_unconfirmed_says_so():
    assert "inferred" in table("switches")["models"]["SN6600_LD"]["remark"]
    assert table("switches")["models"]["SN5640"]["asic"] == "spectrum-5"


@pytest.mark.parametrize("name", table("switches")["limits"])
def test_every_limit_has_its_source(name):
    assert table("switches")["limits"][name]["source"]


@pytest.mark.parametrize("name", table("profiles")["profiles"])
def test_profiles_are_whole(name):
    row = table("profiles")["profiles"][name]
    assert row["source"]
    assert row["title"]
    assert set(row["tiers"]) <= {2, 3}
    for layout in row["layouts"]:
        base = ipaddress.ip_network(layout["base"])
        numbered = [field for field in layout["fields"] if isinstance(field[1], int)]
        if len(numbered) == len(layout["fields"]):
            assert sum(field[1] for field in numbered) == base.max_prefixlen - base.prefixlen
        names = [field[0] for field in layout["fields"] if field[0] != "pad"]
        assert len(set(names)) == len(names), "no field is split"
        assert layout["fields"][-1][0] == "side"


def test_tables_are_read_once():
    assert table("switches") is table("switches")
