# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of upgrades of Cumulus Linux, and whether one may run in service; `upgrades.yaml` has the facts.

path_refusal("5.16.6", "5.17.0")    "no page allows an optimised image upgrade from 5.16.6 to 5.17.0, which ..."
issu("image", "5.16.1", "5.18.0")   Issu(eligible=False, word="contradictory", ...)
"""

from __future__ import annotations

import typing as t

from ..._nvue.document.release import parse, within
from .data import table

IMAGE = "image"


class Issu(t.NamedTuple):
    """Verdict on an upgrade in service, with the fact behind it."""

    eligible: bool
    word: str
    why: str
    source: str


_UNKNOWN = Issu(False, "unknown", "no page says it of this path", "none")


def path_refusal(before: str, after: str, asic: str = "") -> str:
    """Return the reason that a switch may not go from one release to another; empty where it may."""
    data, (old, new) = table("upgrades"), (parse(before), parse(after))
    if new <= old:
        return f"{after} is not newer than {before}: a downgrade is no upgrade of this playbook"
    if why := next((row["why"] for row in data["not_from"] if row["asic"] == asic), ""):
        return f"{asic}: {why}"
    rows = [row for row in data["paths"] if within(new, row["into"])]
    if not any(within(old, row["from"]) for row in rows):
        known = " or ".join(row["from"] for row in rows)
        allowed = f", which is reached from {known}" if known else ""
        return f"no page allows an optimised image upgrade from {before} to {after}{allowed}"
    return next((str(row["refuse"]) for row in rows if "refuse" in row), "")


def issu(method: str, before: str, after: str) -> Issu:
    """Return whether a path may run in service: only where a row says yes, and none says otherwise."""
    found = [
        Issu(row["eligible"] == "yes", row["eligible"], row["why"], row["source"])
        for row in table("upgrades")["issu"]
        if row["method"] == method
        and within(parse(after), row["into"])
        and within(parse(before), row["from"])
    ]
    return next((one for one in found if not one.eligible), (found or [_UNKNOWN])[0])


class ResourceMode(t.NamedTuple):
    """Words of system/forwarding/resource-mode, for leaves and for other switches."""

    leaves: str
    others: str


def resource_mode(restart: str, releases: t.Iterable[str]) -> ResourceMode | None:
    """Return the resource mode of a restart profile; None where it has none, or a release lacks the key."""
    row = table("restart_profiles")[restart].get("resource_mode")
    if not row or any(parse(release) < parse(row["since"]) for release in releases):
        return None
    return ResourceMode(row["leaves"], row["others"])


def seconds(name: str) -> float:
    """Return a time of an upgrade, in seconds."""
    return float(table("upgrades")["seconds"][name]["value"])
