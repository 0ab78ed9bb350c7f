# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The registry is edited as a task says."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.tenant.edit import (
    changes,
    of_options,
)

EMPTY = {
    **dict.fromkeys(
        [
            "id",
            "nodes",
            "networks",
            "quotas",
            "shared",
            "host_access",
            "routes",
            "since",
            "contact",
            "acceptance",
        ]
    ),
    "add_nodes": [],
    "remove_nodes": [],
    "take": False,
    "wait": 30,
    "state": "present",
    "slug": None,
    "moves": {},
    "moves_at": {},
    "moves_of": {},
    "health": {},
}


def test_a_tenant_is_added_once_and_shown_in_check_mode(project, results):
    task = {"spectrum_x.fabric.tenant": {"slug": "initech", "add_nodes": ["su02/h03"]}}
    before = (project / "model" / "tenants.yml").read_text()
    (planned,) = results(task, arguments=["--check"])
    assert planned["changed"]
    assert "+" in planned["text_diff"]
    assert (project / "model" / "tenants.yml").read_text() == before
    first, second = results(task, task)
    assert (first["changed"], second["changed"]) == (True, False)
    assert first["nodes"] == second["nodes"] == ["worker-su02-rack02-h03"]


@pytest.mark.parametrize(
    "options, kinds",
    [
        ({"slug": "acme"}, ["SetTenant"]),
        (
            {"slug": "acme", "add_nodes": ["x"], "remove_nodes": ["y"]},
            ["SetTenant", "Take", "Place"],
        ),
        ({"slug": "rest", "add_nodes": ["x"]}, ["Place"]),
        ({"slug": "acme", "state": "absent", "remove_nodes": ["x"]}, ["Take", "DropTenant"]),
        ({"health": {"n": {}}, "moves": {"n": {}}}, ["Move", "RecordHealth"]),
    ],
)
def test_edits_are_in_the_order_in_which_they_are_done(options, kinds):
    assert [type(made).__name__ for made in changes(of_options({**EMPTY, **options}))] == kinds


@pytest.mark.parametrize(
    "options, words",
    [({}, "slug: the option is missing"), ({"moves": {"n": "x"}}, "moves.n: 'x' is not allowed")],
)
def test_wrong_options_are_one_sentence(options, words):
    with pytest.raises(FabricError, match=words):
        changes(of_options({**EMPTY, **options}))
