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
* A port that is shut in quarantine, though somebody holds its node, stays and is reported: it is in the middle of
  a move.
* A customer's VRF that the registry does not have on this leaf stays, and is reported; that of a retired tenant is
  nobody's and goes.
* A document is refused in which a VRF would have an L3VNI, a route distinguisher or a route target of another one
  of the leaf: of one that stays, as its id was given again or its VRF renamed.
* No apply deletes more VRFs than the releases support; the others go in the next run.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import typing as t

from ..._nvue.change.plan import Held
from ..._nvue.document.paths import Path, to_text
from ..._nvue.document.shapes import below
from ..._nvue.document.tree import get
from ..catalog.data import table
from .attachments import holder, on_leaf
from .routes import leaks

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ....module_utils._json import Doc
    from ..plan.fabric import Fabric
    from ..plan.topology.cabling import Node, Switch
    from .attachments import Attachment
    from .registry import Registry

# Computed names of every owner but the two of the house, whose ids are 1 and 2.
CUSTOMERS = ("t[3-9]-*", "t[1-9][0-9]*-*")
TENANT_VRFS = ("t[0-9]*-*",)
EXPORTS = ("router", "bgp", "route-export", "to-evpn", "route-target")
IMPORTS = ("router", "bgp", "route-import", "from-evpn", "route-target")
VNI, RD = ("evpn", "vni"), ("router", "bgp", "rd")
ALONE: dict[Path, tuple[Path, ...]] = {VNI: (VNI,), RD: (RD,), EXPORTS: (EXPORTS, IMPORTS)}
"""Values of a VRF that no other VRF of the leaf may have at any of these places."""


@dataclasses.dataclass(frozen=True)
class Gone:
    """Deletions of a run that owns the places of some nodes: VRFs, and lists of acceptance groups."""

    vrfs: Collection[str] = ()
    lists: Collection[str] = ()


class _Said:
    """Places that are held so far."""

    def __init__(self) -> None:
        self.keep: list[str] = []
        self.notes: list[str] = []
        self.drift: list[str] = []

    def hold_port(self, port: str, vrf: str, before: Doc) -> None:
        """Keep what is the tenants' of a port, its VRF, and the access lists that are bound there."""
        self.keep += [*places(port), f"vrf/{vrf}"]
        self.hold_lists(port, before)

    def hold_lists(self, port: str, before: Doc) -> None:
        self.keep += [f"acl/{to_text((name,))}" for name in below(before, "interface", port, "acl")]


@dataclasses.dataclass(frozen=True)
class Guard:
    """A leaf, and the run that is to change it.

    `leaving` are the nodes that the run may take out of customers' VRFs, `ending` the VRFs that it may delete. With
    `nodes`, the run owns the places of these nodes alone: a VRF in which another node still is stays, as does a list of
    `gone` that is bound at another node's port. A port of a node in `only` is changed while it is in one of these VRFs,
    or in none.
    """

    fabric: Fabric
    registry: Registry
    leaf: Switch
    leaving: Collection[Node] = ()
    ending: Collection[str] = ()
    nodes: Collection[Node] | None = None
    gone: Gone = dataclasses.field(default_factory=Gone)
    only: Mapping[Node, Collection[str]] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def _ports(self) -> list[Attachment]:
        return list(on_leaf(self.fabric, self.leaf))


