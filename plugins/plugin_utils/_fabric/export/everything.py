# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All exports of a plan, in the order in which they are written."""

from __future__ import annotations

import re
import typing as t

from ..model.errors import FabricError, nearest
from . import dns, lists, netbox, nvidia, pictures, ptm, rows
from .output import Output

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..fabric import Fabric

KINDS = (
    "slices",
    "links",
    "addresses",
    "hosts",
    "dns",
    "ptm",
    "netbox",
    "reference-generator",
    "air",
    "cabling-only",
    "pictures",
)
DEFAULT = ("slices", "links", "addresses", "hosts", "dns", "ptm", "netbox", "air", "pictures")

_OURS = {
    "slices": re.compile(rb'\{\n "schema": 1,\n "fabric": '),
    "ptm": re.compile(rb'graph "[a-z0-9-]+" \{\n'),
    "dns": re.compile(rb"\$ORIGIN \S+\n\$TTL 3600\n@ SOA ns\.\S+ hostmaster\.\S+ \(1 3600 600 "),
}
"""How the files begin that an earlier plan left where this one writes."""


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
        _WRITERS[kind](fabric, output, scope)
    for folder, begins in _OURS.items():
        if folder in chosen and scope == rows.EVERYTHING:
            output.remove_others(folder, begins)
    return left_out


def _check(fabric: Fabric, chosen: list[str], *, asked: bool) -> list[str]:
    found = []
    for kind in list(chosen):
        if kind not in KINDS:
            raise FabricError.of(
                f"export '{kind}' is not known{nearest(kind, KINDS)}: use some of {', '.join(KINDS)}."
            )
        why = _REFUSALS[kind](fabric) if kind in _REFUSALS else None
        if why and asked:
            raise FabricError.of(f"export {kind}: {why}")
        if why:
            chosen.remove(kind)
            found.append(f"{kind} is left out: {why}")
    return found


_REFUSALS: dict[str, t.Callable[[t.Any], str | None]] = {
    "reference-generator": nvidia.generator_refusal,
    "air": nvidia.air_refusal,
    "cabling-only": lambda fabric: nvidia.refusal(fabric, addresses=False),
}


def _several(files: t.Callable[..., t.Any]) -> t.Callable[..., None]:
    def work(fabric: Fabric, output: Output, scope: rows.Scope) -> None:
        for name, chunks in files(fabric, scope):
            output.write(name, chunks)

    return work


def _one(name: str, chunks: t.Callable[..., t.Any], **options: t.Any) -> t.Callable[..., None]:
    def work(fabric: Fabric, output: Output, scope: rows.Scope) -> None:
        output.write(name, chunks(fabric, scope, **options))

    return work


def _dns(fabric: Fabric, output: Output, scope: rows.Scope) -> None:
    output.spread(dns.lines(fabric, scope))


_WRITERS: dict[str, t.Callable[..., None]] = {
    "slices": _several(lists.slices),
    "links": _one("links.csv", lists.links_csv),
    "addresses": _one("addresses.csv", lists.addresses_csv),
    "hosts": _one("hosts", lists.hosts),
    "dns": _dns,
    "ptm": _several(ptm.files),
    "netbox": _several(netbox.files),
    "reference-generator": _one("topology.json", nvidia.reference_generator),
    "air": _one("air.json", nvidia.air),
    "cabling-only": _one("air-cabling-only.json", nvidia.air, cabling_only=True),
    "pictures": _several(pictures.files),
}
