# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The placement of performance tests on 65,536 nodes with 524,288 NICs: every round of each level.

The rounds of a level are made one after the other, as a run takes them; loading the fabric does not count.
"""

from __future__ import annotations

import json
import pathlib
import resource
import sys
import time

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import (
    placement,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric

ROOT = pathlib.Path(__file__).resolve().parents[2]
DESCRIPTION = str(ROOT / "inventories" / "max-524288" / "model" / "fabric.yml")
PAIRS = {"pairs": 1_572_864, "rails": 524_288, "bisection": 524_288}


def level(fabric: Fabric, name: str, nodes: list[str]) -> float:
    """Seconds for all rounds of a level."""
    started = time.perf_counter()
    pairs = sum(map(len, placement.rounds(fabric, name, nodes)))
    taken = time.perf_counter() - started
    if pairs != PAIRS[name]:
        sys.exit(f"{pairs} pairs are not the {PAIRS[name]} of level {name}.")
    return taken


def rest(fabric: Fabric, nodes: list[str]) -> dict[str, float]:
    """Seconds for the nodes of all collectives, and for two tenants of which one congests the other."""
    started = time.perf_counter()
    placement.groups(fabric, nodes)
    grouped = time.perf_counter()
    placement.noise(fabric, nodes)
    return {"collectives": grouped - started, "noise": time.perf_counter() - grouped}


def main() -> None:
    """Print one JSON object for each figure."""
    fabric = Fabric.load(DESCRIPTION)
    nodes = [fabric.name(node) for node in fabric.nodes()]
    figures = {name: level(fabric, name, nodes) for name in PAIRS} | rest(fabric, nodes)
    for name, value in figures.items():
        row = {"name": f"performance_{name}_65536", "value": round(value, 3)}
        print(json.dumps({**row, "unit": "s, at most 5"}), flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"name": "performance_peak", "value": round(peak, 1), "unit": "MiB"}))


if __name__ == "__main__":
    main()
