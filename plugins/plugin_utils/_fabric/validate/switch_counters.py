# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a switch counts and reports of itself: errors, bit error rates, deadlocks, RoCE."""

from __future__ import annotations

import typing as t

from ..catalog.data import table
from .results import FAIL, PASS

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..switch.context import Row
    from .results import Result
    from .switch_view import View

_COUNTERS = ("in-errors", "out-errors", "carrier-transitions")


def errors(view: View) -> Iterator[Result]:
    """Error counters, and bit error rates where the switch reports them."""
    stats = {row["port"]: _at(view, row, "link", "stats") for row in view.ctx.ports}
    seen = {port: body for port, body in stats.items() if body}
    if not seen:
        yield view.not_realised("switch.link.errors", "counters of its ports")
    else:
        wrong = [row for port, body in seen.items() for row in _counted(view, port, body)]
        yield from view.judged("switch.link.errors", wrong, len(seen), "ports are free of errors")
    yield from _rates(view)


def _at(view: View, row: Row, *keys: str) -> dict[str, t.Any]:
    node: t.Any = view.interfaces.get(row["port"])
    for key in keys:
        node = node.get(key) if isinstance(node, dict) else None
    return node if isinstance(node, dict) else {}


def _counted(view: View, port: str, body: dict[str, t.Any]) -> Iterator[Result]:
    limits = table("limits_switch")
    for name in _COUNTERS:
        found = _number(body.get(name))
        if found is not None and found > limits[name]:
            yield view.subject.failed(
                "switch.link.errors",
                f"{port}: {name} is {found:.0f}, more than {limits[name]}: check cable and modules, "
                "then clear the counter.",
                port=port,
                expected=limits[name],
                found=found,
            )


def _rates(view: View) -> Iterator[Result]:
    rates = {
        row["port"]: _number(_at(view, row, "link", "phy", "health").get("effective-ber"))
        for row in view.ctx.ports
    }
    known = {port: rate for port, rate in rates.items() if rate is not None}
    if not known:
        yield view.not_realised("switch.link.ber", "bit error rates")
        return
    limit = float(table("limits_switch")["effective-ber"])
    wrong = [
        view.subject.failed(
            "switch.link.ber",
            f"{port}: the effective bit error rate is {rate:g}, more than {limit:g}: clean or replace "
            "the cable.",
            port=port,
            expected=limit,
            found=rate,
        )
        for port, rate in known.items()
        if rate > limit
    ]
    yield from view.judged("switch.link.ber", wrong, len(known), "ports are clean")


def _number(value: t.Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def deadlocks(view: View) -> Iterator[Result]:
    """Deadlocks that the PFC watchdog counted, whatever traffic class."""
    reports = {row["port"]: _at(view, row, "qos", "pfc-watchdog") for row in view.ctx.ports}
    seen = {port: body for port, body in reports.items() if body}
    if not seen:
        yield view.not_realised("switch.watchdog.deadlock", "state of its PFC watchdog")
        return
    wrong = [
        view.subject.failed(
            "switch.watchdog.deadlock",
            f"{port}: the PFC watchdog has counted {count} deadlocks: find the host that pauses "
            "without end, then clear the count.",
            port=port,
            expected=0,
            found=count,
        )
        for port, body in seen.items()
        if (count := _deadlocked(body))
    ]
    yield from view.judged("switch.watchdog.deadlock", wrong, len(seen), "ports saw no deadlock")


def _deadlocked(body: dict[str, t.Any]) -> int:
    """Deadlocks counted anywhere below; a state of DEADLOCK counts as one."""
    total = 0
    for key, value in body.items():
        if isinstance(value, dict):
            total += _deadlocked(value)
        elif key == "deadlock-count":
            total += int(_number(value) or 0)
    stuck = any(str(value).upper() == "DEADLOCK" for value in body.values())
    return total or int(stuck)


def roce(view: View) -> Iterator[Result]:
    """The mode that the switch reports, which is not the one that it was given."""
    if not view.roce.get("mode"):
        yield view.not_realised("switch.roce.operational", "state of RoCE")
        return
    mode, planned = str(view.roce["mode"]), "lossless"
    state, more = PASS, ""
    if mode != planned:
        state, more = FAIL, f", planned is {planned}: run playbook switches"
    yield view.subject.result(
        "switch.roce.operational", state, f"RoCE is {mode}{more}.", expected=planned, found=mode
    )
