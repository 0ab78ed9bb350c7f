# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.host``; documented in the module of that name."""

from __future__ import annotations

import base64
import typing as t

from ansible.utils.display import Display

from ..module_utils._host.look import runs
from ..plugin_utils._edge import role_variables, turns
from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.host_look import Looker
from ..plugin_utils._edge.project import fabric, site_hooks
from ..plugin_utils._fabric import batches
from ..plugin_utils._fabric.fabric import Fabric
from ..plugin_utils._fabric.host import gate, kept
from ..plugin_utils._fabric.model.words import count
from ..plugin_utils._fabric.tenancy.procedure import hook_lines
from ..plugin_utils._fabric.tenancy.registry import Registry
from ..plugin_utils._nicdata.zipapp import zipapp_bytes

FILES = "spectrum_x.fabric.host_files"
HOOKS = ("drain", "resume")
"""Hooks around the work on a host."""


class ActionModule(Action, filled=("wanted", "asked", "probe")):
    """Asks the plan, has modules read or write, and plans the steps."""

    _requires_connection = True

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Do what option `do` says."""
        if args["do"] == "keep":
            return self._keep(stated)
        if args["do"] == "batches":
            return _batches(args, stated)
        if args["do"] == "wait":
            turns.wait(stated, args["done"])
            return {}
        plan, name = fabric(args["description"], stated), str(stated.get("inventory_hostname"))
        registry = Registry.load(plan, args["tenants"])
        if args["do"] == "gate":
            return _gate(plan, registry, name, args["hosts"], stated)
        looker = Looker(self, stated, plan, registry, name)
        return looker.look(known=args["known"], preflight=args["preflight"])

    def _keep(self, stated: Plain) -> Plain:
        """Bring the tool where another is there; keep the desired state and the units."""
        template, look = self._templar.template, stated["dpu_state_look"]
        choices = {
            **role_variables.values("dpu_agent", stated, template),
            **role_variables.values("dpu_state", stated, template),
        }
        tool = {"path": choices["agent_path"], "mode": "0755"}
        if look["nics"].get("skew", "missing"):
            tool["base64"] = base64.b64encode(zipapp_bytes()).decode()
        else:
            tool["sha256"] = look["wanted"]["agent_sha256"]
        files = [tool, *kept.files(look["wanted"], t.cast("kept.Choices", choices))]
        options = {"files": files, "units": kept.units(choices["interval"])}
        made: Plain = self._execute_module(FILES, options, task_vars=stated)
        return made


def _gate(
    plan: Fabric, registry: Registry, name: str, among: list[str] | None, stated: Plain
) -> Plain:
    """Whether congestion control may begin on the host; what the run knows of a rack is in its hosts' looks."""
    rack = gate.of_rack(plan, registry, name)
    seen = {other: found for other in rack if (found := _seen(stated, other))}
    return gate.gate(plan, registry, name, seen, among=among)


def _seen(stated: Plain, name: str) -> gate.Seen | None:
    """What this run knows of a host; None when it has not looked at it."""
    hostvars = stated.get("hostvars") or {}
    if name not in hostvars or "dpu_state_look" not in hostvars[name]:
        return None
    known = hostvars[name]
    look = known["dpu_state_look"]
    nics, planned = look.get("nics") or {}, look.get("plan") or {}
    active = runs(nics)
    current = (nics.get("verdict") or {}).get("nvconfig") == "current"
    waits = bool(planned.get("waits_for")) and not active
    # A host with nothing to do is in no play but the first.
    there = name in stated.get("ansible_play_hosts", ()) or planned.get("group") == "done"
    # The role that begins on a host notes it.
    noted = "dpu_congestion_control_failed"
    return gate.Seen(
        able=there and current and not waits,
        runs=active or bool(nics.get("algorithm")),
        failed=noted in known and (bool(known[noted]) or not there),
    )


def _batches(args: Plain, stated: Plain) -> Plain:
    """The hosts in batches, rack after rack."""
    names = stated["ansible_play_hosts"] if args["hosts"] is None else args["hosts"]
    plans = [stated["hostvars"][name]["dpu_state_look"]["plan"] for name in names]
    racks = {plan["name"]: plan["rack"] for plan in plans}
    made = batches.of_hosts(racks, args["most"])
    if made:
        folders = (stated["hostvars"].get("localhost") or {}).get("spx_fabric", {}).get("hooks", [])
        first = f"  {count(names, 'host')} out of work in {count(made, 'batch', 'batches')}, rack by rack"
        for line in [first, *hook_lines(HOOKS, site_hooks(folders, HOOKS))]:
            Display().display(line)
    return {"batches": made}
