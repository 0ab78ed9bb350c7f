# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants' part of a converged leaf in a tenant's job: what some nodes, and their owners, have there.

    interface/swp1s0/link/state, interface/bond1/bridge     the ports of the job's nodes
    vrf/t21-acme, interface/vlan21, evpn/vni/4300021 ...    the VRFs that they enter, with their VLANs
    vrf/s20-gone, interface/vlan2020 ...                    those that end, and a house VRF that nobody is left in

    interface/swp1s0.3021, acl/spx-tenant-swp1s0-3021-*     sessions outside, and VLANs at equipment, of its tenants

Bonds of other nodes stay as they are, whatever the registry says of them. A border leaf has no nodes: there a job
brings the whole part. What all VRFs of a leaf share (the list of gateways, leaking with the service VRF) is the job's
too.
"""

from __future__ import annotations

import typing as t

from ...._nvue.document.paths import Globs
from ...._nvue.document.tree import select
from ...tenants import converged as owners
from ...tenants import nets
from . import converged
from .converged_acl import GATEWAYS
from .converged_leaks import LEAKED
from .tenants import HOUSE

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from .....module_utils._json import Doc
    from ...plan.topology.cabling import Node
    from ...tenants.moves.leaf import Job
    from ...tenants.nets import Net
    from ...tenants.vrfs import Vrf
    from .context import Context

_BRIDGE = f"bridge/domain/{converged.BRIDGE}"
_SHARED = (
    f"acl/{GATEWAYS}-*",
    f"system/control-plane/acl/{GATEWAYS}-*",
    f"router/policy/community-list/{LEAKED}",
    "system/global/reserved/vlan/l3-vni-vlan",
)


OF_SESSIONS = (f"vrf/{converged.UNUSED}", "router/bfd/profile/spx-external")
"""Places that all sessions to the outside of a switch share."""


def narrowed(ctx: Context, job: Job, whole: Doc) -> tuple[Doc, list[str]] | None:
    """(document, places) of a job that names nodes; None where it brings the whole part."""
    if job.nodes is None or ctx.role not in converged.WITH_NODES:
        return None
    entered = list(_entered(ctx, job.nodes))
    owns = set(_SHARED)
    owns.update(place for name in _names(ctx, job.nodes) for place in _of_node(ctx, name))
    for row in entered:
        owns.update(_of_row(ctx, row))
    owns.update(place for net in _left(ctx, job) for place in of_net(net))
    return select(whole, Globs(owns)), sorted(owns)


def _names(ctx: Context, nodes: Iterable[Node]) -> set[str]:
    return {ctx.fabric.name(node) for node in nodes}


def _entered(ctx: Context, nodes: Collection[Node]) -> Iterator[Vrf]:
    """The VRFs that the nodes have a port in, those of their owners, and the service VRF that these leak with."""
    names = _names(ctx, nodes)
    slugs = {ctx.registry.holding(node).slug for node in nodes}
    for row in converged.rows(ctx):
        ports = [port["node"] for segment in row["segments"] for port in segment["ports"]]
        ports += [routed["node"] for routed in row["routed"]]
        if row["slug"] in slugs or names.intersection(ports) or row["kind"] == "service":
            yield row


def _of_node(ctx: Context, name: str) -> Iterator[str]:
    """The places of a node's ports."""
    for row in converged.ports(ctx):
        if row.get("node") != name:
            continue
        port, bond = row["port"], row.get("bond", row["port"])
        yield from (f"interface/{port}/{place}" for place in ("link/state", "vrf", "ipv4", "ipv6"))
        yield f"interface/{bond}/bridge"
        yield from (f"interface/{place}/acl/{converged.LIST}-*" for place in {port: 0, bond: 0})


def _of_row(ctx: Context, row: Vrf) -> Iterator[str]:
    """The places of a VRF, with its VLANs on the ports of arrays and servers."""
    net = ctx.registry.nets.get((row["slug"], row["network"]))
    equipment = {
        port.get("bond", port["port"]): port
        for port in converged.ports(ctx, *converged.EQUIPMENT)
        if "array" in port or net in owners.served(ctx.fabric, ctx.registry, port)
    }
    yield from _of_vrf(row["vrf"])
    for segment in row["segments"]:
        yield from _of_vlan(segment["vlan"], segment["l2vni"])
        for name, port in equipment.items():
            domain = f"interface/{name}/{_BRIDGE}"
            yield f"{domain}/vlan/{segment['vlan']}"
            yield from (f"{domain}/untagged", f"{domain}/stp")
            yield f"interface/{port['port']}/link/state"
            if converged.EQUIPMENT[port["kind"]].untagged:
                yield f"{domain}/access"
    for session in row["sessions"]:
        yield from of_session(session["port"], session["vlan"])
        yield from OF_SESSIONS
    for routed in row["routed"]:
        yield f"acl/{converged.LIST}-house-*-{routed['port']}"


