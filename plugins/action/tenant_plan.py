# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.tenant_plan``; documented in the module of that name."""

from __future__ import annotations

import datetime
import json
import typing as t
from functools import cache

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _runs
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import (
    compose,
    tenants_part,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import (
    desk,
    jobs,
    move,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._project import fabric, site_hooks
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._wrappers import sentences

if t.TYPE_CHECKING:
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric

_NAMES = {"type": "list", "elements": "str", "default": []}
_QUESTIONS = (
    *("onboard", "resize", "offboard", "leaves", "move"),
    *("enter", "known", "handover", "health", "hooks"),
)
_ARGUMENTS: dict[str, dict[str, t.Any]] = {
    "question": {"type": "str", "choices": list(_QUESTIONS), "required": True},
    "tenant": {"type": "str"},
    "from": {"type": "str"},
    "nodes": _NAMES,
    "extra": _NAMES,
    "gone": _NAMES,
    "acceptance": {"type": "str"},
    "applied": {"type": "dict", "default": {}},
    "hooks": _NAMES,
    "written": {"type": "bool", "default": False},
    "device": {"type": "str"},
    "folders": _NAMES,
    "description": {"type": "path"},
    "registry": {"type": "path"},
}
Plain = dict[str, t.Any]


class ActionModule(ActionBase):
    """Answers, or refuses in sentences; reads no switch and changes nothing."""

    _supports_check_mode = True
    _requires_connection = False

    @sentences()
    def run(self, tmp: str | None = None, task_vars: Plain | None = None) -> Plain:
        """The answer to one question."""
        result: Plain = super().run(tmp, task_vars)
        _validation, given = self.validate_argument_spec(_ARGUMENTS)
        asked = json.loads(json.dumps(given))  # without Ansible's lazy containers
        result["changed"] = False
        if asked["question"] == "hooks":
            names = [hook for hooks in move.HOOKS.values() for hook in hooks]
            found = site_hooks(asked["folders"], [*names, "registry_commit"])
            return {**result, "answer": found}
        stated = task_vars or {}
        plan = fabric(asked["description"], stated)
        asked["device"] = asked["device"] or str(stated.get("inventory_hostname"))
        answer = _enter if asked["question"] == "enter" else _desk
        return {**result, "answer": answer(plan, asked)}


def _desk(plan: Fabric, asked: Plain) -> t.Any:
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    run = {"run": _runs.this(), "today": today, "at_work": cache(_runs.at_work)}
    return desk.answer(plan, asked["question"], {**asked, **run}, asked["registry"])


def _enter(plan: Fabric, asked: Plain) -> Plain:
    """Whether nodes may enter on this leaf: {waiting, ending, from, in}; `ending`: VRFs that they may leave empty."""
    if drift := desk.answer(plan, "drifting", asked, asked["registry"]):
        raise FabricError(drift)
    registry = desk.as_asked(plan, Registry.load(plan, asked["registry"]), asked)
    ctx = compose.context(plan, asked["device"], tenants=registry)
    applied, nodes = asked["applied"][asked["device"]], jobs.expand(plan, asked["nodes"])
    return {
        **desk.answer(plan, "coming", asked, asked["registry"]),
        "waiting": tenants_part.waiting(ctx, nodes, applied),
        "ending": tenants_part.left(ctx, nodes, applied),
    }
