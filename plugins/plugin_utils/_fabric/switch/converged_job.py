# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants' part of a converged leaf, for a fleet run or for the nodes and tenants that a job names.

A job owns the ports of its nodes there, and what its tenants have on the leaf: VRFs, VLANs with their interfaces and
relays, subinterfaces and sessions, and their VLANs at the ports of storage arrays. Nothing else of the document
changes in its run.
"""

from __future__ import annotations

import typing as t

from ..._nvue.paths import Globs
from ..._nvue.tree import select
from ..tenancy import converged, converged_links, guard_converged, nets
from ..tenancy.seen import BRIDGE

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..tenancy.leaf import Job
    from ..tenancy.nets import Net
    from .context import Context
    from .terms import Part

Row = t.Mapping[str, t.Any]
LIST = "spx-tenant"
SHARED = (f"acl/{LIST}-gateways-*", f"system/control-plane/acl/{LIST}-gateways-*")
"""Places of a leaf that have something of each tenant; a rule about a gateway that is not there matches nothing."""


def part(ctx: Context, job: Job, made: Part) -> Part:
    """The leaf's part: {config, owns, role, managed, considered, guard}; `made` is that of a fleet run."""
    held = guard_converged.NetGuard(
        ctx.fabric, ctx.registry, ctx.device, job.leaving, job.nodes, job.only
    )
    if job.nodes is None:
        return {**made, "guard": held}
    owns = sorted({*_of_nodes(ctx, job), *_of_tenants(ctx, job), *SHARED})
    return {**made, "config": select(made["config"], Globs(owns)), "owns": owns, "guard": held}


def _of_nodes(ctx: Context, job: Job) -> Iterator[str]:
    """The ports of the job's nodes."""
    for node, port in guard_converged.ports_on(ctx.fabric, ctx.device):
        if node in (job.nodes or ()):
            yield from guard_converged.places(port)


def _of_tenants(ctx: Context, job: Job) -> Iterator[str]:
    """What the owners have on the leaf whose nodes the job names, and the tenants that it names."""
    slugs = {*job.tenants}
    here = {node for node, _port in guard_converged.ports_on(ctx.fabric, ctx.device)}
    for node in here.intersection(job.nodes or ()):
        record = ctx.registry.moves.get(node)
        slugs |= {ctx.registry.holding(node).slug, *((record.from_, record.to) if record else ())}
        slugs |= {"quarantine", "rest"} if job.leaving else {"quarantine"}
    if slugs and converged.shared(
        ctx.fabric
    ):  # the service's VRF exchanges routes with each tenant's
        slugs |= {net.owner.slug for net in converged.with_arrays(ctx.fabric, ctx.registry)}
        yield f"router/policy/community-list/{LIST}-*"
    for (slug, network), net in ctx.registry.nets.items():
        if slug in slugs and network in _networks(ctx):
            yield from places(net)
            yield from _at_arrays(ctx, net)
    if ctx.role == "border_leaf":
        yield from _subinterfaces(ctx, job)


def _networks(ctx: Context) -> tuple[str, ...]:
    """The networks that a leaf has VRFs of."""
    if ctx.role == "border_leaf" or converged_links.tagged(ctx.fabric, "storage"):
        return ("front-end", "storage")
    return ("storage",) if ctx.role == "storage_leaf" else ("front-end",)


def places(net: Net) -> list[str]:
    """What an owner has on a leaf of a network, besides ports."""
    return [
        f"vrf/{net.vrf}",
        f"interface/vlan{net.vlan}",
        f"bridge/domain/{BRIDGE}/vlan/{net.vlan}",
        f"evpn/vni/{net.l2vni}",
        f"service/dhcp-relay/{net.vrf}",
        f"router/policy/prefix-list/{LIST}-{net.vrf}-*",
        f"router/policy/route-map/{LIST}-{net.vrf}-*",
        *([] if net.owner.customer else [f"acl/{LIST}-house-{net.vlan}-*"]),
    ]


def _at_arrays(ctx: Context, net: Net) -> Iterator[str]:
    """The VLAN of an owner at the ports of arrays; the others of the same port stay."""
    for port in t.cast("Row", ctx.slice)["ports"]:
        if port["kind"] == "array" and net.network == "storage":
            name = port.get("bond") or port["port"]
            yield f"interface/{port['port']}/link/state"
            yield from (
                f"interface/{name}/bridge/domain/{BRIDGE}/{key}"
                for key in (f"vlan/{net.vlan}", "untagged", "stp")
            )


def _subinterfaces(ctx: Context, job: Job) -> Iterator[str]:
    """The interfaces of the sessions that the job's tenants have, by the registry as it was before they end."""
    ports = {
        port["link"]: port["port"] for port in t.cast("Row", ctx.slice)["ports"] if port.get("link")
    }
    yield from ("vrf/spx-unused", "router/bfd/profile/spx-external")
    for row in ctx.registry.file.tenants:
        for peer in row.external_peers if row.slug in job.tenants else ():
            if peer.link not in ports:
                continue
            port = ports[peer.link]
            vlan = nets.subinterface(ctx.registry.owners[row.slug], peer)
            name = port if vlan is None else f"{port}.{vlan}"
            yield f"acl/{LIST}-{name.replace('.', '-')}-*"
            if vlan is not None:
                yield f"interface/{name}"
                continue
            yield from (
                f"interface/{port}/{key}" for key in ("vrf", "ipv4", "ipv6", f"acl/{LIST}-*")
            )
