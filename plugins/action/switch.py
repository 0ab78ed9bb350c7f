# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.switch``; documented in the module of that name."""

from __future__ import annotations

import typing as t

from ansible.utils.vars import load_extra_vars

from ..plugin_utils._edge import batch_order, provenance, unused_variables
from ..plugin_utils._edge import switch as edge
from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.confirmation import proceed
from ..plugin_utils._edge.connection import open_api
from ..plugin_utils._edge.output import show
from ..plugin_utils._edge.project import fabric
from ..plugin_utils._edge.run_store import store
from ..plugin_utils._fabric.description.errors import FabricError
from ..plugin_utils._fabric.render.switch import compose
from ..plugin_utils._fabric.tenants.registry import Registry
from ..plugin_utils._jobs import clock, kinds
from ..plugin_utils._jobs.switch import backup, change, fleet, maintenance, silences, windows
from ..plugin_utils._nvue.document import schema

MAINTENANCE = ("enter", "leave")

# Ansible loads an action before it forks the workers of its task.
schema.preload()


class ActionModule(Action):
    """One switch, or all switches of a play together."""

    RULES: t.ClassVar[Plain] = {
        "required_if": [["do", "backup", ["backup"]], ["do", "commit", ["backup"]]]
    }

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Do what option `do` says."""
        if args["do"] == "apply":
            return self._apply(args, stated)
        if args["do"] == "plan":
            self._plan(args, stated)
            return {}
        if args["do"] == "prove":
            return self._prove(args, stated)
        if args["do"] == "silence":
            device = args["device"] or str(stated.get("inventory_hostname"))
            how = {"enter": args["job"] == "enter", "hours": args["hours"], "now": clock.now()}
            plan = fabric(args["description"], stated)
            return silences.silence(plan, device, **how, check=self._task.check_mode)
        if args["do"] == "backup":
            return self._backup(args, stated)
        if args["do"] == "commit":
            if self._task.check_mode:
                return {"skipped": True, "msg": "check mode commits nothing."}
            message = provenance.message("", stated)
            return {"changed": backup.commit(args["backup"], args["hosts"], message)}
        if args["do"] == "empty":
            fleet.empty(args["report"], args["approved"])
            return {}
        if args["do"] == "wait":
            batch_order.wait(stated, args["done"], args["first"])
            return {}
        hosts = stated["hostvars"]
        found = {name: dict(hosts[name].get(args["compared"]) or {}) for name in args["hosts"]}
        if args["do"] == "join":
            return fleet.join(found, args["report"], show)
        plan, approved = fabric(args["description"], stated), bool(args["approved"])
        made = fleet.order(
            plan, found, approved=approved, check=self._task.check_mode, report=args["report"]
        )
        proceed(self, stated, made["lines"], acts=bool(made["first"] or made["rest"]))
        store.put(kinds.BATCHES, kinds.Batches(**made))
        shown = [] if self._task.check_mode else fleet.foretold(found, made["first"] + made["rest"])
        return {"batches": made, "foretold": [f"{one.name}: {one.sentence}" for one in shown]}

    def _plan(self, args: Plain, stated: Plain) -> None:
        """Show what a job does, unless it cannot be done or nobody takes over the traffic of its switches."""
        plan, hosts = fabric(args["description"], stated), args["hosts"]
        if args["job"] in MAINTENANCE and not self._task.check_mode:
            for host in hosts:
                maintenance.must_manage(maintenance.maintenance(plan, host, enter=True))
        if args["job"] == "enter":
            switches = edge.leaves(plan, self, stated)
            agreed = windows.Windows(plan, Registry.load(plan, args["tenants"]), args["window"])
            maintenance.RemainingSwitches(
                *(plan, switches, stated["hostvars"], hosts), forks=edge.forks()
            ).must_take_over(agreed.lacking)
        if args["job"] == "replace":
            maintenance.must_be_new(
                plan, hosts[0], str(self._templar.template(stated["spx_serial"]))
            )
        proceed(self, stated, maintenance.lines(plan, args["job"], hosts, args["most"]))

    def _prove(self, args: Plain, stated: Plain) -> Plain:
        """See that a switch is drained, or back."""
        device = args["device"] or str(stated.get("inventory_hostname"))
        plan, enter = fabric(args["description"], stated), args["job"] == "enter"
        if self._task.check_mode:
            return {"skipped": True, "msg": "check mode drains nothing."}
        wanted = maintenance.maintenance(plan, device, enter=enter)
        how = {"enter": enter, "seconds": args["seconds"], "most": args["most"]}
        leaves = edge.leaves(plan, self, stated)
        return leaves.each([device], lambda one: maintenance.prove(one, wanted, **how))[device]

    def _backup(self, args: Plain, stated: Plain) -> Plain:
        """Keep the applied configuration of a switch."""
        device = args["device"] or str(stated.get("inventory_hostname"))
        plan, template = fabric(args["description"], stated), self._templar.template
        if device in plan.resting:
            return {"skipped": True, "msg": f"{device} is listed in out_of_service."}
        extra = load_extra_vars(self._loader)
        how = edge.conditions(
            stated, template, extra=extra, origin=stated, check=self._task.check_mode
        )
        ctx = compose.context(plan, device)
        return backup.run(open_api(args, stated, template), ctx, how, args["backup"])

    def _apply(self, args: Plain, stated: Plain) -> Plain:
        """Compare, and apply where that is asked for."""
        unused_variables.warn(stated)
        template = self._templar.template
        plan = fabric(args["description"], stated)
        device = args["device"] or str(stated.get("inventory_hostname"))
        if args["job"] != "roles":
            _begun()
        if args["job"] in MAINTENANCE:
            wanted = maintenance.maintenance(plan, device, enter=args["job"] == "enter")
        else:
            wanted = edge.wanted(
                *(plan, device, stated, template), roles=args["roles"], registry=args["tenants"]
            )
        if not args["write"] and device in plan.resting:
            return {"skipped": True, "msg": f"{device} is listed in out_of_service."}
        if not wanted.roles:
            return {
                "skipped": True,
                "only_planned": not self._task.check_mode,
                "msg": "manage of the description lists no role of a switch.",
            }
        how = edge.conditions(
            *(stated, template),
            extra=load_extra_vars(self._loader),
            origin=stated,
            also=maintenance.NEW if args["job"] == "replace" else (),
            check=self._task.check_mode,
            diff=self._task.diff,
            write=args["write"],
        )
        left: list[str] = []
        if args["job"] == "replace" and args["backup"]:
            wanted, left = edge.from_backup(wanted, args["backup"], stated, template)
        result = change.run(open_api(args, stated, template), wanted, how)
        if left:
            said = f"not taken from the backup, as tenants had it: {', '.join(left)}."
            result["warnings"] = [*t.cast("list[str]", result.get("warnings") or []), said]
        return result


def _begun() -> None:
    """FabricError where the playbook was begun in its middle, past its checks."""
    if not store.begun():
        raise FabricError.of(
            "--start-at-task: it skips the first checks of the playbook: run the playbook from its start."
        )
