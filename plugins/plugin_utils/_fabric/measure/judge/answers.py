# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of hosts to each requested measurement: a value, or the reason that there is none.

Both sides of a pair have to answer, a collective has one side. An answer counts when its state is `measured`, its
transport is RoCE, and its value is one that the port can have. A host answers for its own side alone. Where both sides
have a value the worse one counts, so that no host makes a result of its own.
"""

from __future__ import annotations

import math
import time
import typing as t

from .....module_utils._perf.records import FAILED, MEASURED, Measurement, nothing
from ...description.errors import shown
from ..plan.records import BUSBW, CLIENT, FAIL, LATENCY, NOT_RUN, SERVER, UNITS
from . import limits

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ...plan.fabric import Fabric
    from ..plan.records import HostMeasurement, PlannedMeasurement

ROCE, TCP, NVLINK = "roce", "tcp", "nvlink"
_OVER = {
    TCP: "it ran over TCP, not over RoCE.",
    NVLINK: "it ran over NVLink alone, so it shows nothing of the fabric.",
    "": "nothing proves that it ran over RoCE.",
}
MALFORMED = "a host returned a measurement that is not of the expected form."
MEMORIES = ("host", "gpu", "")
LONGEST = 2000
"""Characters of a text that a host returns (ours); ours cut theirs at 300."""
MOST_COUNTERS = 10_000
"""Limit of counters of all planes of a node together (ours)."""
_KEYS = frozenset(Measurement.__annotations__)
_MOST = 2**64
"""Counters of 64 bits are the largest numbers that a host has."""
TIME = "%Y-%m-%d %H:%M:%S"
"""Format of a host's clock."""
LOSSLESS = ("pairs", "rails", "bisection", "collectives", "noise")
"""Levels in which no packet of a lossless class is lost; failover takes links away."""


class Answer(t.NamedTuple):
    """`state` is measured, fail or not_run; `why` a sentence without the place, empty where it is measured.

    `counters` are those that rose, of both ends together; `lost` says which of them may not, and where. `note` is what
    a reader has to know of a value.
    """

    asked: PlannedMeasurement
    state: str
    why: str
    value: float | None = None
    p99: float | None = None
    memory: str = ""
    counters: dict[str, int] = {}  # nobody writes to it
    lost: str = ""
    gpus: int = 0  # of each node of a collective
    note: str = ""


def answers(
    fabric: Fabric, asked: Iterable[PlannedMeasurement], measurements: Iterable[HostMeasurement]
) -> list[Answer]:
    """One answer for each measurement that was asked for, in their order."""
    found: dict[str, list[HostMeasurement]] = {}
    for one in measurements:
        found.setdefault(str(one.get("id")), []).append(one)
    kind = limits.class_of(fabric)
    return [_answer(kind, one, found.get(one["id"], [])) for one in asked]


def where(fabric: Fabric, one: PlannedMeasurement) -> str:
    """`worker-a to worker-b, rail 1 to rail 2`, or `all_reduce of 64 nodes from worker-a, best placement`."""
    if one["kind"] == BUSBW:
        split = f" ({one['split']})" if one["split"] else ""
        placement = f", {one['placement']} placement" if one["placement"] else ""
        if len(one["nodes"]) == 1:
            return f"{one['operation']}{split} within {one['first']}"
        nodes = f"{len(one['nodes'])} nodes from {one['first']}"
        return f"{one['operation']}{split} of {nodes}{placement}"
    planes = fabric.clos.planes > 1 and not fabric.clos.by_rail
    plane = f", plane {one['plane'] + 1}" if planes and one["plane"] is not None else ""
    rail = f", rail {one['rail'] + 1}" if one["rail"] is not None else ""
    rail += f" to rail {one['to_rail'] + 1}" if one["to_rail"] is not None else ""
    return f"{one['first']} to {one['second']}{rail}{plane}"


