# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is readable of NVIDIA's own profile, beside a planned document."""

from __future__ import annotations

import pytest
from nvue_double.testing import running_double

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance import profile
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance.rows import (
    NOT_SEEN,
)

from .doubles import entered

PORTS = {f"swp{port}": {"link": {"breakout": {"4x": {}}}} for port in range(1, 65)}
OTLP = {"grpc": {"destination": {"10.1.1.100": {"port": 4317}}}}
SAME = {"interface": PORTS, "system": {"telemetry": {"export": {"otlp": OTLP}}}}


@pytest.fixture(scope="module")
def api():
    """The API of a switch with a profile of NVIDIA's."""
    with running_double(profile="do_spx_leaf") as double:
        yield entered(double)


def test_a_plan_of_the_same_breakouts_and_collectors_is_as_expected(api):
    nothing, leaf = profile.compare(api, SAME)
    assert (nothing["verdict"], nothing["found"]) == (NOT_SEEN, [profile.NOTHING])
    assert (leaf["question"], leaf["verdict"]) == ("profile leaf", "as expected")


def test_another_breakout_and_another_collector_are_said(api):
    other = {"interface": {**PORTS, "swp7": {"link": {"breakout": {"2x": {}}}}}}
    _nothing, leaf = profile.compare(api, other)
    assert leaf["found"] == [
        "uplink swp7 has breakout 4x there, 2x in the plan",
        "collector 10.1.1.100 has port 4317 there, None in the plan",
    ]


def test_without_a_plan_nothing_is_compared(api):
    assert [row["verdict"] for row in profile.compare(api, {})] == [NOT_SEEN]


@pytest.mark.parametrize("release", ["5.17.0", "5.18.0"])
def test_a_switch_without_a_profile_is_not_compared(release):
    with running_double(release=release) as double:
        assert [row["found"] for row in profile.compare(entered(double), SAME)] == [
            [profile.NOTHING]
        ]
