# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the registry beyond types: each yields the breaches it finds."""

from __future__ import annotations

import re
import typing as t

from ..catalog.data import table
from ..catalog.hardware import version
from ..description.errors import Breach, nearest
from ..description.words import some
from . import (
    capacity,
    capacity_converged,
    nets,
    owners,
    rules_networks,
    rules_peers,
    rules_targets,
    schema,
    wipe,
)

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..description.yaml_source import Key
    from .holdings import Holdings


def breaches(registry: Holdings) -> Iterator[Breach]:
    """Every broken rule of a registry whose nodes are resolved."""
    yield from _numbers(registry)
    yield from _slugs(registry)
    yield from _retired(registry)
    yield from rules_targets.breaches(registry)
    yield from _shared(registry)
    yield from _cycles(registry)
    yield from quotas(registry)
    yield from rules_networks.breaches(registry)
    yield from rules_peers.breaches(registry)
    yield from _groups(registry)
    yield from _health(registry)
    yield from wipe.breaches(registry)
    yield from _release(registry)
    yield from capacity.breaches(registry)
    yield from capacity_converged.breaches(registry)


def _numbers(registry: Holdings) -> Iterator[Breach]:
    """Ids, VRF names, L3VNIs and RD numbers: in range, and each given once for ever."""
    seen: dict[tuple[str, t.Any], tuple[str, int]] = {}
    for owner in owners.unlisted(registry.file.services, registry.fabric.description):
        for name in ("vrf", "l3vni", "rd_id"):
            seen[name, getattr(owner, name)] = owner.slug, 0
    gone = _gone(registry)
    for key, row, owner in registry.rows():
        yield from _id(key, row)
        yield from _vrf_name(key, row)
        for name, value in _single(registry, row, owner):
            if former := gone.get((name, value)):
                yield Breach(
                    (*key, name),
                    f"{value} of {row.slug} was the {name} of {former}, who has left (see "
                    f"retired): {'an id' if name == 'id' else 'it'} is never reused, choose another.",
                )
                if name == "id":
                    break
                continue
            mine = (row.slug, registry.source.line(key))
            other = seen.setdefault((name, value), mine)
            if other != mine:
                where = f" (line {other[1]})" if other[1] else ""
                yield Breach(
                    (*key, name),
                    f"{value} of {row.slug} is already the {name} of {other[0]}{where}: "
                    "give each its own.",
                )
            if name == "id" and other != mine:
                break  # what follows from the id would only be said again


def _gone(registry: Holdings) -> dict[tuple[str, t.Any], str]:
    """Return the values of tenants that have left, with their slugs; the VNIs of their other networks too."""
    made: dict[tuple[str, t.Any], str] = {}
    description = registry.fabric.description
    for row, owner in zip(registry.file.retired, registry.retired()):
        for name in ("id", "vrf", "l3vni", "rd_id"):
            made[name, getattr(owner, name)] = owner.slug
        for net in nets.of(row, owner, description):
            made["l3vni", net.l3vni] = owner.slug
    return made


def _single(
    registry: Holdings, row: schema.Tenant | schema.Service, owner: owners.Owner
) -> Iterator[tuple[str, int | str]]:
    """Yield the values that no other row may have; none that follow from an id which is not allowed."""
    allowed = _id_allowed(row)
    yield "id", row.id
    for name in ("vrf", "l3vni", "rd_id"):
        if allowed or getattr(row, name):
            yield name, getattr(owner, name)
    for net in nets.of(row, owner, registry.fabric.description) if allowed else ():
        yield "l3vni", net.l3vni


def _id_allowed(row: schema.Tenant | schema.Service) -> bool:
    if isinstance(row, schema.Service):
        return schema.FIRST_SERVICE_ID <= row.id < schema.FIRST_TENANT_ID
    return row.id >= schema.FIRST_TENANT_ID


def _id(key: Key, row: schema.Tenant | schema.Service) -> Iterator[Breach]:
    if not _id_allowed(row):
        what = (
            "a service has 3 to 15"
            if isinstance(row, schema.Service)
            else "1 to 15 are reserved, and a tenant has 16 to 65535"
        )
        yield Breach(
            (*key, "id"), f"{row.id} of {row.slug} is not allowed ({what}): choose another id."
        )


def _vrf_name(key: Key, row: schema.Tenant | schema.Service) -> Iterator[Breach]:
    name = row.vrf or f"t{row.id}-{row.slug}"
    if len(name) > schema.VRF_NAME_LENGTH:
        room = schema.VRF_NAME_LENGTH - len(f"t{row.id}-")
        remedy = "shorten it" if row.vrf else f"shorten slug to {room} characters, or set vrf"
        yield Breach(
            (*key, "vrf" if row.vrf else "slug"),
            f"the VRF name '{name}' has {len(name)} characters and at most "
            f"{schema.VRF_NAME_LENGTH} are allowed: {remedy}.",
        )
    yield from _of_the_switch((*key, "vrf"), name)


def _of_the_switch(key: Key, name: str) -> Iterator[Breach]:
    """A VRF is a device of the kernel beside the ports, whose names it must not take."""
    if name in ("default", "mgmt"):
        yield Breach(key, f"'{name}' is a VRF of the switch itself: choose another name.")
    elif re.fullmatch(r"lo|(swp|eth|vlan|vxlan|bond)[0-9].*", name):
        yield Breach(key, f"'{name}' is the name of an interface: choose another name.")


