# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All exports of a plan, in the order in which they are written."""

from __future__ import annotations

import functools
import re
import typing as t

from ..model.errors import FabricError, nearest
from . import dns, lists, netbox, nvidia, pictures, rows
from .output import Output

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..fabric import Fabric


def _several(files: Callable[..., t.Any]) -> Callable[..., None]:
    def work(fabric: Fabric, output: Output, scope: rows.Scope) -> None:
        for name, chunks in files(fabric, scope):
            output.write(name, chunks)

    return work


def _one(name: str, chunks: Callable[..., t.Any]) -> Callable[..., None]:
    def work(fabric: Fabric, output: Output, scope: rows.Scope) -> None:
        output.write(name, chunks(fabric, scope))

    return work


def _dns(fabric: Fabric, output: Output, scope: rows.Scope) -> None:
    output.spread(dns.lines(fabric, scope))


class Export(t.NamedTuple):
    """How a kind is written; `refusal` says why a plan cannot have it.

    `begins` is how the files begin that an earlier plan left where this one writes.
    """

    write: Callable[..., None]
    default: bool = True
    refusal: Callable[[Fabric], str | None] = lambda _fabric: None
    begins: re.Pattern[bytes] | None = None


_ZONE = re.compile(rb"\$ORIGIN \S+\n\$TTL 3600\n@ SOA ns\.\S+ hostmaster\.\S+ \(1 3600 600 ")
EXPORTS = {
    "slices": Export(_several(lists.slices), begins=re.compile(rb'\{\n "schema": 1,\n "fabric": ')),
    "links": Export(_one("links.csv", lists.links_csv)),
    "addresses": Export(_one("addresses.csv", lists.addresses_csv)),
    "hosts": Export(_one("hosts", lists.hosts)),
    "dns": Export(_dns, begins=_ZONE),
    "ptm": Export(_several(lists.ptm), begins=re.compile(rb'graph "[a-z0-9-]+" \{\n')),
    "netbox": Export(_several(netbox.files)),
    "reference-generator": Export(
        _one("topology.json", nvidia.reference_generator),
        default=False,
        refusal=nvidia.generator_refusal,
    ),
    "air": Export(_one("air.json", nvidia.air), refusal=nvidia.air_refusal),
    "cabling-only": Export(
        _one("air-cabling-only.json", functools.partial(nvidia.air, cabling_only=True)),
        default=False,
        refusal=functools.partial(nvidia.refusal, addresses=False),
    ),
    "pictures": Export(_several(pictures.files)),
}
DEFAULT = [kind for kind, export in EXPORTS.items() if export.default]


def write(
    fabric: Fabric,
    output: Output,
    *,
    kinds: Iterable[str] | None = None,
    scope: rows.Scope = rows.EVERYTHING,
    progress: Callable[[str], None] = lambda _text: None,
) -> list[str]:
    """Write the exports; returns a sentence for each default one that this plan cannot have.

    An export that was asked for by name and cannot be had is a FabricError before anything is written.
    Files of devices that are gone are removed, unless `scope` is a part of the fabric.
    """
    chosen = list(DEFAULT if kinds is None else kinds)
    left_out = _check(fabric, chosen, asked=kinds is not None)
    for kind in chosen:
        progress(f"{kind} ...")
        EXPORTS[kind].write(fabric, output, scope)
    for kind in chosen:
        begins = EXPORTS[kind].begins
        if begins and scope == rows.EVERYTHING:
            output.remove_others(kind, begins)
    return left_out


def _check(fabric: Fabric, chosen: list[str], *, asked: bool) -> list[str]:
    found = []
    for kind in list(chosen):
        if kind not in EXPORTS:
            raise FabricError.of(
                f"export '{kind}' is not known{nearest(kind, EXPORTS)}: use some of "
                f"{', '.join(EXPORTS)}."
            )
        why = EXPORTS[kind].refusal(fabric)
        if why and asked:
            raise FabricError.of(f"export {kind}: {why}")
        if why:
            chosen.remove(kind)
            found.append(f"{kind} is left out: {why}")
    return found
