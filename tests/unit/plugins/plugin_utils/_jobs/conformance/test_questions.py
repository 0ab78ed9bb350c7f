# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of another shape, judged without a switch."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance import questions
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance.rows import (
    DIFFERS,
    EXPECTED,
    NOT_SEEN,
)

ASKED = {question.name: question for question in questions.questions(["default"], 4, "5.16.1")}
SESSIONS = "BGP sessions of VRF default"
ROUTES = "routing table of VRF default"


@pytest.mark.parametrize(
    "name, answer, verdict, words",
    [
        (SESSIONS, {"swp1": {"state": "Idle (Admin)"}}, EXPECTED, ""),
        (SESSIONS, {"swp1": {"state": "sleeping"}}, DIFFERS, "state is sleeping in 1 of 1 rows"),
        (
            SESSIONS,
            {"swp1": {"peer-state": "idle"}},
            DIFFERS,
            "no row has session-state or state; their keys are peer-state",
        ),
        (
            SESSIONS,
            {"swp1": "idle"},
            DIFFERS,
            "is a mapping, expected is a mapping of names to mappings",
        ),
        (SESSIONS, {}, NOT_SEEN, "the answer has nothing of the kind"),
        (SESSIONS, [], DIFFERS, "is a list"),
        (ROUTES, {"route": {"10.0.0.0/31": {}}}, EXPECTED, ""),
        (ROUTES, {"10.0.0.0/31": {}}, EXPECTED, ""),
        (ROUTES, {"routes": {"10.0.0.0/31": {}}}, DIFFERS, "expected is a mapping of prefixes"),
        ("RoCE", {"mode": "lossless"}, EXPECTED, ""),
        ("RoCE", {"operational": {"mode": "lossless"}}, DIFFERS, "no row has mode"),
        ("release", {"hostname": "x"}, DIFFERS, "expected is a release of Cumulus Linux"),
        ("revisions", {"7": {"state": "resting"}}, DIFFERS, "state is resting"),
        ("hosts at a port", {"ipv4": {"10.0.0.1": {"state": {"reachable": {}}}}}, EXPECTED, ""),
        ("hosts at a port", {"10.0.0.1": {"state": "reachable"}}, EXPECTED, ""),
        (
            "LLDP neighbours",
            {"swp1": {"lldp": {"neighbor": {"a": {"port": {"name": "x"}}}}}},
            DIFFERS,
            "no row has chassis",
        ),
    ],
)
def test_an_answer_is_judged(name, answer, verdict, words):
    row = questions.judge(ASKED[name], answer)
    assert row["verdict"] == verdict, row
    assert words in " ".join(row["found"])


def test_only_rows_of_another_shape_go_with_the_result():
    answer = {f"swp{n}": {"state": "idle"} for n in range(1, 65)}
    answer["swp9"] = {"state": "idle", "odd": 1}
    row = questions.judge(ASKED[SESSIONS], answer)
    assert row["answer"] == {"swp1": {"state": "idle"}, "swp9": {"state": "idle", "odd": 1}}


def test_the_running_configuration_does_not_leave_the_site():
    row = questions.judge(ASKED["running configuration"], {"system": {"hostname": "x"}})
    assert row["answer"] == {}


def test_requests_can_be_repeated():
    assert ASKED[SESSIONS].request == "GET /vrf/default/router/bgp/neighbor?rev=operational"
