# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.nvue_info``; documented in the module of that name."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import of_a_switch
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import (
    dialect,
    operational,
    options,
    ranges,
    secrets,
    shapes,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.connect import open_api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import ApiError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.paths import Path, parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.tree import Doc

SPEC: dict[str, dict[str, Any]] = {
    **options.SPEC,
    "path": {"type": "str"},
    "paths": {"type": "list", "elements": "str"},
    "rev": {"type": "str", "default": "operational"},
    "params": {"type": "dict", "default": {}},
    "neutral": {"type": "bool", "default": False},
    "missing_ok": {"type": "bool", "default": False},
    "fact": {"type": "str"},
}


class ActionModule(ActionBase):
    """Reads places of a switch over one connection."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True

    @of_a_switch
    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> Doc:
        """Run the task and return its result."""
        result: Doc = super().run(tmp, task_vars)
        _found, args = self.validate_argument_spec(
            SPEC, mutually_exclusive=[["path", "paths"]], required_one_of=[["path", "paths"]]
        )
        api = open_api(args, task_vars or {}, self._templar.template)
        return {**result, **_read(api, args)}


def _read(api: Api, args: Doc) -> Doc:
    result: Doc = {"changed": False}
    try:
        if args["path"] is not None:
            result["data"] = _one(api, args["path"], args)
        else:
            result["data"] = {path: _one(api, path, args) for path in args["paths"]}
        if args["neutral"] and args["path"] is not None and not parse(args["path"]):
            release = operational.about(api).release
            result["data"] = dialect.from_release(ranges.expand(result["data"]), release)
            result["release"] = str(release)
    finally:
        api.port.close()
    result["requests"] = api.requests
    if args["fact"]:
        result["ansible_facts"] = {args["fact"]: result["data"]}
    return result


def _one(api: Api, path: str, args: Doc) -> Any:
    params = {
        "rev": args["rev"],
        **{str(name): str(value) for name, value in args["params"].items()},
    }
    shape = shapes.difference if "diff" in params else shapes.something
    try:
        return _masked(api.get(parse(path), params, shape), parse(path))
    except ApiError as exc:
        if args["missing_ok"] and exc.status == 404:
            return None
        raise


def _masked(found: Any, path: Path) -> Any:
    """Return an answer without secrets; a difference may be a list of paths with their values."""
    if isinstance(found, list):
        return [_masked(row, path) for row in found]
    if isinstance(found, dict) and isinstance(found.get("path"), str) and "value" in found:
        return {**found, "value": _masked(found["value"], (*path, *parse(found["path"])))}
    return secrets.mask(found, path)
