# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All exports of a plan, in the order in which they are written."""

from __future__ import annotations

import re
import typing as t
from collections.abc import Callable

from ..description.errors import FabricError, nearest
from . import (
    dns,
    lists,
    nautobot,
    netbox,
    nvidia,
    oob,
    pictures_addresses,
    pictures_networks,
    pictures_tenants,
    pictures_topology,
    rows,
    schedulers,
    simulation,
)
from .handover import cables, files
from .monitoring import estimate
from .monitoring import files as monitoring
from .output import Output

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from ..._pages.svg import Svg
    from ..plan.fabric import Fabric


Files = Callable[["Fabric", rows.Pods, dns.Earlier], "Iterable[tuple[str, Iterable[str]]]"]
"""(path, chunks) of each file; the last argument reads what an earlier run wrote."""

PICTURES: dict[str, Callable[[Fabric], Svg]] = {
    "topology": pictures_topology.draw,
    "addresses": pictures_addresses.draw,
    "tenants": pictures_tenants.draw,
}


def pictures_of(fabric: Fabric) -> dict[str, Callable[[Fabric], Svg]]:
    """The pictures of a fabric by name; those of its other networks only where it has some."""
    return (
        {**PICTURES, **pictures_networks.pictures(fabric)}
        if fabric.description.networks
        else PICTURES
    )


def _pictures(fabric: Fabric, _pods: rows.Pods) -> Iterable[tuple[str, Iterable[str]]]:
    """Always of the whole fabric."""
    drawn = pictures_of(fabric).items()
    return ((f"pictures/{name}.svg", draw(fabric).lines()) for name, draw in drawn)


def _one(name: str, chunks: Callable[[Fabric, rows.Pods], Iterable[str]]) -> Files:
    return lambda fabric, pods, _earlier: [(name, chunks(fabric, pods))]


def _several(
    files: Callable[[Fabric, rows.Pods], Iterable[tuple[str, Iterable[str]]]],
) -> Files:
    return lambda fabric, pods, _earlier: files(fabric, pods)


class Export(t.NamedTuple):
    """The files of a kind; `refusal` says why a plan cannot have it.

    `begins` is how the files begin that an earlier plan left where this one writes. `of_part` is whether the files
    may be of a part of a fabric: the others would take the place of those of the whole.
    """

    files: Files
    default: bool = True
    refusal: Callable[[Fabric], str | None] = lambda _fabric: None
    begins: re.Pattern[bytes] | None = None
    of_part: bool = False


EXPORTS = {
    "slices": Export(_several(lists.slices), begins=re.compile(rb'\{\n "schema": 1,\n "fabric": ')),
    "links": Export(_one("links.csv", lists.links_csv)),
    "addresses": Export(_one("addresses.csv", lists.addresses_csv)),
    "hosts": Export(_one("hosts", lists.hosts)),
    "dns": Export(dns.zones, refusal=dns.refusal, begins=dns.BEGINS),
    "ptm": Export(_several(lists.ptm), begins=re.compile(rb'graph "[a-z0-9-]+" \{\n')),
    "netbox": Export(_several(netbox.netbox), begins=netbox.BEGINS),
    "nautobot": Export(_several(nautobot.nautobot), default=False, begins=nautobot.BEGINS),
    "reference-generator": Export(
        _several(nvidia.generator),
        default=False,
        refusal=nvidia.refusal,
    ),
    "oob": Export(_several(oob.files)),
    "pictures": Export(_several(_pictures)),
    "handover": Export(
        _several(files.files), default=False, refusal=cables.refusal, begins=files.BEGINS
    ),
    "monitoring": Export(_several(monitoring.files), default=False, refusal=estimate.refusal),
    "schedulers": Export(_several(schedulers.files), default=False, begins=schedulers.BEGINS),
    "containerlab": Export(
        _several(simulation.containerlab), default=False, refusal=simulation.refusal, of_part=True
    ),
    "air": Export(_several(simulation.air), default=False, of_part=True),
}
PLACES = {
    **{kind: kind for kind in EXPORTS},
    "links": "links.csv",
    "addresses": "addresses.csv",
    "reference-generator": "topology.json",
    "air": "air.json",
}
"""The file or folder in which an export is."""
_OLD = "they differ from this plan, and this run did not write them: name their exports in spx_exports, or remove them."
OF_PART = [kind for kind, export in EXPORTS.items() if export.of_part]
DEFAULT = [kind for kind, export in EXPORTS.items() if export.default]


def default(fabric: Fabric) -> list[str]:
    """Return the exports of a plan that names none; those of monitoring come with its key of the description."""
    return [*DEFAULT, *(["monitoring"] if fabric.description.monitoring else [])]


def write(
    fabric: Fabric,
    output: Output,
    *,
    kinds: Iterable[str] | None = None,
    pods: rows.Pods = None,
    progress: Callable[[str], None] = lambda _text: None,
) -> list[str]:
    """Write the exports, those of `default` without `kinds`; returns a sentence for files of an earlier plan.

    An export that cannot be had is a FabricError before anything is written. Files of devices that are gone are
    removed, unless only some pods are written.
    """
    chosen = list(default(fabric) if kinds is None else kinds)
    _check(fabric, chosen)
    for kind in chosen:
        progress(f"{kind} ...")
        for name, chunks in EXPORTS[kind].files(fabric, pods, output.earlier):
            output.write(name, chunks)
    for kind in chosen:
        begins = EXPORTS[kind].begins
        if begins and pods is None:
            output.remove_others(kind, begins)
    if all(EXPORTS[kind].of_part for kind in chosen):
        return []  # it may be of a part, with which nothing of the whole can be compared
    there = output.unwritten(PLACES.values()) if output.changed else []
    old = [
        place
        for kind, place in PLACES.items()
        if place in there and _differs(fabric, kind, output, pods)
    ]
    return [f"{', '.join(old)}: {_OLD}"] if old else []


def _differs(fabric: Fabric, kind: str, output: Output, pods: rows.Pods) -> bool:
    """Check whether the files of an unwritten export differ from those of this plan.

    Those that may be of a part of a fabric are never called so, as nobody knows of which part they are.
    """
    export = EXPORTS[kind]
    if export.of_part:
        return False
    if export.refusal(fabric):
        return True
    output.tell(f"{kind}, which exists, is compared ...")
    dry = Output(output.folder, dry=True)
    for name, chunks in export.files(fabric, pods, output.earlier):
        dry.write(name, chunks)
        if dry.changed:
            return True
    if export.begins and pods is None:
        dry.remove_others(kind, export.begins)
    return bool(dry.changed)


def _check(fabric: Fabric, chosen: list[str]) -> None:
    for kind in chosen:
        if kind not in EXPORTS:
            raise FabricError.of(
                f"export '{kind}' is not known{nearest(kind, EXPORTS)}: use some of "
                f"{', '.join(EXPORTS)}."
            )
        if why := EXPORTS[kind].refusal(fabric):
            raise FabricError.of(f"export {kind}: {why}")


def check_part(kinds: Iterable[str] | None) -> None:
    """FabricError where some of the exports cannot be of a part of a fabric."""
    wrong = [kind for kind in (DEFAULT if kinds is None else kinds) if kind not in OF_PART]
    if wrong:
        raise FabricError.of(
            f"nodes: export {wrong[0]} is of the whole fabric: leave nodes out, or choose exports of "
            f"{', '.join(OF_PART)}."
        )
