# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.switch_changes``; documented in the module of that name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from ansible.utils.display import Display

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _reports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.action import Action, Plain
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import summary

JOINED = "changes.json"


class ActionModule(Action):
    """Joins the changes of all switches into the file that is read and approved; says what is left to do."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Join the changes, and end with what is left to do; or remove those of earlier runs."""
        if args["state"] == "empty":
            _empty(args["report"], args["approved"])
            return {}
        result = _joined(Path(args["report"])) if args["report"] else {}
        hostvars = stated.get("hostvars") or {}
        found = {name: hostvars[name].get(args["compared"]) or {} for name in args["hosts"]}
        rows = found.values()
        for line in summary.foreign([row.get("foreign", 0) for row in rows]):
            Display().display(line)
        left = [said for row in rows for key in LEFT for said in row.get(key) or ()]
        left += [_silent(name) for name, row in found.items() if _uncompared(row)]
        return {**result, "failed": True, "msg": "\n".join(left)} if left else result


def _uncompared(row: Plain) -> bool:
    """Whether nothing is known of a switch; what failed has said why."""
    return "changes" not in row and not (row.get("skipped") or row.get("failed"))


def _silent(name: str) -> str:
    return (
        f"{name} was not compared with the plan (the reason is above): repair it, list it in out_of_service, or leave "
        "it out with --limit, and run again."
    )


LEFT = ("would_refuse", "drift")
"""What a result says that a run would refuse, and what only the tenant playbooks settle."""


def _joined(report: Path) -> Plain:
    try:
        rows = [json.loads(path.read_text()) for path in sorted(report.glob("changes/*.json"))]
    except (OSError, ValueError) as exc:
        raise FabricError.of(
            f"report: {report} cannot be read ({exc}): name another folder."
        ) from exc
    return {
        "path": _reports.put_json(str(report / JOINED), {"devices": rows}, FabricError.of),
        "devices": len(rows),
        "differing": [row["device"] for row in rows if row.get("paths")],
    }


def _empty(folder: str | None, approved: str | None) -> None:
    """Remove the changes of earlier runs, where the run writes a report."""
    if not folder:
        return
    report = Path(folder)
    _spare(report, approved)
    for name in ("changes", "diffs"):
        shutil.rmtree(report / name, ignore_errors=True)
    (report / JOINED).unlink(missing_ok=True)


def _spare(report: Path, approved: str | None) -> None:
    """Refuse to remove what somebody has approved, before it is applied."""
    if approved and Path(approved).resolve().is_relative_to(report.resolve()):
        raise FabricError.of(
            f"spx_approved: {approved} lies in the folder of spx_report, which this run writes again: give "
            "the report of this run another folder, or none."
        )
