# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory plugin at 86,016 hosts against a bare plugin that only adds the same names and groups.

The ratio is one of CPU seconds: both only compute, and a busy machine would weigh on one of them.
"""

from __future__ import annotations

import json
import multiprocessing
import pathlib
import resource
import time

from ansible.inventory.data import InventoryData
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.inventory import BaseInventoryPlugin
from ansible.plugins.loader import init_plugin_loader, inventory_loader

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = str(ROOT / "inventories" / "max-524288" / "hosts.fabric.yml")
LIMIT = 1.5


class Bare(BaseInventoryPlugin):
    """Adds names and groups that are known beforehand, through the public interface."""

    NAME = "bare"

    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def parse(self, inventory, loader, path, cache=True):
        super().parse(inventory, loader, path, cache)
        for group in sorted({group for _name, groups in self.rows for group in groups}):
            inventory.add_group(group)
        for name, groups in self.rows:
            inventory.add_host(name, groups[0])
            for group in groups[1:]:
                inventory.add_child(group, name)


def _data():
    data = InventoryData()
    data.current_source = SOURCE
    return data


def _ours(_rows):
    plugin = inventory_loader.get("spectrum_x.fabric.fabric")
    data = _data()
    plugin.parse(data, DataLoader(), SOURCE, cache=False)
    return data


def _bare(rows):
    data = _data()
    Bare(rows).parse(data, DataLoader(), SOURCE)
    return data


def _measure(function, rows, queue):
    started, worked = time.perf_counter(), time.process_time()
    data = function(rows)
    seconds, cpu = time.perf_counter() - started, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    queue.put((cpu, seconds, len(data.hosts), peak))


def _best(function, rows, times=3):
    results = []
    for dummy in range(times):
        queue = multiprocessing.get_context("fork").Queue()
        process = multiprocessing.get_context("fork").Process(
            target=_measure, args=(function, rows, queue)
        )
        process.start()
        results.append(queue.get(timeout=120))
        process.join()
    return min(results)


def main():
    """Print one JSON object for each figure."""
    init_plugin_loader([])
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import (
        Fabric,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.groups import (
        Groups,
    )

    fabric = Fabric.load(str(ROOT / "inventories" / "max-524288" / "model" / "fabric.yml"))
    groups = Groups(fabric)
    rows = [(fabric.name(device), groups.of(device)) for device in fabric.devices()]
    bare_cpu, bare_seconds, bare_hosts, _peak = _best(_bare, rows)
    cpu, seconds, hosts, peak = _best(_ours, None)
    assert hosts == bare_hosts == 86_016
    for name, value, unit in (
        ("inventory_bare_86016", bare_seconds, "s"),
        ("inventory_86016", seconds, "s"),
        ("inventory_over_bare", cpu / bare_cpu, f"ratio, at most {LIMIT}"),
        ("inventory_peak", peak, "MiB"),
    ):
        print(json.dumps({"name": name, "value": round(value, 3), "unit": unit}), flush=True)


if __name__ == "__main__":
    main()