def _retired(registry: Holdings) -> Iterator[Breach]:
    """Refuse permanent values as retired ones, as those are removed from switches."""
    unlisted = owners.unlisted(registry.file.services, registry.fabric.description)
    lasting = {owner.vrf: owner.slug for owner in unlisted}
    for number, owner in enumerate(registry.retired()):
        key = ("retired", number, "vrf")
        yield from _of_the_switch(key, owner.vrf)
        if owner.vrf in lasting:
            yield Breach(
                key,
                f"'{owner.vrf}' is the VRF of {lasting[owner.vrf]}, which stays: remove the row.",
            )


def _slugs(registry: Holdings) -> Iterator[Breach]:
    seen: dict[str, int] = {}
    for key, row, _owner in registry.rows():
        if row.slug in schema.RESERVED_SLUGS:
            yield Breach(
                (*key, "slug"),
                f"'{row.slug}' is reserved ({', '.join(schema.RESERVED_SLUGS)}): choose another "
                "slug.",
            )
        elif isinstance(row, schema.Tenant) and row.slug in schema.DEFAULT_SERVICES:
            yield Breach(
                (*key, "slug"),
                f"'{row.slug}' is a service, which tenants may be entitled to reach: choose "
                "another slug.",
            )
        elif row.slug in seen:
            yield Breach(
                (*key, "slug"),
                f"'{row.slug}' is already in line {seen[row.slug]}: give each its own slug.",
            )
        seen.setdefault(row.slug, registry.source.line((*key, "slug")))


def _shared(registry: Holdings) -> Iterator[Breach]:
    known = sorted(s for s, o in registry.owners.items() if o.kind in ("service", "tenant"))
    for number, row in enumerate(registry.file.tenants):
        for place, slug in enumerate(row.shared):
            if slug not in known or slug == row.slug:
                why = (
                    "is the tenant itself"
                    if slug == row.slug
                    else f"is not a service{nearest(slug, known)}"
                )
                yield Breach(
                    ("tenants", number, "shared", place),
                    f"'{slug}' {why}: use some of {', '.join(some(known))}.",
                )


def _cycles(registry: Holdings) -> Iterator[Breach]:
    """Tenants that reach each other in a ring would be one tenant."""
    reaches = {row.slug: row.shared for row in registry.file.tenants}
    done: set[str] = set()
    for number, row in enumerate(registry.file.tenants):
        ring = _ring(row.slug, reaches, done) if row.shared else None
        if ring:
            yield Breach(
                ("tenants", number, "shared"),
                f"{' -> '.join(ring)} is a ring, which would join these tenants: remove one of "
                "the imports.",
            )


def _ring(start: str, reaches: dict[str, list[str]], done: set[str]) -> list[str] | None:
    """The first ring met from a slug; `done` are slugs from which no other is to be found."""
    trail = {start: iter(reaches[start])} if start not in done else {}
    while trail:
        slug = next(reversed(trail))
        following = next(trail[slug], None)
        if following is None:
            del trail[slug]
            done.add(slug)
        elif following in trail:
            names = list(trail)
            ring = names[names.index(following) :]
            done.update(ring)
            return [*ring, following]
        elif following not in done:
            trail[following] = iter(reaches.get(following, ()))
    return None


def too_much(registry: Holdings) -> list[str]:
    """Sentences about quotas and leaves that would hold more than they may."""
    found = (
        *quotas(registry),
        *capacity.breaches(registry),
        *capacity_converged.breaches(registry),
    )
    return [registry.source.sentence(breach) for breach in found]


def quotas(registry: Holdings) -> Iterator[Breach]:
    """Tenants that are listed with more than they may hold."""
    rails = registry.fabric.clos.rails
    counts: dict[str, int] = {}
    for claim in registry.claims.values():
        counts[claim.slug] = counts.get(claim.slug, 0) + 1
    for number, row in enumerate(registry.file.tenants):
        held = counts.get(row.slug, 0)
        for unit, most, have in (
            ("nodes", row.quotas.nodes, held),
            ("gpus", row.quotas.gpus, held * rails),
        ):
            if most is not None and have > most:
                yield Breach(
                    ("tenants", number, "quotas", unit),
                    f"{row.slug} has {have} {unit} and its quota is {most}: raise the quota, or "
                    "give nodes back.",
                )


def _groups(registry: Holdings) -> Iterator[Breach]:
    seen: dict[str, int] = {}
    for number, rest in enumerate(registry.file.rest):
        key = ("rest", number, "acceptance")
        if rest.acceptance is None:
            continue
        if rest.acceptance in seen:
            yield Breach(
                key,
                f"the group '{rest.acceptance}' is already in line {seen[rest.acceptance]}: "
                "write its nodes in one entry.",
            )
        seen.setdefault(rest.acceptance, registry.source.line(key))


def _health(registry: Holdings) -> Iterator[Breach]:
    for name in registry.file.health:
        device = registry.fabric.device(name)
        if device is None or len(device) != 3:
            yield Breach(
                ("health", name),
                f"'{name}' is not the name of a node: correct it, or remove the record.",
            )


def _release(registry: Holdings) -> Iterator[Breach]:
    """Leaking needs a release that takes a remote VRF's L3VNI from its route."""
    if not registry.file.leaking:
        return
    row = table("tenancy")["leaking"]
    release = registry.fabric.description.release.cumulus
    if version(release) < version(row["since"]):
        yield Breach(
            ("leaking",),
            f"Cumulus Linux {release} does not support it ({row['needs']}, from {row['since']}): set "
            "it to false, or use a newer release.",
        )
