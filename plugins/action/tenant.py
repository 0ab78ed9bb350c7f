# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.tenant``; documented in the module of that name."""

from __future__ import annotations

import difflib
import json
import typing as t
from functools import cache

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import runs
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.action import Action, Plain
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.project import fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import edit, files
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    FILE,
    Registry,
)

if t.TYPE_CHECKING:
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric

_FIELDS = (
    "id",
    "nodes",
    "networks",
    "quotas",
    "shared",
    "host_access",
    "routes",
    "since",
    "contact",
)
_HOUSE = ("rest", "quarantine")


class ActionModule(Action):
    """Edits the registry on the controller."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Edit, check, and replace the file."""
        args = json.loads(json.dumps(args))  # text without Ansible's tags
        plan = fabric(args["description"], stated)
        path = args["path"] or plan.beside(FILE)
        run = None if self._task.check_mode else edit.Run(runs.this(), cache(runs.at_work))
        before, after = files.change_file(
            plan,
            path,
            changes(args, run),
            write=not self._task.check_mode,
            wait=args["wait"],
        )
        names = {"fromfile": f"{path} before", "tofile": f"{path} after"}
        lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), **names)
        result: Plain = {"changed": before != after, "path": path, "text_diff": "".join(lines)}
        if self._task.diff and before != after:
            headers = {"before_header": path, "after_header": path}
            result["diff"] = [{"before": before, "after": after, **headers}]
        return result | _tenant(plan, after, args["slug"])


def changes(args: Plain, run: edit.Run | None = None) -> list[edit.Change]:
    """The edits that the options ask for, in the order in which they are carried out.

    Records of moves that go on from a known one become the run's.
    """
    slug, made = args["slug"], list[edit.Change]()
    if slug is None and not (args["moves"] or args["health"]):
        raise FabricError.of("slug: the option is missing: name the tenant.")
    if slug is not None and args["state"] == "absent":
        made += [edit.Take(slug, tuple(args["remove_nodes"]))] if args["remove_nodes"] else []
        made.append(edit.DropTenant(slug))
    elif slug is not None:
        made += _present(slug, args)
    at, of = args["moves_at"], args["moves_of"]
    made += [
        edit.Move(
            *(node, record),
            at=at.get(node),
            of=of.get(node) or "",
            run=run if node in of else None,
        )
        for node, record in _records("moves", args)
    ]
    made += [edit.Know(*row) for row in _records("health", args)]
    return made


def _records(name: str, args: Plain) -> list[tuple[str, Plain | None]]:
    """Records by node; an empty one is None, which removes it."""
    for node, record in args[name].items():
        if record and not isinstance(record, dict):
            raise FabricError.of(
                f"{name}.{node}: '{record}' is not allowed: use a mapping, or an empty one to remove it."
            )
    return [(node, record or None) for node, record in args[name].items()]


def _present(slug: str, args: Plain) -> list[edit.Change]:
    made = list[edit.Change]()
    if slug not in _HOUSE:
        fields = {name: args[name] for name in _FIELDS if args[name] is not None}
        if args["quotas"]:
            fields["quotas"] = {k: v for k, v in args["quotas"].items() if v is not None}
        made.append(edit.SetTenant(slug, fields))
    if args["remove_nodes"]:
        made.append(edit.Take(slug, tuple(args["remove_nodes"])))
    if args["add_nodes"]:
        nodes = tuple(args["add_nodes"])
        made.append(edit.Place(slug, nodes, args["acceptance"], take=args["take"]))
    return made


def _tenant(plan: Fabric, text: str, slug: str | None) -> Plain:
    """Number and nodes of the tenant in the edited file."""
    if slug is None or not text.strip():
        return {}
    registry = Registry.parse(plan, text)
    if slug not in registry.owners:
        return {}
    return {
        "id": registry.owners[slug].id,
        "nodes": [plan.name(node) for node in registry.nodes_of(slug)],
    }
