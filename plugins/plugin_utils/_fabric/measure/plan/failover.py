# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A job that goes on while a part of the fabric is shut: which one, and what its rows show before, during and after.

    cuts(fabric, nodes)                   {"link": Element(...), "spine": Element(...), ...}
    unshut(element, plugin)               why it is not shut
    phases(asked, measured, shut, ...)    three measurements of the one job

The job is an alltoall that is repeated until it is ended. nccl-tests prints a row for each repeat, with the time of its
host in whole seconds; `ahead` is by how many seconds that clock is ahead of the controller's. Rows near a change
belong to neither side of it.

A job lives without an uplink or a spine. Without a leaf, a plane or a NIC port it lives where a NIC has ports in
several planes and the NCCL plugin of the job moves its traffic to the others. A link that loses some packets, and stays
up, is not tested by this.
"""

from __future__ import annotations

import calendar
import statistics
import time
import typing as t

from .....module_utils._perf.records import FAILED, MEASURED
from . import placement
from .levels import AFTER, BEFORE, CUTS, DURING
from .records import NEVER, NOT_RUN, PLUGIN, asked_of

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ...plan.fabric import Fabric
    from .records import Element, HostMeasurement, Level, PlannedMeasurement

LEVEL = "failover"
DURATIONS = ("before", "shut", "back", "after")
"""Parameters of the level: seconds of the job before its ports are shut, while they are, until it has to be at its rate
again, and from then on. A site may choose others, and is held to 60 s of `back` at most."""
EDGE = 2.0
"""Seconds at each end of a phase that do not count: rows have whole seconds, and a row shows what was before it."""
GREY = "Level failover does not test links that lose some packets and stay up."


class ShutTimes(t.TypedDict, total=False):
    """Times at which ports were shut and given back, in seconds since 1970; or the reason that they were not.

    Ports of several switches: all of them are shut from `began` to `ended`, and some from `first` to `last`.
    """

    first: float
    began: float
    ended: float
    last: float
    sentence: str


def timed(level: Level, durations: Mapping[str, int]) -> Level:
    """The level with the durations that a site has chosen; one that shuts nothing is returned as it is."""
    return level._replace(parameters={**level.parameters, **durations}) if level.cuts else level


def lasts(level: Level) -> int:
    """Seconds of a job, as far as the switch applies at once."""
    return sum(int(level.parameters[name]) for name in DURATIONS)


def says(level: Level) -> str:
    """Describe the lengths of the parts of a job, as a sentence."""
    told = level.parameters
    return (
        f"Level failover shuts a part for {told['shut']} s, after {told['before']} s of the job, and measures "
        f"{told['after']} s of it, from {told['back']} s after the part is given back."
    )


def cuts(fabric: Fabric, nodes: Sequence[str]) -> dict[str, Element]:
    """The first of each kind that the level is about: link, spine, leaf, plane where there are several, host_link."""
    found = placement.elements(fabric, nodes)
    return {kind: first for kind, rows in found.items() if (first := next(rows, None))}


def unshut(element: Element, plugin: str) -> str:
    """Reason that an element is not shut, as a sentence; empty where it is. `plugin` is the one that the site
    states."""
    if element.expected == PLUGIN and not plugin:
        return f"{element.says} Name that plugin with spx_nccl_plugin, as NCCL prints it."
    return element.says if element.expected == NEVER else ""


def together(name: str, spans: Iterable[tuple[float, float]]) -> ShutTimes:
    """Return the time in which ports of some switches were shut together, from the seconds of each."""
    began, ended = zip(*spans)
    if max(began) >= min(ended):
        return {
            "sentence": f"{name} was not shut as a whole, as its switches did not act at the same time: run it with "
            "more forks."
        }
    return {"first": min(began), "began": max(began), "ended": min(ended), "last": max(ended)}


def steps(fabric: Fabric, nodes: Sequence[str]) -> Iterator[tuple[str, list[PlannedMeasurement]]]:
    """(key, what is asked) of each cut: one job of all nodes, seen in three phases."""
    groups = placement.groups(fabric, nodes)
    for kind in cuts(fabric, nodes) if groups else ():
        yield (
            f"{LEVEL}/{kind}",
            [
                asked_of(LEVEL, groups[-1], operation="alltoall", step=f"{phase}-{kind}")
                for phase in CUTS
            ],
        )


def kind_of(key: str) -> str:
    """The kind of the element that a step shuts."""
    return key.rpartition("/")[2]


def phases(
    asked: Sequence[PlannedMeasurement],
    job: HostMeasurement | None,
    shut: ShutTimes,
    *,
    ahead: float,
    back: int,
    plugin: str = "",
) -> list[HostMeasurement]:
    """The measurement of each phase from that of the job, which has the id of the first.

    It has to be at its rate again `back` seconds after its ports were given back. `plugin` is the one without which the
    job would not live; a job that had another one shows nothing.
    """
    if job is None:
        return []
    if job["state"] != MEASURED:
        return [{**job, "id": one["id"]} for one in asked]
    if why := shut.get("sentence") or _other(job, plugin):
        return [{**job, "id": one["id"], "state": NOT_RUN, "sentence": why} for one in asked]
    rows = list(_rows(job, ahead))
    if not rows:
        why = "nccl-tests printed no row with a time: install a version that has the option -S."
        return [{**job, "id": one["id"], "state": NOT_RUN, "sentence": why} for one in asked]
    bounds = _bounds(shut, back)
    return [_phase(one, job, rows, bounds[one["step"].partition("-")[0]]) for one in asked]


def _other(job: HostMeasurement, plugin: str) -> str:
    used = str(dict(job).get("plugin") or "")
    if not plugin or used.casefold() == plugin.casefold():
        return ""
    return f"NCCL loaded {used or 'no network plugin'}, and spx_nccl_plugin is {plugin}: correct one of them."


def _rows(job: HostMeasurement, ahead: float) -> Iterator[tuple[float, float]]:
    """(second, GB/s) of each repeat, by the clock of the controller."""
    rows: t.Any = job.get("cycles") or ()
    for row in rows:
        if row["at"]:
            yield seconds(row["at"]) - ahead, float(row["busbw"])


def seconds(text: str) -> float:
    """The seconds of a host's time such as 2026-11-25 03:10:00, counted as if it were UTC."""
    return float(calendar.timegm(time.strptime(text, "%Y-%m-%d %H:%M:%S")))


def _bounds(shut: ShutTimes, back: int) -> Mapping[str, tuple[float, float]]:
    return {
        BEFORE: (0.0, shut["first"] - EDGE),
        DURING: (shut["began"] + EDGE, shut["ended"] - EDGE),
        AFTER: (shut["last"] + back, float("inf")),
    }


def _phase(
    one: PlannedMeasurement,
    job: HostMeasurement,
    rows: Sequence[tuple[float, float]],
    bounds: tuple[float, float],
) -> HostMeasurement:
    """Return a job's measurement in one phase; without a row it stopped or has ended."""
    found = [rate for second, rate in rows if bounds[0] <= second <= bounds[1]]
    if not found:
        why = "the job printed nothing in this time: it stopped, or it has ended."
        return {**job, "id": one["id"], "state": FAILED, "sentence": why, "best": None}
    return {**job, "id": one["id"], "best": round(statistics.median(found), 3)}
