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


def hook_files(hook: pathlib.Path) -> list[pathlib.Path]:
    """The file of a hook and those that it includes by their names below its folder, each once.

    A name that a template makes is not followed.
    """
    home, found, due = hook.resolve().parent, list[pathlib.Path](), [hook]
    while due:
        file = due.pop(0)
        if file in found:
            continue
        found.append(file)
        for name in _included(_tasks(file)):
            # As Ansible looks for it: beside the file that includes it, then beside the hook.
            places = ((folder / name).resolve() for folder in (file.parent, home))
            due += [place for place in places if place.is_file() and home in place.parents]
    return found


_INCLUDES = ("include_tasks", "import_tasks")


def settings(file: pathlib.Path) -> list[tuple[str, t.Any]]:
    """The keys of a hook's file with their values, at any depth of its tasks."""
    return list(_settings(_tasks(file)))


def _settings(tasks: t.Any) -> t.Iterator[tuple[str, t.Any]]:
    """Keys and values at any depth; YAML may name a value within itself."""
    due, met = [tasks], set[int]()
    while due:
        value = due.pop()
        if id(value) in met or not isinstance(value, (list, dict)):
            continue
        met.add(id(value))
        due += value if isinstance(value, list) else value.values()
        if isinstance(value, dict):
            yield from ((str(key), told) for key, told in value.items())


def _included(tasks: t.Any) -> t.Iterator[str]:
    """The names of files that tasks include."""
    for key, told in _settings(tasks):
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
