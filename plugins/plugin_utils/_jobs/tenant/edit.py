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
from .. import runs

if t.TYPE_CHECKING:
    from ..._fabric.plan.fabric import Fabric
    from ..run import Result, Run

Options = dict[str, t.Any]
"""The options of an edit, as module tenant documents them."""
COMMIT = "registry_commit"
"""The hook that commits the registry."""

# Here, before Ansible forks: each worker that edits would load it again. Who edits without it hears the sentence.
with contextlib.suppress(FabricError):
    ruamel()


def carry_out(run: Run, options: Options) -> Result:
    """Edit, check, and replace the file."""
    return _edited(run, options, write=not run.check)


def record(run: Run, name: str | None, *, defaults: Options) -> Result:
    """Carry out an edit of the planned job; `commit` says whether the hook registry_commit is asked about it.

    Without a name nothing is edited: the hook is asked about edits of earlier runs, unless this run has asked it.
    `defaults` are those of all options of an edit.
    """
    store, check = run.store, run.check
    job, state = store.get("job"), store.get("registry")
    path = run.fabric().beside(FILE)
    result: Result = {"changed": False, "text_diff": "", "commit": False, "path": path}
    if not job or (name and name not in job["edits"]):
        return result
    if name:
        options = {**defaults, **job["edits"][name]}
        result |= _edited(run, options, write=job["written"] and not check)
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


def _edited(run: Run, options: Options, *, write: bool) -> Result:
    plan = run.fabric()
    path = plan.beside(FILE)
    made = changes(options, this_run() if write else None)
    before, after = files.change_file(plan, path, made, write=write, wait=options["wait"])
    texts = (before.splitlines(True), after.splitlines(True))
    lines = difflib.unified_diff(*texts, f"{path} before", f"{path} after")
    result: Result = {"changed": before != after, "path": path, "text_diff": "".join(lines)}
    if run.diff and before != after:
        headers = {"before_header": path, "after_header": path}
        result["diff"] = [{"before": before, "after": after, **headers}]
    return result | _tenant(plan, after, options["slug"])


def this_run() -> edit.Run:
    """This run, which records of moves name."""
    return edit.Run(runs.this(), cache(runs.at_work))


def changes(args: Options, run: edit.Run | None = None) -> list[edit.Change]:
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
    records: t.Mapping[str, Options | None],
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


def _records(name: str, args: Options) -> list[tuple[str, Options | None]]:
    """Records by node; an empty one is None, which removes it."""
    for node, record in args[name].items():
        if record and not isinstance(record, dict):
            raise FabricError.of(
                f"{name}.{node}: '{record}' is not allowed: use a mapping, or an empty one to remove it."
            )
    return [(node, record or None) for node, record in args[name].items()]


def _present(slug: str, args: Options) -> list[edit.Change]:
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


def _tenant(plan: Fabric, text: str, slug: str | None) -> Result:
    """Number and nodes of the tenant in the edited file."""
    registry = Registry.parse(plan, text) if slug and text.strip() else None
    if registry is None or slug not in registry.owners:
        return {}
    nodes = [plan.name(node) for node in registry.nodes_of(slug)]
    return {"id": registry.owners[slug].id, "nodes": nodes}
