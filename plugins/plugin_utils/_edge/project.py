# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which description a plugin means, and where its project keeps hooks. Private.

The path is the option if given, else the variable `spx_description`, else `model/fabric.yml` in the
folder of the environment variable SPX_PROJECT or in the current folder. Never the inventory's.
"""

from __future__ import annotations

import os
import pathlib
import typing as t

import yaml

from .._fabric.fabric import Fabric
from .._fabric.model.errors import FabricError


def description_path(
    option: str | None = None, variables: t.Mapping[str, t.Any] | None = None
) -> str:
    """The absolute path of the description."""
    stated = option or (variables or {}).get("spx_description")
    if stated:
        path = os.path.abspath(os.path.expanduser(str(stated)))
        return os.path.join(path, "model", "fabric.yml") if os.path.isdir(path) else path
    project = os.environ.get("SPX_PROJECT") or os.getcwd()
    return os.path.abspath(os.path.join(os.path.expanduser(project), "model", "fabric.yml"))


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


def site_hooks(folders: t.Sequence[str], names: t.Iterable[str]) -> dict[str, str]:
    """The files of the hooks that a site has of its own, by name: the first of the name decides."""
    found = {}
    for name in names:
        files = (pathlib.Path(folder) / f"{name}.yml" for folder in folders)
        first = next((file for file in files if file.is_file()), None)
        if first is not None and _does_something(first):
            found[name] = str(first)
    return found


def _does_something(file: pathlib.Path) -> bool:
    """Whether a hook has tasks, and other ones than those of the collection's own, which do nothing."""
    tasks = _tasks(file)
    if tasks and not (isinstance(tasks, list) and all(isinstance(task, dict) for task in tasks)):
        raise FabricError.of(f"hook {file}: it is no list of tasks: correct it.")
    return bool(tasks) and all(tasks != _tasks(own) for own in OWN_HOOKS.glob("*.yml"))


def _tasks(file: pathlib.Path) -> t.Any:
    """What a hook's file holds, with tags of Ansible as plain values."""
    try:
        return yaml.load(file.read_text(encoding="utf-8-sig"), _Plain)
    except (OSError, yaml.YAMLError, UnicodeDecodeError, RecursionError) as exc:
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
    """The loaded fabric; FabricError when it does not load."""
    return Fabric.load(description_path(option, variables))
