# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gates of a move on one leaf: what it reports of routes and hosts, and what that means for each node.

A gate reads the leaf's configuration once and its tables at every look: which tables it can be asked for depends
on its release, and which it must report on its configuration.
"""

from __future__ import annotations

import abc
import dataclasses
import typing as t

from . import move, prefixes, schema, tables
from .links import resting_links
from .vrfs import expected_routes, host_ports, leaked_routes, rails_of, tenant_vrfs

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..fabric import Fabric
    from ..topology.cabling import Node, Switch
    from .leaf import Applied, Leaf
    from .registry import Registry

Row = t.Mapping[str, t.Any]
Rows = t.Mapping[str, Row]


@dataclasses.dataclass(frozen=True)
class Note:
    """What a leaf cannot be asked: `blind` names it with its release (no forwarding table), `mute` (no neighbours)."""

    blind: str = ""
    mute: str = ""


class Gate(abc.ABC):
    """One gate on one leaf."""

    def __init__(self, fabric: Fabric, registry: Registry, rows: Rows, leaf: Leaf) -> None:
        self.fabric, self.registry, self.rows, self.leaf = fabric, registry, rows, leaf
        self.applied = leaf.applied()
        self.note = self._note()

    @property
    def switch(self) -> Switch:
        """The leaf in the plan."""
        return t.cast("Switch", self.fabric.device(self.leaf.name))

    @abc.abstractmethod
    def objections(self) -> dict[str, list[str]]:
        """Sentences by node that may not go on, from a look at the leaf."""

    def _note(self) -> Note:
        release = self.applied.release
        blind = not tables.tells_fib(release)
        return Note(blind=f"{self.leaf.name} (Cumulus Linux {release})" if blind else "")

    def _told(self, vrfs: Iterable[str]) -> dict[str, tables.Told]:
        """What the leaf reports of some VRFs now."""
        places = {
            vrf: tables.places(self.fabric, vrf, release=self.applied.release)
            for vrf in dict.fromkeys(vrfs)
        }
        read = self.leaf.read(path for asked in places.values() for path in asked.values())
        document = self.applied.document
        return {vrf: tables.told(asked, read, document, vrf) for vrf, asked in places.items()}

    def _watching(self, which: str) -> Iterator[tuple[str, Row]]:
        """The nodes about which the leaf has a say."""
        for name, row in self.rows.items():
            if self.leaf.name in row[which]:
                yield name, row


def _only_said(said: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {name: lines for name, lines in said.items() if lines}


class Withdrawn(Gate):
    """No leaf has a route to any link of the node, whatever the tenant's `routes` make of it.

    Only what the registry leaks from the node's new owner may be there.
    """

    def objections(self) -> dict[str, list[str]]:
        """Nodes to which the old VRF still has a route, or of which a table is missing."""
        rows = dict(self._watching("old_watched"))
        told, made = self._told(row["old_vrf"] for row in rows.values()), {}
        for name, row in rows.items():
            links = [port["prefix"] for port in (*row["ports"], *row["deferred"])]
            owner = self.registry.owner(row["record"]["from"])
            allowed = leaked_routes(self.fabric, self.registry, owner, self.switch)
            leaf = {self.leaf.name: told[row["old_vrf"]]}
            made[name] = tables.not_withdrawn(name, row["old_vrf"], links, leaf, allowed=allowed)
        return _only_said(made)


class Arrived(Gate):
    """Each leaf has what the node causes there: links, those of the leaf's rails, or what holds them.

    A leaf that lacks the VRF, as the tenant's own nodes there still wait, has nobody who needs the routes.
    """

    def objections(self) -> dict[str, list[str]]:
        """Nodes whose routes the new VRF lacks."""
        rows = {n: row for n, row in self._watching("new_watched") if not self._waits(row)}
        told, made = self._told(row["new_vrf"] for row in rows.values()), {}
        then = self.registry.with_moves(_at_the_end(self.fabric, self.rows))
        for name, row in rows.items():
            links = [port["prefix"] for port in row["ports"] if not port["resting"]]
            owner = then.owner(row["record"]["to"])
            rails = rails_of(host_ports(self.fabric, then, self.switch))
            leading = tables.leading_to(links)
            expected = expected_routes(self.fabric, then, owner, self.switch, rails=rails)
            wanted = [prefix for prefix in expected if prefix in leading]
            leaf = {self.leaf.name: told[row["new_vrf"]]}
            made[name] = tables.not_arrived(name, row["new_vrf"], wanted, leaf)
        return _only_said(made)

    def _waits(self, row: Row) -> bool:
        """Whether the leaf has no port of the node, and by its document not the new VRF."""
        lacks = row["new_vrf"] not in (self.applied.document.get("vrf") or {})
        return lacks and all(port["leaf"] != self.leaf.name for port in row["ports"])


def _at_the_end(fabric: Fabric, rows: Rows) -> dict[Node, schema.Moving]:
    return {
        t.cast("Node", fabric.device(name)): schema.Moving.model_validate(
            {**row["record"], "step": "verify"}
        )
        for name, row in rows.items()
    }


class Resolved(Gate):
    """The gateways resolve the host, where the switch reports its neighbours at all.

    A host that says nothing is asked first, from its new VRF: a port that went down has forgotten it, and an idle
    host has no reason to speak.
    """

    _asked = False

    def _note(self) -> Note:
        return Note()

    def objections(self) -> dict[str, list[str]]:
        """Nodes that a port does not resolve."""
        known = self._known()
        silent = [
            p for ports in self._ports().values() for p in ports if self._unresolved(p, known)
        ]
        if silent and not self._asked:
            self._asked = True
            vrfs = {name: row["new_vrf"] for name, row in self.rows.items()}
            for name, ports in self._ports().items():
                for port in ports:
                    if port in silent:
                        self.leaf.ping(vrfs[name], port["address"])
            known = self._known()
        mute = any(move.untold(ports, known) for ports in self._ports().values())
        self.note = Note(mute=self.leaf.name if mute else "")
        return _only_said(
            {name: move.unresolved(name, ports, known) for name, ports in self._ports().items()}
        )

    def _ports(self) -> dict[str, list[Row]]:
        """Of each node, its ports in service on the leaf."""
        return {
            name: [p for p in row["ports"] if p["leaf"] == self.leaf.name and not p["resting"]]
            for name, row in self.rows.items()
        }

    def _known(self) -> dict[str, t.Any]:
        """The neighbours that the leaf reports at each port."""
        paths = {
            port["port"]: f"interface/{port['port']}/neighbor"
            for ports in self._ports().values()
            for port in ports
        }
        read = self.leaf.read(paths.values())
        return {port: read.get(path) for port, path in paths.items()}

    @staticmethod
    def _unresolved(port: Row, known: Mapping[str, t.Any]) -> bool:
        return bool(move.unresolved("", [port], known))


_ARRIVED = {
    "exact": "its routes",
    "rail": "the routes of those of its links that are on their own rails",
    "leaf": "the routes that hold its links (which are announced whether or not each of the links is up)",
}


def verified(rows: Rows, notes: Sequence[Note]) -> str:
    """The proof of the step verify."""
    routes = next(iter(rows.values()))["routes"]
    mute = sorted({note.mute for note in notes if note.mute})
    but = f" as far as they report it (not reported by {', '.join(mute)})" if mute else ""
    return (
        f"leaves of the new VRF have {_ARRIVED[routes]}, those of the old one have none that leads to it, its "
        f"gateways resolve it{but}"
    )


def not_entered(registry: Registry, slug: str, leaf: Leaf, applied: Applied) -> list[str]:
    """Routes of a tenant that one of its leaves lacks; none is waited for whose links are out of service."""
    fabric, owner = registry.fabric, registry.owner(slug)
    switch = t.cast("Switch", fabric.device(leaf.name))
    wanted: list[str] = next(
        (row["routes"] for row in tenant_vrfs(fabric, registry, switch) if row["slug"] == slug), []
    )
    places = tables.places(fabric, owner.vrf, release=applied.release)
    told = tables.told(places, leaf.read(places.values()), applied.document, owner.vrf)
    resting = resting_links(fabric)
    excused = prefixes.explained(tables.leading_to(resting).intersection(wanted), resting)
    kind, lacking = tables.lacks(told, [prefix for prefix in wanted if prefix not in excused])
    if not lacking:
        return []
    more = f" and {len(lacking) - 5} more" if len(lacking) > 5 else ""
    return [
        f"{leaf.name} lacks {', '.join(lacking[:5])}{more} in the {tables.NAMES[kind]} of {owner.vrf}: see whether "
        "the hosts' ports are up and the sessions of the leaf Established, and run again."
    ]
