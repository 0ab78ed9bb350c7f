# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.validate_tenants``; documented in the module of that name."""

from __future__ import annotations

import datetime
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.project import (
    description_path,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import (
    ended,
    sentences,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import tables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cabling import (
    Switch,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import (
    isolation,
    results,
    summary,
    where,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import (
    dialect,
    operational,
    options,
    ranges,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.connect import open_api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    NvueError,
    TransportError,
    UntrustedError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.paths import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.shapes import mapping

if t.TYPE_CHECKING:
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.api import Api

SPEC: dict[str, dict[str, t.Any]] = {
    **options.SPEC,
    "report": {"type": "path"},
    "checks": {"type": "list", "elements": "str", "default": []},
    "where": {"type": "str", "default": ""},
    "waivers": {"type": "path"},
    "leaves": {"type": "list", "elements": "str"},
    "checked": {"type": "str", "default": "validate_tenants_leaf"},
    "device": {"type": "str"},
    "description": {"type": "path"},
    "tenants": {"type": "path"},
}
ALL = "tenants"


class ActionModule(ActionBase):
    """Reads one leaf, judges what it has of tenants, writes its results."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True

    @sentences()
    def run(
        self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None
    ) -> dict[str, t.Any]:
        """Run the task and return its result."""
        result: dict[str, t.Any] = super().run(tmp, task_vars)
        _found, args = self.validate_argument_spec(SPEC)
        stated = task_vars or {}
        fabric = Fabric.load(description_path(args["description"], stated))
        registry = Registry.load(fabric, args["tenants"])
        if args["leaves"] is not None:
            documents = _documents(stated["hostvars"], args["leaves"], args["checked"])
            found = list(isolation.graph(fabric, registry, documents))
            return {**result, **_judged(fabric, args, ALL, found)}
        name = args["device"] or str(stated.get("inventory_hostname"))
        leaf = fabric.known(name)
        if (
            not isinstance(leaf, Switch)
            or leaf.role != "leaf"
            or not _chosen(fabric, args, name, registry)
        ):
            return {**result, "skipped": True, "msg": f"{name} is no leaf that is asked for."}
        try:
            api = open_api(args, stated, self._templar.template)
            view, tables = _read(api, fabric, registry, leaf)
        except (TransportError, UntrustedError) as exc:
            return {**result, **ended(exc)}
        except NvueError as exc:
            # A row, not a failed task: the results of all other devices are still to be summed up.
            unread = isolation.unread(fabric, name, str(exc))
            return {**result, **_judged(fabric, {**args, "checks": []}, f"{name}.{ALL}", [unread])}
        found = [*isolation.static(view), *isolation.live(view, tables)]
        made = _judged(fabric, args, f"{name}.{ALL}", found)
        return {**result, **made, "document": isolation.for_graph(view)}


def _documents(
    hosts: t.Mapping[str, t.Any], names: list[str], variable: str
) -> dict[str, dict[str, t.Any]]:
    """What some hosts' results have as `document`, by host; hosts without one were not read, or are no leaves."""
    rows = {name: dict(hosts[name].get(variable) or {}) for name in names}
    return {name: row["document"] for name, row in rows.items() if "document" in row}


def _chosen(fabric: Fabric, args: dict[str, t.Any], name: str, registry: Registry) -> bool:
    return not args["where"] or name in where.devices(fabric, args["where"], registry)


def _read(
    api: Api, fabric: Fabric, registry: Registry, leaf: Switch
) -> tuple[isolation.LeafView, dict[str, t.Any]]:
    """The leaf's configuration in neutral spelling, and the routing table of each VRF it should have."""
    try:
        release = operational.about(api).release
        applied = dialect.from_release(ranges.expand(operational.applied(api)), release)
        view = isolation.LeafView(fabric, registry, leaf, applied)
        tables = {row["vrf"]: _table(api, fabric, row["vrf"]) for row in view.vrfs}
    finally:
        api.port.close()
    return view, tables


def _table(api: Api, fabric: Fabric, vrf: str) -> set[str] | None:
    """The prefixes of a VRF's routing table; None where the switch reports none."""
    path = parse(tables.places(fabric, vrf)["rib"])
    found = operational.read(api, path, mapping)
    return None if tables.routes(found) is None else tables.prefixes_in(found)


def _judged(
    fabric: Fabric, args: dict[str, t.Any], name: str, found: list[results.Result]
) -> dict[str, t.Any]:
    rows = [row for row in found if results.wanted(row["id"], args["checks"])]
    today = datetime.datetime.now(tz=datetime.UTC).date()
    known = results.waivers(args["waivers"] or fabric.beside("waivers.yml"))
    rows = results.waive(rows, known, today)
    made = summary.outcome(rows)
    if args["report"]:
        made["report"] = results.write(args["report"], name, rows)
    return made
