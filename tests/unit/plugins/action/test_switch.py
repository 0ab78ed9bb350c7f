# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options for a switch, checked before it is dialled."""

from __future__ import annotations

import yaml

from ansible_collections.spectrum_x.fabric.plugins.action.switch import ActionModule
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch.wish import ROLES

LEAF = "leaf-p1-su001-r1"


def test_times_have_bounds_and_credentials_are_needed(results):
    task = {"spectrum_x.fabric.switch": {"device": LEAF}}
    wrong, alone = results({**task, "vars": {"switch_apply_timeout": 0}}, task)
    assert wrong["failed"]
    assert wrong["msg"].startswith(
        "variable switch_apply_timeout: 0 is not allowed: use 1 to 86400"
    )
    assert alone["failed"]
    assert "No credentials" in alone["msg"]


def test_a_switch_out_of_service_is_not_compared(project, results):
    path = project / "model" / "fabric.yml"
    described = yaml.safe_load(path.read_text())
    entry = {"device": LEAF, "since": "2026-01-01", "reason": "dead"}
    path.write_text(yaml.safe_dump({**described, "out_of_service": [entry]}))
    (found,) = results({"spectrum_x.fabric.switch": {"device": LEAF, "write": False}})
    assert found["skipped"]
    assert found["msg"] == f"{LEAF} is listed in out_of_service."


def test_a_switch_that_no_role_configures_is_only_planned(project, results):
    path = project / "model" / "fabric.yml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "manage": ["dpu_qos"]}))
    task = {"spectrum_x.fabric.switch": {"device": LEAF}}
    (found,) = results(task)
    assert (found["skipped"], found["only_planned"]) == (True, True)
    (found,) = results(task, arguments=["--check"])
    assert (found["skipped"], found["only_planned"]) == (True, False)


def test_every_role_of_a_switch_can_be_named():
    assert ActionModule.SPEC["roles"]["choices"] == list(ROLES)
