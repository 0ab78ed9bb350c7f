# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of route targets: who exports one, and who would be joined by it."""

from __future__ import annotations

import typing as t

from ..description.errors import Breach
from . import nets, owners, schema

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..description.yaml_source import Key
    from .holdings import Holdings

Exporters = dict[str, list[tuple[str, int]]]
"""Exporters of a route target, with the L3VNI that it follows from: 0 where it is stated."""
Exported = tuple["Iterable[str]", str, int]


def breaches(registry: Holdings) -> Iterator[Breach]:
    """No VRF exports, nor imports undeclared, what another exports: for all rails or for one."""
    rails = range(registry.fabric.clos.rails)
    exporters, former = _by_target(_exports(registry, rails)), _by_target(_former(registry, rails))
    for key, row, owner in registry.rows():
        yield from _own_targets(key, owner, rails)
        if row.route_targets:
            yield from _stated_targets(registry, key, owner, exporters)
        else:
            others = exporters if row.l3vni else former
            yield from _targets_of_l3vni(key, owner, others, rails)


def _by_target(exports: Iterable[Exported]) -> Exporters:
    made: Exporters = {}
    for targets, slug, l3vni in exports:
        for target in targets:
            made.setdefault(target, []).append((slug, l3vni))
    return made


def _former(registry: Holdings, rails: range) -> Iterator[Exported]:
    """Tenants that have left; their VRFs may be on switches yet."""
    for owner in registry.retired():
        yield owner.exported(rails), f"{owner.slug} (retired)", owner.l3vni


def _exports(registry: Holdings, rails: range) -> Iterator[Exported]:
    for owner in owners.unlisted(registry.file.services, registry.fabric.description):
        yield owner.exported(rails), owner.slug, owner.l3vni
    for net in nets.house(registry.fabric.description):
        yield net.exports, net.owner.slug, net.l3vni
    yield from _former(registry, rails)
    for _key, row, owner in registry.rows():
        yield owner.exported(rails), row.slug, 0 if row.route_targets else owner.l3vni
        for net in nets.of(row, owner, registry.fabric.description):
            yield net.exports, row.slug, net.l3vni


def _own_targets(key: Key, owner: owners.Owner, rails: range) -> Iterator[Breach]:
    """A VRF takes its own routes from other leaves, and its targets have room for the rails."""
    if not set(owner.imports) & set(owner.exports):
        yield Breach(
            (*key, "route_targets"),
            f"{owner.slug} imports nothing that it exports, so that its nodes on different leaves "
            "would not reach each other: write one route target in both imports and exports.",
        )
    if owner.routes != "rail":
        return
    for target in (*owner.exports, *owner.imports):
        last = owners.rail_target(target, rails[-1])
        if not schema.is_route_target(last):
            yield Breach(
                (*key, "routes"),
                f"rail of {owner.slug} has no room behind the route target {target} (the last rail "
                f"would have {last}): use exact or leaf, or a 2-byte AS number with a number up to "
                f"{2**32 - 1 - len(rails) * owners.RAIL_STEP}.",
            )
            return


def _stated_targets(
    registry: Holdings, key: Key, owner: owners.Owner, exporters: Exporters
) -> Iterator[Breach]:
    declared = _declared(registry, owner)
    rails = range(registry.fabric.clos.rails) if owner.routes == "rail" else ()
    for way in ("imports", "exports"):
        for number, stated in enumerate(getattr(owner, way)):
            if way == "imports" and stated in owner.exports:
                continue  # found among the exports
            known = {owner.slug, *(declared if way == "imports" else ())}
            for target in (stated, *(owners.rail_target(stated, rail) for rail in rails)):
                others = [s for s, _vni in exporters.get(target, ()) if s not in known]
                if others:
                    makes = "is" if target == stated else f"makes the route target {target},"
                    yield Breach(
                        (*key, "route_targets", way, number),
                        f"'{stated}' of {owner.slug} {makes} also exported by {others[0]}, which "
                        "would join the two: use a route target of its own"
                        f"{_or_declare(registry) if way == 'imports' else ''}.",
                    )
                    break


def _targets_of_l3vni(
    key: Key, owner: owners.Owner, exporters: Exporters, rails: range
) -> Iterator[Breach]:
    found = (0, owner.l3vni)  # at the route target of the other, or as an L3VNI given twice
    for target in owner.exported(rails):
        others = [s for s, vni in exporters.get(target, ()) if s != owner.slug and vni not in found]
        if others:
            yield Breach(
                (*key, "l3vni"),
                f"{owner.l3vni} of {owner.slug} makes the route target {target}, also exported by "
                f"{others[0]}, which would join the two: use an L3VNI of its own.",
            )
            return


def _declared(registry: Holdings, owner: owners.Owner) -> set[str]:
    """Return the owners whose routes an owner may import: none unless the registry allows leaks, then both ways."""
    if not registry.file.leaking:
        return set()
    back = (row.slug for row in registry.file.tenants if owner.slug in row.shared)
    return {*owner.reaches, *back}


def _or_declare(registry: Holdings) -> str:
    return f", or declare it in shared{'' if registry.file.leaking else ' and set leaking to true'}"
