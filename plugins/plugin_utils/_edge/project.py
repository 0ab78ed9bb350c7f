# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which description a plugin means, and where its project keeps hooks. Private.

An option of the task decides, then the inventory source of the run. Without such a source it is the variable
`spx_description`, else `model/fabric.yml` in the folder of the environment variable SPX_PROJECT or in the current
folder.
"""

from __future__ import annotations

import os
import pathlib
import re
import typing as t

import yaml

from .._fabric.description import yaml_source
from .._fabric.description.errors import FabricError
from .._fabric.plan.fabric import Fabric
from .._fabric.plan.groups import Groups

_FABRIC = re.compile("spx_fabric_.")
"""How the group of all hosts of a fabric begins."""
INVENTORIED: dict[str, str] = {}
"""The description of each inventory source that this process has parsed, by the source; workers inherit it.

An exported inventory has no source here: a plan of another machine is no path of this one.
"""


def description_path(
    option: str | None = None, variables: t.Mapping[str, t.Any] | None = None
) -> str:
    """The absolute path of the description; FabricError when the run names two of them."""
    if option:
        return _file(option)
    variable = (variables or {}).get("spx_description")
    project = os.environ.get("SPX_PROJECT")
    named = _file(variable) if variable else _file(project, folder=True) if project else None
    found = sorted(set(INVENTORIED.values()))
    if not found:
        return named or _file(os.getcwd(), folder=True)
    if named is None and len(found) == 1:
        return found[0]
    same = [path for path in found if named and os.path.realpath(path) == os.path.realpath(named)]
    if same:
        return same[0]
    if named is None:
        raise FabricError.of(
            f"-i: the inventory sources are of {len(found)} descriptions, {' and '.join(found)}: pass the "
            "source of one fabric."
        )
    where = "variable spx_description" if variable else "environment variable SPX_PROJECT"
    raise FabricError.of(
        f"{where}: it names {named}, and the inventory source of -i is of {' and '.join(found)}: pass the "
        f"hosts.fabric.yml of the fabric that you mean, and leave {where.rpartition(' ')[2]} out."
    )


def _file(stated: str, *, folder: bool = False) -> str:
    """The absolute path of a description, which is model/fabric.yml of a project's folder."""
    path = os.path.abspath(os.path.expanduser(str(stated)))
    return os.path.join(path, "model", "fabric.yml") if folder or os.path.isdir(path) else path


def hook_folders(description: str, stated: str | None = None) -> list[str]:
    """The folders in which a site's hooks are looked for, the first first.

    `stated` is the variable spx_hooks; FabricError when it is no folder, as each hook would be left out unsaid.
    """
    if stated and not os.path.isdir(stated):
        raise FabricError.of(
            f"variable spx_hooks: {stated} is no folder: name the one that holds your hooks, or leave it out."
        )
    project = os.path.dirname(os.path.dirname(description))
    return [*filter(None, [stated]), os.path.join(project, "hooks")]


OWN_HOOKS = pathlib.Path(__file__).resolve().parents[3] / "playbooks" / "hooks"
"""What the collection runs where the site has no hook of the name: it does nothing."""


OWN_TASKS = OWN_HOOKS.parent / "tasks"
"""Where the collection's playbooks have the tasks that several share."""


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


def _included(tasks: t.Any) -> t.Iterator[str]:
    """The names of files that tasks include, at any depth of blocks; YAML may name a value within itself."""
    due, met = [tasks], set[int]()
    while due:
        value = due.pop()
        if id(value) in met or not isinstance(value, (list, dict)):
            continue
        met.add(id(value))
        due += value if isinstance(value, list) else value.values()
        for key, told in value.items() if isinstance(value, dict) else ():
            if str(key).rpartition(".")[2] not in _INCLUDES:
                continue
            name = told.get("file") if isinstance(told, dict) else told
            if isinstance(name, str) and name.strip():
                yield name.split()[0].removeprefix("file=")


def _does_something(file: pathlib.Path) -> bool:
    """Whether a hook has tasks, and other ones than those of the collection's own, which do nothing."""
    tasks = _tasks(file)
    if tasks and not (isinstance(tasks, list) and all(isinstance(task, dict) for task in tasks)):
        raise FabricError.of(f"hook {file}: it is no list of tasks: correct it.")
    return bool(tasks) and all(tasks != _tasks(own) for own in OWN_HOOKS.glob("*.yml"))


def _tasks(file: pathlib.Path) -> t.Any:
    """What a hook's file holds, with tags of Ansible as plain values."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        yaml_source.refuse_depth(text, str(file))
        return yaml.load(text, _Plain)
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as exc:
        line = str(exc).splitlines()[0]
        raise FabricError.of(f"hook {file}: it is no list of tasks ({line}): correct it.") from exc


class _Plain(yaml.SafeLoader):
    """Reads `!vault`, `!unsafe` and other tags as the value behind them."""


def _untagged(loader: yaml.SafeLoader, _suffix: str, node: yaml.Node) -> t.Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(t.cast("yaml.ScalarNode", node))


_Plain.add_multi_constructor("!", _untagged)


def fabric(option: str | None = None, variables: t.Mapping[str, t.Any] | None = None) -> Fabric:
    """The loaded fabric; FabricError when it does not load, or when an exported inventory is of another one."""
    found = Fabric.load(description_path(option, variables))
    groups = [group for group in (variables or {}).get("groups", ()) if _FABRIC.match(group)]
    if groups and not option and Groups(found).all not in groups:
        raise FabricError.of(
            f"{found.source.path}: it is of fabric {found.description.name}, and the inventory has the group "
            f"{groups[0]}: pass the inventory and the description of one fabric."
        )
    return found
