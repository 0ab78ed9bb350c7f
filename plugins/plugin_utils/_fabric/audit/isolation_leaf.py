# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The isolation audit of one leaf: its ports, quarantine, access lists and VRFs against the registry."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import typing as t

from ..tenants import attachments, leaf_guard, prefixes, schema, steps
from ..tenants.moves import move
from ..tenants.observed_ports import seen
from ..tenants.vrfs import RoutedPort, Vrf, of_leaf
from .isolation_documents import at, behind, beyond, short_of
from .results import Finding, Subject, failed, passed, some

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from ..plan.fabric import Fabric
    from ..plan.topology.cabling import Node, Switch
    from ..tenants.observed_ports import ObservedPort
    from ..tenants.owners import Owner
    from ..tenants.registry import Registry
    from .results import Check, Findings, Result


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
        return Subject.of(self.fabric, self.leaf)

    @functools.cached_property
    def vrfs(self) -> list[Vrf]:
        """The VRFs that the leaf should have."""
        return of_leaf(self.fabric, self.registry, self.leaf)

    @property
    def ports(self) -> list[tuple[Vrf, RoutedPort]]:
        """The host ports that the leaf should have, each with its VRF."""
        return [(row, port) for row in self.vrfs for port in row["routed"]]

    def node(self, port: RoutedPort) -> Node:
        """The node at a port."""
        return t.cast("Node", self.fabric.device(port["node"]))

    def way(self, port: RoutedPort) -> list[str]:
        """The VRFs of the way of the node at a port; none where it is not moving."""
        if not port["moving"]:
            return []
        return way(self.registry, self.registry.moves[self.node(port)])


def static(view: LeafView) -> list[Result]:
    """Every check of one leaf by itself."""
    return view.subject.judge(CHECKS, view)


# Whose VRF it is


def way(registry: Registry, record: schema.MovingRecord) -> list[str]:
    """The VRFs that the ports of a moving node may be in, in order.

    Quarantine is always among them: it is where a node goes back to that fails a proof.
    """
    places = [steps.slug_of(steps.STEPS[step].place[0], record) for step in move.order_of(record)]
    slugs = [record.from_, schema.QUARANTINE, *places, record.to]
    return [registry.owner(slug).vrf for slug in dict.fromkeys(slugs)]


def ours(registry: Registry, vrf: str) -> bool:
    """Check whether a VRF is a tenant's, a service's or one of the house, known or not."""
    return leaf_guard.like(vrf, [*leaf_guard.TENANT_VRFS, *registry.own_vrf_names()])


def slug_of(registry: Registry, vrf: str) -> str | None:
    """Return the owner of a VRF; None when the registry does not know it."""
    return next((slug for slug, owner in registry.owners.items() if owner.vrf == vrf), None)


# Ports


def port_vrf(view: LeafView) -> Findings:
    """Every host port is in the one VRF that the registry says, and nothing else is in a tenant's."""
    yield from _misplaced(view)
    yield from _foreign(view)
    yield from _torn(view)
    yield passed()


def _misplaced(view: LeafView) -> Findings:
    """A moving node's port may be in any VRF of its way; every other in the registry's."""
    for row, port in view.ports:
        found, moving = at(view.applied, "interface", port["port"]).get("vrf"), view.way(port)
        if found in (moving or [row["vrf"]]):
            continue
        placed = f"in {found}" if found and found != "default" else "in no VRF, so in the underlay"
        why = f"the registry says {row['vrf']}: run tenant_move, or correct the registry."
        if moving:
            why = f"the node is moving by way of {', '.join(moving)}: run tenant_move again."
        says = f"{_name(view, port)} is {placed}, and {why}"
        yield failed(says, port["port"], moving or row["vrf"], found, row["slug"])


def _foreign(view: LeafView) -> Findings:
    """Interfaces in tenants' VRFs that are no host port."""
    hosts = {port["port"] for _row, port in view.ports}
    for name in sorted(set(at(view.applied, "interface")) - hosts):
        vrf = at(view.applied, "interface", name).get("vrf")
        if isinstance(vrf, str) and vrf and ours(view.registry, vrf):
            says = (
                f"Interface {name} of {view.subject.device} is in {vrf}, and only host ports may "
                "be: take it out of the VRF, and find out who put it there."
            )
            yield failed(says, name, found=vrf, tenant=slug_of(view.registry, vrf))


def _torn(view: LeafView) -> Findings:
    """Moving nodes that the leaf has up in what they leave and in where they go."""
    documents = {view.subject.device: view.applied}
    for node in sorted({view.node(port) for _row, port in view.ports if port["moving"]}):
        for old, new in both(view.fabric, view.registry, node, documents)[:1]:
            yield joins(view.fabric.name(node), old, new)


def both(
    fabric: Fabric, registry: Registry, node: Node, documents: t.Mapping[str, Doc]
) -> list[tuple[ObservedPort, ObservedPort]]:
    """Pairs of a moving node's ports, up in different ones of its old tenant, rest and its new one.

    A move shuts all ports before the first leaves any of these, so it never comes to this.
    """
    record = registry.moves[node]
    slugs = [slug for slug in (record.from_, schema.REST, record.to) if slug != schema.QUARANTINE]
    found = [
        port for port in seen(registry, documents, attachments.of_node(fabric, node)) if port.up
    ]
    vrfs = list(dict.fromkeys(registry.owner(slug).vrf for slug in slugs))
    up = [[port for port in found if port.vrf == vrf] for vrf in vrfs]
    sides = itertools.combinations(up, 2)
    return [pair for old, new in sides for pair in itertools.product(old, new)]


