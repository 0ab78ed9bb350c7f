# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Editing a document in place."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree_edit import (
    fill,
    grow,
    lay,
    match,
    take,
)


def doc():
    return {"vrf": {"red": {"bgp": {"asn": 1}}, "blue": {"bgp": {"asn": 2}}}, "system": {}}


def test_a_pattern_finds_every_place_with_its_keys():
    assert match(doc(), "vrf/*/bgp/asn") == [
        (("vrf", "red", "bgp", "asn"), ("red",)),
        (("vrf", "blue", "bgp", "asn"), ("blue",)),
    ]
    assert match(doc(), "vrf/*/bgp/asn/*") == []
    assert match(doc(), "interface/*") == []


def test_what_is_taken_takes_empty_containers_along():
    made = doc()
    assert take(made, ("vrf", "red", "bgp", "asn")) == 1
    assert made == {"vrf": {"blue": {"bgp": {"asn": 2}}}, "system": {}}
    take(made, ("vrf", "blue", "bgp", "asn"))
    assert made == {"system": {}}


@pytest.mark.parametrize(
    "value, red", [({"id": 7}, {"asn": 1, "id": 7}), ("off", "off"), ({"asn": 9}, {"asn": 9})]
)
def test_what_is_filled_in_is_merged(value, red):
    made = doc()
    fill(made, "vrf/*/bgp", ("red",), value)
    assert made["vrf"]["red"]["bgp"] == red


def test_a_path_is_made_where_there_is_none():
    made = {"system": "text"}
    fill(made, "system/*/on", ("ntp",), True)
    assert made == {"system": {"ntp": {"on": True}}}


def test_what_is_laid_over_a_document_shares_nothing_with_it():
    part, made = {"vrf": {"red": {"bgp": {"id": 7}}, "green": {"bgp": {}}}}, doc()
    lay(made, part)
    assert made["vrf"]["red"]["bgp"] == {"asn": 1, "id": 7}
    made["vrf"]["green"]["bgp"]["asn"] = 9
    assert part["vrf"]["green"] == {"bgp": {}}


def test_a_grown_copy_shares_no_mapping():
    one = doc()
    two = grow(one)
    two["vrf"]["red"]["bgp"]["asn"] = 9
    assert one == doc()
