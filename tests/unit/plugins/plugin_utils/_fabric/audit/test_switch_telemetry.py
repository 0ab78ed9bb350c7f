# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A collector that gets nothing is named, with what to look at."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    switch_telemetry,
)

ENDS = ["192.0.2.30:4317", "[2001:db8::1]:4317"]


def health(sent=10, dropped=0, state="Pass", ends=ENDS):
    row = {"connectivity": state, "counter": sent, "drop-counter": dropped}
    return {"export-destination-status": {end: dict(row) for end in ends}}


@pytest.mark.parametrize(
    ("readings", "state", "words"),
    [
        ([health(10), health(20)], "pass", "2 collectors are connected."),
        ([health(10), health(10)], "pass", "2 collectors are connected."),
        ([health(10, 7), health(20, 7)], "pass", "2 collectors are connected."),
        ([health("10"), health("20")], "pass", "2 collectors are connected."),
        ([health(10), health(0, state="Fail")], "fail", "has no connection to the collector 192.0.2.30:4317 (Fail)"),
        ([health(10, 7), health(20, 9)], "fail", "dropped 2 samples for the collector 192.0.2.30:4317"),
        ([health(0), health(0)], "fail", "sends nothing to the collector 192.0.2.30:4317"),
        ([health(10), health(10), health(10)], "fail", "sends nothing to the collector 192.0.2.30:4317"),
        ([health(10), health(5)], "pass", "2 collectors are connected."),
        ([health(10), health("many")], "not_run", "reports no export to 192.0.2.30:4317"),
        ([health(10), health(-3)], "not_run", "reports no export to 192.0.2.30:4317"),
        ([health(10), {"export-destination-status": ["x"]}], "not_run", "reports no export to 192.0.2.30:4317"),
        ([health(10), health(20, ends=ENDS[:1])], "not_run", "reports no export to [2001:db8::1]:4317"),
        ([], "not_realised", "reports no health of its telemetry."),
    ],
)  # fmt: skip
def test_each_collector_is_judged(healthy, readings, state, words):
    switch = healthy(management={"telemetry": ENDS})
    rows = switch.results("switch.telemetry", health=readings)
    assert {row["state"] for row in rows} == {state}
    assert words in rows[0]["sentence"]


def test_without_collectors_nothing_is_judged(healthy):
    assert healthy().results("switch.telemetry", health=[health()]) == []


@pytest.mark.parametrize(
    ("first", "last", "rises"),
    [(health(1), health(2), True), (health(2), health(2), False), (health(2), {}, False)],
)
def test_exports_rise_to_each_collector(first, last, rises):
    assert switch_telemetry.rises(first, last, ENDS) is rises
