# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.upgrade``; documented in the module of that name."""

from __future__ import annotations

import typing as t

from ansible.utils.vars import load_extra_vars

from ..plugin_utils._edge import batch_order
from ..plugin_utils._edge import switch as edge
from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.connection import open_api
from ..plugin_utils._edge.run import of_task
from ..plugin_utils._edge.run_store import store
from ..plugin_utils._fabric.tenants.registry import Registry
from ..plugin_utils._jobs.records import plain
from ..plugin_utils._jobs.switch.leaves import NvueLeaf
from ..plugin_utils._jobs.upgrade import batch, plan, state, steps
from ..plugin_utils._jobs.upgrade.records import STATE, Target
from ..plugin_utils._nvue.document import schema

DRAINED = ("frr_restart", "switchd_reload")
"""Disturbances that a switch may have which is drained and has booted."""

# Ansible loads an action before it forks the workers of its task.
schema.preload()


class ActionModule(Action):
    """Reads switches, plans their upgrade, and takes its steps."""

    RULES: t.ClassVar[Plain] = {"required_if": [["do", "step", ["step"]]]}

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Do what option `do` says."""
        word, run = args["do"], of_task(self, args, stated)
        if word == "plan":
            asked = plan.Options(args["hosts"], args["canary"] or "", args["window"], args["issu"])
            return plan.make(run, asked)
        if word == "ready":
            first = str(stated["ansible_play_batch"][0])
            return batch.ready(run, first, stated["hostvars"], args["window"])
        if word == "gate":
            members = batch.of_switch(store, str(stated["ansible_play_batch"][0])).switches
            batch_order.wait(t.cast("t.Any", stated), args["done"], members)
            return {}
        if word == "report":
            batch.left(store) if not self._task.check_mode else None
            return {}
        name = str(stated["inventory_hostname"])
        if why := plan.left_out(run.fabric(), name):
            return {"skipped": True, "msg": f"{name} {why}."}
        switch = self._switch(args, stated, name)
        if word == "look":
            found = state.look(switch)
            store.put(STATE, found, of=name)
            return {"state": plain(found)}
        names = ("seconds", "most", "apply_wait", "soak")
        return steps.take(switch, args["step"], steps.Options(**{n: args[n] for n in names}))

    def _switch(self, args: Plain, stated: Plain, name: str) -> state.UpgradeSwitch:
        fabric = of_task(self, args, stated).fabric()
        template = self._templar.template
        how = edge.conditions(
            *(stated, template),
            extra=load_extra_vars(self._loader),
            origin=stated,
            also=DRAINED if args["do"] == "step" else (),
            check=self._task.check_mode,
            diff=self._task.diff,
        )
        api = open_api(args, stated, template)
        wanted = edge.wanted(fabric, name, stated, template)
        leaf = NvueLeaf(name, fabric, api, how, stated.get("spx") or {})
        return state.UpgradeSwitch(
            *(fabric, Registry.load(fabric), api, leaf, wanted, how, store, Target.of(fabric))
        )
