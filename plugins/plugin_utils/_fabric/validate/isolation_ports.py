# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The isolation audit of a leaf's ports: whose VRF they are in, and behind which access list."""

from __future__ import annotations

import itertools
import typing as t

from ..tenancy import links, move, prefixes, schema
from .isolation_documents import at, behind, beyond, short_of
from .isolation_view import ours, slug_of, some, way_of

if t.TYPE_CHECKING:
    from collections.abc import Mapping

    from ....module_utils._json import Doc
    from ..fabric import Fabric
    from ..tenancy.owners import Owner
    from ..tenancy.registry import Registry
    from ..tenancy.vrfs import Vrf, VrfPort
    from ..topology.cabling import Node
    from .isolation_view import LeafView, Sentences
    from .results import Fields


def ports(view: LeafView) -> Sentences:
    """A moving node's port may be in any VRF of its way; every other in the registry's."""
    made: Sentences = []
    for row in view.vrfs:
        for port in row["ports"]:
            found = at(view.applied, "interface", port["port"]).get("vrf")
            allowed = way_of(view, port) if port["moving"] else [row["vrf"]]
            if found in allowed:
                continue
            placed = found and found != "default"
            is_in = f"in {found}" if placed else "in no VRF, so in the underlay"
            fields: Fields = {"port": port["port"], "tenant": row["slug"], "found": found}
            if port["moving"]:
                says = f"the node is moving by way of {', '.join(allowed)}: run tenant_move again."
                fields["expected"] = allowed
            else:
                says = f"the registry says {row['vrf']}: run tenant_move, or correct the registry."
                fields["expected"] = row["vrf"]
            where = f"Port {port['port']} of {view.subject.device} ({port['node']})"
            made.append((f"{where} is {is_in}, and {says}", fields))
    return made


def foreign(view: LeafView) -> Sentences:
    """Interfaces in tenants' VRFs that are no host port."""
    hosts = {port["port"] for row in view.vrfs for port in row["ports"]}
    made: Sentences = []
    for name in sorted(set(at(view.applied, "interface")) - hosts):
        vrf = at(view.applied, "interface", name).get("vrf")
        if isinstance(vrf, str) and vrf and ours(view.registry, vrf):
            sentence = (
                f"Interface {name} of {view.subject.device} is in {vrf}, and only host ports may "
                "be: take it out of the VRF, and look who put it there."
            )
            fields: Fields = {"port": name, "tenant": slug_of(view.registry, vrf), "found": vrf}
            made.append((sentence, fields))
    return made


def torn(view: LeafView) -> Sentences:
    """Moving nodes that the leaf has up in what they leave and in where they go."""
    names = {p["node"] for row in view.vrfs for p in row["ports"] if p["moving"]}
    made: Sentences = []
    for name in sorted(names):
        node = t.cast("Node", view.fabric.device(name))
        documents = {view.subject.device: view.applied}
        made += [joins(*pair) for pair in both(view.fabric, view.registry, node, documents)[:1]]
    return made


def both(
    fabric: Fabric, registry: Registry, node: Node, documents: Mapping[str, Doc]
) -> list[tuple[str, move.Seen, move.Seen]]:
    """Pairs of a moving node's ports, up in different ones of its old tenant, rest and its new one.

    A move shuts all ports before the first leaves any of these, so it never comes to this.
    """
    record, name = registry.moves[node], fabric.name(node)
    slugs = [slug for slug in (record.from_, schema.REST, record.to) if slug != schema.QUARANTINE]
    seen = [port for port in move.seen(documents, links.ports_of(fabric, node)) if port.up]
    vrfs = list(dict.fromkeys(registry.owner(slug).vrf for slug in slugs))
    up = [[port for port in seen if port.vrf == vrf] for vrf in vrfs]
    return [
        (name, one, two)
        for before, after in itertools.combinations(up, 2)
        for one, two in itertools.product(before, after)
    ]


