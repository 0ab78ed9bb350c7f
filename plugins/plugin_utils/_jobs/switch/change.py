# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The change of one switch to what is wanted of it, under the conditions of its host. Private.

    result = run(api, wanted, how)

Variables are resolved before, in the thread of the task; `run` may be called from another thread.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ....module_utils import _text
from ..._fabric.audit.switch import drained_by
from ..._fabric.description.errors import FabricError
from ..._fabric.render.switch import change_conditions
from ..._nvue.change import report
from ..._nvue.change.converge import Terms, converge
from ..._nvue.change.identity import Identity, Place
from ..._nvue.errors import RefusedError
from ..._nvue.wire.client import Limits
from . import outcome as outcomes

if t.TYPE_CHECKING:
    from ..._fabric.render.switch.context import Context
    from ..._nvue.wire.api import Api
    from .wish import SwitchWish

Doc = dict[str, object]

APPLY = "switch_apply"
DAY = 86400
SECONDS = {"confirm_timeout": (0, DAY), "settle_time": (-1, DAY), "timeout": (1, DAY)}
"""Ranges of the times of `switch_apply`, in seconds."""


class Apply(t.TypedDict):
    """The variables of role switch_apply, by their names without the role's."""

    allow_disruptive: list[str]
    approved: str
    report: str
    rotate: list[str]
    factory: bool
    serial: str
    confirm_timeout: int
    settle_time: int
    timeout: int
    message: str


class ChangeOptions(t.TypedDict):
    """Conditions of a change: options of module nvue_config; None is what the switch or the release decides."""

    expected: t.Mapping[str, object] | None
    approved: str | None
    allow_disruptive: t.Sequence[str]
    host_ports: t.Sequence[str]
    confirm_timeout: int | None
    settle_time: int | None
    save: t.NotRequired[bool]


@dataclasses.dataclass(frozen=True)
class Conditions:
    """The variables of `switch_apply` and more; `message` names the run, `say` warns while it waits."""

    given: Apply
    message: t.Callable[[], str]
    say: t.Callable[[str], None]
    check: bool = False
    diff: bool = False
    write: bool = True
    after: t.Callable[[Api, SwitchWish, Conditions], Doc] | None = None
    """Work after a change that was made, such as its backup; it adds to the result."""


def run(api: Api, wanted: SwitchWish, how: Conditions) -> Doc:
    """Bring a switch to what is wanted, or compare it; the result of a task. NvueError as `converge` raises it."""
    device, given = str(wanted.ctx.slice["name"]), how.given
    may = not wanted.unlisted and not how.check
    outcome = converge(
        api,
        wanted.wish(rotate=tuple(given["rotate"])),
        terms(wanted, how, write=may and how.write),
        Limits(apply=given["timeout"]),
    )
    result = outcomes.result(outcome, api, diff=how.diff)
    held = outcome.plan.held
    result |= {"held": [*map(_text.line, held.notes)], "drift": [*map(_text.line, held.drift)]}
    result["drained"] = bool(drained_by(outcome.plan.before))
    result["due"] = outcome.changed and not wanted.unlisted
    if not how.check and (wanted.unlisted or not how.write):
        result["changed"] = False
    if wanted.unlisted:
        warnings = t.cast("list[str]", result.get("warnings") or [])
        result["warnings"] = [*warnings, _only_planned(wanted.unlisted)]
        result["only_planned"] = outcome.changed and not how.check
    done = may and how.write and outcome.changed
    if given["report"]:
        result |= outcomes.reported(given["report"], device, outcome, done=done)
    if done and how.after and not result.get("failed"):
        result |= how.after(api, wanted, how)
    return result


def bounded(given: Apply) -> Apply:
    """The variables of `switch_apply`; FabricError with a time that is out of bounds."""
    times = {
        key: value for key, value in given.items() if key in SECONDS and isinstance(value, int)
    }
    for name, value in times.items():
        least, most = SECONDS[name]
        if not least <= value <= most:
            raise FabricError.of(
                f"variable {APPLY}_{name}: {value} is not allowed: use {least} to {most} seconds."
            )
    return given


def _only_planned(roles: list[str]) -> str:
    return (
        f"Nothing will be written: manage in the description does not list {', '.join(roles)}; --check --diff "
        "shows the changes."
    )


def identity(ctx: Context, how: Conditions) -> Identity:
    """By what a switch is recognised: from the plan, and from the variables of `switch_apply`."""
    expected, given = change_conditions.terms(ctx)["expected"], how.given
    serial = given["serial"] or expected["serial"]
    made = _identity({**expected, "serial": serial, "factory": given["factory"]})
    return dataclasses.replace(made, sure=bool(given["serial"]))


def terms(wanted: SwitchWish, how: Conditions, *, write: bool) -> Terms:
    """The terms of the change: from the plan, and from the variables of `switch_apply`."""
    due, given = change_conditions.terms(wanted.ctx), how.given
    asked: ChangeOptions = {
        "approved": given["approved"],
        "allow_disruptive": given["allow_disruptive"],
        "expected": t.cast("t.Mapping[str, object]", due["expected"]),
        "host_ports": due["host_ports"],
        "confirm_timeout": given["confirm_timeout"] or None,
        "settle_time": None if given["settle_time"] < 0 else given["settle_time"],
    }
    made = terms_of(asked, due["device"], write=write, message=how.message, say=how.say)
    return dataclasses.replace(made, identity=identity(wanted.ctx, how))


def terms_of(
    args: ChangeOptions,
    device: str,
    *,
    write: bool,
    message: t.Callable[[], str],
    say: t.Callable[[str], None],
) -> Terms:
    """The terms of a change, from what the options of module nvue_config say; NvueError for a wrong value."""
    expected, approved = args["expected"] or {}, args["approved"]
    return Terms(
        device=device,
        releases=tuple(map(str, t.cast("t.Sequence[object]", expected.get("releases") or ()))),
        identity=_identity(expected),
        allow_disruptive=frozenset(args["allow_disruptive"]),
        host_ports=tuple(args["host_ports"]),
        approved=report.read_approval(approved, device) if approved else None,
        needs_approval=bool(approved),
        confirm=_seconds("confirm_timeout", args["confirm_timeout"], "no roll-back timer"),
        settle=_seconds("settle_time", args["settle_time"], "the first look decides"),
        message=message,
        say=say,
        write=write,
        save=args.get("save", True),
    )


def _seconds(name: str, seconds: int | None, zero: str) -> int | None:
    if seconds is not None and not 0 <= seconds <= DAY:
        raise RefusedError(f"{name} is {seconds}; it must be from 0 ({zero}) to {DAY} s.")
    return seconds


def _identity(expected: t.Mapping[str, object]) -> Identity:
    lldp = {}
    stated = t.cast("t.Mapping[str, object]", expected.get("lldp") or {})
    for port, place in stated.items():
        if not isinstance(place, dict) or not {"system", "port"} <= place.keys():
            raise RefusedError(
                f"expected.lldp.{port} is {place!r}; it must be a mapping with system and port."
            )
        lldp[str(port)] = Place(str(place["system"]), str(place["port"]))
    return Identity(
        serial=str(expected.get("serial") or ""),
        hostname=str(expected.get("hostname") or ""),
        lldp=lldp,
        factory=bool(expected.get("factory")),
        model=str(expected.get("model") or ""),
    )
