# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The registry as a person writes it: typed rows."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import schema


@pytest.mark.parametrize(
    "text, good",
    [
        ("64512:4000021", True),
        ("64512:4294967295", True),
        ("64512:4294967296", False),
        ("4200000000:65535", True),
        ("4200000000:65536", False),
        ("4294967296:1", False),
        ("0:1", False),
        ("64512", False),
        ("064512:1", False),
    ],
)
def test_route_targets_fit_their_eight_bytes(text, good):
    assert schema.is_route_target(text) is good


def test_a_record_of_a_move_is_plain_data():
    made = schema.MovingRecord.model_validate({"from": "acme", "to": "globex", "step": "withdraw"})
    assert made.plain().items() >= {("from", "acme"), ("to", "globex"), ("step", "withdraw")}


def test_a_wrong_value_is_left_out_of_what_is_judged_and_its_row_is_named():
    rows = [{"id": 21, "slug": "acme", "routes": "some"}, {"id": 22, "slug": "globex"}]
    found = schema.judgeable({"tenants": rows})
    assert found is not None
    file, broken = found
    assert [row.slug for row in file.tenants] == ["acme", "globex"]
    assert broken == {("tenants", 0)}
    assert file.tenants[0].routes == "exact"


def test_a_row_that_cannot_be_judged_is_none():
    assert schema.judgeable({"tenants": ["acme"]}) is None
    assert schema.judgeable({"tenants": [{"id": "x", "slug": "acme"}]}) is None
