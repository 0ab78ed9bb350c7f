# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.switch_batches``; documented in the module of that name."""

from __future__ import annotations

from ansible.utils.display import Display

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.action import Action, Plain
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.project import fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import batches


class ActionModule(Action):
    """Orders switches so that the fabric survives the loss of any batch."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Order the switches, and say how."""
        plan = fabric(args["description"], stated)
        names, open_ = args["hosts"], []
        if args["compared"]:
            found = {name: _result(stated, name, args["compared"]) for name in names}
            open_ = _open(found, approved=bool(args["approved"]))
            names = [name for name in names if found[name].get("due")]
        order = batches.of_switches(plan, names, share=args["share"])
        lines = list(order["lines"].values())
        if self._task.check_mode:
            for line in lines:
                Display().display(f"  {line}")
        if open_:
            Display().display(
                f"  no switch is changed, because of {', '.join(open_)}: see the end of this run"
            )
        if open_ or self._task.check_mode:
            order |= {"first": [], "rest": []}
        return {"lines": lines, "batches": order}


def _result(stated: Plain, name: str, variable: str) -> Plain:
    return dict(stated["hostvars"][name].get(variable) or {})


def _open(found: dict[str, Plain], *, approved: bool) -> list[str]:
    """The hosts that were not compared, or whose change would be refused: nothing is changed beside them.

    Approved changes are applied to the hosts that still have what was approved, and others are refused.
    """
    return [
        name
        for name, row in found.items()
        if row.get("would_refuse")
        or (
            not ("changes" in row or row.get("skipped"))
            and not (approved and row.get("failed") and not row.get("unreachable"))
        )
    ]
