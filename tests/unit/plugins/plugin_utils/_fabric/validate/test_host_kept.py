# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and units that the collection keeps on a host."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import (
    host,
)

from .hosts import parts, spoiled, states, view_of


@pytest.fixture
def healthy():
    return view_of(*parts(), {"doca-all": "3.3.0-088000", "doca-spcx-cc": "3.3.0109-1"})


TIMER = "spectrum-x-watch.timer"
KEPT = [
    ({"wrong_files": ["/x: a."], "wrong_units": []}, "host.files", "/x: a. Run playbook dpus."),
    (
        {"wrong_files": [], "wrong_units": [f"{TIMER}: a."]},
        "host.units",
        f"{TIMER}: a. Run playbook dpus.",
    ),
    ({"wrong_files": [], "wrong_units": [], "left": ["/y: b."]}, "host.units", "/y: b."),
]


@pytest.mark.parametrize("answer, check_id, sentence", KEPT)
def test_what_is_wrong_with_files_and_units_fails_its_own_check(
    healthy, answer, check_id, sentence
):
    rows = [r for r in host.check(spoiled(healthy, kept=[answer])) if r["state"] != "pass"]
    found = [(row["id"], row["state"], row["sentence"]) for row in rows if row["id"] in DIRECT]
    assert found == [(check_id, "fail", sentence)]


def test_a_file_of_the_network_that_is_not_ours_fails(healthy):
    rows = [row for row in host.check(spoiled(healthy, left=["/z: c."])) if row["state"] == "fail"]
    assert [(row["id"], row["sentence"]) for row in rows] == [("host.files", "/z: c.")]


DIRECT = ("host.files", "host.units")


@pytest.mark.parametrize(
    "kept, expected",
    [
        ([], {"host.files": "not_run", "host.units": "not_run"}),
        ([{"skipped": True}, {}], {"host.files": "not_run", "host.units": "not_run"}),
        (
            [{"error": "/etc is open."}],
            {"host.files": "fail", "host.units": "not_run"},
        ),
    ],
)
def test_files_that_were_not_compared_never_pass(healthy, kept, expected):
    found = states(spoiled(healthy, kept=kept))
    assert {name: found[name] for name in DIRECT} == expected
