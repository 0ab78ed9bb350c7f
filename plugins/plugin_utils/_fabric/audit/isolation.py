# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The isolation audit: what leaves have, against what the registry of tenants lets them have.

    isolation_leaf.static(view)                    one leaf's configuration by itself
    graph(fabric, registry, {leaf: document})      who imports whose routes, over all leaves
    live(view, {vrf: routes})                      one leaf's route tables, missing and surplus named

The documents are those that switches run, so a mistake of this collection shows as well as one of
a person. The functions are pure: reading and writing is for those who call them.
"""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from ..plan.topology.cabling import EAST_WEST
from ..tenants import attachments, leaf_guard, prefixes
from ..tenants.routes import leaks
from ..tenants.vrfs import of_leaf
from .isolation_documents import at, automatic, leaked, meant
from .isolation_leaf import both, joins, ours, slug_of, way
from .results import Subject, failed, not_run, passed, some

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc, Json
    from ..plan.fabric import Fabric
    from ..tenants.registry import Registry
    from ..tenants.vrfs import Vrf
    from .isolation_leaf import LeafView
    from .results import Finding, Findings, Result

Edges = t.Iterator[tuple[str, str]]


# Route targets, over all leaves


def graph(fabric: Fabric, registry: Registry, documents: t.Mapping[str, Doc]) -> t.Iterator[Result]:
    """Check the imports of routes: only a VRF's own, and those that the registry declares.

    `documents` are the configurations of all leaves that were read, or what `for_graph` leaves of
    them; what known VRFs export is known without. Also leaks between VRFs of one switch, and
    automatic route targets, are undeclared edges, and so is a moving node whose ports
    on different leaves are up with its old and with its new tenant.
    """
    declared = _RouteSets(fabric, registry, documents)
    for name in sorted(documents):
        subject = Subject(fabric.description.name, name, name)
        yield from subject.results("tenant.route_targets", declared.judged(name))
    for node in sorted(registry.moves):
        pairs = both(fabric, registry, node, documents)
        for old, new in [pair for pair in pairs if pair[0].leaf != pair[1].leaf][:1]:
            subject = Subject(fabric.description.name, old.leaf, old.leaf)
            yield subject.result("tenant.port_vrf", joins(fabric.name(node), old, new))


def for_graph(view: LeafView) -> Doc:
    """Extract the parts of a leaf's document for `graph`: its VRFs, and the places of ports of moving nodes."""
    ports = [port["port"] for _row, port in view.ports if port["moving"]]
    found = {port: at(view.applied, "interface", port) for port in ports}
    return {
        "vrf": at(view.applied, "vrf"),
        "interface": {p: {k: b[k] for k in ("vrf", "link") if k in b} for p, b in found.items()},
    }


def edges(registry: Registry) -> set[tuple[str, str]]:
    """The declared (importing VRF, exporting VRF) pairs; reaching goes both ways."""
    if not registry.file.leaking:
        return set()
    owners = registry.owners
    pairs = [(owner.vrf, owners[slug].vrf) for owner in owners.values() for slug in owner.reaches]
    return {*pairs, *(pair[::-1] for pair in pairs)}


