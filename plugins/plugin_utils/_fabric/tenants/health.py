# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of nodes that nobody rents."""

from __future__ import annotations

import typing as t

from ..description.words import count
from . import schema, wipe

if t.TYPE_CHECKING:
    from collections.abc import Mapping

    from ..plan.fabric import Fabric
    from .registry import Registry

Data = dict[str, t.Any]


def held(fabric: Fabric, registry: Registry) -> Data:
    """Return the nodes in quarantine and rest, with day, wipe and tests: {quarantine, rest, moving}."""
    rows: dict[str, list[Data]] = {schema.QUARANTINE: [], schema.REST: [], "moving": []}
    known = registry.file.health
    for node in fabric.nodes():
        holding = registry.holding(node)
        name = fabric.name(node)
        if holding.moving is not None:
            rows["moving"].append({"node": name, **holding.moving.plain()})
        elif holding.slug in rows:
            record = known.get(name) or schema.Health()
            row = {
                "node": name,
                "since": record.since,
                "had": record.had,
                "wipe": wipe.shown(record.clean) if name in known else None,
                "passed": list(record.passed),
                **({"accepted": record.accepted.by} if record.accepted else {}),
                "no_hook": list(record.no_hook),
            }
            rows[holding.slug].append(row | ({"group": holding.group} if holding.group else {}))
    return rows


def lines(rows: Mapping[str, list[Data]]) -> list[str]:
    """`held` as lines for people; what nothing is known of is counted, not listed."""
    made = []
    for section, sitting in rows.items():
        made.append(f"{section}: {count(sitting, 'node')}")
        known = [row for row in sitting if any(row.get(key) for key in ("since", "wipe", "step"))]
        for row in known:
            if "step" in row:
                made.append(
                    f"  {row['node']} from {row['from']} to {row['to']}, step {row['step']}"
                )
                continue
            passed = ", ".join(row["passed"]) or "nothing yet"
            absent = f", no hook {', '.join(row['no_hook'])}" if row["no_hook"] else ""
            since = row["since"] or "unknown"
            had = f" (had {row['had']})" if row["had"] else ""
            made.append(
                f"  {row['node']}{had} since {since}, {row['wipe']}, passed {passed}{absent}"
            )
        if len(known) < len(sitting):
            made.append(f"  {count(sitting[len(known) :], 'node')} without a record")
    return made
