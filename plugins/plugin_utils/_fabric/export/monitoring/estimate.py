# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Series and samples that the switches of a plan make, and the refusal of more than the description allows."""

from __future__ import annotations

import collections
import dataclasses
import typing as t

from ...catalog import telemetry
from ...description.description import Monitoring
from ...plan.topology.cabling import DOWN, UP
from .places import sends

if t.TYPE_CHECKING:
    from ...plan.fabric import Fabric


@dataclasses.dataclass(frozen=True)
class Estimate:
    """Series that are kept, those of all groups of the release, and samples a second of the kept ones."""

    series: int
    whole: int
    samples: float

    @property
    def sentence(self) -> str:
        """Return the figures in words."""
        return (
            f"monitoring: about {self.series:,} series from switches, of {self.whole:,} that they could send, and "
            f"{self.samples:,.0f} samples a second"
        )


def settings(fabric: Fabric) -> Monitoring:
    """Return what the description states of monitoring."""
    return fabric.description.monitoring or Monitoring()


def estimate(fabric: Fabric) -> Estimate:
    """Estimate the series of all built switches, with the default groups of statistics."""
    releases = fabric.description.releases
    kept = telemetry.kept(releases).values()
    every = telemetry.exported(releases, {row.group for row in telemetry.metrics()}).values()
    slow = [row for row in kept if row.group == "platform-stats"]
    series = whole = slowly = 0
    for size, number in sizes(fabric).items():
        rows = dict(zip(("ports", "cages", "sessions"), size))
        series += number * telemetry.series(kept, **rows)
        whole += number * telemetry.series(every, **rows)
        slowly += number * telemetry.series(slow, **rows)
    fast = (series - slowly) / telemetry.INTERVAL
    return Estimate(series, whole, fast + slowly / telemetry.SLOW)


def sizes(fabric: Fabric) -> collections.Counter[tuple[int, int, int]]:
    """Count switches by their numbers of ports, cages and BGP sessions."""
    made: collections.Counter[tuple[int, int, int]] = collections.Counter()
    for switch in fabric.switches():
        if not sends(fabric, switch):
            continue
        blocks = fabric.blocks(switch)
        ports = {kind: block.count for kind, block in blocks.items()}
        cages = sum(block.cages for block in blocks.values())
        made[sum(ports.values()), cages, sum(ports.get(kind, 0) for kind in (UP, DOWN))] += 1
    return made


def refusal(fabric: Fabric) -> str | None:
    """Return the reason why the files are not written: more series than `monitoring.most_series`."""
    found, most = estimate(fabric).series, settings(fabric).most_series
    if found <= most:
        return None
    return (
        f"switches make about {found:,} series, and monitoring.most_series is {most:,}: raise it to what your servers "
        "hold together, with a collector and a Prometheus for some pods each, or leave out the export monitoring."
    )
