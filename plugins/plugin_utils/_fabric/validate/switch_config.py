# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The applied configuration against what the roles render: QoS, adaptive routing, and the rest."""

from __future__ import annotations

import typing as t

from ..._nvue import plan as planning
from ..._nvue.errors import NvueError
from ..._nvue.paths import Globs, to_text
from ..catalog.data import table
from ..switch.compose import lay

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ....module_utils._json import Doc
    from ..._nvue.tree import Change
    from .results import Result
    from .switch_view import View

_MOST_NAMED = 5


def configuration(view: View) -> Iterator[Result]:
    """Compares what the roles render with what is applied: QoS, adaptive routing, and the rest."""
    compared = {
        name: row["paths"] for name, row in table("checks_switch").items() if "paths" in row
    }
    try:
        changes, foreign = _changes(view)
    except NvueError as exc:
        for check_id in (*compared, "switch.drift"):
            yield view.subject.not_run(check_id, f"It could not be compared: {exc}")
        return
    specific = Globs(path for paths in compared.values() for path in paths)
    for check_id, paths in compared.items():
        globs = Globs(paths)
        yield from _compared(view, check_id, [c for c in changes if globs.covers(c.path)])
    yield from _compared(view, "switch.drift", [c for c in changes if not specific.covers(c.path)])
    if foreign:
        yield view.subject.passed(
            "switch.foreign", f"{foreign} foreign settings are left alone.", found=foreign
        )


def _changes(view: View) -> tuple[list[Change], int]:
    """What differs in all that the roles own, and how many unmanaged settings there are."""
    if not view.parts:
        return [], 0
    config: Doc = {}
    for part in view.parts.values():
        lay(config, part["config"])
    wish = planning.Wish(
        config,
        state="replaced",
        owns=tuple(glob for part in view.parts.values() for glob in part["owns"]),
        unmanaged=view.unmanaged,
        guard=next((part["guard"] for part in view.parts.values() if part.get("guard")), None),
    )
    made = planning.make(view.applied, wish, view.release)
    return made.changes, made.foreign


def _compared(view: View, check_id: str, changes: Sequence[Change]) -> Iterator[Result]:
    if not view.parts:
        yield view.subject.not_run(check_id, "No role of this collection manages the switch.")
        return
    if not changes:
        yield view.subject.passed(check_id, str(table("checks_switch")[check_id]["says"]))
        return
    named = [to_text(change.path) for change in changes[:_MOST_NAMED]]
    more = f" and {len(changes) - _MOST_NAMED} more" if len(changes) > _MOST_NAMED else ""
    one = len(changes) == 1
    first = changes[0]
    yield view.subject.failed(
        check_id,
        f"{len(changes)} setting{'' if one else 's'} differ{'s' if one else ''} from the plan: "
        f"{', '.join(named)}{more}: run playbook switches.",
        port=_port(changes),
        expected=first.after if one else None,
        found=first.before if one else [to_text(change.path) for change in changes],
    )


def _port(changes: Sequence[Change]) -> str | None:
    """The port, when everything that differs is on one."""
    ports = {c.path[1] if c.path[0] == "interface" and len(c.path) > 1 else None for c in changes}
    return ports.pop() if len(ports) == 1 else None
