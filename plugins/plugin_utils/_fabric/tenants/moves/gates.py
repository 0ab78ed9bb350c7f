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

from ...plan.topology.cabling import EAST_WEST
from ...plan.topology.converged import LEAVES
from .. import prefixes, schema
from ..attachments import on_leaf, rails_of, resting_links
from ..routes import expected_routes, leaked_routes
from ..vrfs import of_leaf
from . import tables
from .move_plan import changed, of_plan

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Node, Switch
    from ..attachments import Attachment
    from ..registry import Registry
    from .leaf import AppliedConfiguration, Leaf
    from .records import NodeMove, Watch

Row: t.TypeAlias = "NodeMove"
Rows: t.TypeAlias = "t.Mapping[str, NodeMove]"


@dataclasses.dataclass(frozen=True)
class Note:
    """Tables that a leaf does not report: its forwarding table (`no_fib`, with its release), or its neighbors."""

    no_fib: str = ""
    no_neighbors: str = ""


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

    def objections(self) -> dict[str, list[str]]:
        """Sentences by node that may not go on, from a look at the leaf."""
        made: dict[str, list[str]] = {}
        for node, sentence in self._look():
            made.setdefault(node, []).append(sentence)
        return made

    @abc.abstractmethod
    def _look(self) -> Iterator[tuple[str, str]]:
        """A node that may not go on, and why."""

    def _note(self) -> Note:
        release = self.applied.release
        said = "" if tables.reports_fib(release) else f"{self.leaf.name} (Cumulus Linux {release})"
        return Note(no_fib=said)

    def _reported(self, vrfs: Iterable[str], version: int) -> dict[str, tables.VrfTables]:
        """Return the leaf's present report of some VRFs, of IP 4 or 6."""
        places = {
            vrf: tables.places(version, vrf, release=self.applied.release)
            for vrf in dict.fromkeys(vrfs)
        }
        read = self.leaf.read(path for asked in places.values() for path in asked.values())
        document = self.applied.document
        return {vrf: tables.reported(asked, read, document, vrf) for vrf, asked in places.items()}

    def _watching(self, which: Watch) -> Iterator[tuple[str, Row]]:
        """The nodes about which the leaf has a say."""
        for name, row in self.rows.items():
            if self.leaf.name in row[which]:
                yield name, row


class WithdrawalGate(Gate):
    """No leaf has a route to a link of the node in a VRF of its old owner, whatever `routes` of the tenant make of it.

    Only what the registry leaks from the node's new owner may be there.
    """

    def _look(self) -> Iterator[tuple[str, str]]:
        """Nodes to which an old VRF still has a route, or of which a table is missing."""
        rows, addresses = dict(self._watching("old_watched")), self.fabric.addresses
        others = self.switch.role in LEAVES
        links = {
            name: row["others_links"]
            if others
            else {row["old_vrf"]: [str(at.prefix) for at in of_plan(row, EAST_WEST)]}
            for name, row in rows.items()
        }
        vrfs = sorted({vrf for by_vrf in links.values() for vrf in by_vrf})
        version = addresses.routed_version if others else addresses.version
        reported = self._reported(vrfs, version)
        for name, vrf, held in (
            (n, *each) for n, by_vrf in links.items() for each in by_vrf.items()
        ):
            owner = self.registry.owner(str(rows[name]["record"]["from"]))
            allowed = leaked_routes(self.fabric, self.registry, owner, self.switch)
            leaf = (self.leaf.name, reported[vrf])
            for said in tables.not_withdrawn(name, vrf, held, *leaf, allowed=allowed):
                yield name, said


class ArrivalGate(Gate):
    """Each leaf has what the node causes there: links, those of the leaf's rails, or what holds them.

    A leaf that lacks the VRF, as the tenant's own nodes there still wait, needs no routes.
    """

    def _look(self) -> Iterator[tuple[str, str]]:
        """Nodes whose routes the new VRF lacks."""
        rows = {n: row for n, row in self._watching("new_watched") if not self._waits(row)}
        version = self.fabric.addresses.version
        reported = self._reported((row["new_vrf"] for row in rows.values()), version)
        then = self.registry.with_moves(_at_the_end(self.fabric, self.rows))
        rails = rails_of(on_leaf(self.fabric, self.switch))
        for name, row in rows.items():
            vrf, owner = row["new_vrf"], then.owner(str(row["record"]["to"]))
            links = [str(at.prefix) for at in changed(row, EAST_WEST) if not at.resting]
            expected = expected_routes(self.fabric, then, owner, self.switch, rails=rails)
            wanted = sorted(tables.leading_to(links, expected))
            for said in tables.not_arrived(name, vrf, wanted, self.leaf.name, reported[vrf]):
                yield name, said

    def _waits(self, row: Row) -> bool:
        """Check whether the leaf has no port of the node, and by its document not the new VRF."""
        lacks = row["new_vrf"] not in (self.applied.document.get("vrf") or {})
        return lacks and all(at.leaf != self.leaf.name for at in changed(row, EAST_WEST))


def _at_the_end(fabric: Fabric, rows: Rows) -> dict[Node, schema.MovingRecord]:
    return {
        t.cast("Node", fabric.device(name)): schema.MovingRecord.model_validate(
            {**row["record"], "step": "verify"}
        )
        for name, row in rows.items()
    }


