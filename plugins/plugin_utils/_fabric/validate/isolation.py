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

import dataclasses
import fnmatch
import functools
import typing as t

from ..catalog.data import table
from ..tenancy import guard, jobs, schema
from ..tenancy.vrfs import tenant_vrfs
from .results import FAIL, NOT_RUN, PASS, Subject

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..fabric import Fabric
    from ..tenancy.registry import Registry
    from ..topology.cabling import Switch
    from .results import Result

Doc = t.Mapping[str, t.Any]
_MOST_NAMED = 5


@dataclasses.dataclass(frozen=True)
class LeafView:
    """One leaf: its plan, and the configuration it runs (release-neutral spelling)."""

    fabric: Fabric
    registry: Registry
    leaf: Switch
    applied: Doc

    @functools.cached_property
    def subject(self) -> Subject:
        """Fabric, place and device of the results."""
        place = str(self.fabric.names.name(self.leaf))
        return Subject(self.fabric.description.name, place, self.fabric.name(self.leaf))

    @functools.cached_property
    def vrfs(self) -> list[dict[str, t.Any]]:
        """The VRFs that the leaf should have."""
        return tenant_vrfs(self.fabric, self.registry, self.leaf, routes=False)

    def result(self, check: str, sentences: list[tuple[str, dict[str, t.Any]]]) -> Iterator[Result]:
        """A failure for each sentence, or one pass."""
        for sentence, fields in sentences:
            yield self.subject.result(check, FAIL, sentence, **fields)
        if not sentences:
            yield self.subject.result(check, PASS, str(table("checks_tenants")[check]["says"]))


Sentences = list[tuple[str, dict[str, t.Any]]]


def static(view: LeafView) -> Iterator[Result]:
    """Every static check of one leaf."""
    yield from view.result("tenant.port_vrf", _ports(view))
    yield from view.result("tenant.quarantine", _quarantine(view))
    yield from view.result("tenant.access_lists", _access_lists(view))
    yield from view.result("tenant.vrfs", _vrfs(view))


def at(doc: t.Any, *path: str) -> t.Any:
    """What stands at a path of a document, or an empty mapping."""
    for key in path:
        doc = doc.get(key) if isinstance(doc, dict) else None
    return doc if doc is not None else {}


def _ports(view: LeafView) -> Sentences:
    """A moving node's port may be in any VRF of its way; every other in the registry's."""
    made: Sentences = []
    for row in view.vrfs:
        for port in row["ports"]:
            found = at(view.applied, "interface", port["port"]).get("vrf")
            if found == row["vrf"] or (port["moving"] and found):
                continue
            placed = found and found != "default"
            is_in = f"in {found}" if placed else "in no VRF, so in the underlay"
            made.append(
                (
                    f"Port {port['port']} of {view.subject.device} ({port['node']}) is {is_in}, "
                    f"and the registry says {row['vrf']}: run tenant_move, or correct the "
                    "registry.",
                    {
                        "port": port["port"],
                        "tenant": row["slug"],
                        "expected": row["vrf"],
                        "found": found,
                    },
                )
            )
    return made


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
            ("route targets", bool(_targets(body, "export") or _targets(body, "import"))),
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


def _access_lists(view: LeafView) -> Sentences:
    """Ports of quarantine and rest need an inbound list of ours that ends in a denial."""
    made: Sentences = []
    for row in view.vrfs:
        if row["kind"] not in (schema.QUARANTINE, schema.REST):
            continue
        for port in row["ports"]:
            if not port["present"] or port["moving"]:
                continue
            if not _behind(view.applied, port["port"]):
                sentence = (
                    f"Port {port['port']} of {view.subject.device} ({port['node']}) is in "
                    f"{row['vrf']} without its inbound access list: run switches."
                )
                made.append((sentence, {"port": port["port"], "tenant": row["slug"]}))
    return made


def _behind(applied: Doc, port: str) -> bool:
    for name, bound in at(applied, "interface", port, "acl").items():
        if name.startswith("spx-tenant") and "inbound" in bound:
            rules = at(applied, "acl", name, "rule")
            if rules and "deny" in at(rules[max(rules, key=int)], "action"):
                return True
    return False


def _vrfs(view: LeafView) -> Sentences:
    known = {row["vrf"] for row in view.vrfs}
    known |= {o.vrf for o in view.registry.owners.values() if not o.customer}
    patterns = [*guard.CUSTOMERS, *view.registry.own_vrf_names()]
    made: Sentences = []
    for name in sorted(at(view.applied, "vrf")):
        if name in known or not _like(name, patterns):
            continue
        sentence = (
            f"{view.subject.device} has the VRF {name}, and no node of it is there: run "
            "tenant_offboard or tenant_move."
        )
        made.append((sentence, {"found": name}))
    return made


