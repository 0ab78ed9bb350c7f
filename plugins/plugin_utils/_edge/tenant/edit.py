# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of the registry on the controller."""

from __future__ import annotations

import contextlib
import difflib
import typing as t
from functools import cache

from ..._fabric.description._third_party import ruamel
from ..._fabric.description.errors import FabricError
from ..._fabric.tenants import edit, files, schema
from ..._fabric.tenants.prefixes import is_house
from ..._fabric.tenants.registry import FILE, Registry
from ..._jobs import runs
from ..project import fabric
from ..run_store import store

if t.TYPE_CHECKING:
    from ..._fabric.plan.fabric import Fabric
    from ..action import Action, Plain

COMMIT = "registry_commit"
"""The hook that commits the registry."""

# Here, before Ansible forks: each worker that edits would load it again. Who edits without it hears the sentence.
with contextlib.suppress(FabricError):
    ruamel()


def run(task: Action, args: Plain, stated: Plain) -> Plain:
    """Edit, check, and replace the file."""
    return _edited(task, args, stated, write=not task._task.check_mode)


def record(task: Action, args: Plain, stated: Plain) -> Plain:
    """Carry out an edit of the planned job; `commit` says whether the hook registry_commit is asked about it.

    Without a name nothing is edited: the hook is asked about edits of earlier runs, unless this run has asked it.
    """
    job, state = store.get("job"), store.get("registry")
    name, check = args["edit"], task._task.check_mode
    path = fabric(args["description"], stated).beside(FILE)
    result: Plain = {"changed": False, "text_diff": "", "commit": False, "path": path}
    if not job or (name and name not in job["edits"]):
        return result
    if name:
        options = {option: row.get("default") for option, row in task.SPEC.items()}
        edit = {**options, **job["edits"][name], "description": args["description"]}
        result |= _edited(task, edit, stated, write=job["written"] and not check)
    if check:
        return result
    # A later edit of the run takes that of its beginning along.
    if name != "begin" and result["changed"]:
        state = {**state, "uncommitted": result["text_diff"]}
    due = bool(name) or not state.get("asked")
    site = bool(result["text_diff"]) or COMMIT in job["site_hooks"]
    if job["written"] and due and site:
        state = {**state, "asked": True, "committed": False}
        result["commit"] = True
    store.put("registry", state)
    return result


def _edited(task: Action, args: Plain, stated: Plain, *, write: bool) -> Plain:
    plan = fabric(args["description"], stated)
    path = plan.beside(FILE)
    made = changes(args, this_run() if write else None)
    before, after = files.change_file(plan, path, made, write=write, wait=args["wait"])
    texts = (before.splitlines(True), after.splitlines(True))
    lines = difflib.unified_diff(*texts, f"{path} before", f"{path} after")
    result: Plain = {"changed": before != after, "path": path, "text_diff": "".join(lines)}
    if task._task.diff and before != after:
        headers = {"before_header": path, "after_header": path}
        result["diff"] = [{"before": before, "after": after, **headers}]
    return result | _tenant(plan, after, args["slug"])


def this_run() -> edit.Run:
    """This run, which records of moves name."""
    return edit.Run(runs.this(), cache(runs.at_work))


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
    moves = dict(_records("moves", args))
    made += moved(moves, args["moves_at"], args["moves_of"], run)
    return [*made, *(edit.Know(*row) for row in _records("health", args))]


def moved(
    records: t.Mapping[str, Plain | None],
    at: t.Mapping[str, str],
    of: t.Mapping[str, str],
    run: edit.Run | None,
) -> list[edit.Change]:
    """Edits of the records of moves by node; those of nodes in `of` become the run's."""
    return [
        edit.Move(
            *(node, record),
            at=at.get(node),
            of=of.get(node) or "",
            run=run if node in of else None,
        )
        for node, record in records.items()
    ]


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
    if not is_house(slug):
        stated = {name: args.get(name) for name in schema.Tenant.model_fields if name != "slug"}
        fields = {name: value for name, value in stated.items() if value is not None}
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
    registry = Registry.parse(plan, text) if slug and text.strip() else None
    if registry is None or slug not in registry.owners:
        return {}
    nodes = [plan.name(node) for node in registry.nodes_of(slug)]
    return {"id": registry.owners[slug].id, "nodes": nodes}
