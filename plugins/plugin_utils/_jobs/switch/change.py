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
from ..._fabric.render.switch import terms
from ..._nvue.change import report
from ..._nvue.change.converge import Terms, converge
from ..._nvue.change.identity import Identity, Place
from ..._nvue.errors import RefusedError
from ..._nvue.wire.client import Limits
from . import outcome as outcomes

if t.TYPE_CHECKING:
    from ..._fabric.render.switch.context import Context
    from ..._nvue.wire.api import Api
    from .wish import Wanted

Doc = dict[str, t.Any]

APPLY = "switch_apply"
DAY = 86400
SECONDS = {"confirm_timeout": (0, DAY), "settle_time": (-1, DAY), "timeout": (1, DAY)}
"""What the times of `switch_apply` may be, in seconds."""


@dataclasses.dataclass(frozen=True)
class Conditions:
    """The variables of `switch_apply` and more; `message` names the run, `say` warns while it waits."""

    given: Doc
    message: t.Callable[[], str]
    say: t.Callable[[str], None]
    check: bool = False
    diff: bool = False
    write: bool = True


def run(api: Api, wanted: Wanted, how: Conditions) -> Doc:
    """Bring a switch to what is wanted, or compare it; the result of a task. NvueError as `converge` raises it."""
    device, given = str(wanted.ctx.slice["name"]), how.given
    may = not wanted.unlisted and not how.check
    outcome = converge(
        api,
        wanted.wish(rotate=tuple(given["rotate"])),
        _terms(wanted, how, write=may and how.write),
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
        result.setdefault("warnings", []).append(_only_planned(wanted.unlisted))
        result["only_planned"] = outcome.changed and not how.check
    if given["report"]:
        done = may and how.write and outcome.changed
        result |= outcomes.reported(given["report"], device, outcome, done=done)
    return result


def bounded(given: Doc) -> Doc:
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


def identity(ctx: Context, how: Conditions) -> Identity:
    """By what a switch is recognised: from the plan, and from the variables of `switch_apply`."""
    expected, given = terms.terms(ctx)["expected"], how.given
    serial = given["serial"] or expected["serial"]
    made = _identity({**expected, "serial": serial, "factory": given["factory"]})
    return dataclasses.replace(made, sure=bool(given["serial"]))


def _terms(wanted: Wanted, how: Conditions, *, write: bool) -> Terms:
    """The terms of the change: from the plan, and from the variables of `switch_apply`."""
    due, given = terms.terms(wanted.ctx), how.given
    asked = {
        **given,
        "expected": due["expected"],
        "host_ports": due["host_ports"],
        "confirm_timeout": given["confirm_timeout"] or None,
        "settle_time": None if given["settle_time"] < 0 else given["settle_time"],
    }
    made = terms_of(asked, due["device"], write=write, message=how.message, say=how.say)
    return dataclasses.replace(made, identity=identity(wanted.ctx, how))


def terms_of(
    args: Doc,
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
        releases=tuple(str(release) for release in expected.get("releases") or ()),
        identity=_identity(expected),
        allow_disruptive=frozenset(args["allow_disruptive"]),
        host_ports=tuple(args["host_ports"]),
        approved=report.read_approval(approved, device) if approved else None,
        needs_approval=bool(approved),
        confirm=_seconds(args, "confirm_timeout", "no roll-back timer"),
        settle=_seconds(args, "settle_time", "the first look decides"),
        message=message,
        say=say,
        write=write,
        save=args.get("save", True),
    )


def _seconds(args: Doc, name: str, zero: str) -> int | None:
    seconds: int | None = args[name]
    if seconds is not None and not 0 <= seconds <= DAY:
        raise RefusedError(f"{name} is {seconds}; it must be from 0 ({zero}) to {DAY} s.")
    return seconds


def _identity(expected: t.Mapping[str, t.Any]) -> Identity:
    lldp = {}
    for port, place in (expected.get("lldp") or {}).items():
        if not isinstance(place, dict) or not {"system", "port"} <= place.keys():
            raise RefusedError(
                f"expected.lldp.{port} is {place!r}; it must be a mapping with system and port."
            )
        lldp[str(port)] = Place(str(place["system"]), str(place["port"]))
    return Identity(
        serial=expected.get("serial") or "",
        hostname=expected.get("hostname") or "",
        lldp=lldp,
        factory=bool(expected.get("factory")),
        model=expected.get("model") or "",
    )
