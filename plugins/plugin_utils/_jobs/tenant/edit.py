# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of the registry on the controller."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import typing as t
from functools import cache

from ..._fabric.description._third_party import ruamel
from ..._fabric.description.errors import FabricError
from ..._fabric.export.monitoring import files as monitoring
from ..._fabric.tenants import edit, files, schema
from ..._fabric.tenants.moves.records import RegistryEdit
from ..._fabric.tenants.prefixes import is_house
from ..._fabric.tenants.registry import FILE, Registry
from .. import runs
from .kinds import JOB, REGISTRY

if t.TYPE_CHECKING:
    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.tenants.moves.records import Note
    from ..run import Result, Run

COMMIT = "registry_commit"
"""The hook that commits the registry."""

# Here, before Ansible forks: each worker that edits would load it again. Who edits without it hears the sentence.
with contextlib.suppress(FabricError):
    ruamel()


def carry_out(run: Run, asked: RegistryEdit) -> Result:
    """Edit, check, and replace the file."""
    return _edited(run, asked, write=not run.check)


def record(run: Run, name: str | None) -> Result:
    """Carry out an edit of the planned job; `commit` says whether the hook registry_commit is asked about it.

    Without a name nothing is edited: the hook is asked about edits of earlier runs, unless this run has asked it.
    """
    store, check = run.store, run.check
    job, state = store.get(JOB), store.get(REGISTRY)
    path = run.fabric().beside(FILE)
    result: Result = {"changed": False, "text_diff": "", "commit": False, "path": path}
    if not job or (name and name not in job.edits):
        return result
    if name:
        result |= _edited(run, job.edits[name], write=job.written and not check)
    if check:
        return result
    # A later edit of the run takes that of its beginning along.
    if name != "begin" and result["changed"]:
        state = dataclasses.replace(state, uncommitted=str(result["text_diff"]))
    due = bool(name) or not state.asked
    site = bool(result["text_diff"]) or COMMIT in job.site_hooks
    if job.written and due and site:
        state = dataclasses.replace(state, asked=True, committed=False)
        result["commit"] = True
    store.put(REGISTRY, state)
    return result


def _edited(run: Run, asked: RegistryEdit, *, write: bool) -> Result:
    plan = run.fabric()
    path = plan.beside(FILE)
    made = changes(asked, this_run() if write else None)
    before, after = files.change_file(plan, path, made, write=write, wait=asked.wait)
    texts = (before.splitlines(True), after.splitlines(True))
    lines = difflib.unified_diff(*texts, f"{path} before", f"{path} after")
    result: Result = {"changed": before != after, "path": path, "text_diff": "".join(lines)}
    if run.diff and before != after:
        headers = {"before_header": path, "after_header": path}
        result["diff"] = [{"before": before, "after": after, **headers}]
    if write and before != after and (warnings := monitoring.rewrite(plan, Registry.load(plan))):
        result["warnings"] = warnings
    return result | _tenant(plan, after, asked.slug)


def this_run() -> edit.Run:
    """This run, which records of moves name."""
    return edit.Run(runs.this(), cache(runs.at_work))


def of_options(options: t.Mapping[str, t.Any]) -> RegistryEdit:
    """Return the edit that options of module tenant ask for."""
    names = {field.name for field in dataclasses.fields(RegistryEdit)} - {"fields"}
    stated = {name: options.get(name) for name in schema.Tenant.model_fields if name != "slug"}
    fields = {name: value for name, value in stated.items() if value is not None}
    if options.get("quotas"):
        fields["quotas"] = {k: v for k, v in options["quotas"].items() if v is not None}
    for name in ("moves", "health"):
        for node, record in options[name].items():
            if record and not isinstance(record, dict):
                raise FabricError.of(
                    f"{name}.{node}: '{record}' is not allowed: use a mapping, or an empty one to remove it."
                )
    return RegistryEdit(**{name: options[name] for name in names}, fields=fields)


def changes(asked: RegistryEdit, run: edit.Run | None = None) -> list[edit.Change]:
    """The changes of an edit, in the order in which they are carried out.

    Records of moves that go on from a known one become the run's.
    """
    slug, made = asked.slug, list[edit.Change]()
    if slug is None and not (asked.moves or asked.health):
        raise FabricError.of("slug: the option is missing: name the tenant.")
    if slug is not None and asked.state == "absent":
        made += [edit.Take(slug, tuple(asked.remove_nodes))] if asked.remove_nodes else []
        made.append(edit.DropTenant(slug))
    elif slug is not None:
        made += _present(slug, asked)
    moves = {node: record or None for node, record in asked.moves.items()}
    made += moved(moves, asked.moves_at, asked.moves_of, run)
    return [
        *made,
        *(edit.RecordHealth(node, record or None) for node, record in asked.health.items()),
    ]


def moved(
    records: t.Mapping[str, Note | None],
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


def _present(slug: str, asked: RegistryEdit) -> list[edit.Change]:
    made = list[edit.Change]()
    if not is_house(slug):
        made.append(edit.SetTenant(slug, asked.fields))
    if asked.remove_nodes:
        made.append(edit.Take(slug, tuple(asked.remove_nodes)))
    if asked.add_nodes:
        nodes = tuple(asked.add_nodes)
        made.append(edit.Place(slug, nodes, asked.acceptance, take=asked.take))
    return made


def _tenant(plan: Fabric, text: str, slug: str | None) -> Result:
    """Number and nodes of the tenant in the edited file."""
    registry = Registry.parse(plan, text) if slug and text.strip() else None
    if registry is None or slug not in registry.owners:
        return {}
    nodes = [plan.name(node) for node in registry.nodes_of(slug)]
    return {"id": registry.owners[slug].id, "nodes": nodes}