def _answer(
    kind: limits.Class, one: PlannedMeasurement, found: Sequence[HostMeasurement]
) -> Answer:
    if not all(map(_well_formed, found)):
        return Answer(one, FAIL, MALFORMED)
    if why := next((row["sentence"] for row in found if row["state"] == NOT_RUN), None):
        return Answer(one, NOT_RUN, why)
    if why := next(_wrong(one, found), ""):
        return Answer(one, FAIL, why)
    client = next(row for row in found if row["side"] == CLIENT)
    value, p99 = _values(one, client, [row for row in found if row is not client])
    if why := _senseless(kind, one, value) or _tail(one, value, p99):
        return Answer(one, FAIL, why)
    rose = dict[str, int]()
    for row in found:
        for name, count in row["counters"].items():
            rose[name] = rose.get(name, 0) + count
    return Answer(
        one,
        MEASURED,
        "",
        value,
        p99,
        client["memory"],
        {name: count for name, count in sorted(rose.items()) if count > 0},
        ", ".join(_lost(one, found)),
        int(client.get("ranks") or 0) // max(len(one["nodes"]), 1),
        "; ".join(dict.fromkeys(filter(None, (row.get("note") for row in found)))),
    )


def received(
    asked: Iterable[PlannedMeasurement], device: str, rows: t.Any
) -> list[HostMeasurement]:
    """Return a host's measurements of its own sides, in the form that all else relies on.

    A row of another form is a failure of its side. One without an id, or of a measurement that the host has no part in,
    is left out, so that nothing answers for another host.
    """
    sides = {
        one["id"]: CLIENT if device == one["first"] else SERVER
        for one in asked
        if _has(one, device)
    }
    made: list[HostMeasurement] = []
    for row in rows if isinstance(rows, list) else ():
        name = row.get("id") if isinstance(row, dict) else None
        if isinstance(name, str) and name in sides:
            fits = _well_formed(row) and row["side"] == sides[name]
            kept = {key: value for key, value in row.items() if key in _KEYS}
            failed = nothing(name, sides[name], FAILED, MALFORMED)
            made.append(t.cast("HostMeasurement", kept if fits else failed))
    return made


def _has(one: PlannedMeasurement, device: str) -> bool:
    """Check whether a host answers for a side of a measurement; of a collective the first does."""
    return device in (one["first"], one["second"])


def _well_formed(row: Mapping[str, t.Any]) -> bool:
    """Check whether a measurement has the required fields; hosts return plain data, whatever it is."""
    texts = ("side", "state", "sentence", "transport", "memory")
    figures = [row.get("gbps"), row.get("best"), *_items(row.get("latency") or {})]
    counts, seconds = _items(row.get("counters")), row.get("seconds")
    return (
        all(isinstance(row.get(key), str) and len(row[key]) <= LONGEST for key in texts)
        and len(str(row.get("note") or "")) <= LONGEST
        and len(row.get("counters") or ()) <= MOST_COUNTERS
        and row["memory"] in MEMORIES
        and _number(row.get("ranks") or 0, int)
        and all(value is None or _number(value, int, float) for value in figures)
        and all(_number(value, int) for value in counts)
        and _number(seconds, int, float)
        and 0 <= t.cast("float", seconds) < math.inf
        and all(map(_is_cycle, row.get("cycles") or ()))
    )


def _number(value: t.Any, *kinds: type) -> bool:
    """Check whether a value is a number of a size that a host can have; NaN and infinity of a float are."""
    if isinstance(value, bool) or not isinstance(value, kinds):
        return False
    return isinstance(value, float) or abs(t.cast("int", value)) <= _MOST


def _items(value: t.Any) -> list[t.Any]:
    """The values of a mapping; one that is not a number where it is none."""
    return list(value.values()) if isinstance(value, dict) else [""]


def _is_cycle(row: t.Any) -> bool:
    """Check whether a row of nccl-tests has a rate, and a time that can be read or none."""
    if not isinstance(row, dict) or not _number(row.get("busbw"), int, float):
        return False
    return is_time(row.get("at"), empty=True)


def is_time(text: t.Any, *, empty: bool = False) -> bool:
    """Check whether a host's time has the form 2026-11-25 03:10:00; `empty` allows none."""
    try:
        return bool(time.strptime(text, TIME)) if text else empty and text == ""
    except (TypeError, ValueError):
        return False


