# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Guard of customers: playbook `switches` never removes a customer's ports or VRFs.

* A host port in a VRF other than the registry's stays there, with its address and state, and is reported as tenant
  drift: a VRF that the registry does not list may be a customer's. Only `default` and the VRFs of the house yield,
  and that of a retired tenant where a record of the node under `health` says whose it was, as it is not wiped.
* The ports of a node that left a tenant and is not wiped are in quarantine, even if a tenant lists it, which is
  reported: only `tenant_move` brings it anywhere, through the wipe.
* The ports of a node that is moving stay as they are; only `tenant_move` goes on with it.
* A port that is shut in quarantine, though somebody holds its node, stays and is reported: it may be in the middle
  of a move that another registry knows. Beyond the east-west network the tenant's own job opens it.
* A customer's VRF that the registry does not have on this leaf stays, and is reported; that of a retired tenant is
  nobody's and goes. Beyond the east-west network VRFs of every tenant that the registry lists go.
* A run that names nodes changes a port only while it is with nobody, or where the step may take it from. What another
  port uses stays.
* A document is refused in which an east-west VRF would have an L3VNI, a route distinguisher or a route target of
  another one of the leaf: of one that stays, as its id was given again or its VRF renamed.
* No apply deletes more VRFs than the releases support; the others go in the next run.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import typing as t

from ..._nvue.change.plan import HeldPlaces
from ..._nvue.document.paths import Globs, Path, parse, to_text
from ..._nvue.document.shapes import below
from ..._nvue.document.tree import get
from ..catalog.data import table
from ..plan.topology.converged import LEAVES
from . import nets
from .attachments import holder, on_leaf
from .observed_ports import BRIDGE, is_down, seen
from .routes import leaks
from .schema import QUARANTINE

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ....module_utils._json import Doc
    from ..plan.fabric import Fabric
    from ..plan.topology.cabling import Node, Switch
    from .attachments import Attachment
    from .observed_ports import ObservedPort
    from .registry import Registry

# Computed names of every owner but the two of the house, whose ids are 1 and 2.
CUSTOMERS = ("t[3-9]-*", "t[1-9][0-9]*-*")
STORAGE_VRFS = ("s[3-9]-*", "s[1-9][0-9]*-*")
TENANT_VRFS = ("t[0-9]*-*",)
EXPORTS = ("router", "bgp", "route-export", "to-evpn", "route-target")
IMPORTS = ("router", "bgp", "route-import", "from-evpn", "route-target")
VNI, RD = ("evpn", "vni"), ("router", "bgp", "rd")
ALONE: dict[Path, tuple[Path, ...]] = {VNI: (VNI,), RD: (RD,), EXPORTS: (EXPORTS, IMPORTS)}
"""Values of a VRF that no other VRF of the leaf may have at any of these places."""


