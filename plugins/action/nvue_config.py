# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.nvue_config``; documented in the module of that name."""

from __future__ import annotations

import functools
from collections.abc import Callable

from ..plugin_utils._edge import provenance, switch_outcome
from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._nvue import report
from ..plugin_utils._nvue.client import Limits
from ..plugin_utils._nvue.connect import open_api
from ..plugin_utils._nvue.converge import Terms, converge
from ..plugin_utils._nvue.errors import RefusedError
from ..plugin_utils._nvue.identity import Identity
from ..plugin_utils._nvue.paths import parse, to_text
from ..plugin_utils._nvue.plan import Wish
from ..plugin_utils._nvue.tree import normalise, put


class ActionModule(Action):
    """Compares a switch with a wish and applies the difference in one transaction."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Compare, apply, report."""
        wish = _wish(args)
        device = args["device"] or str(stated.get("inventory_hostname", "the switch"))
        terms = _terms(
            args,
            device,
            write=args["write"] and not self._task.check_mode,
            message=functools.partial(provenance.message, args["message"], stated),
        )
        api = open_api(args, stated, self._templar.template)
        limits = Limits(apply=args["apply_timeout"], busy=args["busy_timeout"])
        outcome = converge(api, wish, terms, limits)
        result = switch_outcome.result(outcome, api, diff=self._task.diff)
        if args["report_dir"]:
            done = terms.write and outcome.changed
            result |= switch_outcome.reported(args["report_dir"], device, outcome, done=done)
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


def _terms(
    args: Plain,
    device: str,
    *,
    write: bool,
    message: Callable[[], str] = str,
) -> Terms:
    expected = args["expected"] or {}
    needs_approval = args["approved"] not in (None, "")
    approved = report.read_approval(args["approved"], device) if needs_approval else None
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


def _seconds(args: Plain, name: str, zero: str) -> int | None:
    seconds: int | None = args[name]
    if seconds is not None and not 0 <= seconds <= 86400:
        raise RefusedError(f"{name} is {seconds}; it must be from 0 ({zero}) to 86400 s.")
    return seconds


def _identity(expected: Plain) -> Identity:
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
