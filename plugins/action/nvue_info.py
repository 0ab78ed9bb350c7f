# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.nvue_info``; documented in the module of that name."""

from __future__ import annotations

from typing import Any, ClassVar

from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.connection import open_api
from ..plugin_utils._nvue.document import dialect, ranges, secrets, shapes
from ..plugin_utils._nvue.document.paths import Path, parse
from ..plugin_utils._nvue.errors import ApiError
from ..plugin_utils._nvue.wire import operational
from ..plugin_utils._nvue.wire.api import Api
from ..plugin_utils._nvue.wire.port import Values


class ActionModule(Action):
    """Reads places of a switch over one connection."""

    RULES: ClassVar[Plain] = {
        "mutually_exclusive": [["path", "paths"]],
        "required_one_of": [["path", "paths"]],
    }

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Read what is asked for."""
        return _read(open_api(args, stated, self._templar.template), args)


def _read(api: Api, args: Plain) -> Plain:
    result: Plain = {"changed": False}
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
    return result


def _one(api: Api, path: str, args: Plain) -> Any:
    params: dict[str, Values] = {
        "rev": args["rev"],
        **{str(name): _values(value) for name, value in args["params"].items()},
    }
    shape = shapes.difference if "diff" in params else shapes.something
    try:
        return _masked(api.get(parse(path), params, shape), parse(path))
    except ApiError as exc:
        if args["missing_ok"] and exc.status == 404:
            return None
        raise


def _values(value: Any) -> Values:
    """Return the value of a parameter, or several."""
    return tuple(map(str, value)) if isinstance(value, list) else str(value)


def _masked(found: Any, path: Path) -> Any:
    """Return an answer without secrets; a difference may be a list of paths with their values."""
    if isinstance(found, list):
        return [_masked(row, path) for row in found]
    if isinstance(found, dict) and isinstance(found.get("path"), str) and "value" in found:
        return {**found, "value": _masked(found["value"], (*path, *parse(found["path"])))}
    return secrets.mask(found, path)
