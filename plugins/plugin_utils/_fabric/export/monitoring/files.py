# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All files of the export `monitoring`, and those of them that a change of the registry rewrites."""

from __future__ import annotations

import json
import os
import typing as t

from ...description._third_party import yaml
from ...description.errors import FabricError
from ...tenants.registry import Registry
from ..output import Output
from . import configuration, dashboards, places, rules

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ...plan.fabric import Fabric
    from .. import rows

FOLDER = "monitoring"
CONFIGURATIONS: dict[str, Callable[[Fabric], dict[str, object]]] = {
    "prometheus.yml": configuration.prometheus,
    "rules.yml": rules.rules,
    "alertmanager.yml": configuration.alertmanager,
    "collector.yml": configuration.collector,
}
_HEAD = "# Written by playbook plan of spectrum_x.fabric from the description of {}.\n"


def files(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield (path, chunks) of each file."""
    for name, make in CONFIGURATIONS.items():
        head = _HEAD.format(fabric.description.name)
        text = yaml.safe_dump(make(fabric), sort_keys=False, width=1000)
        yield f"{FOLDER}/{name}", [head, text]
    words = rules.figures(fabric)
    for name in dashboards.names():
        made = dashboards.dashboard(fabric, name, words)
        yield f"{FOLDER}/dashboards/{name}.json", [json.dumps(made, indent=1) + "\n"]
    below = places.folder(fabric, FOLDER)
    yield os.path.join(below, places.PORTS), places.ports(fabric, pods)
    for name, chunks in places.of_tenants(fabric, Registry.load(fabric)):
        yield os.path.join(below, name), chunks


def rewrite(fabric: Fabric, registry: Registry) -> list[str]:
    """Write again what follows from the registry, where the description states a folder; returns warnings."""
    if not (fabric.description.monitoring and fabric.description.monitoring.textfile):
        return []
    output = Output(places.folder(fabric))
    try:
        for name, chunks in places.of_tenants(fabric, registry):
            output.write(name, chunks)
    except FabricError as exc:  # the registry counts, and the next edit or plan writes these
        return [str(exc)]
    return []
