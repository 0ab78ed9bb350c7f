# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.nvue_config``; documented in the module of that name."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.plugins.action import ActionBase
from ansible.utils import vars as ansible_vars

from ansible_collections.spectrum_x.fabric.plugins.module_utils import _text
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _provenance
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import (
    files,
    options,
    report,
    staging,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.client import Limits
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.connect import open_api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.converge import (
    Outcome,
    Terms,
    converge,
    entry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.disruption_table import (
    CLASSES,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    NvueError,
    RefusedError,
    TransportError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.identity import Identity
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.paths import parse, to_text
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.plan import Wish
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.secrets import values
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.tree import Doc, normalise

FACT = "spx_staged"
# A word that all workers of one run share, and no other run: made once, when Ansible starts.
RUN = str(getattr(ansible_vars, "random_int", None) or os.getppid())

_LIST = {"type": "list", "elements": "str", "default": []}

SPEC: dict[str, dict[str, Any]] = {
    **options.SPEC,
    "state": {
        "type": "str",
        "default": "merged",
        "choices": ["merged", "replaced", "deleted", "staged"],
    },
    "config": {"type": "dict", "default": {}},
    "path": {"type": "str", "default": ""},
    "owns": _LIST,
    "unmanaged": _LIST,
    "rotate": _LIST,
    "guard": {"type": "list", "elements": "dict", "default": []},
    "part": {"type": "dict", "default": {}},
    "considered_only": {"type": "bool", "default": False},
    "role": {"type": "str"},
    "from_staged": {"type": "bool", "default": False},
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

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> Doc:
        """Run the task and return its result."""
        result: Doc = super().run(tmp, task_vars)
        _found, args = self.validate_argument_spec(SPEC)
        try:
            if args["state"] == "staged":
                result.update(self._stage(args, task_vars or {}))
            else:
                result.update(self._converge(args, task_vars or {}))
        except TransportError as exc:
            result.update(unreachable=True, msg=str(exc))
        except NvueError as exc:
            result.update(failed=True, msg=str(exc))
        return result

    def _stage(self, args: Doc, task_vars: Doc) -> Doc:
        if args["considered_only"] and not args["part"].get("considered", True):
            return {"skipped": True}
        role = args["role"] or self._role_name()
        args = _with_part(args)
        config = _config(args)
        staged = staging.add(
            _staged(task_vars),
            role,
            config,
            _owns(args),
            run=RUN,
            guard=args["guard"],
        )
        staged[role] = staging.put_away(staged[role], _shelf(task_vars, role))
        return {
            "changed": False,
            "ansible_facts": {FACT: staged},
            "_ansible_verbose_override": True,
            "_ansible_no_log": any(True for _word in values(config)),
        }

    def _role_name(self) -> str:
        role = getattr(self._task, "_role", None)
        if role is None:
            raise RefusedError("state staged outside a role needs the option role, to tell whose.")
        return str(role.get_name())

    def _converge(self, args: Doc, task_vars: Doc) -> Doc:
        wish = _wish(args, task_vars)
        device = args["device"] or str(task_vars.get("inventory_hostname", "the switch"))
        terms = _terms(
            args,
            device,
            write=args["write"] and not self._task.check_mode,
            message=functools.partial(_provenance.message, args["message"], task_vars),
        )
        api = open_api(args, task_vars, self._templar.template)
        limits = Limits(apply=args["apply_timeout"], busy=args["busy_timeout"])
        outcome = converge(api, wish, terms, limits)
        result = self._result(outcome, api)
        if args["report_dir"]:
            diff = report.lines(outcome.changes)
            result["report"] = files.write_report(
                args["report_dir"], device, entry(outcome, device), diff
            )
        if args["from_staged"]:
            result["ansible_facts"] = {FACT: {}}
        return result

    def _result(self, outcome: Outcome, api: Api) -> Doc:
        result: Doc = {
            "changed": outcome.changed,
            "release": str(outcome.plan.release),
            "revision": outcome.revision,
            "changes": report.as_list(outcome.changes),
            "foreign": outcome.plan.foreign,
            "not_compared": [to_text(path) for path in outcome.plan.not_compared],
            "disruptions": [
                {"class": item.klass, "effect": item.effect, "places": list(item.places)}
                for item in outcome.disruptions
            ],
            "impact": outcome.impact.as_dict(),
            "recognised_by": outcome.recognised,
            "held": _text.plain(list(outcome.plan.held.notes)),
            "drift": _text.plain(list(outcome.plan.held.drift)),
            "requests": api.requests,
            "writes": api.writes,
        }
        if outcome.refusals:
            result["would_refuse"] = _text.plain(outcome.refusals)
        warnings = [*outcome.warnings, *outcome.plan.held.drift]
        if outcome.plan.foreign:
            result["msg"] = f"foreign, left alone: {outcome.plan.foreign}"
        if warnings:
            result["warnings"] = _text.plain(warnings)
        if self._task.diff and outcome.changes:
            result["diff"] = _diff(outcome)
        return result


def _diff(outcome: Outcome) -> list[Doc]:
    before, after = outcome.managed()
    return [
        {
            "before_header": "applied",
            "after_header": "wished",
            "before": report.text(before),
            "after": report.text(after),
        }
    ]


def _with_part(args: Doc) -> Doc:
    """Return the options with what ``part`` holds in their place."""
    part = args["part"]
    if part and (args["config"] or args["owns"] or args["path"] or args["guard"]):
        raise RefusedError(
            "part stands in place of config, path, owns and guard: give one of both."
        )
    return {**args, **{key: part[key] for key in ("config", "owns", "guard") if key in part}}


def _shelf(task_vars: Doc, role: str) -> Path:
    """Return the file of a host's part, in the folder that Ansible removes when it ends."""
    host = str(task_vars.get("inventory_hostname", ""))
    host, name = (re.sub(r"[^\w.-]", "_", word) for word in (host, role))
    return Path(constants.DEFAULT_LOCAL_TMP) / "spx_staged" / host / f"{name}.json"


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


def _staged(task_vars: Doc) -> Any:
    facts = task_vars.get("ansible_facts") or {}
    return facts.get(FACT)


def _wish(args: Doc, task_vars: Doc) -> Wish:
    config, owns, state = _config(args), _owns(args), args["state"]
    guard = tuple(args["guard"])
    if args["from_staged"]:
        if state != "replaced" or config or owns:
            raise RefusedError(
                "from_staged applies what roles staged: it needs state replaced, and neither "
                "config, path nor owns."
            )
        config, owns = staging.collect(_staged(task_vars), run=RUN)
        guard += staging.guards(_staged(task_vars), run=RUN)
        if not owns:
            raise RefusedError("Nothing was staged for this host in this run.")
    return Wish(
        config,
        state=state,
        owns=owns,
        unmanaged=tuple(args["unmanaged"]),
        rotate=tuple(args["rotate"]),
        guard=guard,
    )


def _terms(args: Doc, device: str, *, write: bool, message: Callable[[], str] = str) -> Terms:
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