@dataclasses.dataclass
class _HeldPlaces:
    """Places that are held so far, and sentences about them."""

    places: list[str] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)
    drift: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Guard:
    """A leaf of any network, and the run that is to change it.

    `leaving` are the nodes that the run may take out of customers' VRFs, `ending` the VRFs that it may delete. With
    `nodes`, the run owns the places of these nodes alone, `owns`: what it would delete of them stays where another
    port uses it. A port of a node in `only` is changed while it is in one of these VRFs, or in none.
    """

    fabric: Fabric
    registry: Registry
    leaf: Switch
    leaving: Collection[Node] = ()
    ending: Collection[str] = ()
    nodes: Collection[Node] | None = None
    owns: Collection[str] = ()
    only: Mapping[Node, Collection[str]] = dataclasses.field(default_factory=dict)

    def hold(self, before: Doc, wish: Doc) -> HeldPlaces:
        """Return the places that stay, with the reasons."""
        kept, owns = _HeldPlaces(), Globs(self.owns)
        for at in self._ports:
            found = self._seen(before, at)
            if self.nodes is not None and at.node not in self.nodes:
                used = ((place, parse(place)) for place in self._in_use(before, at, found))
                kept.places += [
                    place for place, path in used if owns.covers(path) and get(wish, path) is None
                ]
            elif at.node not in self.leaving and (at.policy.silent or any(o.vrf for o in found)):
                self._own(at, found, before, kept)
        if self.nodes is None:
            self._vrfs(before, wish, kept)
        return HeldPlaces(tuple(dict.fromkeys(kept.places)), tuple(kept.notes), tuple(kept.drift))

    def forbid(self, before: Doc, after: Doc) -> tuple[str, ...]:
        """Return the reasons that the change is refused."""
        return (*self._overtaken(before, after), *(self._mixed(after) if self._rails else ()))

    @functools.cached_property
    def _ports(self) -> list[Attachment]:
        return list(on_leaf(self.fabric, self.leaf))

    @property
    def _rails(self) -> bool:
        """Check whether the leaf is one of the east-west network."""
        return self.leaf.role not in LEAVES

    @property
    def _device(self) -> str:
        return self.fabric.name(self.leaf)

    def _seen(self, document: Doc, at: Attachment) -> list[ObservedPort]:
        return seen(self.registry, {at.leaf: document}, [at])

    def _where(self, at: Attachment) -> str:
        return f"port {at.port} of {at.leaf} ({self.fabric.name(at.node)})"

    def _in_use(self, before: Doc, at: Attachment, found: list[ObservedPort]) -> Iterator[str]:
        """The VRFs, VLANs and gateways that a port is in, and the lists that are bound there."""
        here = {(one.vrf, one.network) for one in found if not one.silent}
        every = self.registry.nets.values()
        names = {net.vrf for net in every if (net.owner.vrf, net.network) in here}
        names |= {vrf for vrf, _network in here if vrf in below(before, "vrf")}
        yield from (f"vrf/{name}" for name in sorted(names))
        for name, body in below(before, "interface").items():
            if isinstance(body, dict) and body.get("vrf") in names and name.startswith("vlan"):
                yield from (f"interface/{name}", f"bridge/domain/{BRIDGE}/vlan/{name[4:]}")
        lists = below(before, "interface", at.port, "acl") if at.policy.rails else ()
        yield from (f"acl/{to_text((name,))}" for name in lists)

    def _own(
        self, at: Attachment, found: list[ObservedPort], before: Doc, kept: _HeldPlaces
    ) -> None:
        """A port of the run's own nodes."""
        record = self.registry.moves.get(at.node)
        if record is not None:
            kept.notes.append(
                f"{self.fabric.name(at.node)} is moving from {record.from_} to {record.to} (step {record.step}): "
                f"{self._where(at)} stays as it is until tenant_move continues."
            )
            kept.places += [*places(at), *self._in_use(before, at, found)]
            return
        if said := self._elsewhere(at, found):
            kept.drift.append(said)
            kept.places += [*places(at), *self._in_use(before, at, found)]
        elif said := self._shut(at, found, before):
            kept.drift.append(said)
            kept.places += places(at)
        if said := self._unwiped(at, found):
            kept.drift.append(said)

    def _elsewhere(self, at: Attachment, found: list[ObservedPort]) -> str:
        """Describe a port that is in another VRF than the registry's; empty where it is not, or may be taken out."""
        registry, (slug, up) = self.registry, holder(self.registry, at)
        fine = {None, registry.owners[slug].vrf if up or not at.policy.silent else None}
        where = self._where(at)
        for one in found:
            if one.silent or one.vrf in fine:
                continue
            if one.vrf not in registry.yielding_vrfs():
                return (
                    f"tenant drift: {where} is in {one.vrf}, registry says {slug} ({registry.owners[slug].vrf}): run "
                    "tenant_move, or correct the registry."
                )
            # A retired row names no nodes: what takes a port out must know whose it was.
            unknown = at.policy.everybody and at.present and at.node not in registry.unwiped
            if unknown and one.vrf in registry.retired_vrfs():
                name = self.fabric.name(at.node)
                return (
                    f"tenant drift: {where} is in {one.vrf}, whose tenant has left, and no record says that {name} is "
                    f"not wiped: add {name}: {{had: SLUG}} under health of the registry, with the slug of that "
                    "tenant, and run again."
                )
        return ""

    def _shut(self, at: Attachment, found: list[ObservedPort], before: Doc) -> str:
        """Describe a port that is shut in quarantine though somebody has its node; empty where it may be opened."""
        registry, (slug, _up) = self.registry, holder(self.registry, at)
        shut = is_down(below(before, "interface", at.swp)) and not at.resting
        if not shut or slug == QUARANTINE or not self._quarantined(found):
            return ""
        if at.policy.silent and not (self.nodes is None and registry.owners[slug].customer):
            return ""
        remedy = (
            f"tenant_onboard -e spx_tenant={slug}"
            if at.policy.silent
            else "tenant_move, or open the port by hand"
        )
        return (
            f"tenant drift: {self._where(at)} is shut, as in the middle of a move whose record is not in the registry, "
            f"which says {slug}: run {remedy}."
        )

    def _unwiped(self, at: Attachment, found: list[ObservedPort]) -> str:
        """Describe a node that a tenant lists and that waits in quarantine for its wipe."""
        registry, name = self.registry, self.fabric.name(at.node)
        waits = at.node in registry.unwiped and at.node in registry.claims
        if not (waits and at.policy.everybody and self._quarantined(found)):
            return ""
        slug = registry.claims[at.node].slug
        return (
            f"tenant drift: {self._where(at)} stays in {found[0].vrf}, registry says {slug}, and {name} left a tenant "
            f"and has not been wiped since: run tenant_move -e spx_tenant={slug} -e spx_nodes={name}."
        )

    def _quarantined(self, found: list[ObservedPort]) -> bool:
        return self.registry.owners[QUARANTINE].vrf in {one.vrf for one in found}

    def _vrfs(self, before: Doc, wish: Doc, kept: _HeldPlaces) -> None:
        """Customers' VRFs stay, and of those that go only as many as one apply may delete."""
        registry, description = self.registry, self.fabric.description
        own = registry.own_vrf_names()
        going = sorted(below(before, "vrf").keys() - below(wish, "vrf").keys())
        if self._rails:
            may_go, kinds = {*self.ending, *registry.retired_vrfs()}, [*CUSTOMERS, *own]
            why = (
                "and the registry has no node of it there: run tenant_offboard or tenant_move, or correct the "
                "registry."
            )
        else:
            left = zip(registry.file.retired, registry.retired())
            known = (net for row, owner in left for net in nets.of(row, owner, description))
            may_go = {net.vrf for net in (*registry.nets.values(), *known)}
            kinds = [*CUSTOMERS, *STORAGE_VRFS]
            why = (
                "whose tenant the registry does not list: correct the registry, or remove the VRF from the leaf "
                "manually."
            )
        held = [n for n in going if f"vrf/{n}" not in kept.places and n not in may_go]
        for name in (name for name in held if like(name, kinds)):
            kept.places.append(f"vrf/{name}")
            kept.drift.append(f"tenant drift: {self._device} has the VRF {name}, {why}")
        most = table("tenancy")["vrf_deletes"]["most"]
        ours = [name for name in going if like(name, [*TENANT_VRFS, *own])]
        for name in [name for name in ours if f"vrf/{name}" not in kept.places][most:]:
            kept.places.append(f"vrf/{name}")
            kept.notes.append(
                f"{self._device}: the VRF {name} stays for now, as one apply deletes at most {most} VRFs: run again."
            )

    def _overtaken(self, before: Doc, after: Doc) -> Iterator[str]:
        """Two runs may move one node to two tenants: the second finds the port where it does not look for it."""
        for at in (at for at in self._ports if self.only.get(at.node)):
            then = {one.vrf for one in self._seen(after, at) if not one.silent}
            for one in self._seen(before, at):
                if not one.silent and one.vrf not in (None, *then, *self.only[at.node]):
                    yield (
                        f"{self.fabric.name(at.node)} is moving: port {one.port} of {one.leaf} is in {one.vrf}, where "
                        "this run has not put it: another run moves the node too; let that one finish, and run again "
                        "if the node is not where it must be."
                    )

    def _mixed(self, after: Doc) -> list[str]:
        """Two VRFs with one number are one tenant; what the registry lets leak is shared by intent."""
        registry = self.registry
        slugs = {
            self.registry.holding(port.node).slug
            for port in self._ports
            if port.present and (self.nodes is None or port.node in self.nodes)
        }
        owners = [owner for owner in map(registry.owner, sorted(slugs)) if owner.l3vni]
        shared = {
            target
            for owner in owners
            if (others := leaks(registry, owner))
            for target in (*owner.exports, *others)
        }
        said: dict[tuple[str, str], str] = {}
        for place, among in ALONE.items():
            found = _shared(below(after, "vrf"), {owner.vrf for owner in owners}, place, among)
            for value, one, other in sorted(found):
                if value not in shared:
                    sentence = (
                        f"{self._device} would have {place[-1]} {value} in {one} and in {other}, which mixes the two: "
                        "numbers are never reused, and the VRF of a tenant at work is not renamed; correct the "
                        f"registry, or take {other} off the leaf first."
                    )
                    said.setdefault((one, other), sentence)
        return list(said.values())


