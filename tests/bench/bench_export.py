# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every list of the largest fabric through a sink that counts: time, and memory that stays flat.

Slices, cabling and NetBox files are measured on one pod; links, addresses and hosts on all.
"""

from __future__ import annotations

import json
import pathlib
import resource
import time

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    exports,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHOLE = ("links", "addresses", "hosts")
POD = ("slices", "dns", "ptm", "netbox", "air")


def measure(fabric: Fabric, kinds: tuple[str, ...], pods: list[int] | None) -> tuple[float, int]:
    """Seconds and bytes of some exports."""
    sink = Output(None)
    started = time.perf_counter()
    exports.write(fabric, sink, kinds=kinds, pods=pods)
    return time.perf_counter() - started, sink.size


def main() -> None:
    """Print one JSON object for each figure."""
    fabric = Fabric.load(str(ROOT / "inventories" / "max-524288" / "model" / "fabric.yml"))
    pod, _bytes = measure(fabric, POD, [0])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    whole, size = measure(fabric, WHOLE, None)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    handover, paper = measure(fabric, ("handover",), [0])
    for name, value, unit in (
        ("export_pod", pod, "s for slices, DNS, PTM, NetBox and cabling of 4,096 GPUs"),
        ("export_handover_pod", handover, "s for hand-over documents of 4,096 GPUs"),
        ("export_handover_size", paper / 1e6, "MB of hand-over documents of 4,096 GPUs"),
        ("export_lists_524288", whole, "s for links, addresses and hosts"),
        ("export_lists_size", size / 1e6, "MB written"),
        ("export_lists_growth", after - before, "MiB more than one pod needs"),
        ("export_peak", after, "MiB"),
    ):
        print(json.dumps({"name": name, "value": round(value, 3), "unit": unit}), flush=True)


if __name__ == "__main__":
    main()
