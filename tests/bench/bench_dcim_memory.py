# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of a first push of the largest fabric, pod by pod: what four pods need more than one.

The DCIM takes everything and keeps nothing, so that the memory is the client's. The HTTP client is not part of it.
"""

from __future__ import annotations

import json
import resource
import time

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.dcim.job import Job
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.dcim.push import push
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.dcim.part import parts
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.dcim.things import Found
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._edge.dcim.memory import (
    Memory,
    fabric,
)


class Forgetful(Memory):
    """It takes everything and keeps nothing."""

    def put(self, found: Found) -> None:
        """Forget it."""


def measure(whole: Fabric, pods: int) -> tuple[int, float, float]:
    """Things written for some pods and for what belongs to none, seconds of CPU, and MiB at most so far."""
    started = time.process_time()
    several = tuple(parts(whole))[: pods + 1]
    done = push(Job(Forgetful(), whole, Registry.load(whole), parts=several), dry=False)
    used = time.process_time() - started
    return done.written.created, used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print one JSON object for each figure."""
    whole = fabric("max-524288")
    one, _used, before = measure(whole, 1)
    four, used, after = measure(whole, 4)
    for name, value, unit in (
        ("dcim_pod", one, "things of 4,096 GPUs and of what belongs to no pod"),
        ("dcim_pod_peak", before, "MiB"),
        ("dcim_four_pods", four, "things of 16,384 GPUs"),
        ("dcim_four_pods_growth", after - before, "MiB more"),
        ("dcim_four_pods_thing", used / four * 1000, "ms of CPU of the client for each thing"),
    ):
        print(json.dumps({"name": name, "value": round(value, 3), "unit": unit}), flush=True)


if __name__ == "__main__":
    main()