def places(at: Attachment) -> list[str]:
    """Return the part of a node's port that belongs to tenants."""
    rails = at.policy.rails
    keys = ("vrf", "ipv4", "ipv6", "acl/spx-tenant-*", *(() if rails else ("bridge",)))
    return [
        f"interface/{at.swp}/link/state",
        *(f"interface/{name}/{key}" for name in dict.fromkeys((at.port, at.swp)) for key in keys),
        f"acl/spx-tenant-{'' if rails else 'house-*-'}{at.swp}",
    ]


def like(name: str, patterns: Sequence[str]) -> bool:
    """Check whether a name is like one of some patterns."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _shared(
    bodies: Doc, ours: set[str], place: Path, among: Sequence[Path]
) -> Iterator[tuple[str, str, str]]:
    """Each value that one of our VRFs shares with another VRF, with both names, ours first."""
    having: dict[str, set[str]] = {}
    for name, body in bodies.items():
        for at in among:
            for value in _values(body, at):
                having.setdefault(value, set()).add(name)
    for name, body in bodies.items():
        for value in _values(body, place):
            for other in having.get(value, set()) - {name}:
                one, two = sorted((name, other), key=lambda key: (key not in ours, key))
                if one in ours:
                    yield value, one, two


def _values(body: t.Any, place: Path) -> list[str]:
    """The keys, or else the one value, at a place."""
    value = get(body, place) if isinstance(body, dict) else None
    return sorted(value) if isinstance(value, dict) else [] if value is None else [str(value)]
