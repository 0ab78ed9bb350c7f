# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module is run with what the task gives; what it answers begins no line."""

from __future__ import annotations

from typing import Any

from ansible_collections.spectrum_x.fabric.plugins.action.nic import ActionModule


def test_parts_without_a_value_are_not_there() -> None:
    """They exclude each other by being there at all."""
    asked: list[Any] = []

    def execute(**given: Any) -> Any:
        asked.append(given)
        return {"changed": True, "msg": "a\nok: b", "ansible_facts": {}}

    action = ActionModule.__new__(ActionModule)
    action._execute_module = execute
    given = {"nics": [{}], "reset": {"allow": False, "level": None}, "roce": None, "timeout": 60}
    made = action.work(given, {})
    assert made == {"changed": True, "msg": "a ok: b"}
    (given,) = asked
    assert given["module_name"] == "spectrum_x.fabric.nic"
    assert given["module_args"] == {
        "nics": [{}],
        "reset": {"allow": False},
        "timeout": 60,
    }
