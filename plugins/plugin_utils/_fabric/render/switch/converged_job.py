# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants' part of a converged leaf, with its guard: of a fleet run, or of a tenant's job.

Besides what `converged_part.py` has of the job's nodes, a job owns what belongs to the tenants that it names and to no
node: their VLANs at the ports of storage arrays, and their subinterfaces and sessions on border leaves. Nothing else of
the document changes in its run.
"""

from __future__ import annotations

import typing as t

from ...._nvue.document.paths import Globs
from ...._nvue.document.tree import select
from ...tenants import converged as owners
from ...tenants import guard_converged, nets
from . import converged, converged_part

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...tenants.moves.leaf import Job
    from ...tenants.nets import Net
    from .context import Context
    from .terms import Part


def part(ctx: Context, job: Job, made: Part) -> Part:
    """The leaf's part: {config, owns, role, managed, considered, guard}; `made` is that of a fleet run."""
    held = guard_converged.NetGuard(
        ctx.fabric, ctx.registry, ctx.device, job.leaving, job.nodes, job.only
    )
    if job.nodes is None:
        return {**made, "guard": held}
    found = converged_part.narrowed(ctx, job, made["config"])
    owns = sorted({*(found[1] if found else ()), *_of_tenants(ctx, job)})
    return {**made, "config": select(made["config"], Globs(owns)), "owns": owns, "guard": held}


def _of_tenants(ctx: Context, job: Job) -> Iterator[str]:
    """What the job's tenants have on the leaf; with them the service whose VRF exchanges routes with theirs."""
    slugs = {*job.tenants}
    if slugs and owners.shared(ctx.fabric):
        slugs |= {net.owner.slug for net in owners.with_arrays(ctx.fabric, ctx.registry)}
    for (slug, _network), net in ctx.registry.nets.items():
        if slug in slugs and net.vlan:
            yield from converged_part.of_net(net)
            yield from _at_arrays(ctx, net)
    if ctx.role in converged.TO_OUTSIDE:
        yield from _sessions(ctx, job)


def _at_arrays(ctx: Context, net: Net) -> Iterator[str]:
    """The VLAN of an owner at the ports of arrays; the others of the same port stay."""
    for port in converged.ports(ctx, converged.ARRAY):
        if net.network == "storage":
            name = port.get("bond", port["port"])
            yield f"interface/{port['port']}/link/state"
            for key in (f"vlan/{net.vlan}", "untagged", "stp"):
                yield f"interface/{name}/bridge/domain/{converged.BRIDGE}/{key}"


def _sessions(ctx: Context, job: Job) -> Iterator[str]:
    """The interfaces and lists of the sessions of the job's tenants, also of one that is about to end."""
    ports = {port["link"]: port["port"] for port in converged.ports(ctx) if "link" in port}
    yield from converged_part.OF_SESSIONS
    for row in ctx.registry.file.tenants:
        for peer in row.external_peers if row.slug in job.tenants else ():
            if peer.link in ports:
                vlan = nets.subinterface(ctx.registry.owners[row.slug], peer)
                yield from converged_part.of_session(ports[peer.link], vlan)
