# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The isolation audit: what leaves have, against what the registry of tenants lets them have.

    static(view)              one leaf's configuration: ports, quarantine, access lists, VRFs
    graph(fabric, registry, {leaf: document})      who imports whose routes, over all leaves
    live(view, {vrf: routes})                      one leaf's route tables, missing and surplus named

The documents are those that switches run, so a mistake of this collection shows as well as one of
a person. The functions are pure: reading and writing is for those who call them.
"""

from __future__ import annotations

import typing as t

from ..catalog.data import table
from ..tenancy import guard, links, prefixes, schema
from ..tenancy.vrfs import leaks, tenant_vrfs
from .isolation_documents import at, automatic, leaked, meant, targets
from .isolation_ports import access_lists, both, foreign, joins, ports, torn
from .isolation_view import LeafView, like, ours, slug_of, some, way, way_of
from .results import Subject

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ....module_utils._json import Doc, Json
    from ..fabric import Fabric
    from ..tenancy.registry import Registry
    from ..tenancy.vrfs import Vrf
    from .isolation_view import Sentences
    from .results import Result

__all__ = ["LeafView", "edges", "for_graph", "graph", "live", "static", "unread"]


def unread(fabric: Fabric, leaf: str, why: str) -> Result:
    """The only result of a leaf that answers and does not let its tenants be read."""
    subject = Subject(fabric.description.name, leaf, leaf)
    return subject.failed("tenant.readable", f"{leaf} could not be read: {why}")


def static(view: LeafView) -> Iterator[Result]:
    """Every static check of one leaf."""
    yield from view.result("tenant.port_vrf", [*ports(view), *foreign(view), *torn(view)])
    yield from view.result("tenant.quarantine", _quarantine(view))
    yield from view.result("tenant.access_lists", access_lists(view))
    yield from view.result("tenant.vrfs", _vrfs(view))


def _quarantine(view: LeafView) -> Sentences:
    """Neither EVPN nor BGP may be on in the quarantine VRF."""
    vrf = view.registry.owners[schema.QUARANTINE].vrf
    body = at(view.applied, "vrf", vrf)
    wrong = [
        name
        for name, on in (
            ("an L3VNI", bool(at(body, "evpn", "vni"))),
            ("EVPN", at(body, "evpn").get("state") == "enabled"),
            ("BGP", at(body, "router", "bgp").get("state") == "enabled"),
            ("route targets", bool(targets(body, "export") or targets(body, "import"))),
        )
        if on
    ]
    if not wrong:
        return []
    sentence = (
        f"{vrf} of {view.subject.device} has {' and '.join(wrong)}, and quarantine exports "
        "nothing: run switches, and look who changed it."
    )
    return [(sentence, {"tenant": schema.QUARANTINE, "expected": [], "found": wrong})]


def _vrfs(view: LeafView) -> Sentences:
    known = {row["vrf"] for row in view.vrfs}
    known |= {o.vrf for o in view.registry.owners.values() if not o.customer}
    for row in view.vrfs:
        for port in row["ports"]:
            known.update(way_of(view, port) if port["moving"] else ())
    patterns = [*guard.CUSTOMERS, *view.registry.own_vrf_names()]
    made: Sentences = []
    for name in sorted(at(view.applied, "vrf")):
        if name in known or not like(name, patterns):
            continue
        sentence = (
            f"{view.subject.device} has the VRF {name}, and no node of it is there: run "
            "tenant_offboard or tenant_move."
        )
        made.append((sentence, {"found": name}))
    return made


# Route targets, over all leaves


def graph(fabric: Fabric, registry: Registry, documents: Mapping[str, Doc]) -> Iterator[Result]:
    """Who imports whose routes: only a VRF's own, and what the registry declares.

    `documents` are the configurations of all leaves that were read, or what `for_graph` leaves of
    them; what known VRFs export is known without. Also leaks between VRFs of one switch, and
    automatic route targets, are undeclared edges, and so is a moving node whose ports
    on different leaves are up with its old and with its new tenant.
    """
    exporters = _exporters(fabric, registry, documents)
    allowed = edges(registry)
    declared = {
        owner.vrf: {
            *owner.imports,
            *owner.imported(range(fabric.clos.rails)),
            *leaks(registry, owner),
        }
        for owner in registry.owners.values()
    }
    says = str(table("checks_tenants")["tenant.route_targets"]["says"])
    for name, document in sorted(documents.items()):
        subject = Subject(fabric.description.name, name, name)
        wrong = [
            subject.failed(
                "tenant.route_targets",
                f"{vrf} of {name} imports routes of {other} ({what}), which the registry does not "
                f"declare: {_remedy(registry, vrf)}, and look who changed it.",
                tenant=slug_of(registry, vrf),
                expected=sorted(b for a, b in allowed if a == vrf),
                found=other,
            )
            for vrf, other, what in _edges_of(registry, document, exporters, allowed, declared)
        ]
        yield from subject.judged("tenant.route_targets", wrong, says)
    for node in sorted(registry.moves):
        pairs = both(fabric, registry, node, documents)
        for pair in [pair for pair in pairs if pair[1].leaf != pair[2].leaf][:1]:
            leaf = pair[1].leaf
            sentence, fields = joins(*pair)
            subject = Subject(fabric.description.name, leaf, leaf)
            yield subject.failed("tenant.port_vrf", sentence, **fields)


def for_graph(view: LeafView) -> Doc:
    """What `graph` needs of a leaf's document: its VRFs, and where the ports of moving nodes are."""
    ports = [p["port"] for row in view.vrfs for p in row["ports"] if p["moving"]]
    found = {port: at(view.applied, "interface", port) for port in ports}
    return {
        "vrf": at(view.applied, "vrf"),
        "interface": {p: {k: b[k] for k in ("vrf", "link") if k in b} for p, b in found.items()},
    }