def _wrong(one: PlannedMeasurement, found: Sequence[HostMeasurement]) -> Iterator[str]:
    """Yield the reasons that the answers do not count, the weightiest first."""
    sides = (CLIENT,) if one["kind"] == BUSBW else (CLIENT, SERVER)
    for row in found:
        if row["state"] == FAILED:
            yield f"{_end(one, row['side'])}: {row['sentence'] or 'it failed without a reason.'}"
    for side in sides:
        number = sum(row["side"] == side for row in found)
        if number != 1:
            times = "no measurement" if not number else f"{number} measurements"
            yield f"{_end(one, side)} returned {times}, and one is needed."
    for row in found:
        if row["state"] != MEASURED:
            yield f"{_end(one, row['side'])} returned the state {shown(str(row['state']))}."
        elif why := _other_way(one, row["transport"]):
            yield why


def _end(one: PlannedMeasurement, side: str) -> str:
    return one["second"] if side == SERVER and one["second"] else one["first"]


def _other_way(one: PlannedMeasurement, transport: str) -> str:
    """Reason that a transport is the wrong one; within a node it must be NVLink."""
    if within(one):
        return _OVER[TCP] if transport == TCP else ""
    return "" if transport == ROCE else _OVER.get(transport, _OVER[""])


def within(one: PlannedMeasurement) -> bool:
    """Check whether a collective stays within its node."""
    return one["kind"] == BUSBW and len(one["nodes"]) < 2


def _values(
    one: PlannedMeasurement, client: HostMeasurement, others: Sequence[HostMeasurement]
) -> tuple[float | None, float | None]:
    """The value of a measurement, and its 99th percentile where it is a latency: of all sides the worst."""
    if one["kind"] == BUSBW:
        return client.get("best"), None
    if one["kind"] != LATENCY:
        return _worst(client["gbps"], [row["gbps"] for row in others], min), None
    late = [row["latency"] or {} for row in (client, *others)]
    typical, p99 = ([row.get(key) for row in late] for key in ("typical", "p99"))
    return _worst(typical[0], typical[1:], max), _worst(p99[0], p99[1:], max)


def _worst(
    own: float | None, others: Iterable[float | None], worse: Callable[[list[float]], float]
) -> float | None:
    """The worst of some values, one that is no finite number first; None where the client has none."""
    if own is None:
        return None
    found = [own, *(value for value in others if value is not None)]
    return next((value for value in found if not math.isfinite(value)), worse(found))


def _senseless(kind: limits.Class, one: PlannedMeasurement, value: float | None) -> str:
    """Reason that a value cannot be one; empty where it can."""
    unit = UNITS[one["kind"]]
    if value is None:
        return "it returned no value."
    if not math.isfinite(value) or value <= 0:
        return f"it returned {value} {unit}, which is not a measurement."
    most = limits.rate(kind, {"bandwidth": "link", "bidirectional": "links"}.get(one["kind"], ""))
    if most is not None and value > most:
        return (
            f"it returned {value:g} {unit}, and the port carries {most:g}: it measured another way."
        )
    return ""


def _tail(one: PlannedMeasurement, value: float | None, p99: float | None) -> str:
    """Reason that a 99th percentile cannot be that of a latency; empty where it can."""
    if one["kind"] != LATENCY or value is None:
        return ""
    if p99 is None or not value <= p99 < math.inf:
        return f"it returned {p99} us for 99 % of its messages, and {value:g} us for a typical one."
    return ""


def _lost(one: PlannedMeasurement, found: Iterable[HostMeasurement]) -> Iterator[str]:
    """`rx_prio3_discards rose by 12 on worker-a`, for each counter that may not rise."""
    if one["level"] not in LOSSLESS or within(one):
        return
    for row in found:
        for name in limits.still():
            if (count := row["counters"].get(name, 0)) > 0:
                yield f"{name} rose by {count} on {_end(one, row['side'])}"
