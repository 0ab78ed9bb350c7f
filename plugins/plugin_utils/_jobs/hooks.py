# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hooks of a site: where a project keeps them, and which of them do something. Private."""

from __future__ import annotations

import os
import pathlib
import typing as t

import yaml

from .._fabric.description import yaml_source
from .._fabric.description.errors import FabricError


def hook_folders(description: str, folder: str | None = None) -> list[str]:
    """The folders in which a site's hooks are looked for, the first first.

    `folder` is the variable spx_hooks; FabricError when it is not a folder, as each hook would be left out unsaid.
    """
    if folder and not os.path.isdir(folder):
        raise FabricError.of(
            f"variable spx_hooks: {folder} is not a folder: name the one that holds your hooks, or leave it out."
        )
    project = os.path.dirname(os.path.dirname(description))
    return [*filter(None, [folder]), os.path.join(project, "hooks")]


OWN_HOOKS = pathlib.Path(__file__).resolve().parents[3] / "playbooks" / "hooks"
"""Hooks of the collection for names without a hook of the site: they do nothing."""


OWN_TASKS = OWN_HOOKS.parent / "tasks"
"""Folder of tasks that several of the collection's playbooks share."""


def site_hooks(folders: t.Sequence[str], names: t.Iterable[str]) -> dict[str, str]:
    """The files of the hooks that a site has of its own, by name: the first of the name decides."""
    found = {}
    for name in names:
        files = (pathlib.Path(folder) / f"{name}.yml" for folder in folders)
        first = next((file for file in files if file.is_file()), None)
        if first is not None and _does_something(first):
            found[name] = str(first)
    return found


class HookTask(t.NamedTuple):
    """A task of a hook's file, and the hosts that it, its blocks and its includes name for it to run on."""

    file: pathlib.Path
    body: dict[str, object]
    hosts: frozenset[str]

    def calls(self) -> t.Iterator[tuple[str, object]]:
        """Yield the keys of the task with their values, among them its module with the options."""
        for key, value in self.body.items():
            if key in ("action", "local_action"):
                called = (
                    value.get("module") if isinstance(value, dict) else str(value).partition(" ")[0]
                )
                yield str(called), value
            else:
                yield key, value


def hook_tasks(hook: pathlib.Path) -> list[HookTask]:
    """Return the tasks of a hook and of the files that it includes by their names below its folder.

    A name that a template makes is not followed.
    """
    home, due = hook.resolve().parent, [(hook, frozenset[str]())]
    made: dict[tuple[pathlib.Path, frozenset[str]], list[HookTask]] = {}
    while due:
        file, hosts = due.pop(0)
        if (file, hosts) in made:
            continue
        made[file, hosts] = found = list(_flat(file, _tasks(file), hosts, set()))
        due += [(below, task.hosts) for task in found for below in _below(task, home)]
    return [task for found in made.values() for task in found]


def hook_files(hook: pathlib.Path) -> list[pathlib.Path]:
    """Return the files of the tasks of a hook, each once."""
    return list(dict.fromkeys([hook, *(task.file for task in hook_tasks(hook))]))


def unseen(hook: pathlib.Path) -> bool:
    """Return whether a hook includes a role, or a file of which the name or the place is not known."""
    home = hook.resolve().parent
    return any(
        key.rpartition(".")[2] in _ROLES
        or (key.rpartition(".")[2] in _INCLUDES and not _below(task, home))
        for task in hook_tasks(hook)
        for key, _value in task.calls()
    )


def _below(own: HookTask, home: pathlib.Path) -> list[pathlib.Path]:
    """Return the files that a task includes, where Ansible looks: beside its own file, then beside the hook."""
    places = [
        (folder / name).resolve()
        for name in _included(own.body)
        for folder in (own.file.parent, home)
    ]
    return [place for place in places if place.is_file() and home in place.parents]


def _flat(
    file: pathlib.Path, tasks: object, hosts: frozenset[str], met: set[tuple[int, frozenset[str]]]
) -> t.Iterator[HookTask]:
    """Yield the tasks of a list and of the blocks in it; YAML may name a block within itself."""
    for task in tasks if isinstance(tasks, list) else ():
        if not isinstance(task, dict):
            continue
        own = {str(key): value for key, value in task.items() if key not in _BLOCKS}
        named = hosts | {str(value) for key, value in settings(own) if key in _HOSTS}
        if (id(task), named) in met:
            continue
        met.add((id(task), named))
        yield HookTask(file, own, named)
        for key in _BLOCKS:
            yield from _flat(file, task.get(key), named, met)


_BLOCKS = ("block", "rescue", "always")
_HOSTS = ("delegate_to", "connection", "ansible_host", "ansible_connection")
"""Keys that say where a task runs, also in the variables and `apply` of a task, block or include."""
_ROLES = ("include_role", "import_role")
_INCLUDES = ("include_tasks", "import_tasks")


def settings(tasks: object) -> t.Iterator[tuple[str, object]]:
    """Yield keys and values at any depth; YAML may name a value within itself."""
    due, met = [tasks], set[int]()
    while due:
        value = due.pop()
        if id(value) in met or not isinstance(value, (list, dict)):
            continue
        met.add(id(value))
        due += value if isinstance(value, list) else value.values()
        if isinstance(value, dict):
            yield from ((str(key), inner) for key, inner in value.items())


def _included(tasks: object) -> t.Iterator[str]:
    """The names of files that tasks include."""
    for key, told in settings(tasks):
        if key.rpartition(".")[2] not in _INCLUDES:
            continue
        name = told.get("file") if isinstance(told, dict) else told
        if isinstance(name, str) and name.strip():
            yield name.split()[0].removeprefix("file=")


def _does_something(file: pathlib.Path) -> bool:
    """Check whether a hook has tasks other than the collection's own, which do nothing."""
    tasks = _tasks(file)
    if tasks and not (isinstance(tasks, list) and all(isinstance(task, dict) for task in tasks)):
        raise FabricError.of(f"hook {file}: it is not a list of tasks: correct it.")
    return bool(tasks) and all(tasks != _tasks(own) for own in OWN_HOOKS.glob("*.yml"))


def _tasks(file: pathlib.Path) -> t.Any:
    """Read the tasks of a hook's file, with tags of Ansible as plain values."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        yaml_source.refuse_depth(text, str(file))
        return yaml.load(text, _Plain)
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as exc:
        line = str(exc).splitlines()[0]
        raise FabricError.of(
            f"hook {file}: it is not a list of tasks ({line}): correct it."
        ) from exc


class _Plain(yaml.SafeLoader):
    """Reads `!vault`, `!unsafe` and other tags as the value behind them."""


def _untagged(loader: yaml.SafeLoader, _suffix: str, node: yaml.Node) -> t.Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(t.cast("yaml.ScalarNode", node))


_Plain.add_multi_constructor("!", _untagged)
