# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of the leaves of the converged fabric: VRFs and the VLANs of their L3VNIs, before anything is sent.

Both leaves of a pair meet the same nodes, so a pair is checked once. The cost follows the nodes that somebody holds,
the owners with storage, and the sessions to the outside.
"""

from __future__ import annotations

import typing as t

from ..catalog.data import table
from ..description.errors import Breach
from ..plan.topology.cabling import Switch
from ..plan.topology.converged import CORE, FRONT_END_LEAF, SERVER, STORAGE_LEAF
from ..plan.topology.converged_cabling import NetPort
from . import attachments, capacity, converged
from .schema import QUARANTINE

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plan.topology.cabling import Port
    from .holdings import Holdings

Place = tuple[str, int]
"""A pair of leaves: its role and its number."""
REMEDY = {
    FRONT_END_LEAF: "spread the tenants over nodes of other pairs",
    STORAGE_LEAF: "take storage off the networks of some tenants, or cable arrays to other pairs and spread them",
    CORE: "take networks off some tenants, or use leaves below spines (no networks.core)",
}


def breaches(registry: Holdings) -> Iterator[Breach]:
    """Pairs that would hold more VRFs, or more L3VNIs, than a switch can."""
    if not registry.fabric.others.leaves:
        return
    limit = table("switches")["limits"]["vrfs_per_switch"]["value"]
    first, last = capacity.vlan_range(registry.fabric, registry.file.vrfs_per_leaf)
    room = min(limit, last - first + 1)
    for (role, pair), vrfs in sorted(held(registry).items()):
        if len(vrfs) > room:
            name = registry.fabric.name(Switch(role, 0, pair, 0)).rpartition("-")[0]
            more = "raise vrfs_per_leaf, or " if room < limit else ""
            yield Breach(
                ("vrfs_per_leaf",) if registry.file.vrfs_per_leaf else ("tenants",),
                f"the leaves {name} would hold {len(vrfs)} VRFs, and they have room for {room} (a VLAN for each L3VNI, "
                f"and {limit} VRFs at most): {more}{REMEDY.get(role, 'spread the sessions over other pairs')}.",
            )


def held(registry: Holdings) -> dict[Place, set[str]]:
    """The VRFs of each pair; quarantine is on every one that has nodes."""
    made: dict[Place, set[str]] = {}
    rows = (_of_nodes, _of_arrays, _of_servers, _of_sessions)
    for place, vrf in (one for find in rows for one in find(registry)):
        made.setdefault(place, set()).add(vrf)
    return made


def _of_nodes(registry: Holdings) -> Iterator[tuple[Place, str]]:
    fabric = registry.fabric
    tagged = attachments.tagged(fabric, "storage")
    ports = [
        port
        for port in fabric.node_ports()
        if isinstance(port, NetPort) and not port.index  # one shows the pair
    ]
    for node in {*registry.claims, *registry.moves}:
        slug = registry.holding(node).slug
        for port in ports if slug in registry.owners else ():
            leaf, _port = t.cast("tuple[Switch, Port]", fabric.end(node, port))
            yield (leaf.role, leaf.pod), registry.nets[QUARANTINE, port.network].vrf
            for network in (port.network, *(["storage"] if tagged else [])):
                holder, _up = attachments.place(registry, slug, network, up=True)
                yield (leaf.role, leaf.pod), registry.nets[holder, network].vrf


def _of_arrays(registry: Holdings) -> Iterator[tuple[Place, str]]:
    fabric = registry.fabric
    leaves = [
        t.cast("Switch", fabric.device(name)) for name in attachments.leaves_with(fabric, "array")
    ]
    vrfs = {net.vrf for net in converged.with_storage(registry)} if leaves else ()
    for place in {(leaf.role, leaf.pod): None for leaf in leaves}:
        yield from ((place, vrf) for vrf in vrfs)


def _of_servers(registry: Holdings) -> Iterator[tuple[Place, str]]:
    fabric = registry.fabric
    for (leaf, _port), end in fabric.outside.items():
        for net in converged.with_server(fabric, registry, end.name) if end.kind == SERVER else ():
            yield (leaf.role, leaf.pod), net.vrf


def _of_sessions(registry: Holdings) -> Iterator[tuple[Place, str]]:
    fabric, links = registry.fabric, attachments.links(registry.fabric)
    for row in registry.file.tenants:
        for peer in row.external_peers:
            net = registry.nets.get((row.slug, peer.network))
            if net is not None and peer.link in links:
                leaf = attachments.leaf_of_link(fabric, peer.link)
                yield (leaf.role, leaf.pod), net.vrf
