# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holdings of nodes: owners, claims and moves of a registry, whatever file they are from. Private."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import typing as t
from pathlib import Path

from ..description.errors import Breach, FabricError, nearest
from ..description.words import some
from ..plan.topology.cabling import EAST_WEST, Node
from . import nets, owners, schema, steps
from . import nodes as node_text

if t.TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

    from ..description import yaml_source
    from ..description.yaml_source import Key
    from ..plan.fabric import Fabric
    from .nets import Net

T = t.TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Holding:
    """Present holding of a node: `group` is the acceptance group of a node in rest."""

    slug: str
    up: bool = True
    group: str | None = None
    moving: schema.MovingRecord | None = None


@dataclasses.dataclass(frozen=True)
class Claim:
    """A node named in a list of the registry: by whom, and where the list has it."""

    slug: str
    key: Key
    group: str | None = None


_QUARANTINED = Holding(schema.QUARANTINE)


class Holdings:
    """Owners and their nodes; `found` are breaches of the lists that claim nodes, and of the moves."""

    def __init__(
        self, fabric: Fabric, source: yaml_source.Source, file: schema.TenantsFile
    ) -> None:
        self.fabric, self.source, self.file = fabric, source, file
        self._sets: dict[Hashable, object] = {}
        self.owners = {owner.slug: owner for owner in self._owners()}
        self.claims: dict[Node, Claim] = {}
        self.moves: dict[Node, schema.MovingRecord] = {}
        self.health = {
            node: row
            for name, row in self.file.health.items()
            if isinstance(node := fabric.device(name), Node)
        }
        self.ending: frozenset[str] = frozenset()
        self.unwiped = frozenset(node for node, row in self.health.items() if row.clean is None)
        self.found = [*self._claim_all(), *self._moves()]

    # Reading the file

    def _owners(self) -> Iterator[owners.Owner]:
        yield from owners.unlisted(self.file.services, self.fabric.description)
        yield from (owner for _key, _row, owner in self.rows())

    def rows(self) -> Iterator[tuple[Key, schema.Tenant | schema.Service, owners.Owner]]:
        """Each service and tenant of the file: its key, its row, and its own owner.

        Rows may have the same slug while they are being checked; `owners` then has the last one's.
        """
        sections: Mapping[str, Sequence[schema.Tenant | schema.Service]] = {
            "services": self.file.services,
            "tenants": self.file.tenants,
        }
        for section, rows in sections.items():
            for number, row in enumerate(rows):
                yield (section, number), row, owners.of(row, self.fabric.description)

    @functools.cached_property
    def nets(self) -> dict[tuple[str, str], Net]:
        """The owners on the networks of the converged fabric, by slug and network."""
        return {(net.owner.slug, net.network): net for net in self._nets()}

    def net(self, slug: str, network: str) -> Net:
        """An owner on a network, which it must be entitled to."""
        if network == EAST_WEST:
            return self.cached((network, slug), lambda: nets.east_west(self.owners[slug]))
        return self.nets[slug, network]

    def _nets(self) -> Iterator[Net]:
        description = self.fabric.description
        yield from nets.house(description)
        for service in owners.unlisted_services(self.file.services):
            yield from nets.of(service, owners.of(service, description), description)
        for _key, row, owner in self.rows():
            yield from nets.of(row, owner, description)

    def _claim_all(self) -> Iterator[Breach]:
        lists = [row.nodes for _key, row, _owner in self.rows()] + [
            rest.nodes for rest in self.file.rest
        ]
        if why := node_text.too_many(self.fabric, itertools.chain(*lists)):
            yield Breach(("tenants",), f"in all lists {why}")
            return
        for key, row, _owner in self.rows():
            yield from self._claim(key, row.slug, row.nodes)
        for number, rest in enumerate(self.file.rest):
            yield from self._claim(("rest", number), schema.REST, rest.nodes, group=rest.acceptance)

    def _claim(
        self, key: Key, slug: str, texts: list[str], *, group: str | None = None
    ) -> Iterator[Breach]:
        claims = self.claims
        for number, text in enumerate(texts):
            claim = Claim(slug, (*key, "nodes", number), group)
            try:
                found = node_text.expand(self.fabric, text)
            except FabricError as exc:
                yield Breach(claim.key, str(exc))
                continue
            for node in found:
                other = claims.setdefault(node, claim)
                if other is not claim:
                    yield self._twice(node, claim, other)

    def _twice(self, node: Node, claim: Claim, other: Claim) -> Breach:
        line = self.source.line(other.key)
        return Breach(
            claim.key,
            f"{self.fabric.name(node)} is claimed by {claim.slug} and already is listed under "
            f"{other.slug} (line {line}): a node has one owner, so remove one of the two.",
        )

    def _moves(self) -> Iterator[Breach]:
        for text, record in self.file.moving.items():
            key = ("moving", text)
            try:
                found = node_text.expand(self.fabric, text)
            except FabricError as exc:
                yield Breach(key, str(exc))
                continue
            if len(found) != 1:
                wrong = f"'{text}' names {len(found)} nodes: give each node its own record."
                yield Breach(key, wrong)
            elif found[0] in self.moves:
                name = self.fabric.name(found[0])
                yield Breach(key, f"{name} has another record above: keep one of the two.")
            else:
                yield from self._move(key, found[0], record)

    def _move(self, key: Key, node: Node, record: schema.MovingRecord) -> Iterator[Breach]:
        movable = sorted(slug for slug, owner in self.owners.items() if owner.kind != "service")
        for end, slug in (("from", record.from_), ("to", record.to)):
            if slug not in movable:
                yield Breach(
                    (*key, end),
                    f"'{slug}' is not a tenant{nearest(slug, movable)}: use one of "
                    f"{', '.join(some(movable))}.",
                )
        claim = self.claims.get(node)
        if record.from_ == record.to:
            yield Breach(key, f"from and to are both '{record.to}': remove the record.")
        elif (
            claim
            and record.to != schema.QUARANTINE  # which takes a node from where the leaves have it
            and claim.slug not in (record.from_, record.to)
        ):
            yield Breach(
                key,
                f"{self.fabric.name(node)} is listed under {claim.slug} (line "
                f"{self.source.line(claim.key)}) and is recorded as moving from {record.from_} to "
                f"{record.to}: correct one of them.",
            )
        self.moves[node] = record

    # Asking

    def waiting(self, slug: str) -> list[Node]:
        """The nodes that an owner lists and that only tenant_move may bring there, by the wipe."""
        listed = sorted(self.unwiped - self.moves.keys())
        return [n for n in listed if n in self.claims and self.claims[n].slug == slug]

    def holding(self, node: Node) -> Holding:
        """Return the present holding of a node; one that is not wiped is in quarantine, even if a tenant lists it."""
        claim, record = self.claims.get(node), self.moves.get(node)
        if record is not None:
            whose, up = steps.STEPS[record.step].place
            slug = steps.slug_of(whose, record)
            group = record.acceptance or (claim.group if claim else None)
            return Holding(slug, up, group if slug == schema.REST else None, record)
        if claim is None or node in self.unwiped:
            return _QUARANTINED
        return Holding(claim.slug, True, claim.group)

    def owner(self, slug: str) -> owners.Owner:
        """The owner of a slug; FabricError names the known ones."""
        found = self.owners.get(slug)
        if found is None:
            known = sorted(self.owners)
            raise FabricError.of(
                f"'{slug}' is not a tenant of {Path(self.source.path).name}{nearest(slug, known)}: "
                f"use one of {', '.join(some(known))}, or add it to the registry."
            )
        return found

    def tenant(self, slug: str) -> schema.Tenant:
        """A tenant's own entry; FabricError when it is none."""
        self.owner(slug)
        for row in self.file.tenants:
            if row.slug == slug:
                return row
        raise FabricError.of(
            f"'{slug}' is not a tenant, and this playbook works on one: name a tenant of the registry."
        )

    def leaked(self, owner: owners.Owner) -> list[str]:
        """Return the owners whose VRFs exchange routes with an owner's: none unless the registry turns leaking on.

        Reaching needs both directions, so the VRF that is reached imports those that may reach it.
        """
        if not self.file.leaking:
            return []
        back = [other.slug for other in self.owners.values() if owner.slug in other.reaches]
        return sorted({*owner.reaches, *back} & self.owners.keys())

    def _taken_over(self) -> list[schema.Takeover]:
        return [*self.file.tenants, *self.file.services, *self.file.retired]

    def customers_before(self) -> bool:
        """Check whether nodes may have had customers that this registry never listed."""
        stated, keys = self.file.customers_before, schema.Takeover.model_fields
        rows = self._taken_over()
        return any(getattr(row, key) for row in rows for key in keys) if stated is None else stated

    def own_vrf_names(self) -> list[str]:
        """VRFs of tenants whose names do not show it: taken over, or retired."""
        return sorted({row.vrf for row in self._taken_over() if row.vrf})

    def retired(self) -> list[owners.Owner]:
        """The tenants that have left, with what was theirs."""
        return [owners.of(row, self.fabric.description) for row in self.file.retired]

    def retired_vrfs(self) -> list[str]:
        """VRFs of tenants that have left."""
        return sorted({owner.vrf for owner in self.retired()})

    def nodes_of(self, slug: str) -> list[Node]:
        """The nodes that a tenant, a service or rest holds now, in order."""
        return list(self._by_owner().get(slug, ()))

    def groups(self) -> dict[str, list[str]]:
        """Inventory groups such as `spx_tenant_acme_labs`: node names of tenants, of services with nodes, and of rest.

        Nodes that nobody names are in no group: they are in quarantine, and may be nearly all.
        """
        return {
            f"spx_tenant_{slug.replace('-', '_')}": [self.fabric.name(node) for node in nodes]
            for slug, owner in self.owners.items()
            if ((nodes := self.nodes_of(slug)) and slug != schema.QUARANTINE)
            or owner.kind == "tenant"
        }

    def group(self, name: str) -> list[Node]:
        """The nodes of an acceptance group, in order."""
        return [n for n in self.nodes_of(schema.REST) if self.holding(n).group == name]

    def customer_vrfs(self, *but: str | None) -> dict[str, str]:
        """Map the VRFs of customers to their owners, without those of some."""
        owners = self.owners.values()
        return {
            owner.vrf: owner.slug for owner in owners if owner.customer and owner.slug not in but
        }

    def yielding_vrfs(self) -> list[str]:
        """VRFs out of which a run may take a host port: all others may be a customer's."""
        house = {owner.vrf for owner in owners.house(self.fabric.description)}
        return sorted({"default", *house, *self.retired_vrfs()})

    def _by_owner(self) -> Mapping[str, Collection[Node]]:
        def work() -> dict[str, list[Node]]:
            made: dict[str, list[Node]] = {}
            for node in sorted({*self.claims, *self.moves}):
                made.setdefault(self.holding(node).slug, []).append(node)
            return made

        return self.cached("by owner", work)

    def cached(self, key: Hashable, work: t.Callable[[], T]) -> T:
        """A value computed once for this registry; a key belongs to one kind of value."""
        if key not in self._sets:
            self._sets[key] = work()
        return t.cast("T", self._sets[key])

    # The same registry a step further, in memory only

    def with_moves(self, moves: Mapping[Node, schema.MovingRecord | None]) -> t.Self:
        """A copy in which some nodes' moving records are others, or none."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._sets = {}
        every = {**self.moves, **moves}
        made.moves = {node: record for node, record in every.items() if record is not None}
        return made

    def without(self, slug: str) -> t.Self:
        """A copy in which a tenant is about to end: it has no storage and no session outside any more."""
        made = self.with_moves({})
        made.ending = self.ending | {slug}
        return made

    def with_nodes(self, slug: str, nodes: Collection[Node]) -> t.Self:
        """A copy in which a tenant has further nodes; `quarantine` takes them from all lists."""
        made = self.with_moves({})
        made.claims = {**self.claims}
        for node in nodes:
            if slug == schema.QUARANTINE:
                made.claims.pop(node, None)
            else:
                made.claims[node] = Claim(slug, ())
        made.unwiped = self.unwiped.difference(nodes)
        return made
