# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which description a plugin means. Private.

The path is the option if given, else the variable `spx_description`, else `model/fabric.yml` in the
folder of the environment variable SPX_PROJECT or in the current folder. Never the inventory's.
"""

from __future__ import annotations

import os
import typing as t

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric


def description_path(
    option: str | None = None, variables: t.Mapping[str, t.Any] | None = None
) -> str:
    """The absolute path of the description."""
    stated = option or (variables or {}).get("spx_description")
    if stated:
        path = os.path.expanduser(str(stated))
        return (
            os.path.join(path, "model", "fabric.yml")
            if os.path.isdir(path)
            else os.path.abspath(path)
        )
    project = os.environ.get("SPX_PROJECT") or os.getcwd()
    return os.path.abspath(os.path.join(os.path.expanduser(project), "model", "fabric.yml"))


def fabric(option: str | None = None, variables: t.Mapping[str, t.Any] | None = None) -> Fabric:
    """The loaded fabric; FabricError when it does not load."""
    return Fabric.load(description_path(option, variables))