def _remedy(registry: Registry, vrf: str) -> str:
    return "run switches" if _managed(registry, vrf) else "take the import out by hand"


def _managed(registry: Registry, vrf: str) -> bool:
    """Whether a VRF is the collection's: a tenant's, one of the house, or the underlay."""
    return vrf == "default" or ours(registry, vrf)


def _exporters(
    fabric: Fabric, registry: Registry, documents: Mapping[str, Doc]
) -> dict[str, set[str]]:
    """The VRFs behind each route target: known owners' wherever they are, and those that were read."""
    made: dict[str, set[str]] = {}
    for owner in registry.owners.values():
        for target in owner.exported(range(fabric.clos.rails)):
            made.setdefault(target, set()).add(owner.vrf)
    for document in documents.values():
        for vrf, body in at(document, "vrf").items():
            for target in targets(body, "export"):
                made.setdefault(target, set()).add(vrf)
    return made


def edges(registry: Registry) -> set[tuple[str, str]]:
    """The declared (importing VRF, exporting VRF) pairs; reaching goes both ways."""
    made: set[tuple[str, str]] = set()
    if registry.file.leaking:
        for owner in registry.owners.values():
            for slug in owner.reaches:
                pair = (owner.vrf, registry.owners[slug].vrf)
                made |= {pair, pair[::-1]}
    return made


def _edges_of(
    registry: Registry,
    document: Doc,
    exporters: Mapping[str, set[str]],
    allowed: set[tuple[str, str]],
    declared: Mapping[str, set[str]],
) -> Iterator[tuple[str, str, str]]:
    """The undeclared edges: (importing VRF, the other, how).

    A VRF that is not ours may import anything but routes of tenants.
    """
    for vrf, body in sorted(at(document, "vrf").items()):
        stranger = not _managed(registry, vrf)
        imports = targets(body, "import")
        if stranger:
            found = _strange(registry, body, imports, exporters)
        else:
            found = _imported(vrf, imports, exporters, declared.get(vrf))
        local = ((other, "from-vrf") for other in leaked(body))
        for other, what in (*found, *local):
            if other == vrf or (vrf, other) in allowed:
                continue
            if not stranger or ours(registry, other):
                yield vrf, other, what


