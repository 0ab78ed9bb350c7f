# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.nvue_action``; documented in the module of that name."""

from __future__ import annotations

from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.connection import open_api
from ..plugin_utils._nvue.document.paths import parse
from ..plugin_utils._nvue.document.tree import normalise
from ..plugin_utils._nvue.wire import actions


class ActionModule(Action):
    """Starts an action of a switch and follows it."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Start the action, and follow it as long as is asked."""
        if self._task.check_mode or not args["write"]:
            said = f"{args['action']} on {args['path']} was not started."
            return {"changed": True, "msg": said}
        api = open_api(args, stated, self._templar.template)
        parameters = {key: value for key, value in _parameters(args).items() if value is not None}
        try:
            job = actions.start(api, parse(args["path"]), args["action"], parameters)
            result: Plain = {"changed": True, "job": job}
            if args["poll"]:
                result["answer"] = actions.follow(
                    api, job, within=args["poll"], silence=args["silence"]
                )
        finally:
            api.port.close()
        return result


def _parameters(args: Plain) -> Plain:
    """Return the parameters; unlike configuration they may be booleans."""
    plain = {str(key): value for key, value in args["parameters"].items()}
    words = {key: value for key, value in plain.items() if not isinstance(value, bool)}
    return {**plain, **normalise(words, where="parameters")}
