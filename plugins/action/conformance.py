# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ..plugin_utils._edge import switch as edge
from ..plugin_utils._edge.action import Action, Plain, on_device
from ..plugin_utils._edge.connection import open_api
from ..plugin_utils._edge.output import show
from ..plugin_utils._edge.project import fabric, is_named
from ..plugin_utils._fabric.description.errors import FabricError
from ..plugin_utils._fabric.plan.topology.cabling import Switch
from ..plugin_utils._jobs.conformance import check
from ..plugin_utils._jobs.conformance.features import Features
from ..plugin_utils._jobs.conformance.rows import DIFFERS, differing
from ..plugin_utils._jobs.host.form import in_form

HOSTS = "spx_node"


class ActionModule(Action):
    """Asks one device, and writes what it answered."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Put all questions; the task fails where an answer differs."""
        name = str(stated["inventory_hostname"])
        words = {*stated.get("groups", {}).get("all", ()), str(stated.get("ansible_host", ""))}
        if HOSTS in stated.get("group_names", ()):
            with in_form(name, "host"):
                told = on_device(self, "host", {"do": "tools"}, stated)
                if "tools" not in told:
                    return dict(told)
                found = check.of_host(name, told["tools"], words)
        else:
            found = self._switch(name, args, stated, words)
        path, body = check.write(found, args["report"])
        show(check.lines(found, path))
        result = {"changed": False, "file": path, "counts": body["counts"]}
        result["differs"] = differing(found.rows)
        if wrong := body["counts"][DIFFERS]:
            msg = "".join(f"{name}: {line} " for line in found.first[:1]) + (
                f"{name}: {wrong} of {len(found.rows)} answers differ from the expected ones; attach {path} to a bug "
                "report."
            )
            result |= {"failed": True, "msg": msg}
        return result

    def _switch(self, name: str, args: Plain, stated: Plain, words: set[str]) -> check.Check:
        if args["write"] and self._task.check_mode:
            raise FabricError.of(
                "spx_conformance_write: a test change is not possible with --check: leave one of them out."
            )
        plan = self._planned(name, stated)
        api = open_api(args, stated, self._templar.template)
        try:
            return check.of_switch(
                api, name, args["report"], write=args["write"], words=words, plan=plan
            )
        finally:
            api.port.close()

    def _planned(self, name: str, stated: Plain) -> Features | None:
        """The planned document of a switch; None where the run names no description, or one without the switch."""
        if not is_named(stated):
            return None
        plan = fabric(None, stated)
        if not isinstance(plan.device(name), Switch):
            return None
        wanted = edge.wanted(plan, name, stated, self._templar.template)
        return Features(wanted.features(), tuple(plan.description.releases))
