# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.validate_switch``; documented in the module of that name."""

from __future__ import annotations

import datetime
from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import (
    switch_reader,
    switch_wish,
    vrf_probes,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.project import (
    description_path,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import (
    ended,
    sentences,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch.context import (
    Context,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import (
    host_pairs,
    rented,
    results,
    summary,
    switch,
    switch_view,
    where,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import options
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.connect import open_api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.dialect import from_release
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    NvueError,
    TransportError,
    UntrustedError,
)

SPEC: dict[str, dict[str, Any]] = {
    **options.SPEC,
    "report": {"type": "path"},
    "checks": {"type": "list", "elements": "str", "default": []},
    "where": {"type": "str", "default": ""},
    "waivers": {"type": "path"},
    "fail": {"type": "bool", "default": False},
    "strict": {"type": "bool", "default": False},
    "probes": {"type": "bool", "default": False},
    "device": {"type": "str"},
    "description": {"type": "path"},
    "tenants": {"type": "path"},
}


class ActionModule(ActionBase):
    """Reads one switch, judges it, writes its results."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True

    @sentences()
    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Run the task and return its result."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        _found, args = self.validate_argument_spec(SPEC)
        stated = task_vars or {}
        fabric = Fabric.load(description_path(args["description"], stated))
        registry = Registry.load(fabric, args["tenants"])
        ctx = compose.context(
            fabric, args["device"] or str(stated.get("inventory_hostname")), tenants=registry
        )
        if not _chosen(ctx, args["where"], registry):
            return {
                **result,
                "skipped": True,
                "msg": f"{ctx.slice['name']} is not in {args['where']}.",
            }
        rows, read = self._judge(ctx, args, stated)
        rows = results.waive(rows, _waivers(fabric, args["waivers"]), _today())
        if args["report"]:
            result["report"] = results.write(args["report"], ctx.slice["name"], rows)
        told = _outcome(rows, args)
        if told.get("failed"):
            # Who reads a failure reads sentences; the facts are for checks that follow.
            told["ansible_facts"] = {}
        return {**result, **read, **told}

    def _judge(
        self, ctx: Context, args: dict[str, Any], stated: dict[str, Any]
    ) -> tuple[list[results.Result], dict[str, Any]]:
        """Results, and what the task adds: facts of what was read, or that nothing could be."""
        subject = switch_view.subject(ctx)
        if ctx.slice["name"] in switch_view.resting_devices(ctx):
            return [switch_view.resting(subject)], {}
        try:
            parts = _wanted(ctx, args, stated, self._templar.template)
            api = open_api(args, stated, self._templar.template)
            reading = switch_reader.read(api)
        except TransportError as exc:
            return [switch_view.unreachable(subject, str(exc))], ended(exc)
        except UntrustedError as exc:
            return [switch_view.untrusted(subject, str(exc))], ended(exc)
        except NvueError as exc:
            return [switch_view.refused(subject, str(exc))], {}
        found = switch.check(_view(ctx, reading, parts), args["checks"])
        facts = _host_ports(ctx, reading)
        if args["probes"] and results.wanted(rented.CHECK, args["checks"]):
            facts[rented.FACT] = self._tried(ctx, args, api, reading)
        return found, {"ansible_facts": facts}

    def _tried(
        self, ctx: Context, args: dict[str, Any], api: Api, reading: switch_reader.Reading
    ) -> dict[str, Any]:
        """For the checks of rented hosts: what pings from their VRFs on this leaf found."""
        chosen = where.devices(ctx.fabric, args["where"], ctx.tenants) if args["where"] else None
        rows = rented.probes(ctx.fabric, ctx.tenants, ctx.device, chosen=chosen)
        why = "with --check no action of a switch is started." if self._task.check_mode else ""
        return vrf_probes.run(api, reading.release, rows, why=why)


def _today() -> datetime.date:
    return datetime.datetime.now(tz=datetime.UTC).date()


def _chosen(ctx: Context, text: str, registry: Registry) -> bool:
    return not text or ctx.slice["name"] in where.devices(ctx.fabric, text, registry)


def _waivers(fabric: Fabric, path: str | None) -> list[results.Waiver]:
    return results.waivers(path or fabric.beside("waivers.yml"))


def _view(ctx: Context, reading: switch_reader.Reading, parts: dict[str, Any]) -> switch_view.View:
    return switch_view.View(
        ctx=ctx,
        release=reading.release,
        applied=reading.applied,
        parts=parts,
        interfaces=reading.interfaces,
        neighbors=reading.neighbors,
        lldp=reading.lldp,
        roce=reading.roce,
        today=_today(),
        unmanaged=tuple(ctx.description.unmanaged),
    )


def _host_ports(ctx: Context, reading: switch_reader.Reading) -> dict[str, Any]:
    """For the checks of hosts: what a leaf's applied configuration says of its host ports."""
    ports = {row["port"]: row["speed"] for row in ctx.ports if row["kind"] == "host"}
    if not ports:
        return {}
    document = from_release(reading.applied, reading.release)
    return {host_pairs.FACT: host_pairs.leaf_ports(document, ports)}


def _wanted(ctx: Context, args: dict[str, Any], stated: dict[str, Any], template: Any) -> Any:
    """What the roles of the switch want, with the variables that the site sets for them."""
    found = switch_wish.wanted(
        *(ctx.fabric, ctx.slice["name"], stated, template), registry=args["tenants"]
    )
    return found.parts()


def _outcome(rows: list[results.Result], args: dict[str, Any]) -> dict[str, Any]:
    made = summary.outcome(rows)
    ending = {results.FAIL, results.NOT_RUN} if args["strict"] else {results.FAIL}
    unproven = [row["sentence"] for row in rows if row["state"] in ending]
    if args["fail"] and unproven:
        made |= {"failed": True, "msg": "\n".join(dict.fromkeys(unproven))}
    return made
