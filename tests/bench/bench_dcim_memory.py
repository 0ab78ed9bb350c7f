# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of a first push of a fabric of several pods: what eight pods of 512 GPUs need more than two.

The DCIM takes everything and keeps nothing, so that the memory is the client's. The HTTP client is not part of it.
"""

from __future__ import annotations

import json
import pathlib
import resource
import shutil
import tempfile
import time

import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.dcim.chosen import (
    Asked,
    chosen,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.dcim.job import Job
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.dcim.push import push
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.dcim.things import Found
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._edge.dcim.memory import (
    Memory,
)

MODEL = pathlib.Path(__file__).resolve().parents[2] / "inventories" / "max-524288" / "model"


class Forgetful(Memory):
    """It takes everything and keeps nothing."""

    def put(self, found: Found) -> None:
        """Forget it."""


def planned(folder: pathlib.Path, pods: int) -> Fabric:
    """The largest fabric with fewer and smaller pods."""
    shutil.copytree(MODEL, folder)
    path = folder / "fabric.yml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    content["capacity"] |= {"pods": pods, "sus_per_pod": 1}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return Fabric.load(str(path))


def say(name: str, value: float, unit: str) -> None:
    """Print a figure."""
    print(json.dumps({"name": name, "value": round(value, 3), "unit": unit}), flush=True)


def main() -> None:
    """Print one JSON object for each figure; the memory is the most of the process so far."""
    before = 0.0
    for pods in (2, 8):
        with tempfile.TemporaryDirectory() as folder:
            fabric = planned(pathlib.Path(folder) / "model", pods)
        started = time.process_time()
        job = Job(Forgetful(), fabric, Registry.load(fabric), parts=chosen(fabric, Asked()))
        made = push(job, dry=False).written.created
        used = time.process_time() - started
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        say(f"dcim_{pods}_pods", made, "things")
        say(f"dcim_{pods}_pods_thing", used / made * 1000, "ms of CPU of the client for each")
        say(f"dcim_{pods}_pods_peak", memory, "MiB")
        before = before or memory
    say("dcim_pods_growth", memory - before, "MiB more for eight pods than for two")


if __name__ == "__main__":
    main()
