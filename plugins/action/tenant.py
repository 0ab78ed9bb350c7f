# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.tenant``; documented in the module of that name."""

from __future__ import annotations

import difflib
import json
import typing as t
from functools import cache

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import runs
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.project import fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import sentences
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

_STRINGS = {"type": "list", "elements": "str"}
_ARGUMENTS: dict[str, dict[str, t.Any]] = {
    "description": {"type": "path"},
    "path": {"type": "path"},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "slug": {"type": "str"},
    "id": {"type": "int"},
    "nodes": _STRINGS,
    "add_nodes": {**_STRINGS, "default": []},
    "remove_nodes": {**_STRINGS, "default": []},
    "take": {"type": "bool", "default": False},
    "acceptance": {"type": "str"},
    "networks": {**_STRINGS, "choices": ["east-west", "storage", "front-end"]},
    "quotas": {"type": "dict", "options": {"nodes": {"type": "int"}, "gpus": {"type": "int"}}},
    "shared": _STRINGS,
    "host_access": {"type": "str", "choices": ["managed", "none"]},
    "routes": {"type": "str", "choices": ["exact", "rail", "leaf"]},
    "since": {"type": "str"},
    "contact": {"type": "str"},
    "moves": {"type": "dict", "default": {}},
    "moves_at": {"type": "dict", "default": {}},
    "moves_of": {"type": "dict", "default": {}},
    "health": {"type": "dict", "default": {}},
    "wait": {"type": "int", "default": 30},
}
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


class ActionModule(ActionBase):
    """Edits the registry on the controller."""

    _supports_check_mode = True
    _supports_diff = True
    _requires_connection = False

    @sentences()
    def run(
        self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None
    ) -> dict[str, t.Any]:
        """Edit, check, and replace the file."""
        result: dict[str, t.Any] = super().run(tmp, task_vars)
        _validation, given = self.validate_argument_spec(_ARGUMENTS)
        options = json.loads(json.dumps(given))  # text without Ansible's tags
        plan = fabric(options["description"], task_vars)
        path = options["path"] or plan.beside(FILE)
        run = None if self._task.check_mode else edit.Run(runs.this(), cache(runs.at_work))
        before, after = files.change_file(
            plan,
            path,
            changes(options, run),
            write=not self._task.check_mode,
            wait=options["wait"],
        )
        names = {"fromfile": f"{path} before", "tofile": f"{path} after"}
        lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), **names)
        result |= {"changed": before != after, "path": path, "text_diff": "".join(lines)}
        if self._task.diff and before != after:
            headers = {"before_header": path, "after_header": path}
            result["diff"] = [{"before": before, "after": after, **headers}]
        return result | _tenant(plan, after, options["slug"])


def changes(options: dict[str, t.Any], run: edit.Run | None = None) -> list[edit.Change]:
    """The edits that the options ask for, in the order in which they are carried out.

    Records of moves that go on from a known one become the run's.
    """
    slug, made = options["slug"], list[edit.Change]()
    if slug is None and not (options["moves"] or options["health"]):
        raise FabricError.of("slug: the option is missing: name the tenant.")
    if slug is not None and options["state"] == "absent":
        made += [edit.Take(slug, tuple(options["remove_nodes"]))] if options["remove_nodes"] else []
        made.append(edit.DropTenant(slug))
    elif slug is not None:
        made += _present(slug, options)
    at, of = options["moves_at"], options["moves_of"]
    made += [
        edit.Move(
            *(node, record),
            at=at.get(node),
            of=of.get(node) or "",
            run=run if node in of else None,
        )
        for node, record in _records("moves", options)
    ]
    made += [edit.Know(*row) for row in _records("health", options)]
    return made


def _records(name: str, options: dict[str, t.Any]) -> list[tuple[str, dict[str, t.Any] | None]]:
    """Records by node; an empty one is None, which removes it."""
    for node, record in options[name].items():
        if record and not isinstance(record, dict):
            raise FabricError.of(
                f"{name}.{node}: '{record}' is not allowed: use a mapping, or an empty one to remove it."
            )
    return [(node, record or None) for node, record in options[name].items()]


def _present(slug: str, options: dict[str, t.Any]) -> list[edit.Change]:
    made = list[edit.Change]()
    if slug not in _HOUSE:
        fields = {name: options[name] for name in _FIELDS if options[name] is not None}
        if options["quotas"]:
            fields["quotas"] = {k: v for k, v in options["quotas"].items() if v is not None}
        made.append(edit.SetTenant(slug, fields))
    if options["remove_nodes"]:
        made.append(edit.Take(slug, tuple(options["remove_nodes"])))
    if options["add_nodes"]:
        nodes = tuple(options["add_nodes"])
        made.append(edit.Place(slug, nodes, options["acceptance"], take=options["take"]))
    return made


def _tenant(plan: Fabric, text: str, slug: str | None) -> dict[str, t.Any]:
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
