# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.validate_host``; documented in the module of that name."""

from __future__ import annotations

import datetime
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.project import (
    description_path,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import sentences
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host.desired import desired
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import (
    host,
    host_attempts,
    host_pairs,
    host_paths,
    host_view,
    rented,
    results,
    summary,
    where,
)

Plain = dict[str, t.Any]
SPEC: dict[str, Plain] = {
    "observed": {"type": "dict"},
    "report": {"type": "path"},
    "checks": {"type": "list", "elements": "str", "default": []},
    "where": {"type": "str", "default": ""},
    "waivers": {"type": "path"},
    "device": {"type": "str"},
    "description": {"type": "path"},
    "tenants": {"type": "path"},
}


class ActionModule(ActionBase):
    """Asks the plan, judges what was read, writes results."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True

    @sentences()
    def run(self, tmp: str | None = None, task_vars: Plain | None = None) -> Plain:
        """Run the task and return its result."""
        result: Plain = super().run(tmp, task_vars)
        _found, args = self.validate_argument_spec(SPEC)
        stated = task_vars or {}
        fabric = Fabric.load(description_path(args["description"], stated))
        registry = Registry.load(fabric, args["tenants"])
        name = args["device"] or str(stated.get("inventory_hostname"))
        if args["where"] and name not in where.devices(fabric, args["where"], registry):
            return {**result, "todo": "skip", "changed": False}
        look = (args["observed"] or {}).get("look") or {}
        wanted = look.get("wanted") or desired(fabric, name, registry=registry)
        about = host_view.subject(fabric, fabric.known(name))
        if wanted["resting"]:
            rows = [host_view.resting(about, wanted["tenant"], wanted["resting"])]
            return {**result, **_written(fabric, name, rows, args), "todo": "skip"}
        if wanted["access"] != "managed":
            told = _facts(wanted, stated.get("hostvars") or {}, rented.FACT)
            tried = _rented(about, wanted["tenant"], told)
            asked = [row for row in tried if results.wanted(row["id"], args["checks"])]
            rows = [host_view.rented(about, wanted["tenant"]), *asked]
            return {**result, **_written(fabric, name, rows, args), "todo": "skip"}
        met = host_paths.partners(fabric, registry, fabric.known(name))
        if args["observed"] is None:
            todo = "try" if host_attempts.alone(args["checks"]) else "read"
            tries = {
                "pings": host_paths.pings(wanted, met if todo == "read" else {}),
                "attempts": host_attempts.attempts(fabric, registry, fabric.known(name), wanted),
            }
            return {**result, "todo": todo, **tries, "changed": False}
        rows = _judge(about, wanted, met, args, stated)
        made = {**result, **_written(fabric, name, rows, args), "todo": "done"}
        if args["observed"].get("unreachable"):
            made |= {"unreachable": True, "msg": str(args["observed"]["unreachable"])}
        return made


def _rented(about: results.Subject, tenant: str, told: Plain) -> list[results.Result]:
    """What its leaves found of it; what only the host itself could try is not run."""
    why = f"{about.device} is rented to {tenant}: nothing is tried from it."
    rows = host_attempts.none(about, tenant, why)
    others = [row for row in rows if row["id"] != rented.CHECK]
    return [*rented.judge(about, tenant, told), *others]


def _judge(
    about: results.Subject, wanted: Plain, met: Plain, args: Plain, stated: Plain
) -> list[results.Result]:
    seen = args["observed"]
    if seen.get("unreachable"):
        why = str(seen["unreachable"])
        tried = host_attempts.none(about, wanted["tenant"], f"{about.device} did not answer: {why}")
        asked = [row for row in tried if results.wanted(row["id"], args["checks"])]
        return [host_view.unreachable(about, wanted["tenant"], why), *asked]
    view = host_view.View(
        subject=about,
        wanted=wanted,
        **(
            host_view.looked(seen["look"], allow=bool(seen.get("allow")))
            if seen.get("look")
            else {}
        ),
        probe=seen.get("probe"),
        leaves=_facts(wanted, stated.get("hostvars") or {}, host_pairs.FACT),
        others=met,
    )
    return host.check(view, args["checks"])


def _facts(wanted: Plain, hostvars: t.Any, fact: str) -> dict[str, Plain]:
    """What the play learnt of the host's leaves; a leaf it did not ask is absent."""
    names = {row["peer"]["device"] for row in wanted["interfaces"]}
    facts = {name: hostvars[name].get("ansible_facts") or {} for name in names if name in hostvars}
    return {name: found[fact] for name, found in facts.items() if fact in found}


def _written(fabric: Fabric, name: str, rows: list[results.Result], args: Plain) -> Plain:
    known = results.waivers(args["waivers"] or fabric.beside("waivers.yml"))
    rows = results.waive(rows, known, datetime.datetime.now(tz=datetime.UTC).date())
    made: Plain = summary.outcome(rows)
    if args["report"]:
        made["report"] = results.write(args["report"], name, rows)
    return made
