# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.nvue_action``; documented in the module of that name."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import of_a_switch
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import actions, options
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.connect import open_api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.paths import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.tree import Doc, normalise

SPEC: dict[str, dict[str, Any]] = {
    **options.SPEC,
    "path": {"type": "str", "required": True},
    "action": {"type": "str", "required": True},
    "parameters": {"type": "dict", "default": {}},
    "poll": {"type": "int", "default": 60},
    "silence": {"type": "int", "default": 0},
    "write": {"type": "bool", "default": True},
}


class ActionModule(ActionBase):
    """Starts an action of a switch and follows it."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True

    @of_a_switch
    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> Doc:
        """Run the task and return its result."""
        result: Doc = super().run(tmp, task_vars)
        _found, args = self.validate_argument_spec(SPEC)
        if self._task.check_mode or not args["write"]:
            result.update(changed=True, msg=f"{args['action']} on {args['path']} was not started.")
            return result
        return {**result, **self._act(args, task_vars or {})}

    def _act(self, args: Doc, task_vars: Doc) -> Doc:
        api = open_api(args, task_vars, self._templar.template)
        parameters = {key: value for key, value in _parameters(args).items() if value is not None}
        try:
            job = actions.start(api, parse(args["path"]), args["action"], parameters)
            result: Doc = {"changed": True, "job": job}
            if args["poll"]:
                result["answer"] = actions.follow(
                    api, job, within=args["poll"], silence=args["silence"]
                )
        finally:
            api.port.close()
        return result


def _parameters(args: Doc) -> Doc:
    """Return the parameters; unlike configuration they may be booleans."""
    plain = {str(key): value for key, value in args["parameters"].items()}
    words = {key: value for key, value in plain.items() if not isinstance(value, bool)}
    return {**plain, **normalise(words, where="parameters")}