@dataclasses.dataclass(frozen=True)
class _RouteSets:
    """Routes between VRFs that the registry declares, and those in the documents of leaves."""

    fabric: Fabric
    registry: Registry
    documents: t.Mapping[str, Doc]

    @functools.cached_property
    def edges(self) -> set[tuple[str, str]]:
        return edges(self.registry)

    @functools.cached_property
    def targets(self) -> dict[str, set[str]]:
        """The route targets that an owner's VRF may import."""
        rails = range(self.fabric.clos.rails)
        return {
            owner.vrf: {*owner.imports, *owner.imported(rails), *leaks(self.registry, owner)}
            for owner in self.registry.owners.values()
        }

    @functools.cached_property
    def exporters(self) -> dict[str, set[str]]:
        """The VRFs behind each route target: known owners' wherever they are, and those that were read."""
        made: dict[str, set[str]] = {}
        for owner in self.registry.owners.values():
            for target in owner.exported(range(self.fabric.clos.rails)):
                made.setdefault(target, set()).add(owner.vrf)
        for document in self.documents.values():
            for vrf, body in at(document, "vrf").items():
                for target in at(body, *leaf_guard.EXPORTS):
                    made.setdefault(target, set()).add(vrf)
        return made

    def judged(self, leaf: str) -> Findings:
        """The undeclared edges of one leaf."""
        for vrf, body in sorted(at(self.documents[leaf], "vrf").items()):
            remedy = "run switches" if self.managed(vrf) else "remove the import manually"
            for other, what in self.undeclared(vrf, body):
                says = (
                    f"{vrf} of {leaf} imports routes of {other} ({what}), which the registry does not "
                    f"declare: {remedy}, and find out who changed it."
                )
                expected = sorted(b for a, b in self.edges if a == vrf)
                yield failed(says, None, expected, other, slug_of(self.registry, vrf))
        yield passed()

    def managed(self, vrf: str) -> bool:
        """Check whether a VRF is the collection's: a tenant's, one of the house, or the underlay."""
        return vrf == "default" or ours(self.registry, vrf)

    def undeclared(self, vrf: str, body: Json) -> Edges:
        """(the other VRF, how). A VRF that is not ours may import anything but routes of tenants."""
        managed, imports = self.managed(vrf), at(body, *leaf_guard.IMPORTS)
        found = self.imported(vrf, imports) if managed else self.strange(body, imports)
        for other, what in (*found, *((other, "from-vrf") for other in leaked(body))):
            known = other == vrf or (vrf, other) in self.edges
            if not known and (managed or ours(self.registry, other)):
                yield other, what

    def imported(self, vrf: str, imports: t.Collection[str]) -> Edges:
        """Return the imports of a tenant's VRF, or of the underlay."""
        for target in sorted(imports):
            what = f"route target {target}"
            if automatic(target):
                yield "any VRF", what
            for other in sorted(self.exporters.get(target, ())):
                yield other, what
            known = target in self.exporters or target in self.targets.get(vrf, (target,))
            if not known and ":" in target:
                yield "an unknown VRF", what

    def strange(self, body: Json, imports: t.Collection[str]) -> Edges:
        """Return the imports of a foreign VRF; without a route target, EVPN takes the automatic one."""
        for target in sorted(imports or {"auto"}):
            for other in sorted(meant(body, target, self.exporters)):
                if ours(self.registry, other):
                    yield other, f"route target {target}"


# Route tables


def live(view: LeafView, tables: t.Mapping[str, t.Collection[str] | None]) -> t.Iterator[Result]:
    """Each VRF's routes against the expected: both missing and surplus named.

    `tables` maps VRFs to the prefixes in their routing table, None where the switch reports none.
    Links that the description takes out of service may be missing; those of moving nodes too, and
    in the VRFs of their way they may be surplus.
    """
    resting, moving = attachments.resting_links(view.fabric), _moving(view)
    for row in of_leaf(view.fabric, view.registry, view.leaf, with_routes=True):
        found = tables.get(row["vrf"])
        if found is None:
            says = f"{view.subject.device} reports no routing table of {row['vrf']}."
            yield view.subject.result("tenant.routes", not_run(says, tenant=row["slug"]))
            continue
        expected, held = set(row["routes"]), {p for p in found if not _own_of_switch(p)}
        here = {row["vrf"], *(b for a, b in edges(view.registry) if a == row["vrf"])}
        passing = {prefix for prefix, vrfs in moving.items() if vrfs & here}
        missing, surplus = expected - held, held - expected
        went = prefixes.explained(missing, moving.keys(), held | resting)
        came = prefixes.explained(surplus, passing, expected)
        # Where routes collapse, prefixes of neighbours are parts of those that came or went.
        missing -= went | prefixes.explained(missing, resting) | prefixes.explained(missing, came)
        surplus -= came | prefixes.explained(surplus, went)
        finding = _routes(view, row, sorted(missing), sorted(surplus))
        yield view.subject.result("tenant.routes", finding)


def _routes(view: LeafView, row: Vrf, missing: list[str], surplus: list[str]) -> Finding:
    if not missing and not surplus:
        return passed(tenant=row["slug"])
    parts = [f"lacks {some(missing)}"] if missing else []
    parts += [f"has {some(surplus)}, which is not its own"] if surplus else []
    says = (
        f"{row['vrf']} of {view.subject.device} {' and '.join(parts)}: check the hosts' ports and "
        "sessions for missing routes, and for foreign ones at once."
    )
    return failed(says, None, {"missing": missing}, {"surplus": surplus}, row["slug"])


def _own_of_switch(prefix: str) -> bool:
    """Check whether a prefix is one that every VRF has by itself: loopback, link local, multicast.

    A default route is never its own: in a VRF of a tenant it would be a leak.
    """
    return prefix.startswith(("127.", "fe80:", "ff00:", "::1/", "169.254."))


def _moving(view: LeafView) -> dict[str, set[str]]:
    """The links of moving nodes, each with the VRFs of its node's way."""
    return {
        str(port.prefix): set(way(view.registry, record))
        for node, record in view.registry.moves.items()
        for port in attachments.of_node(view.fabric, node, (EAST_WEST,))
    }