def joins(node: str, old: move.Seen, new: move.Seen) -> tuple[str, Fields]:
    """What to say of a node that is up in two places, and the fields of the result."""
    sentence = (
        f"{node} is moving, and is up in {old.vrf} (port {old.port} of {old.leaf}) and in "
        f"{new.vrf} (port {new.port} of {new.leaf}) at once, so it joins the two: shut the first "
        "of these ports, and run tenant_move again."
    )
    return sentence, {"port": old.port, "found": [old.vrf, new.vrf]}


# Access lists


def access_lists(view: LeafView) -> Sentences:
    """Ports of quarantine and rest need an inbound list of ours that lets through no more than it may.

    Where a moving node is in quarantine it needs one too; elsewhere its VRF decides what it reaches.
    """
    family = "ipv4" if view.fabric.addresses.version == 4 else "ipv6"
    made: Sentences = []
    for row in view.vrfs:
        for port in row["ports"]:
            house = _house(view, row, port)
            if house is None or not port["present"]:
                continue
            remedy = "run tenant_move again." if port["moving"] else "run switches."
            where = (
                f"Port {port['port']} of {view.subject.device} ({port['node']}) is in {house.vrf}"
            )
            fields: Fields = {"port": port["port"], "tenant": house.slug}
            if not behind(view.applied, port["port"], family):
                made.append((f"{where} without its inbound access list: {remedy}", fields))
                continue
            allowed = _reachable(view, house, port)
            lists = f"{where}, and its inbound access lists"
            if further := beyond(view.applied, port["port"], family, allowed):
                sentence = f"{lists} let it reach {some(further)}, which it may not: {remedy}"
                made.append((sentence, {**fields, "found": further}))
            if missing := short_of(view.applied, port["port"], family, _companions(view, port)):
                reach = f"do not let it reach {some(missing)} of its acceptance group"
                made.append((f"{lists} {reach}: {remedy}", {**fields, "expected": missing}))
    return made


def _house(view: LeafView, row: Vrf, port: VrfPort) -> Owner | None:
    """Quarantine or rest, if the port is there: as the registry has it, or as found while it moves."""
    quarantine = view.registry.owner(schema.QUARANTINE)
    if port["moving"]:
        found = at(view.applied, "interface", port["port"]).get("vrf")
        return quarantine if found == quarantine.vrf else None
    return view.registry.owner(row["slug"]) if prefixes.is_house(row["slug"]) else None


def _reachable(view: LeafView, house: Owner, port: VrfPort) -> t.Collection[str]:
    """What a host of quarantine or rest may reach: its gateway; its own links, or its group's."""
    addresses, plane = view.fabric.addresses, view.leaf.plane
    if house.slug == schema.QUARANTINE:
        return {
            f"{port['address']}/{32 if addresses.version == 4 else 128}",
            *_discovery(addresses.version),
        }

    def links() -> t.Collection[str]:
        nodes = [t.cast("Node", view.fabric.device(port["node"]))]
        group = view.registry.group(port["group"]) if port["group"] is not None else nodes
        return {*_links(view, group), *_discovery(addresses.version)}

    if port["group"] is None:
        return links()
    return view.registry.cached(("group reaches", port["group"], plane), links)


def _companions(view: LeafView, port: VrfPort) -> t.Collection[str]:
    """The links that a host of an acceptance group must reach: those of nodes that have arrived."""
    name = port["group"]
    if port["moving"] or name is None:
        return ()

    def links() -> t.Collection[str]:
        group = view.registry.group(name)
        return _links(view, [node for node in group if node not in view.registry.moves])

    key = ("group must reach", port["group"], view.leaf.plane)
    return view.registry.cached(key, links)


def _links(view: LeafView, nodes: t.Iterable[Node]) -> list[str]:
    """The links of some nodes in the leaf's plane, collapsed."""
    nics = [nic for nic in view.fabric.cabling.nic_ports() if nic.plane == view.leaf.plane]
    found = (prefixes.link_prefix(view.fabric, node, nic) for node in nodes for nic in nics)
    return prefixes.collapsed(view.fabric, found)


def _discovery(version: int) -> tuple[str, ...]:
    return ("fe80::/10", "ff02::/16") if version == 6 else ()
