# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics whose things are tested, and a DCIM that has what was wanted."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.description import (
    Description,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.load import (
    typed,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.yaml_source import (
    Source,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.mark import (
    digest,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.plan_things import (
    wanted,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    DcimObject,
    Ref,
    Thing,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.export.exported import (
    FABRICS,
    TINY,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

NAMES = [*FABRICS, "h200-2048", "four planes", "lab-converged"]


def fabric_of(name: str) -> Fabric:
    """A fabric by its name."""
    if name == "four planes":
        return build(
            switches=TINY["switches"],
            capacity={"sus_per_pod": 1, "slots_per_su": 3},
            planes={"count": 4, "mode": "split", "balancing": "swplb"},
        )
    return FABRICS[name]() if name in FABRICS else example(name)


def changed(of: str, **changes) -> Fabric:
    """An example with other keys at the top."""
    fabric = example(of)
    data = {**fabric.source.data, **changes}
    source = Source(fabric.source.path, data, {})
    return Fabric(typed(Description, source), source)


def things(fabric: Fabric, *more, text: str = "", **options) -> list[Thing]:
    """All things of a fabric, with the registry of a text."""
    registry = Registry.parse(fabric, text) if text else Registry.load(fabric)
    return list(wanted(fabric, registry, *more, **options))


def refs(thing: Thing) -> list[Ref]:
    """Return the references of a thing."""
    made: list[Ref] = []
    for value in thing.values.values():
        if isinstance(value, Ref):
            made.append(value)
        elif isinstance(value, tuple):
            made += [each for each in value if isinstance(each, Ref)]
    return made


def found(thing: Thing, **values) -> DcimObject:
    """A thing as a DCIM has it after a push, with values that somebody changed since."""
    written = {field: value for field, value in thing.values.items() if value is not None}
    return DcimObject(
        kind=thing.kind,
        id=f"id of {thing.key}",
        key=thing.key,
        name=thing.name,
        values={**written, **values},
        owned=True,
        tags=("spectrum-x",),
        version="1",
        digest=digest(thing.kind, thing.values),
    )
