# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.switch``; documented in the module of that name."""

from __future__ import annotations

import functools
from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.vars import load_extra_vars

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import (
    _provenance,
    _role_variables,
    _switch_outcome,
    _switch_wish,
    _unread,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import variables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import terms
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import switch_view
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import files, options
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.client import Limits
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.connect import open_api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.converge import (
    Terms,
    converge,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.identity import Identity
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._project import fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._wrappers import (
    of_a_switch,
    sentences,
)

APPLY = "switch_apply"

Doc = dict[str, Any]

SPEC: dict[str, dict[str, Any]] = {
    **options.SPEC,
    "roles": {
        "type": "list",
        "elements": "str",
        "choices": list(_switch_wish.ROLES),
        "default": [],
    },
    "device": {"type": "str"},
    "description": {"type": "path"},
    "tenants": {"type": "path"},
    "write": {"type": "bool", "default": True},
}


class ActionModule(ActionBase):
    """Compares a switch with what its roles want, and applies the difference in one transaction."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True
    _supports_diff = True

    @sentences()
    @of_a_switch
    def run(self, tmp: str | None = None, task_vars: Doc | None = None) -> Doc:
        """Run the task and return its result."""
        result: Doc = super().run(tmp, task_vars)
        _found, args = self.validate_argument_spec(SPEC)
        _unread.warn(task_vars or {})
        return {**result, **self._switch(args, task_vars or {})}

    def _switch(self, args: Doc, stated: Doc) -> Doc:
        template = self._templar.template
        plan = fabric(args["description"], stated)
        stated = {**stated, **self._typed(stated)}
        device = args["device"] or str(stated.get("inventory_hostname"))
        wanted = _switch_wish.wanted(
            *(plan, device, stated, template), roles=args["roles"], registry=args["tenants"]
        )
        if not args["write"] and device in switch_view.resting_devices(wanted.ctx):
            return {"skipped": True, "msg": f"{device} is listed in out_of_service."}
        if not wanted.roles:
            return {"skipped": True, "msg": "manage of the description lists no role of a switch."}
        given = _bounded(_role_variables.values(APPLY, stated, template))
        may = not wanted.unlisted and not self._task.check_mode
        api = open_api(args, stated, template)
        outcome = converge(
            api,
            wanted.wish(rotate=tuple(given["rotate"])),
            _terms(wanted, given, stated, write=may and args["write"]),
            Limits(apply=given["timeout"]),
        )
        result = _switch_outcome.result(outcome, api, diff=self._task.diff)
        result["due"] = outcome.changed and not wanted.unlisted
        if not self._task.check_mode and (wanted.unlisted or not args["write"]):
            result["changed"] = False
        if wanted.unlisted:
            result.setdefault("warnings", []).append(_only_planned(wanted.unlisted))
        if given["report"]:
            done = may and args["write"] and outcome.changed
            result |= _switch_outcome.reported(given["report"], device, outcome, done=done)
        return result

    def _typed(self, stated: Doc) -> Doc:
        """The variables of a run that this host has; FabricError for one that counts only with -e."""
        template = self._templar.template
        own = {
            name: _role_variables.rendered(name, stated[name], template)
            for name in RUN
            if name in stated
        }
        return variables.check(own, extra=load_extra_vars(self._loader))


RUN = ("spx_allow_disruptive", "spx_approved", "spx_factory", "spx_report", "spx_rotate")
"""Variables of a run that the defaults of `switch_apply` are made of."""
DAY = 86400
SECONDS = {"confirm_timeout": (0, DAY), "settle_time": (-1, DAY), "timeout": (1, DAY)}
"""What the times of `switch_apply` may be, in seconds."""


def _bounded(given: Doc) -> Doc:
    """The variables of `switch_apply`; FabricError with a time that is out of bounds."""
    for name, (least, most) in SECONDS.items():
        if not least <= given[name] <= most:
            raise FabricError.of(
                f"variable {APPLY}_{name}: {given[name]} is not allowed: use {least} to {most} seconds."
            )
    return given


def _only_planned(roles: list[str]) -> str:
    return (
        f"Nothing will be written: manage in the description does not list {', '.join(roles)}; --check --diff shows "
        "what would be."
    )


def _terms(wanted: _switch_wish.Wanted, given: Doc, stated: Doc, *, write: bool) -> Terms:
    """The terms of the change: from the plan, and from the variables of `switch_apply`."""
    due = terms.terms(wanted.ctx)
    expected, device, approved = due["expected"], due["device"], given["approved"]
    return Terms(
        device=device,
        releases=tuple(expected["releases"]),
        identity=Identity(
            serial=given["serial"] or expected["serial"],
            hostname=expected["hostname"],
            lldp={port: (row["system"], row["port"]) for port, row in expected["lldp"].items()},
            factory=given["factory"],
            model=expected["model"],
        ),
        allow_disruptive=frozenset(given["allow_disruptive"]),
        host_ports=tuple(due["host_ports"]),
        approved=files.read_approval(approved, device) if approved else None,
        needs_approval=bool(approved),
        confirm=given["confirm_timeout"] or None,
        settle=None if given["settle_time"] < 0 else given["settle_time"],
        message=functools.partial(_provenance.message, given["message"], stated),
        say=_switch_outcome.say,
        write=write,
    )
