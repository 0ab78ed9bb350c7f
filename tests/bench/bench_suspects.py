# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the tests of 2,048 nodes with 8 NICs each to the suspects, and to the next rounds of the search.

Every port has sent once and received once; five nodes reach half of the rate. Seconds are of the processor.
"""

from __future__ import annotations

import json
import pathlib
import sys
import time
from typing import Any

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import (
    screening,
    suspects,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric

ROOT = pathlib.Path(__file__).resolve().parents[2]
DESCRIPTION = str(ROOT / "inventories" / "multiplane-16384" / "model" / "fabric.yml")
BAD = 5


def judged(pair: Any, slow: list[str]) -> dict[str, Any]:
    """The test of a pair."""
    value = 196.0 if pair.first in slow or pair.second in slow else 392.0
    state = "pass" if value > 380 else "fail"
    base = {"level": "pairs", "kind": "bandwidth", "limit": 380.0, "value": value, "state": state}
    return {**pair._asdict(), **base}


def main() -> None:
    """Print one JSON object for each figure."""
    fabric = Fabric.load(DESCRIPTION)
    nodes = [fabric.name(node) for node in fabric.nodes()]
    slow = nodes[7 :: len(nodes) // BAD][:BAD]
    times = [time.process_time()]
    rounds = screening.next_rounds(fabric, [])
    times.append(time.process_time())
    tests: Any = [judged(pair, slow) for pairs in rounds or () for pair in pairs]
    times.append(time.process_time())
    found = suspects.find(fabric, tests, {})
    times.append(time.process_time())
    screening.next_rounds(fabric, tests)
    times.append(time.process_time())
    if [row["place"] for row in found if row["certain"]] != sorted(slow):
        sys.exit(f"the suspects are not {', '.join(slow)}.")
    for name, end in (("screening", 1), ("suspects", 3), ("next_rounds", 4)):
        value = round(times[end] - times[end - 1], 3)
        row = {"name": f"performance_{name}_2048", "value": value, "unit": "s, at most 2"}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
