# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.nvue_config``; documented in the module of that name."""

from __future__ import annotations

import functools
import typing as t

from ..plugin_utils._edge import provenance
from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.connection import open_api
from ..plugin_utils._edge.output import say
from ..plugin_utils._jobs.switch import change
from ..plugin_utils._jobs.switch import outcome as outcomes
from ..plugin_utils._nvue.change.converge import converge
from ..plugin_utils._nvue.change.plan import Wish
from ..plugin_utils._nvue.document.paths import parse, to_text
from ..plugin_utils._nvue.document.tree import normalise, put
from ..plugin_utils._nvue.wire.client import Limits


class ActionModule(Action):
    """Compares a switch with a wish and applies the difference in one transaction."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Compare, apply, report."""
        wish = _wish(args)
        device = args["device"] or str(stated.get("inventory_hostname", "the switch"))
        terms = change.terms_of(
            t.cast("change.VariableMap", args),
            device,
            write=args["write"] and not self._task.check_mode,
            message=functools.partial(provenance.message, args["message"], stated),
            say=say,
        )
        api = open_api(args, stated, self._templar.template)
        limits = Limits(apply=args["apply_timeout"], busy=args["busy_timeout"])
        outcome = converge(api, wish, terms, limits)
        result = outcomes.result(outcome, api, diff=self._task.diff)
        if args["report_dir"]:
            done = terms.write and outcome.changed
            result |= outcomes.reported(args["report_dir"], device, outcome, done=done)
        return result


def _owns(args: Plain) -> tuple[str, ...]:
    place = parse(args["path"])
    if args["owns"]:
        below = to_text(place) + "/" if place else ""
        return tuple(below + glob.strip("/") for glob in args["owns"])
    return (to_text(place),) if place else ()


def _wish(args: Plain) -> Wish:
    return Wish(
        put({}, parse(args["path"]), normalise(args["config"])),
        state=args["state"],
        owns=_owns(args),
        unmanaged=tuple(args["unmanaged"]),
        rotate=tuple(args["rotate"]),
    )