def _like(name: str, patterns: list[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


# Route targets, over all leaves


def _targets(body: Doc, way: str) -> set[str]:
    side = {"import": ("route-import", "from-evpn"), "export": ("route-export", "to-evpn")}[way]
    return set(at(body, "router", "bgp", *side, "route-target"))


def graph(fabric: Fabric, registry: Registry, documents: Mapping[str, Doc]) -> Iterator[Result]:
    """Who imports whose routes: only a VRF's own, and what the registry declares.

    `documents` are the configurations of all leaves that were read. Also leaks between VRFs of one
    switch, and automatic route targets, are edges that nobody declared.
    """
    exporters: dict[str, set[str]] = {}
    for document in documents.values():
        for vrf, body in at(document, "vrf").items():
            for target in _targets(body, "export"):
                exporters.setdefault(target, set()).add(vrf)
    allowed = edges(registry)
    for name, document in sorted(documents.items()):
        subject = Subject(fabric.description.name, name, name)
        wrong = list(_edges_of(registry, document, exporters, allowed))
        for vrf, other, what in wrong:
            yield subject.result(
                "tenant.route_targets",
                FAIL,
                f"{vrf} of {name} imports routes of {other} ({what}), which the registry does not "
                "declare: run switches, and look who changed it.",
                tenant=_slug(registry, vrf),
                expected=sorted(b for a, b in allowed if a == vrf),
                found=other,
            )
        if not wrong:
            says = str(table("checks_tenants")["tenant.route_targets"]["says"])
            yield subject.result("tenant.route_targets", PASS, says)


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
) -> Iterator[tuple[str, str, str]]:
    for vrf, body in sorted(at(document, "vrf").items()):
        if not (_ours(registry, vrf) or vrf == "default"):
            continue
        for target in sorted(_targets(body, "import")):
            if ":" not in target or target.upper().startswith("ANY:"):
                yield vrf, "any VRF", f"route target {target}"
            for other in sorted(exporters.get(target, ())):
                if other != vrf and (vrf, other) not in allowed:
                    yield vrf, other, f"route target {target}"
        yield from _local(body, vrf, allowed)


def _local(body: Doc, vrf: str, allowed: set[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """VRFs of the same switch from which routes are taken, in every address family."""
    for family in at(body, "router", "bgp", "address-family").values():
        for other in sorted(at(family, "route-import", "from-vrf", "list")):
            if (vrf, other) not in allowed:
                yield vrf, other, "from-vrf"


def _ours(registry: Registry, vrf: str) -> bool:
    return _like(vrf, [*guard.TENANT_VRFS, *registry.own_vrf_names()])


def _slug(registry: Registry, vrf: str) -> str | None:
    return next((slug for slug, owner in registry.owners.items() if owner.vrf == vrf), None)


# Route tables


def live(view: LeafView, tables: Mapping[str, t.Collection[str] | None]) -> Iterator[Result]:
    """Each VRF's routes against the expected: both missing and surplus named.

    `tables` maps VRFs to the prefixes in their routing table, None where the switch told none.
    Links that the description takes out of service may be missing; moving nodes' may be either.
    """
    excused = _excused(view)
    for row in tenant_vrfs(view.fabric, view.registry, view.leaf):
        found = tables.get(row["vrf"])
        if found is None:
            sentence = f"{view.subject.device} told no routing table of {row['vrf']}."
            yield view.subject.result("tenant.routes", NOT_RUN, sentence, tenant=row["slug"])
            continue
        expected = set(row["routes"])
        missing = sorted(expected - set(found) - excused)
        surplus = sorted(p for p in set(found) - expected - excused if not _own_of_switch(p))
        yield _routes(view, row, missing, surplus)


def _routes(
    view: LeafView, row: Mapping[str, t.Any], missing: list[str], surplus: list[str]
) -> Result:
    if not missing and not surplus:
        says = str(table("checks_tenants")["tenant.routes"]["says"])
        return view.subject.result("tenant.routes", PASS, says, tenant=row["slug"])
    parts = [f"lacks {_some(missing)}"] if missing else []
    parts += [f"has {_some(surplus)}, which is not its own"] if surplus else []
    return view.subject.result(
        "tenant.routes",
        FAIL,
        f"{row['vrf']} of {view.subject.device} {' and '.join(parts)}: look at the hosts' ports "
        "and sessions for what lacks, and at once for what is not its own.",
        tenant=row["slug"],
        expected={"missing": missing},
        found={"surplus": surplus},
    )


def _some(prefixes: list[str]) -> str:
    more = len(prefixes) - _MOST_NAMED
    return ", ".join(prefixes[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _own_of_switch(prefix: str) -> bool:
    """What every VRF has by itself: loopback, link local, multicast.

    A default route is never its own: in a VRF of a tenant it would be a leak.
    """
    return prefix.startswith(("127.", "fe80:", "ff00:", "::1/", "169.254."))


def _excused(view: LeafView) -> set[str]:
    """Links out of service, and those of moving nodes."""
    resting = {(row.device, row.port) for row in view.fabric.description.out_of_service}
    nodes = set(view.registry.moves)
    for device, _port in resting:
        found = view.fabric.device(device)
        if found is not None and len(found) == 3:
            nodes.add(t.cast("t.Any", found))
    made = {port["prefix"] for node in nodes for port in jobs.ports_of(view.fabric, node)}
    leaves = {device for device, port in resting}
    return made | _behind_leaves(view, leaves)


def _behind_leaves(view: LeafView, names: set[str]) -> set[str]:
    """Links of leaves that are out of service, or have a port that is."""
    made: set[str] = set()
    for name in names:
        leaf = view.fabric.device(name)
        if leaf is None or len(leaf) != 4:
            continue
        for row in view.fabric.slice(leaf)["ports"]:
            if row["kind"] != "host" or not row["present"]:
                continue
            node = view.fabric.device(row["peer"]["device"])
            for port in jobs.ports_of(view.fabric, t.cast("t.Any", node)):
                if port["leaf"] == name and port["deferred"]:
                    made.add(port["prefix"])
    return made