def of_session(port: str, vlan: int | None) -> Iterator[str]:
    """The places of a session to the outside: its subinterface, or what a whole port has."""
    name = nets.interface(port, vlan)
    yield f"acl/{converged.LIST}-{name.replace('.', '-')}-*"
    if vlan is not None:
        yield f"interface/{name}"
    else:
        for key in ("vrf", "ipv4", "ipv6", f"acl/{converged.LIST}-*", "link/state"):
            yield f"interface/{name}/{key}"


def _of_vrf(name: str) -> Iterator[str]:
    yield from (f"vrf/{name}", f"service/dhcp-relay/{name}")
    for kind in ("prefix-list", "route-map"):
        yield f"router/policy/{kind}/{converged.LIST}-{name}-*"


def _of_vlan(vlan: int, l2vni: int) -> Iterator[str]:
    yield from (f"interface/vlan{vlan}", f"{_BRIDGE}/vlan/{vlan}", f"evpn/vni/{l2vni}")
    yield f"acl/{converged.LIST}-house-{vlan}-?"


def _left(ctx: Context, job: Job) -> Iterator[t.Any]:
    """Networks of owners whose VRF is on the leaf no more: of those that end, and of the house."""
    here = {row["vrf"] for row in converged.rows(ctx)}
    ending = set(job.ending)
    for net in ctx.registry.nets.values():
        ends = {net.vrf, net.owner.vrf} & ending
        if net.vrf not in here and (ends or (job.leaving and net.owner.slug in HOUSE)):
            yield net


def of_net(net: t.Any) -> Iterator[str]:
    """The places of an owner on one network, besides ports."""
    yield from _of_vrf(net.vrf)
    if net.vlan:
        yield from _of_vlan(net.vlan, net.l2vni)


# What belongs to the job's tenants, and to no node


def places(ctx: Context, job: Job, whole: Doc) -> list[str]:
    """The places of a job: of its nodes, and of its tenants' storage and sessions to the outside."""
    of_nodes = narrowed(ctx, job, whole)
    return sorted({*(of_nodes[1] if of_nodes else ()), *_of_tenants(ctx, job)})


def _of_tenants(ctx: Context, job: Job) -> Iterator[str]:
    """Yield the places of the job's tenants on the leaf, and of the service whose VRF exchanges routes with theirs."""
    slugs = {*job.tenants}
    if slugs and owners.shared(ctx.fabric):
        slugs |= {net.owner.slug for net in owners.with_arrays(ctx.fabric, ctx.registry)}
    for (slug, _network), net in ctx.registry.nets.items():
        if slug in slugs and net.vlan:
            yield from of_net(net)
            yield from _at_equipment(ctx, net)
    if ctx.role in converged.TO_OUTSIDE:
        yield from _sessions(ctx, job)


def _at_equipment(ctx: Context, net: Net) -> Iterator[str]:
    """The VLAN of an owner at the ports of arrays, and of its servers; the others of the same port stay."""
    stated = converged.EQUIPMENT["server"].stated(ctx.description.networks)
    own = {one.name for one in stated if net.owner.slug in one.tenants}
    for port in converged.ports(ctx, *converged.EQUIPMENT):
        if net.network == port["network"] and ("array" in port or port["server"] in own):
            name = port.get("bond", port["port"])
            yield f"interface/{port['port']}/link/state"
            for key in (
                f"vlan/{net.vlan}",
                *(("access",) if converged.EQUIPMENT[port["kind"]].untagged else ()),
                "untagged",
                "stp",
            ):
                yield f"interface/{name}/bridge/domain/{converged.BRIDGE}/{key}"


def _sessions(ctx: Context, job: Job) -> Iterator[str]:
    """The interfaces and lists of the sessions of the job's tenants, also of one that is about to end."""
    ports = {port["link"]: port["port"] for port in converged.ports(ctx) if "link" in port}
    yield from OF_SESSIONS
    for row in ctx.registry.file.tenants:
        for peer in row.external_peers if row.slug in job.tenants else ():
            if peer.link in ports:
                vlan = nets.subinterface(ctx.registry.owners[row.slug], peer)
                yield from of_session(ports[peer.link], vlan)