class NeighbourGate(Gate):
    """The gateways resolve the host, where the switch reports its neighbors at all.

    A host without an entry is pinged first, from its new VRF: a port that went down has forgotten it, and an idle
    host sends nothing.
    """

    _pinged = False

    def _note(self) -> Note:
        return Note()

    def _look(self) -> Iterator[tuple[str, str]]:
        """Nodes that a port does not resolve."""
        states, unresolved = self._unresolved()
        if unresolved and not self._pinged:
            self._pinged = True
            for name, port in unresolved:
                self.leaf.ping(self.rows[name]["new_vrf"], port.address)
            states, unresolved = self._unresolved()
        self.note = Note(no_neighbors=self.leaf.name if None in states.values() else "")
        for name, port in unresolved:
            words = " and ".join(sorted(states[port.port] or ()))
            has = f"its entry is {words}" if words else "it has no entry"
            yield (
                name,
                f"{name}: {port.leaf} does not resolve {port.address} at {port.port} ({has}): "
                "check the host's interface, and run tenant_move again.",
            )

    def _unresolved(self) -> tuple[dict[str, set[str] | None], list[tuple[str, Attachment]]]:
        """The states of the hosts by port, and the nodes' ports whose host is not resolved."""
        states = self._states()
        return states, [(n, port) for n, port in self._ports() if not _resolved(states[port.port])]

    def _ports(self) -> Iterator[tuple[str, Attachment]]:
        """The nodes' ports in service on the leaf."""
        for name, row in self.rows.items():
            for at in changed(row, EAST_WEST):
                if at.leaf == self.leaf.name and not at.resting:
                    yield name, at

    def _states(self) -> dict[str, set[str] | None]:
        """Return the leaf's report of the host at each port."""
        paths = {port.port: f"interface/{port.port}/neighbor" for _name, port in self._ports()}
        read = self.leaf.read(paths.values())
        return {
            port.port: neighbor_states(read.get(paths[port.port]), port.address)
            for _name, port in self._ports()
        }


RESOLVED = frozenset({"reachable", "stale", "delay", "probe", "permanent", "noarp"})
"""States of a neighbor in which the kernel has its address of layer 2; not so: incomplete, failed."""


def _resolved(states: set[str] | None) -> bool:
    """Check whether states allow the move of a node to continue. What a switch does not report is not held against the
    node."""
    return states is None or bool(states & RESOLVED)


def neighbor_states(table: t.Any, address: str) -> set[str] | None:
    """The states of a host in a neighbor table, none without an entry; None where no table or no state is reported."""
    entry = _entry(table, address)
    states = _states_below(entry)
    return None if table is None or (entry is not None and not states) else states


def _entry(table: t.Any, address: str) -> t.Any:
    """Return the entry of an address in nested neighbor tables: {ipv4: {address: ...}} or {address: ...}."""
    if not isinstance(table, dict):
        return None
    if address in table:
        return table[address]
    found = (_entry(below, address) for below in table.values())
    return next((entry for entry in found if entry is not None), None)


def _states_below(entry: t.Any) -> set[str]:
    """The states below an entry, by link-layer address: `{state: {reachable: {}}}` or a word."""
    if not isinstance(entry, dict):
        return set()
    own = entry.get("state") or ()
    words = {own} if isinstance(own, str) else set(own)
    return words.union(*(_states_below(body) for key, body in entry.items() if key != "state"))


_ARRIVED = {
    "exact": "its routes",
    "rail": "the routes of those of its links that are on their own rails",
    "leaf": "the routes that hold its links (which are announced whether or not each of the links is up)",
}


def verified(rows: Rows, notes: Sequence[Note]) -> str:
    """The proof of the step verify."""
    routes = next(iter(rows.values()))["routes"]
    silent = sorted({note.no_neighbors for note in notes if note.no_neighbors})
    but = f" as far as they report it (not reported by {', '.join(silent)})" if silent else ""
    return (
        f"leaves of the new VRF have {_ARRIVED[routes]}, those of the old one have none that leads to it, its "
        f"gateways resolve it{but}"
    )


def not_entered(
    registry: Registry, slug: str, leaf: Leaf, applied: AppliedConfiguration
) -> list[str]:
    """Routes of a tenant that one of its leaves lacks; none is waited for whose links are out of service."""
    fabric, owner = registry.fabric, registry.owner(slug)
    switch = t.cast("Switch", fabric.device(leaf.name))
    rows = of_leaf(fabric, registry, switch, with_routes=True)
    wanted: list[str] = next((row["routes"] for row in rows if row["slug"] == slug), [])
    places = tables.places(fabric.addresses.version, owner.vrf, release=applied.release)
    reported = tables.reported(places, leaf.read(places.values()), applied.document, owner.vrf)
    resting = resting_links(fabric)
    excused = prefixes.explained(tables.leading_to(resting, wanted), resting)
    kind, lacking = tables.lacks(reported, [prefix for prefix in wanted if prefix not in excused])
    if not lacking:
        return []
    more = f" and {len(lacking) - 5} more" if len(lacking) > 5 else ""
    return [
        f"{leaf.name} lacks {', '.join(lacking[:5])}{more} in the {tables.NAMES[kind]} of {owner.vrf}: check whether "
        "the hosts' ports are up and the sessions of the leaf Established, and run again."
    ]
