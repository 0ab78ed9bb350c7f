# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a DCIM, and writes what it knows better as diff files that a person reviews. Private.

    devices.csv.diff    serials, racks, units, MACs, management addresses
    fabric.yml.diff     absent and out_of_service
    tenants.yml.diff    who holds which node, a proposal

Nothing of the project is changed. What is proposed is decided in `_fabric.export.dcim.pull`.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import typing as t

from ..._dcim.port import DcimError
from ..._fabric.description import devices, tables
from ..._fabric.description.errors import FabricError
from ..._fabric.export.dcim.mark import tail
from ..._fabric.export.dcim.part import WHOLE
from ..._fabric.export.dcim.plan_things import of_kind
from ..._fabric.export.dcim.pull import DEVICES, PullResult, Texts
from ..._fabric.export.dcim.pull import pull as proposed
from ..._fabric.export.dcim.things import KINDS, SHARED, TAG
from ..._fabric.export.output import Output
from ..._fabric.plan.topology.cabling import Node
from ..._fabric.tenants.registry import FILE
from .index import RunIndex
from .lines import text
from .scope import scope

if t.TYPE_CHECKING:
    from collections.abc import Callable

    from ..._fabric.export.dcim.things import DcimObject, Ref
    from ..._fabric.plan.fabric import Fabric
    from .job import Job

_SAYS = frozenset({"device", "interface", "address", "primary"})
"""Kinds that say something of the project; those before them are read for the references."""


def pull(
    job: Job, dest: str, *, dry: bool, show: Callable[[list[str]], None] = lambda _lines: None
) -> dict[str, t.Any]:
    """Write the proposals; FabricError where the DCIM has no device of the fabric."""
    found = _found(job)
    pulled = proposed(
        job.fabric,
        job.registry,
        found,
        _texts(job.fabric),
        today=datetime.date.today().isoformat(),
        whole=_whole(job.fabric, found),
    )
    output = Output(dest, dry=dry)
    _write(pulled, _files(job.fabric), output)
    lines = _lines(job, pulled, dest) + _lost(job, found)
    show(lines)
    return {
        "changed": bool(output.changed),
        "dcim": job.dcim.name,
        "files": [f"{one.file}.diff" for one in pulled.proposals],
        "lines": lines,
    }


def _found(job: Job) -> list[DcimObject]:
    """Read the fabric's things from the DCIM."""
    context = job.context(WHOLE)
    index, asked, found = RunIndex(), scope(context), []
    for kind in sorted(SHARED):
        for thing in of_kind(kind, context):
            job.dcim.fit(thing)  # a dialect learns here what the site calls its namespace
    try:
        job.dcim.check()
        for kind in (each for each in KINDS if each in job.dcim.kinds and each != "cable"):
            things = list(job.dcim.read(kind, asked, index))
            found += things if kind in _SAYS else []
    except DcimError as exc:
        raise FabricError.of(f"{job.dcim.name}: {exc}") from exc
    _here(job, context.location, [one for one in found if one.kind == "device" and one.owned])
    return found


def _here(job: Job, location: Ref, owned: list[DcimObject]) -> None:
    """FabricError unless the DCIM has devices of the fabric, all at its location."""
    name = job.fabric.description.name
    ours = [one for one in owned if one.key.startswith(f"{name}/")]
    if not ours:
        raise FabricError.of(
            f"{job.dcim.name}: it has no device of fabric {name}: run playbook dcim_push first."
        )
    for one in ours:
        if (place := one.values.get("location")) != location:
            raise FabricError.of(
                f"{job.dcim.name}: device {one.name} of fabric {name} is at {text(place)}, not at {location.key}: "
                "correct location of spx_dcim, or choose another name for the fabric, as this one may be taken."
            )


def _lost(job: Job, found: list[DcimObject]) -> list[str]:
    """Sentences about devices of the fabric of which no port was read, as they lost our tag."""
    start = f"{job.fabric.description.name}/"
    return [
        f"{one.name}: tag {TAG} is missing, so its ports and its management address were not read."
        for one in found
        if one.kind == "device" and one.key.startswith(start) and not one.owned
    ]


def _whole(fabric: Fabric, found: list[DcimObject]) -> bool:
    """Check whether all of the fabric was pushed at some time: the DCIM has a node of each SU that has nodes."""
    start = f"{fabric.description.name}/"
    named = {tail(one.key) for one in found if one.kind == "device" and one.key.startswith(start)}
    there = {device[:2] for name in named if isinstance(device := fabric.names.device(name), Node)}
    return there >= {node[:2] for node in fabric.nodes()}


def _files(fabric: Fabric) -> list[str]:
    """The files of the project that a pull may propose to change."""
    source = os.path.basename(fabric.source.path)
    return [fabric.description.devices or DEVICES, source, FILE]


def _texts(fabric: Fabric) -> Texts:
    rows, *others = (fabric.beside(name) for name in _files(fabric))
    lines = tables.lines(rows, devices.FORM) if os.path.exists(rows) else ()
    return Texts("".join(lines), *map(_text, others))


def _text(path: str) -> str:
    """The text of a file, empty where there is none."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8-sig", newline="") as handle:
        return handle.read()


def _write(pulled: PullResult, files: list[str], output: Output) -> None:
    """Write the diffs; one of an earlier run that is no proposal any more goes."""
    proposals = {one.file: one for one in pulled.proposals}
    for name in files:
        if name in proposals:
            output.write(f"{name}.diff", [proposals[name].diff()])
        elif output.folder and not output.dry:
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(output.folder, f"{name}.diff"))


def _lines(job: Job, pulled: PullResult, dest: str) -> list[str]:
    if not pulled.proposals:
        return [f"{job.dcim.name}: there are no proposals for the project.", *pulled.notes]
    folder = os.path.dirname(os.path.abspath(job.fabric.source.path))
    applied = [
        f"patch {os.path.join(folder, one.file)} {os.path.join(dest, one.file)}.diff"
        for one in pulled.proposals
    ]
    return [
        f"{job.dcim.name}: proposals for these files. Review each, apply it, and run plan:",
        *applied,
        *pulled.notes,
    ]
