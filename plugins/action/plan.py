# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os

from ..plugin_utils._edge.action import Action, Plain, written
from ..plugin_utils._edge.connection import open_api
from ..plugin_utils._edge.output import show
from ..plugin_utils._edge.project import description_path
from ..plugin_utils._edge.project import fabric as load
from ..plugin_utils._fabric.audit.selection import pods as pods_of
from ..plugin_utils._fabric.description.errors import FabricError
from ..plugin_utils._fabric.description.words import count
from ..plugin_utils._fabric.export import exports, part
from ..plugin_utils._fabric.export.handover import remarks
from ..plugin_utils._fabric.export.monitoring import estimate
from ..plugin_utils._fabric.export.output import Output
from ..plugin_utils._fabric.plan.addressing import suggest
from ..plugin_utils._fabric.plan.fabric import Fabric
from ..plugin_utils._fabric.report import earlier_plan, plan_difference, plant
from ..plugin_utils._fabric.report.advice import advice
from ..plugin_utils._fabric.report.notices import TABLE, bugs_table, notices
from ..plugin_utils._fabric.report.report import (
    ANNOUNCED,
    capacity_table,
    changed,
    csv_lines,
    facts,
    lines,
    missing,
)
from ..plugin_utils._fabric.tenants.converged import Announcement, announced
from ..plugin_utils._fabric.tenants.registry import Registry
from ..plugin_utils._jobs.hooks import hook_folders, site_hooks
from ..plugin_utils._nvue.errors import NvueError

_MOST_CHANGES = 1000
_QUICK = 1000
"""Nodes up to which nobody waits long enough to wonder."""


class ActionModule(Action):
    """Loads, compares and writes; the rules are in the core."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Write the plan."""
        path = description_path(args["description"], stated)
        if args["suggest"]:
            return _said({**suggest.of_file(path)})
        if args["exports"] and not args["dest"]:
            raise FabricError.of(
                "variable spx_exports: no folder is given for the files: add -e spx_dest=FOLDER, or leave it out."
            )
        fabric = load(args["description"], stated)
        registry = Registry.load(fabric)
        result = self._compare(fabric, args)
        output = Output(
            args["dest"],
            dry=self._task.check_mode,
            tell=lambda text: self._progress(fabric, text),
        )
        if args["dest"]:
            result["older"] = self._write(fabric, output, args)
        folders = hook_folders(path, self._templar.template(stated.get("spx_hooks")))
        hooks = site_hooks(folders, ["wipe"])
        result |= {
            "facts": facts(fabric),
            "advice": advice(fabric),
            "notices": notices(fabric.description),
            "racks": list(remarks.doubts(fabric)),
            "announced": list(announced(fabric, registry)),
            "missing": missing(fabric, hooks, credentials=self._credentials(fabric, stated)),
        }
        if "monitoring" in (args["exports"] or exports.default(fabric)):
            result["monitoring"] = estimate.estimate(fabric).sentence
        if args["report"]:
            report = Output(args["report"], dry=self._task.check_mode)
            report.write("capacity.csv", capacity_table(result["facts"]["capacity"]))
            report.write(TABLE, bugs_table(fabric.description))
            if rows := result["announced"]:
                report.write(ANNOUNCED, csv_lines(",".join(Announcement._fields), rows))
            if plant.stated(fabric):
                result["plant"] = self._plant(fabric, report)
        result["files_changed"] = len(output.changed)
        result |= written(output, diff=self._task.diff)
        return _said(result, check=self._task.check_mode)

    def _plant(self, fabric: Fabric, report: Output) -> str:
        """Write what tables of the site state, beside what would be computed; returns the counts."""
        plain = plant.computed(fabric)
        counts = plant.Counts(plain.description.addressing.profile)
        report.write("plant.csv", plant.lines(counts.watch(plant.values(fabric, plain))))
        return counts.sentence()

    def _write(self, fabric: Fabric, output: Output, args: Plain) -> list[str]:
        words = args["where"]
        pods = pods_of(fabric, words, Registry.load(fabric)) if words else None
        if args["nodes"]:
            exports.check_part(args["exports"])
            fabric = part.of(fabric, args["nodes"])
        with output.alone():
            return exports.write(
                fabric, output, kinds=args["exports"], pods=pods, progress=output.tell
            )

    def _credentials(self, fabric: Fabric, stated: Plain) -> bool:
        """Check whether the first switch has credentials, in its variables or in the environment."""
        first = next((fabric.name(switch) for switch in fabric.switches()), "")
        hosts = stated["hostvars"]
        variables = hosts.raw_get(first) if first in hosts else stated
        template = self._templar.copy_with_new_env(available_variables=variables).template
        try:
            open_api({}, variables, template)
        except NvueError:  # without them, or where a template of them fails
            return False
        return True

    def _progress(self, fabric: Fabric, text: str) -> None:
        """Progress, where the work is long."""
        if fabric.clos.nodes > _QUICK:
            show([f"plan {fabric.description.name}: {text}"])

    def _compare(self, fabric: Fabric, args: Plain) -> Plain:
        """The differences to an earlier plan; FabricError, after showing them, when they renumber."""
        where = args["against"] or args["dest"]
        if not where:
            return {}
        was = (earlier_plan.find if args["against"] else earlier_plan.export)(where, fabric)
        if was is None:
            holds = os.path.isdir(where) and bool(os.listdir(where))
            return {"not_compared": where} if holds else {}
        self._progress(fabric, "comparing ...")
        found = plan_difference.Differences(most=_MOST_CHANGES)
        changes = found.watch(plan_difference.against(was, fabric))
        report = Output(args["report"], dry=self._task.check_mode)
        report.write("plan-changes.csv", plan_difference.lines(changes))
        report.write("plan.md", plan_difference.comment(found, fabric.description.name))
        devices = sum(1 for _device in fabric.devices())
        if args["against"] and found.came == devices:
            raise FabricError.of(
                f"earlier plan {where}: it has no device of fabric {fabric.description.name}: name a description, or a "
                "folder that playbook plan wrote completely."
            )
        if found.renumbered and not args["allow_renumber"]:
            show(changed(found.rows[: found.renumbered]))
            first = found.rows[0]
            draft = (
                "" if args["against"] else "remove that folder where nothing was built from it, "
            )
            values = count(range(found.renumbered), "value")
            raise FabricError.of(
                f"earlier plan {where}: {values} of existing equipment would change, first "
                f"{first['what']} of {first['place']} from {first['before']} to {first['after']}: "
                f"{_keep(fabric, found)}, {draft}or allow it with -e spx_allow_disruptive=renumber."
            )
        return {
            "changes": found.rows,
            "devices": devices,
            "devices_compared": devices - found.came,
            "renumbered": found.renumbered,
            "differences": found.renumbered + found.others,
        }


def _keep(fabric: Fabric, found: plan_difference.Differences) -> str:
    """Advise which settings to keep, so that nothing of existing equipment changes."""
    if all(map(plan_difference.of_tenants, found.rows[: found.renumbered])):
        return "keep id and slug of each tenant in tenants.yml"
    if all(row["what"] == "name" for row in found.rows[: found.renumbered]):
        return "keep the names (naming, and the column name of devices.csv)"
    tables = ", and the tables of the site" if plant.stated(fabric) else ""
    return f"keep the stated capacity and profile{tables}"


def _said(result: Plain, *, check: bool = False) -> Plain:
    """The result with its lines for a person, which are shown."""
    said = lines({**result, "check": check})
    show(f"  {line}" for line in said)
    return {**result, "lines": said}