def _imported(
    vrf: str, imports: set[str], exporters: Mapping[str, set[str]], declared: set[str] | None
) -> Iterator[tuple[str, str]]:
    """What a tenant's VRF, or the underlay, imports: (the other VRF, how)."""
    for target in sorted(imports):
        what = f"route target {target}"
        if automatic(target):
            yield "any VRF", what
        for other in sorted(exporters.get(target, ())):
            yield other, what
        if declared is not None and target not in {*declared, *exporters} and ":" in target:
            yield "an unknown VRF", what


def _strange(
    registry: Registry, body: Json, imports: set[str], exporters: Mapping[str, set[str]]
) -> Iterator[tuple[str, str]]:
    """What a VRF imports that is not ours; without a route target, EVPN takes the automatic one."""
    for target in sorted(imports or {"auto"}):
        for other in sorted(meant(body, target, exporters)):
            if ours(registry, other):
                yield other, f"route target {target}"


# Route tables


def live(view: LeafView, tables: Mapping[str, t.Collection[str] | None]) -> Iterator[Result]:
    """Each VRF's routes against the expected: both missing and surplus named.

    `tables` maps VRFs to the prefixes in their routing table, None where the switch reports none.
    Links that the description takes out of service may be missing; those of moving nodes too, and
    in the VRFs of their way they may be surplus.
    """
    resting, moving = links.resting_links(view.fabric), _moving(view)
    for row in tenant_vrfs(view.fabric, view.registry, view.leaf):
        found = tables.get(row["vrf"])
        if found is None:
            sentence = f"{view.subject.device} told no routing table of {row['vrf']}."
            yield view.subject.not_run("tenant.routes", sentence, tenant=row["slug"])
            continue
        expected, held = set(row["routes"]), {p for p in found if not _own_of_switch(p)}
        here = _reached(view, row["vrf"])
        passing = {prefix for prefix, vrfs in moving.items() if vrfs & here}
        missing, surplus = expected - held, held - expected
        went = prefixes.explained(missing, moving.keys(), held | resting)
        came = prefixes.explained(surplus, passing, expected)
        # Where routes collapse, prefixes of neighbours are parts of those that came or went.
        missing -= went | prefixes.explained(missing, resting) | prefixes.explained(missing, came)
        surplus -= came | prefixes.explained(surplus, went)
        yield _routes(view, row, sorted(missing), sorted(surplus))


def _routes(view: LeafView, row: Vrf, missing: list[str], surplus: list[str]) -> Result:
    if not missing and not surplus:
        says = str(table("checks_tenants")["tenant.routes"]["says"])
        return view.subject.passed("tenant.routes", says, tenant=row["slug"])
    parts = [f"lacks {some(missing)}"] if missing else []
    parts += [f"has {some(surplus)}, which is not its own"] if surplus else []
    return view.subject.failed(
        "tenant.routes",
        f"{row['vrf']} of {view.subject.device} {' and '.join(parts)}: look at the hosts' ports "
        "and sessions for what lacks, and at once for what is not its own.",
        tenant=row["slug"],
        expected={"missing": missing},
        found={"surplus": surplus},
    )


def _own_of_switch(prefix: str) -> bool:
    """What every VRF has by itself: loopback, link local, multicast.

    A default route is never its own: in a VRF of a tenant it would be a leak.
    """
    return prefix.startswith(("127.", "fe80:", "ff00:", "::1/", "169.254."))


def _reached(view: LeafView, vrf: str) -> set[str]:
    """A VRF, and those whose routes it may have."""
    return {vrf, *(other for one, other in edges(view.registry) if one == vrf)}


def _moving(view: LeafView) -> dict[str, set[str]]:
    """The links of moving nodes, each with the VRFs of its node's way."""
    return {
        port["prefix"]: set(way(view.registry, record))
        for node, record in view.registry.moves.items()
        for port in links.ports_of(view.fabric, node)
    }
