# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A failure that somebody answers for is waived until a day, and fails again afterwards."""

from __future__ import annotations

import datetime

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.results import Waiver
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge.waivers import (
    Waivers,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

from ..measured import H01, H02

DAY = datetime.date(2026, 11, 25)
PAIR = {
    "id": f"pairs/bandwidth/r2p1/{H01}>{H02}",
    "level": "pairs",
    "first": H01,
    "second": H02,
    "rail": 1,
    "to_rail": None,
    "plane": 0,
    "nodes": [],
    "state": "fail",
    "sentence": "It is slow.",
}
COLLECTIVE = {**PAIR, "second": "", "rail": None, "plane": None, "nodes": [H01, H02]}


def applied(test, until=DAY, **row):
    waivers = Waivers([Waiver(**{"check": "pairs", **row}, until=until, reason="ticket 7")], DAY)
    (made,) = waivers.applied(example("lab"), [test])
    return made


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"check": "pairs/bandwidth/*"},
        {"check": PAIR["id"]},
        {"device": H02},
        {"device": H02, "port": "rail2p1"},
        {"check": "*", "device": H01, "port": "rail2*"},
    ],
)
def test_a_failure_is_waived_by_level_id_device_or_port(row):
    made = applied(PAIR, **row)
    assert made["state"] == "waived"
    assert made["sentence"] == "It is slow. Waived until 2026-11-25: ticket 7."


@pytest.mark.parametrize(
    "row",
    [
        {"check": "rails"},
        {"check": "pairs/latency/*"},
        {"device": "worker-su02-*"},
        {"device": H02, "port": "rail1p1"},
    ],
)
def test_other_rows_waive_nothing(row):
    assert applied(PAIR, **row) == PAIR


def test_a_row_that_has_expired_waives_nothing_and_is_named():
    made = applied(PAIR, until=DAY - datetime.timedelta(days=1))
    assert made["state"] == "fail"
    assert made["sentence"] == "It is slow. The waiver of 2026-11-24 has expired."


def test_a_collective_is_waived_by_its_nodes_and_not_by_a_port():
    assert applied(COLLECTIVE, device=H02)["state"] == "waived"
    assert applied(COLLECTIVE, device=H02, port="rail2p1") == COLLECTIVE


@pytest.mark.parametrize("state", ["pass", "not_run"])
def test_what_did_not_fail_stays(state):
    assert applied({**PAIR, "state": state})["state"] == state
