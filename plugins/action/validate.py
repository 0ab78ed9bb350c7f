# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.validate``; documented in the module of that name."""

from __future__ import annotations

import os
import typing as t

from ansible.utils.display import Display

from ..plugin_utils import _reports
from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.connection import open_api
from ..plugin_utils._edge.host_look import HostLook, ReachedHost
from ..plugin_utils._edge.output import show
from ..plugin_utils._edge.project import fabric
from ..plugin_utils._edge.run import of_task
from ..plugin_utils._edge.switch import wanted
from ..plugin_utils._fabric.audit import results, selection, series, summary
from ..plugin_utils._fabric.description.errors import FabricError, shown
from ..plugin_utils._fabric.description.words import count
from ..plugin_utils._fabric.export.monitoring import places
from ..plugin_utils._fabric.tenants.registry import Registry
from ..plugin_utils._jobs.validate import host, switch
from ..plugin_utils._jobs.validate.request import Options, Request

VALIDATE = {"switch": switch.validate, "host": host.validate, "tenants": switch.tenants}


class ActionModule(Action):
    """Compares a device with the plan, or sums up the results of all of them."""

    RULES: t.ClassVar[Plain] = {"required_if": [["of", "summary", ["report"]]]}

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Validate what option `of` names."""
        if args["of"] == "summary":
            return _summary(args, stated)
        plan = fabric(args["description"], stated)
        name = str(args["device"] or stated.get("inventory_hostname"))
        registry, template = Registry.load(plan, args["tenants"]), self._templar.template
        asked = Request(
            *(of_task(self, args, stated), plan, registry, Options.of(args), name),
            connect=lambda: open_api(args, stated, template),
            wish=lambda: wanted(plan, name, stated, template, registry=args["tenants"]),
            host=ReachedHost(HostLook(self, stated, plan, registry, name)),
            documents=_documents(args, stated),
        )
        if args["leaves"] is None and not asked.means(asked.device):
            return {"skipped": True, "msg": f"{asked.device} is not in {', '.join(args['where'])}."}
        return VALIDATE[args["of"]](asked)


def _documents(args: Plain, stated: Plain) -> dict[str, Plain]:
    """Return the `document` in the results of hosts; hosts without one were not read, or are no leaves."""
    hosts, variable = stated.get("hostvars") or {}, args["checked"]
    rows = {name: dict(hosts[name].get(variable) or {}) for name in args["leaves"] or ()}
    return {name: row["document"] for name, row in rows.items() if "document" in row}


def _summary(args: Plain, stated: Plain) -> Plain:
    """Summarise all results of a report; or remove them and show which devices are read."""
    if args["state"] == "empty":
        met, groups = set(stated["ansible_play_hosts_all"]), stated["groups"]
        if args["where"]:
            plan = fabric(args["description"], stated)
            met &= selection.devices(plan, args["where"], Registry.load(plan, args["tenants"]))
            if not met:
                raise FabricError.of(
                    f"spx_where: {shown(','.join(args['where']))} means no device of this run: name a place or tenant "
                    "with nodes, and leave out a --limit to other devices."
                )
        hosts = met.intersection(groups.get("spx_node", ()))
        switches = met.difference(["localhost"], hosts)
        what = f"{count(switches, 'switch', 'switches')} and {count(hosts, 'host')}"
        show([f"  {what} are read, and nothing is changed there"])
        return {"changed": results.empty(args["report"]) > 0}
    rows = results.read(args["report"])
    if not rows:
        raise FabricError.of(
            f"report: {args['report']} holds no results: run playbook validate, or name its folder."
        )
    counted = summary.counts(rows)
    display = Display()
    display.display(summary.table(rows, names=display.verbosity > 0))
    file = os.path.join(args["report"], "junit.xml")
    found = {"counts": counted, "junit": _reports.put(file, summary.junit(rows), FabricError.of)}
    found |= _textfile(args, stated, rows)
    if summary.breached(counted, strict=args["strict"]):
        found |= {"failed": True, "msg": summary.verdict(counted)}
    return found


def _textfile(args: Plain, stated: Plain, rows: list[results.Result]) -> Plain:
    """Write the results for Prometheus, where the description states a folder for them; failing it is a warning."""
    try:
        plan = fabric(args["description"], stated)
    except FabricError:  # a summary of a report needs no project
        return {}
    if not (plan.description.monitoring and plan.description.monitoring.textfile):
        return {}
    path = os.path.join(places.folder(plan), series.FILE)
    try:
        with open(path, encoding="utf-8") as handle:
            old = handle.read()
    except (OSError, ValueError):
        old = ""
    try:
        return {"textfile": _reports.put(path, series.text(rows, old), FabricError.of)}
    except FabricError as exc:
        return {"warnings": [str(exc)]}