def joins(node: str, old: ObservedPort, new: ObservedPort) -> Finding:
    """Report a node that is up in two places."""
    says = (
        f"{node} is moving, and is up in {old.vrf} (port {old.port} of {old.leaf}) and in "
        f"{new.vrf} (port {new.port} of {new.leaf}) at once, so it joins the two: shut the first "
        "of these ports, and run tenant_move again."
    )
    return failed(says, old.port, found=[old.vrf, new.vrf])


def _name(view: LeafView, port: RoutedPort) -> str:
    return f"Port {port['port']} of {view.subject.device} ({port['node']})"


# Access lists


def access_lists(view: LeafView) -> Findings:
    """Ports of quarantine and rest need an inbound list of ours that lets through no more than it may.

    Where a moving node is in quarantine it needs one too; elsewhere its VRF decides what it reaches.
    """
    family = "ipv4" if view.fabric.addresses.version == 4 else "ipv6"
    for row, port in view.ports:
        house = _house(view, row, port)
        if house is None or not port["present"]:
            continue
        name, wrong = port["port"], functools.partial(failed, port=port["port"], tenant=house.slug)
        remedy = "run tenant_move again." if port["moving"] else "run switches."
        where = f"{_name(view, port)} is in {house.vrf}"
        if not behind(view.applied, name, family):
            yield wrong(f"{where} without its inbound access list: {remedy}")
            continue
        lists = f"{where}, and its inbound access lists"
        if further := beyond(view.applied, name, family, _reachable(view, house, port)):
            reach = f"let it reach {some(further)}, which it may not"
            yield wrong(f"{lists} {reach}: {remedy}", found=further)
        if missing := short_of(view.applied, name, family, _companions(view, port)):
            reach = f"do not let it reach {some(missing)} of its acceptance group"
            yield wrong(f"{lists} {reach}: {remedy}", expected=missing)
    yield passed()


def _house(view: LeafView, row: Vrf, port: RoutedPort) -> Owner | None:
    """Quarantine or rest, if the port is there: as the registry has it, or as found while it moves."""
    quarantine = view.registry.owner(schema.QUARANTINE)
    if port["moving"]:
        found = at(view.applied, "interface", port["port"]).get("vrf")
        return quarantine if found == quarantine.vrf else None
    return view.registry.owner(row["slug"]) if prefixes.is_house(row["slug"]) else None


def _reachable(view: LeafView, house: Owner, port: RoutedPort) -> t.Collection[str]:
    """Return the prefixes that a host of quarantine or rest may reach: its gateway; its own links, or its group's."""
    version, group, registry = view.fabric.addresses.version, port["group"], view.registry
    discovery = ("fe80::/10", "ff02::/16") if version == 6 else ()
    if house.slug == schema.QUARANTINE:
        return {f"{port['address']}/{32 if version == 4 else 128}", *discovery}
    if group is None:
        return {*_links(view, [view.node(port)]), *discovery}
    return registry.cached(
        ("group reaches", group, view.leaf.plane),
        lambda: {*_links(view, registry.group(group)), *discovery},
    )


def _companions(view: LeafView, port: RoutedPort) -> t.Collection[str]:
    """The links that a host of an acceptance group must reach: those of nodes that have arrived."""
    group, registry = port["group"], view.registry
    if port["moving"] or group is None:
        return ()
    return registry.cached(
        ("group must reach", group, view.leaf.plane),
        lambda: _links(view, [n for n in registry.group(group) if n not in registry.moves]),
    )


def _links(view: LeafView, nodes: t.Iterable[Node]) -> list[str]:
    """The links of some nodes in the leaf's plane, collapsed."""
    nics = [nic for nic in view.fabric.cabling.nic_ports() if nic.plane == view.leaf.plane]
    found = (prefixes.link_prefix(view.fabric, node, nic) for node in nodes for nic in nics)
    return prefixes.collapsed(view.fabric, found)


# VRFs


def quarantine(view: LeafView) -> Findings:
    """Neither EVPN nor BGP may be on in the quarantine VRF."""
    vrf = view.registry.owners[schema.QUARANTINE].vrf
    body = at(view.applied, "vrf", vrf)
    found = {
        "an L3VNI": bool(at(body, "evpn", "vni")),
        "EVPN": at(body, "evpn").get("state") == "enabled",
        "BGP": at(body, "router", "bgp").get("state") == "enabled",
        "route targets": bool(at(body, *leaf_guard.EXPORTS) or at(body, *leaf_guard.IMPORTS)),
    }
    if wrong := [name for name, on in found.items() if on]:
        says = (
            f"{vrf} of {view.subject.device} has {' and '.join(wrong)}, and quarantine exports "
            "nothing: run switches, and find out who changed it."
        )
        yield failed(says, expected=[], found=wrong, tenant=schema.QUARANTINE)
    yield passed()


def vrfs(view: LeafView) -> Findings:
    """No VRF of a tenant is where it has no node."""
    known = {row["vrf"] for row in view.vrfs}
    known |= {o.vrf for o in view.registry.owners.values() if not o.customer}
    known.update(*(view.way(port) for _row, port in view.ports))
    patterns = [*leaf_guard.CUSTOMERS, *view.registry.own_vrf_names()]
    for name in sorted(set(at(view.applied, "vrf")) - known):
        if leaf_guard.like(name, patterns):
            where = f"{view.subject.device} has the VRF {name}, and no node of it is there"
            yield failed(f"{where}: run tenant_offboard or tenant_move.", found=name)
    yield passed()


CHECKS: dict[str, Check[LeafView]] = {
    "tenant.port_vrf": port_vrf,
    "tenant.quarantine": quarantine,
    "tenant.access_lists": access_lists,
    "tenant.vrfs": vrfs,
}
