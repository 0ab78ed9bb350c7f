# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of a first push of the largest fabric, and of one without a difference: four pods of 4,096 GPUs, and one.

The DCIM of the first push takes everything and keeps nothing, that of the second has all that the plan wants, so that
the memory is the client's. The HTTP client is not part of it. All 128 pods would take an hour.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import pathlib
import resource
import time
from collections.abc import Iterator

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.port import Index, Scope
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.mark import (
    mark,
    parted,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.plan_things import (
    of_kind,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    KINDS,
    TAG,
    DcimObject,
    Ref,
    Thing,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.job import Job
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.push import push
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.scope import (
    chosen,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._jobs.dcim.memory import (
    Memory,
)

MODEL = pathlib.Path(__file__).resolve().parents[2] / "inventories" / "max-524288" / "model"
MOST = 5
"""MiB; a second copy of the things of a pod is more."""


class Forgetful(Memory):
    """It takes everything and keeps nothing."""

    def put(self, found: DcimObject) -> None:
        """Forget it."""


class Full(Memory):
    """It has all that the plan wants of each part, and the ports at the far ends of its cables."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._contexts = [job.context(part) for part in reversed(job.parts)]

    def read(self, kind: str, scope: Scope, index: Index) -> Iterator[DcimObject]:
        """Yield it, one after the other; a new part begins with its tags."""
        if kind == KINDS[0]:
            self._context = self._contexts.pop()
        things = of_kind(kind, self._context)
        if kind == "device":
            things = itertools.chain(things, (_device(key) for key in scope.beyond))
        elif kind == "interface":
            things = itertools.chain(things, self._far_ends(scope))
        for thing in things:
            key, written = parted(mark(thing)) if "/" in thing.key else (thing.key, "")
            id_ = f"{kind} {thing.key}"
            index.add(kind, thing.key, id_)
            yield DcimObject(kind, id_, key, thing.name, thing.values, True, (TAG,), "1", written)

    def _far_ends(self, scope: Scope) -> Iterator[Thing]:
        for cable in of_kind("cable", self._context):
            for end in cable.values["ends"]:  # type: ignore[union-attr]
                device, _slash, port = end.key.rpartition("/")  # type: ignore[union-attr]
                if device in scope.beyond:
                    own = {"device": Ref("device", device), "name": port}
                    yield Thing("interface", end.key, port, own)  # type: ignore[union-attr]


def _device(key: str) -> Thing:
    return Thing("device", key, key, {"name": key})


def say(name: str, value: float, unit: str) -> None:
    """Print a figure."""
    print(json.dumps({"name": name, "value": round(value, 3), "unit": unit}), flush=True)


def main() -> None:
    """Print one JSON object for each figure; the memory is the most of the process so far."""
    fabric, before = Fabric.load(str(MODEL / "fabric.yml")), 0.0
    parts = chosen(fabric, None)
    top, pods = parts[: -fabric.clos.pods], parts[-fabric.clos.pods :]
    for count in (1, 4):
        started = time.process_time()
        some = (*top[:2], *pods[:count])
        job = Job(Forgetful(), fabric, Registry.load(fabric), parts=some)
        made = push(job, dry=False).written.created
        used = time.process_time() - started
        unchanged = dataclasses.replace(job, dcim=Full(job))
        changes = push(unchanged, dry=True).tally.counts
        assert not changes, changes
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        say(f"dcim_{count}_pods", made, "things")
        say(f"dcim_{count}_pods_thing", used / made * 1000, "ms of CPU of the client for each")
        say(f"dcim_{count}_pods_peak", memory, "MiB")
        before = before or memory
    grown = memory - before
    say("dcim_pods_growth", grown, f"MiB more for four pods than for one, at most {MOST}")
    if grown > MOST:
        raise SystemExit("dcim_pods_growth: memory grows with the fabric")


if __name__ == "__main__":
    main()
