# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a DCIM knows better than the project, as proposals that a person reviews. Private.

    devices.csv.diff    serials, racks, units, MACs of management ports, management addresses
    fabric.yml.diff     out_of_service and absent
    tenants.yml.diff    nodes of which all leaf ports are in the VRF of another owner

Nothing of the project is changed. A value that the DCIM does not have proposes nothing.
"""

from __future__ import annotations

import contextlib
import os
import typing as t

from ..._dcim.port import DcimError
from ..._fabric.addressing import codec
from ..._fabric.dcim.difference import equal
from ..._fabric.dcim.equipment import MANAGEMENT
from ..._fabric.dcim.mark import tail
from ..._fabric.dcim.part import WHOLE
from ..._fabric.dcim.things import KINDS, SHARED, Ref
from ..._fabric.dcim.wanted import of_kind
from ..._fabric.export.output import Output
from ..._fabric.model.devices import mac
from ..._fabric.model.errors import FabricError
from ..._fabric.topology.cabling import HOST, Node, Port
from .chosen import scope
from .known import Known
from .proposals import Proposal, of_description, of_devices, of_registry

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..._fabric.dcim.context import Context
    from ..._fabric.dcim.things import Found, Thing, Value
    from ..._fabric.topology.cabling import Device
    from .job import Job

_COLUMNS = ("serial", "rack", "unit")
"""Fields of a device that are columns of devices.csv too."""
_READ = (*KINDS[: KINDS.index("cable")], "primary")
"""Kinds that say something of the project, and what they refer to."""
Held = t.Mapping[tuple[str, str], "Found"]


def pull(
    job: Job, dest: str, *, dry: bool, show: Callable[[list[str]], None] = lambda _lines: None
) -> dict[str, t.Any]:
    """Write the proposals; FabricError where the DCIM has no device of the fabric."""
    context = job.context(WHOLE)
    held = _held(job, context)
    better = _better(context, held)
    made = [
        of_devices(context.fabric, better.cells),
        of_description(
            context.fabric,
            out_of_service=better.out_of_service,
            absent=better.absent,
            reason=f"offline in {job.dcim.name}",
            devices=bool(better.cells),
        ),
        of_registry(context.fabric, better.owners),
    ]
    output = Output(dest, dry=dry)
    for one in made:
        _written(output, dest, one, dry=dry)
    files = [one.file for one in made if one.diff]
    lines = [*_lines(job, made, dest), *better.remarks]
    show(lines)
    return {
        "changed": bool(output.changed),
        "dcim": job.dcim.name,
        "files": files,
        "lines": lines,
    }


def _held(job: Job, context: Context) -> Held:
    """What the DCIM has of the fabric."""
    index, asked = Known(), scope(context)
    for kind in sorted(SHARED):
        for thing in of_kind(kind, context):
            job.dcim.fit(thing)  # a dialect learns here what the site calls its namespace
    try:
        job.dcim.check()
        held = {
            (kind, one.key): one
            for kind in _READ
            if kind in job.dcim.kinds
            for one in job.dcim.read(kind, asked, index)
            if (one.owned and one.key) or kind == "primary"
        }
    except DcimError as exc:
        raise FabricError.of(f"{job.dcim.name}: {exc}") from exc
    if not any(kind == "device" for kind, _key in held):
        raise FabricError.of(
            f"{job.dcim.name}: it has no device of fabric {context.fabric.description.name}: run playbook dcim_push "
            "first."
        )
    return held


class Better(t.NamedTuple):
    """What the DCIM knows better.

    Cells of devices.csv by device, names of devices that are out of service, nodes that are not there, names of
    nodes by the owner whose VRF all their ports are in, and sentences for what has no file.
    """

    cells: dict[Device, dict[str, str]]
    out_of_service: list[str]
    absent: list[Node]
    owners: dict[str, list[str]]
    remarks: list[str]


def _better(c: Context, held: Held) -> Better:
    """Compare every device; a node counts as absent only where the DCIM has another one of its SU."""
    made = Better({}, [], [], {}, [])
    names = c.fabric.names
    there = [names.device(tail(key)) for kind, key in held if kind == "device"]
    sus = {device[:2] for device in there if isinstance(device, Node)}
    for device, thing in zip(c.part.devices(c.fabric), of_kind("device", c), strict=True):
        found = held.get(("device", thing.key))
        if found is not None:
            _device(c, device, thing, found, held, into=made)
        elif isinstance(device, Node) and device[:2] in sus:
            made.absent.append(device)
    for beside in there:
        if beside is not None and not c.fabric.present(beside):
            made.remarks.append(
                f"{names.name(beside)}: the DCIM has it, and absent of the description too: take it out of absent when "
                "it is built."
            )
    return made


def _device(
    c: Context, device: Device, thing: Thing, found: Found, held: Held, *, into: Better
) -> None:
    name = c.fabric.name(device)
    cells = {**_cells(thing, found), **_management(c, device, held)}
    if cells:
        into.cells[device] = cells
    if found.values.get("status") == "offline" and name not in c.fabric.resting:
        into.out_of_service.append(name)
    if isinstance(device, Node):
        _owner(c, device, held, into)


def _cells(thing: Thing, found: Found) -> dict[str, str]:
    """Serial, rack and unit where they differ; a unit counts only beside its rack."""
    made = {}
    for column in _COLUMNS:
        theirs = found.values.get(column)
        if theirs and not equal(thing.values.get(column), theirs):
            made[column] = _text(theirs)
    rack = found.values.get("rack")
    if "unit" in made and rack:
        made["rack"] = _text(rack)
    return made


def _text(value: Value) -> str:
    """A cell: the name of a rack is its key without the fabric."""
    return tail(value.key) if isinstance(value, Ref) else str(value)


def _management(c: Context, device: Device, held: Held) -> dict[str, str]:
    """MAC and address of the management port where they differ."""
    made = {}
    port = c.interface(device, MANAGEMENT[isinstance(device, Node)])
    row = c.fabric.rows.get(device)
    interface = held.get(("interface", port.key))
    theirs = str((interface.values.get("mac") if interface else "") or "").lower()
    if theirs and theirs != (mac(row.mac) if row else ""):
        made["mac"] = theirs
    number, length, _gateway = c.fabric.addresses.management(device)
    address = _primary(c, device, held)
    if address and address != f"{codec.text(number, 4)}/{length}":
        made["management"] = address
    return made


def _primary(c: Context, device: Device, held: Held) -> str:
    """The primary address of a device as the DCIM has it, empty without one."""
    primary = held.get(("primary", c.device(device).key))
    value = primary.values.get("address") if primary else None
    if isinstance(value, Ref):
        found = held.get((value.kind, value.key))
        value = found.values.get("address") if found else None
    return str(value or "")


def _owner(c: Context, node: Node, held: Held, into: Better) -> None:
    """Propose the owner of a node whose leaf ports are all in the VRF of one; a moving node has none."""
    holding = c.registry.holding(node)
    if holding.moving is not None:
        return
    vrfs = {vrf for vrf in _vrfs(c, node, held) if vrf is not None}
    if not vrfs or vrfs == {c.vrf(c.owner(holding)).key}:
        return
    slugs = {c.vrf(owner).key: owner.slug for owner in c.registry.owners.values()}
    slug = slugs.get(next(iter(vrfs))) if len(vrfs) == 1 else None
    if slug is None:
        into.remarks.append(
            f"{c.fabric.name(node)}: its ports are in {', '.join(sorted(map(tail, vrfs)))} in the DCIM, which is no "
            "single owner of the registry: correct them there."
        )
    else:
        into.owners.setdefault(slug, []).append(c.fabric.name(node))


def _vrfs(c: Context, node: Node, held: Held) -> Iterator[str | None]:
    """The key of the VRF of each leaf port of a node, None where it was not read."""
    for nic in c.fabric.cabling.nic_ports():
        leaf, index = c.fabric.cabling.leaf_of(node, nic)
        port = c.interface(leaf, c.fabric.port_name(leaf, Port(HOST, index)))
        found = held.get(("interface", port.key))
        vrf = found.values.get("vrf") if found else None
        yield vrf.key if isinstance(vrf, Ref) else None


def _written(output: Output, dest: str, proposal: Proposal, *, dry: bool) -> None:
    """Write a diff; one of an earlier run that is no proposal any more goes."""
    if proposal.diff:
        output.write(proposal.file, [proposal.diff])
    elif not dry:
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(dest, proposal.file))


def _lines(job: Job, made: list[Proposal], dest: str) -> list[str]:
    found = [one for one in made if one.diff]
    if not found:
        return [f"{job.dcim.name}: it knows nothing better than the project."]
    lines = [f"{os.path.join(dest, one.file)}: {one.about}." for one in found]
    return [
        *lines,
        "Review each file, apply it with 'patch -p1 < FILE' in the project's folder, and run plan.",
    ]
