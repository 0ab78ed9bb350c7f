# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib

from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.output import show
from ..plugin_utils._edge.project import fabric as load
from ..plugin_utils._jobs.dcim.lines import each
from ..plugin_utils._jobs.dcim.order import job, opened
from ..plugin_utils._jobs.dcim.pull import pull
from ..plugin_utils._jobs.dcim.push import push


class ActionModule(Action):
    """Connects, and pushes or pulls; the steps are in `_jobs.dcim`."""

    VARIABLES = {"connection": "spx_dcim"}
    RULES = {"required_if": [("state", "pulled", ("dest",))]}

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Do what `state` says."""
        fabric, dry = load(args["description"], stated), self._task.check_mode
        with contextlib.closing(opened(args)) as dcim:
            every = (lambda seen: _said([each(seen)])) if self._task.diff else (lambda _seen: None)
            work = job(fabric, dcim, args, tell=lambda text: _said([text]), each=every)
            if args["state"] == "pulled":
                return pull(work, args["dest"], dry=dry, show=_said)
            return push(work, dry=dry, show=_said).result(work, dry=dry)


def _said(lines: list[str]) -> None:
    show(f"  {line}" for line in lines)
