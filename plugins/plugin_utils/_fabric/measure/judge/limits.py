# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of performance tests, from `catalog/performance_limits.yaml`, for one class of fabrics.

    class_of(fabric)                        Class(link=400, nics=8, planes=1, tiers=2)
    find(kind, "pairs", "bandwidth")        Limit(percent=95, of="link", ...)
    rate(kind, "link")                      400.0, the measure that `percent` is of

A percentage of what the fabric is built for holds on other nodes too; an absolute figure of one GPU family does not
(NVIDIA aicr, issue 1256).
"""

from __future__ import annotations

import functools
import typing as t

from ...catalog.data import table
from ...plan.topology.cages import gbps
from ..plan.records import BUSBW

if t.TYPE_CHECKING:
    from ...plan.fabric import Fabric
    from ..plan.records import PlannedMeasurement

OURS, PUBLISHED = "ours", "published"
OF = {
    "link": "the port's rate",
    "links": "twice the port's rate",
    "nic": "the NIC's rate",
    "node": "the node's rate",
    "median": "the median",
    "highest": "the fastest",
    "best": "the best placement",
    "alone": "the value alone",
    "before": "the value before",
}
"""Base of a limit in percent, for a person."""
CROSSED = " crossed"
"""Behind the kind of a figure between rails."""
_BITS = 8
"""Bits of a byte: links count Gb/s, collectives GB/s."""


class Class(t.NamedTuple):
    """Class that limits depend on: Gb/s of each address of a NIC, NICs of a node, planes of a NIC, tiers.

    Where the NIC's hardware balances its planes (hwplb) they have one address, and `link` is the rate of all.
    """

    link: int
    nics: int
    planes: int
    tiers: int


class Limit(t.NamedTuple):
    """`percent` of a measure `of`; with `most`, the value may not be more, otherwise not less.

    `nodes` are the fewest of a collective for which it holds. `origin` is ours or published, `source` says by whom.
    """

    percent: float
    of: str
    most: bool
    nodes: int
    origin: str
    source: str


def class_of(fabric: Fabric) -> Class:
    """The class of a fabric; `planes` counts those that have addresses of their own."""
    d = fabric.description
    _mode, planes = d.planes.of_nic
    link = gbps(d.switches.host_speed)
    if d.planes.balancing == "hwplb":
        link, planes = link * planes, 1
    return Class(link, d.rails, planes, d.tiers)


def rate(kind: Class, of: str, gpus: int = 0) -> float | None:
    """Rate that the class is built for: link and links in Gb/s, nic and node in GB/s; None of a measurement.

    `nic` is the share of each GPU where a node has `gpus` of them.
    """
    nic = kind.link * kind.planes / _BITS
    known = {
        "link": float(kind.link),
        "links": 2.0 * kind.link,
        "nic": nic * kind.nics / gpus if gpus else nic,
        "node": nic * kind.nics,
    }
    return known.get(of)


@functools.cache
def find(kind: Class, level: str, figure: str) -> Limit | None:
    """The limit of a figure of a level in a class of fabrics; None where there is none."""
    stated = kind._asdict()
    for row in table("performance_limits")["limits"]:
        where = row.get("where", {})
        fits = all(stated[key] == value for key, value in where.items())
        if fits and (row["level"], row["figure"]) == (level, figure):
            return _limit(row)
    return None


def figure_of(asked: PlannedMeasurement) -> str:
    """The figure of a measurement: its kind, `bandwidth crossed` between rails; of a collective its operation.

    MOD is behind it where ranks are split, and `alone` where it is of one node: NVLink carries that, and no NIC.
    """
    if asked["kind"] != BUSBW:
        return asked["kind"] + ("" if asked["to_rail"] is None else CROSSED)
    split = "alone" if len(asked["nodes"]) < 2 else asked["split"].partition(" ")[0]
    return f"{asked['operation']} {split}".strip()


def _limit(row: dict[str, t.Any]) -> Limit:
    published = row.get("published")
    most, nodes = row.get("most", False), row.get("nodes", 0)
    if published is None:
        return Limit(row["percent"], row["of"], most, nodes, OURS, row["source"])
    percent = round(published - row["tolerance"], 2)
    source = f"{published} % less a tolerance of {row['tolerance']} points, {row['source']}"
    return Limit(percent, row["of"], most, nodes, PUBLISHED, source)


def said(limit: Limit) -> str:
    """Describe the origin of a limit: `published: ...` or `ours: 95 % of the port's rate`."""
    if limit.origin == PUBLISHED:
        return f"{PUBLISHED}: {limit.source}"
    return f"{OURS}: {limit.percent:g} % of {OF[limit.of]}{limit.source.removeprefix(OURS)}"


def most() -> set[tuple[str, str]]:
    """Each level and figure whose value may not be more than its limit."""
    rows = table("performance_limits")["limits"]
    return {(row["level"], row["figure"]) for row in rows if row.get("most")}


def figures() -> set[tuple[str, str]]:
    """Each level and figure that has a limit."""
    return {(row["level"], row["figure"]) for row in table("performance_limits")["limits"]}


def baseline() -> tuple[float, str]:
    """The percentage of a site's best value that later ones may not fall below, and who does so."""
    row = table("performance_limits")["baseline"]
    return row["percent"], row["source"]


def still() -> list[str]:
    """Counters of a NIC port that do not rise in a lossless class."""
    return list(table("performance_limits")["still"])
