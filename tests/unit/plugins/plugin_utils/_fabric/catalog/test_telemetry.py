# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalog of metrics says what a release exports, and what of it is kept."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import telemetry
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table

SUPPORTED = [f"5.{minor}" for minor in range(10, 20)]
GONE = (
    "pg_rx_buffer_discard",
    "sp_rx_octets",
    "sp_rx_pause_transition",
    "discards_ingress_discard_all",
)


def test_every_set_has_a_source_and_a_count_of_its_series():
    data = table("telemetry")
    assert {row["source"] for row in data["metrics"]} == set(data["sources"])
    counted = {"peer"}
    for where in ("of_port", "of_cage", "of_switch"):
        counted |= data["series"][where].keys()
    assert {row["per"] for row in data["metrics"]} <= counted


def test_a_metric_is_there_once_on_a_release():
    for release in SUPPORTED:
        names = [row.name for row in telemetry.metrics() if row.on(telemetry.parse(release))]
        assert len(names) == len(set(names)), release


@pytest.mark.parametrize("name", GONE)
def test_what_a_release_removed_is_not_kept_there(name):
    full = f"nvswitch_interface_{name}"
    assert full in telemetry.exported(["5.14.0"])
    assert full not in telemetry.exported(["5.15.0", "5.18"])


@pytest.mark.parametrize(
    ("release", "octets"),
    [
        ("5.14.0", {"if_in_octets", "ether_stats_octets"}),
        ("5.16.1", {"ether_stats_octets"}),
        ("5.18.0", {"if_in_octets"}),
    ],
)
def test_octets_are_those_of_the_release(release, octets):
    names = {name.removeprefix("nvswitch_interface_") for name in telemetry.kept([release])}
    assert names & {"if_in_octets", "ether_stats_octets"} == octets
    assert "if_out_octets" in names


@pytest.mark.parametrize(
    ("groups", "releases", "reason"),
    [
        (["interface-stats", "router"], ["5.16.1"], ""),
        (["a-group-of-a-site"], ["5.16.1"], ""),
        (
            ["platform-stats"],
            ["5.16.1", "5.10.1"],
            "on Cumulus Linux 5.10.1: leave it out, or use 5.11.0 ",
        ),
        (["ai-ethernet-stats"], ["5.12"], "on Cumulus Linux 5.12: leave it out, or use 5.13.0 "),
    ],
)
def test_a_group_without_a_metric_is_refused(groups, releases, reason):
    assert reason in telemetry.groups_refusal(groups, releases)
    assert bool(telemetry.groups_refusal(groups, releases)) == bool(reason)


def test_a_group_of_which_nothing_is_marked_is_kept_whole():
    whole = telemetry.kept(["5.16.1"], ["buffer-stats"])
    assert whole == telemetry.exported(["5.16.1"], ["buffer-stats"])


def test_a_seventh_of_all_series_is_kept():
    every = [row for row in telemetry.metrics() if row.on(telemetry.parse("5.16.1"))]
    size = {"ports": 128, "cages": 64, "sessions": 64}
    kept = telemetry.series(telemetry.kept(["5.16.1"]).values(), **size)
    assert kept * 7 <= telemetry.series(every, **size)


def test_the_first_spectrum_exports_nothing():
    assert [telemetry.sends(asic) for asic in ("spectrum-1", "spectrum-2", "spectrum-4")] == [
        False,
        True,
        True,
    ]
