# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.nvue_config``; documented in the module of that name."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import (
    provenance,
    switch_outcome,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import of_a_switch
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import files, options
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.client import Limits
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.connect import open_api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.converge import (
    Terms,
    converge,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.disruption_table import (
    CLASSES,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.identity import Identity
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.paths import parse, to_text
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.plan import Wish
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.tree import Doc, normalise

_LIST = {"type": "list", "elements": "str", "default": []}

SPEC: dict[str, dict[str, Any]] = {
    **options.SPEC,
    "state": {
        "type": "str",
        "default": "merged",
        "choices": ["merged", "replaced", "deleted"],
    },
    "config": {"type": "dict", "default": {}},
    "path": {"type": "str", "default": ""},
    "owns": _LIST,
    "unmanaged": _LIST,
    "rotate": _LIST,
    "guard": {"type": "list", "elements": "dict", "default": []},
    "device": {"type": "str"},
    "expected": {
        "type": "dict",
        "default": {},
        "options": {
            "releases": _LIST,
            "serial": {"type": "str", "default": ""},
            "hostname": {"type": "str", "default": ""},
            "lldp": {"type": "dict", "default": {}},
            "factory": {"type": "bool", "default": False},
            "model": {"type": "str", "default": ""},
        },
    },
    "allow_disruptive": {**_LIST, "choices": sorted(CLASSES)},
    "host_ports": {**_LIST, "default": ["swp*"]},
    "confirm_timeout": {"type": "int"},
    "settle_time": {"type": "int"},
    "apply_timeout": {"type": "int", "default": 900},
    "busy_timeout": {"type": "int", "default": 900},
    "approved": {"type": "raw"},
    "report_dir": {"type": "path"},
    "message": {"type": "str", "default": ""},
    "write": {"type": "bool", "default": True},
    "save": {"type": "bool", "default": True},
}


class ActionModule(ActionBase):
    """Compares a switch with a wish and applies the difference in one transaction."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True
    _supports_diff = True

    @of_a_switch
    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> Doc:
        """Run the task and return its result."""
        result: Doc = super().run(tmp, task_vars)
        _found, args = self.validate_argument_spec(SPEC)
        return {**result, **self._converge(args, task_vars or {})}

    def _converge(self, args: Doc, task_vars: Doc) -> Doc:
        wish = _wish(args)
        device = args["device"] or str(task_vars.get("inventory_hostname", "the switch"))
        terms = _terms(
            args,
            device,
            write=args["write"] and not self._task.check_mode,
            message=functools.partial(provenance.message, args["message"], task_vars),
        )
        api = open_api(args, task_vars, self._templar.template)
        limits = Limits(apply=args["apply_timeout"], busy=args["busy_timeout"])
        outcome = converge(api, wish, terms, limits)
        result = switch_outcome.result(outcome, api, diff=self._task.diff)
        if args["report_dir"]:
            done = terms.write and outcome.changed
            result |= switch_outcome.reported(args["report_dir"], device, outcome, done=done)
        return result


def _config(args: Doc) -> Doc:
    """Return the wish below ``path``, as a whole document."""
    config = normalise(args["config"])
    for key in reversed(parse(args["path"])):
        config = {key: config}
    return config


def _owns(args: Doc) -> tuple[str, ...]:
    place = parse(args["path"])
    if args["owns"]:
        below = to_text(place) + "/" if place else ""
        return tuple(below + glob.strip("/") for glob in args["owns"])
    return (to_text(place),) if place else ()


def _wish(args: Doc) -> Wish:
    return Wish(
        _config(args),
        state=args["state"],
        owns=_owns(args),
        unmanaged=tuple(args["unmanaged"]),
        rotate=tuple(args["rotate"]),
        guard=tuple(args["guard"]),
    )


def _terms(
    args: Doc,
    device: str,
    *,
    write: bool,
    message: Callable[[], str] = str,
) -> Terms:
    expected = args["expected"] or {}
    needs_approval = args["approved"] not in (None, "")
    approved = files.read_approval(args["approved"], device) if needs_approval else None
    return Terms(
        device=device,
        releases=tuple(str(release) for release in expected.get("releases") or ()),
        identity=_identity(expected),
        allow_disruptive=frozenset(args["allow_disruptive"]),
        host_ports=tuple(args["host_ports"]),
        approved=approved,
        needs_approval=needs_approval,
        confirm=_seconds(args, "confirm_timeout", "no roll-back timer"),
        settle=_seconds(args, "settle_time", "the first look decides"),
        message=message,
        say=switch_outcome.say,
        write=write,
        save=args["save"],
    )


def _seconds(args: Doc, name: str, zero: str) -> int | None:
    seconds: int | None = args[name]
    if seconds is not None and not 0 <= seconds <= 86400:
        raise RefusedError(f"{name} is {seconds}; it must be from 0 ({zero}) to 86400 s.")
    return seconds


def _identity(expected: Doc) -> Identity:
    places = expected.get("lldp") or {}
    lldp = {}
    for port, place in places.items():
        if not isinstance(place, dict) or not {"system", "port"} <= place.keys():
            raise RefusedError(
                f"expected.lldp.{port} is {place!r}; it must be a mapping with system and port."
            )
        lldp[str(port)] = (str(place["system"]), str(place["port"]))
    return Identity(
        serial=expected.get("serial") or "",
        hostname=expected.get("hostname") or "",
        lldp=lldp,
        factory=bool(expected.get("factory")),
        model=expected.get("model") or "",
    )
