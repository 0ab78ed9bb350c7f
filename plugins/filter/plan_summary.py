# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t


def plan_summary(result: dict[str, t.Any]) -> list[str]:
    """The result of spectrum_x.fabric.plan as lines for a person."""
    if "suggestions" in result:
        return [
            f"profile {name}: " + ("fits" if not reasons else "does not fit: " + " ".join(reasons))
            for name, reasons in sorted(result["suggestions"].items())
        ]
    facts = result["facts"]
    switches = facts["switches"]
    lines = [
        f"{facts['name']}: {facts['gpus']} GPUs on {facts['nodes']} nodes at capacity ({facts['nodes_built']} nodes "
        f"built), {sum(switches.values())} switches "
        f"({switches['leaf']} leaves, {switches['spine']} spines, {switches['super_spine']} super-spines), "
        f"profile {facts['profile']}",
    ]
    lines += [
        f"capacity, {row['role']}: {row['what']} {row['used']} of {row['limit']} ({_spare(row['spare'])})"
        for row in facts["capacity"]
    ]
    if "renumbered" in result:
        lines.append(
            f"{result['renumbered']} values of existing equipment would change, "
            f"{result['differences']} differences in all"
        )
    for row in result.get("changes", []):
        lines.append(f"{row['what']} of {row['place']}: {row['before']} -> {row['after']}")
    more = result.get("differences", 0) - len(result.get("changes", []))
    if more:
        lines.append(
            f"and {more} more: -e spx_report=FOLDER writes all of them to plan-changes.csv"
        )
    lines += result.get("left_out", [])
    lines.append(f"{result['files']} files, {result['files_changed']} changed")
    return lines


def _spare(number: int) -> str:
    return f"{number} spare" if number >= 0 else f"{-number} too many"


class FilterModule:
    """The summary of a plan."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """One filter."""
        return {"plan_summary": plan_summary}