class LeafGuard(Guard):
    """The guard of a leaf of the east-west network."""

    def hold(self, before: Doc, wish: Doc) -> Held:
        """Return the places that stay, with the reasons."""
        said = _Said()
        for port in self._ports:
            vrf = str(below(before, "interface", port.port).get("vrf", ""))
            if not vrf:
                continue
            if self.nodes is not None and port.node not in self.nodes:
                self._in_use(port, vrf, before, said)
            elif port.node not in self.leaving:
                self._port(port, vrf, before, wish, said)
        if self.nodes is None:
            self._vrfs(before, wish, said)
        return Held(tuple(said.keep), tuple(said.notes), tuple(said.drift))

    def forbid(self, before: Doc, after: Doc) -> tuple[str, ...]:
        """Return the reasons that the change is refused."""
        return (*self._overtaken(before, after), *self._mixed(after))

    @property
    def _device(self) -> str:
        return self.fabric.name(self.leaf)

    def _where(self, port: Attachment) -> str:
        return f"port {port.port} of {self._device}"

    def _in_use(self, port: Attachment, vrf: str, before: Doc, said: _Said) -> None:
        """The run has no node at this port: what it would delete stays while the port uses it."""
        if vrf in self.gone.vrfs:
            said.keep.append(f"vrf/{vrf}")
        if self.gone.lists:
            said.hold_lists(port.port, before)

    def _port(self, port: Attachment, vrf: str, before: Doc, wish: Doc, said: _Said) -> None:
        """A port of the run's own nodes."""
        record = self.registry.moves.get(port.node)
        if record is not None:
            said.hold_port(port.port, vrf, before)
            said.notes.append(
                f"{self.fabric.name(port.node)} is moving from {record.from_} to {record.to} (step {record.step}): "
                f"{self._where(port)} stays as it is until tenant_move continues."
            )
            return
        if vrf != below(wish, "interface", port.port).get("vrf"):
            self._elsewhere(port, vrf, before, said)
        if vrf == self.registry.owners["quarantine"].vrf:
            self._in_quarantine(port, vrf, before, wish, said)

    def _elsewhere(self, port: Attachment, vrf: str, before: Doc, said: _Said) -> None:
        """A port that is in another VRF than the registry's."""
        registry, where = self.registry, self._where(port)
        if vrf not in registry.yielding_vrfs():
            slug = holder(registry, port)[0]
            said.hold_port(port.port, vrf, before)
            said.drift.append(
                f"tenant drift: {where} is in {vrf}, registry says {slug} ({registry.owners[slug].vrf}): run "
                "tenant_move, or correct the registry."
            )
            return
        # A retired row names no nodes: what takes a port out must know whose it was.
        unknown = port.present and port.node not in registry.unwiped
        if unknown and vrf in registry.retired_vrfs():
            name = self.fabric.name(port.node)
            said.hold_port(port.port, vrf, before)
            said.drift.append(
                f"tenant drift: {where} ({name}) is in {vrf}, whose tenant has left, and no record says that {name} is "
                f"not wiped: add {name}: {{had: SLUG}} under health of the registry, with the slug of that tenant, and "
                "run again."
            )

    def _in_quarantine(
        self, port: Attachment, vrf: str, before: Doc, wish: Doc, said: _Said
    ) -> None:
        """A port whose node somebody has, though the leaf has it in quarantine."""
        where = self._where(port)
        has, asked = (below(doc, "interface", port.port, "link", "state") for doc in (before, wish))
        if holder(self.registry, port)[0] != "quarantine" and "down" in has and "down" not in asked:
            said.keep += places(port.port)
            said.drift.append(
                f"tenant drift: {where} is shut in {vrf}, as in the middle of a move whose record is not in the "
                "registry: run tenant_move, or open the port by hand."
            )
        # Nothing to hold: the registry has the node in quarantine, whatever its lists say.
        if port.node in self.registry.unwiped and port.node in self.registry.claims:
            slug, name = self.registry.claims[port.node].slug, self.fabric.name(port.node)
            said.drift.append(
                f"tenant drift: {where} stays in {vrf}, registry says {slug}, and {name} left a tenant and has not "
                f"been wiped since: run tenant_move -e spx_tenant={slug} -e spx_nodes={name}."
            )

    def _vrfs(self, before: Doc, wish: Doc, said: _Said) -> None:
        """Customers' VRFs stay, and of those that go only as many as one apply may delete."""
        own = self.registry.own_vrf_names()
        may_go = {*self.ending, *self.registry.retired_vrfs()}
        going = [name for name in sorted(below(before, "vrf")) if name not in below(wish, "vrf")]
        for name in going:
            if (
                f"vrf/{name}" not in said.keep
                and name not in may_go
                and like(name, [*CUSTOMERS, *own])
            ):
                said.keep.append(f"vrf/{name}")
                said.drift.append(
                    f"tenant drift: {self._device} has the VRF {name}, and the registry has no node of it there: run "
                    "tenant_offboard or tenant_move, or correct the registry."
                )
        most = table("tenancy")["vrf_deletes"]["most"]
        ours = [name for name in going if like(name, [*TENANT_VRFS, *own])]
        for name in [name for name in ours if f"vrf/{name}" not in said.keep][most:]:
            said.keep.append(f"vrf/{name}")
            said.notes.append(
                f"{self._device}: the VRF {name} stays for now, as one apply deletes at most {most} VRFs: run again."
            )

    def _overtaken(self, before: Doc, after: Doc) -> Iterator[str]:
        """Two runs may move one node to two tenants: the second finds the port where it does not look for it."""
        for port in self._ports:
            place = ("interface", port.port, "vrf")
            vrf, vrfs = get(before, place), self.only.get(port.node)
            if vrfs and vrf not in (None, get(after, place), *vrfs):
                yield (
                    f"{self.fabric.name(port.node)} is moving: {self._where(port)} is in {vrf}, where this run has not "
                    "put it: another run moves the node too; let that one finish, and run again if the node is not "
                    "where it must be."
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


def places(port: str) -> list[str]:
    """Return the tenants' places of a host port."""
    head = f"interface/{port}"
    return [
        f"{head}/vrf",
        f"{head}/ipv4",
        f"{head}/ipv6",
        f"{head}/link/state",
        f"{head}/acl/spx-tenant-*",
        f"acl/spx-tenant-{port}",
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
