# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The description that a plugin means. Private.

An option of the task decides, then the inventory source of the run. Without such a source it is the variable
`spx_description`, else `model/fabric.yml` in the folder of the environment variable SPX_PROJECT or in the current
folder.
"""

from __future__ import annotations

import os
import re
import typing as t

from .._fabric.description.errors import FabricError
from .._fabric.plan.fabric import Fabric
from .._fabric.plan.groups import Groups

_FABRIC = re.compile("spx_fabric_.")
"""Prefix of the group of all hosts of a fabric."""
INVENTORIED: dict[str, str] = {}
"""The description of each inventory source that this process has parsed, by the source; workers inherit it.

An exported inventory has no source here: a plan of another machine is not a path of this one.
"""
DESCRIPTION = (
    "it is a description, not an inventory source: pass the hosts.fabric.yml that names it."
)


def description_path(
    option: str | None = None, variables: t.Mapping[str, object] | None = None
) -> str:
    """The absolute path of the description; FabricError when the run names two of them."""
    if option:
        return _file(option)
    variable = (variables or {}).get("spx_description")
    project = os.environ.get("SPX_PROJECT")
    named = _file(str(variable)) if variable else _file(project, folder=True) if project else None
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


def is_named(variables: t.Mapping[str, object]) -> bool:
    """Say if a run names a description: by its inventory source, a variable or the environment."""
    return bool(INVENTORIED or variables.get("spx_description") or os.environ.get("SPX_PROJECT"))


def _file(stated: object, *, folder: bool = False) -> str:
    """The absolute path of a description, which is model/fabric.yml of a project's folder."""
    path = os.path.abspath(os.path.expanduser(str(stated)))
    return os.path.join(path, "model", "fabric.yml") if folder or os.path.isdir(path) else path


def fabric(option: str | None = None, variables: t.Mapping[str, object] | None = None) -> Fabric:
    """The loaded fabric; FabricError when it does not load, or when an exported inventory is of another one."""
    found = Fabric.load(description_path(option, variables))
    stated = (variables or {}).get("groups")
    groups = [*filter(_FABRIC.match, stated)] if isinstance(stated, t.Mapping) else []
    if groups and not option and Groups(found).all not in groups:
        raise FabricError.of(
            f"{found.source.path}: it is of fabric {found.description.name}, and the inventory has the group "
            f"{groups[0]}: pass the inventory and the description of one fabric."
        )
    return found
