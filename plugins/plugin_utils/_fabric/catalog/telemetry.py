# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics that a release of Cumulus Linux exports by OTLP, those that are kept, and how many series they make.

kept(["5.16.1"], GROUPS)          {"nvswitch_interface_oper_state": Metric(...), ...}
groups_refusal(["wjh"], ["5.16.1"])
"telemetry group wjh has no metric on Cumulus Linux 5.16.1: leave it out, or use 5.19 or newer."
"""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from ..._nvue.document.release import Release, parse
from .data import table

GROUPS: tuple[str, ...] = tuple(table("telemetry")["default"]["groups"])
"""Groups of statistics that a collector gets unless the role says otherwise."""
INTERVAL = 10
"""Seconds between two samples, as NVIDIA recommends; a switch's own default is 1."""
SLOW = 60
"""Seconds between two samples of sensors and modules: no release allows less."""


@dataclasses.dataclass(frozen=True)
class Metric:
    """One metric on the releases from `since` to `until`; `klass` is the part of the group that it needs."""

    name: str
    group: str
    klass: str
    per: str
    kind: str
    since: Release
    until: Release | None
    keep: bool
    source: str

    def on(self, release: Release) -> bool:
        """Check whether a release exports the metric."""
        last = self.until
        return self.since <= release and (
            last is None or (release.major, release.minor) <= (last.major, last.minor)
        )


def sends(asic: str) -> bool:
    """Check whether switches of an ASIC export by OTLP."""
    return asic not in table("telemetry")["hardware"]["without"]


@functools.cache
def metrics() -> tuple[Metric, ...]:
    """Return every metric of the catalog."""
    return tuple(
        Metric(
            name=f"{row['prefix']}{word}",
            group=row["group"],
            klass=row.get("class", ""),
            per=row["per"],
            kind=row["kind"],
            since=parse(row["since"]),
            until=parse(row["until"]) if "until" in row else None,
            keep=key == "keep",
            source=row["source"],
        )
        for row in table("telemetry")["metrics"]
        for key in ("keep", "names")
        for word in row.get(key, "").split()
    )


def exported(releases: t.Iterable[str], groups: t.Collection[str] = GROUPS) -> dict[str, Metric]:
    """Return the metrics of some groups by name, of any of the releases."""
    runs = [parse(text) for text in releases]
    return {
        metric.name: metric
        for metric in metrics()
        if metric.group in groups and any(metric.on(release) for release in runs)
    }


def kept(releases: t.Iterable[str], groups: t.Collection[str] = GROUPS) -> dict[str, Metric]:
    """Return the metrics that are kept: of a group of which none is marked, all."""
    marked = {metric.group for metric in metrics() if metric.keep}
    rows = exported(releases, groups).items()
    return {name: row for name, row in rows if row.keep or row.group not in marked}


def groups_refusal(groups: t.Iterable[str], releases: t.Sequence[str]) -> str:
    """Return the reason why some groups cannot be exported: a release has no metric of one of them."""
    for group in groups:
        firsts = [metric.since for metric in metrics() if metric.group == group]
        for text in releases if firsts else ():
            if not any(metric.group == group and metric.on(parse(text)) for metric in metrics()):
                return (
                    f"telemetry group {group} has no metric on Cumulus Linux {text}: leave it out, or use "
                    f"{min(firsts)} or newer."
                )
    return ""


def default_groups(releases: t.Sequence[str]) -> list[str]:
    """Return the groups of `GROUPS` that every release has."""
    return [group for group in GROUPS if not groups_refusal([group], releases)]


def series(metrics_of: t.Iterable[Metric], *, ports: int, cages: int, sessions: int) -> int:
    """Estimate how many series a switch makes of metrics."""
    each = table("telemetry")["series"]
    factors = {kind: number * ports for kind, number in each["of_port"].items()}
    factors |= {kind: number * cages for kind, number in each["of_cage"].items()}
    factors |= {**each["of_switch"], "peer": sessions}
    return sum(factors[metric.per] for metric in metrics_of)
