# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each word of option `do` is a job of its own, with plain values."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ansible_collections.spectrum_x.fabric.plugins.action import tenant
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.records import (
    RegistryEdit,
)

GIVEN = {"edit": "end", "job": "move", "slug": "acme", "nodes": None, "what": "wiped", "by": "bmc"}
GIVEN |= {"state": "present", "add_nodes": [], "remove_nodes": ["h01"], "take": False, "wait": 30}
GIVEN |= {"acceptance": None, "moves": {}, "moves_at": {}, "moves_of": {}, "health": {}}
GIVEN |= {"contact": "noc", "quotas": {"nodes": 4, "gpus": None}}
EDIT = RegistryEdit("acme", fields={"contact": "noc", "quotas": {"nodes": 4}}, remove_nodes=["h01"])
GIVEN |= {
    "note": "",
    "machine": "",
    "step": "wipe",
    "part": "hook",
    "hook": {"name": "wipe"},
    "failure": {},
}


@pytest.mark.parametrize(
    ("word", "room", "job", "values"),
    [
        ("edit", "edit", "carry_out", [EDIT]),
        ("record", "edit", "record", ["end"]),
        ("plan", "plan", "make", ["move", "acme", []]),
        ("confirm", "evidence", "confirm", ["wiped", "bmc", "", ""]),
        ("step", "step", "take", [tenant.step.DueStep("wipe", "hook", {"name": "wipe"}, {})]),
    ],
)
def test_a_word_reaches_its_job(monkeypatch, word, room, job, values):
    met = []
    monkeypatch.setattr(tenant, "of_task", lambda *_given: SimpleNamespace(store="store"))
    monkeypatch.setattr(
        getattr(tenant, room), job, lambda *given, **more: met.extend([*given[1:], *more.values()])
    )
    tenant.ActionModule.work(None, {**GIVEN, "do": word}, {})
    assert met == values
