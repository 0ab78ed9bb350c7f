# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants' part of a leaf: all of it, or what some nodes have there.

A fleet run owns all of a leaf's tenants. A tenant playbook owns the places of the nodes it names: their
ports, the VRFs these enter and leave, and the access lists of these ports. Every other place on the leaf
is left to a run that names it; `waiting` says which nodes that concerns.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...._nvue.document.shapes import below
from ...plan.topology.converged import LEAVES
from ...tenants import guard
from ...tenants.attachments import on_leaf
from . import converged_job, terms
from .tenants import ACL

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from .....module_utils._json import Doc
    from ...plan.topology.cabling import Node
    from ...tenants.attachments import Attachment
    from ...tenants.moves.leaf import Job
    from .context import Context
    from .terms import Part


def part(ctx: Context, job: Job) -> Part:
    """The leaf's part: {config, owns, role, managed, considered, guard}."""
    made = terms.part(ctx, "switch_tenants")
    if ctx.role in LEAVES:
        return converged_job.part(ctx, job, made)
    if ctx.role != "leaf":
        return {**made, "guard": None}
    held = guard.LeafGuard(ctx.fabric, ctx.registry, ctx.device, job.leaving, job.ending)
    if job.nodes is None:
        return {**made, "guard": held}
    ports = _ports(ctx, job.nodes)
    whole = made["config"]
    vrfs = {str(below(whole, "interface", port.port)["vrf"]) for port in ports}
    if ports:
        vrfs.update(_emptied(whole, job), _passed(ctx, whole, job))
    groups = _groups(ctx, job.leaving)
    bound = {name for port in ports for name in below(whole, "interface", port.port, "acl")}
    config = _of(whole, ports, vrfs, bound.union(groups))
    gone = guard.Gone(
        vrfs=sorted(vrfs - below(config, "vrf").keys()),
        lists=sorted(set(groups) - below(config, "acl").keys()),
    )
    held = dataclasses.replace(held, nodes=job.nodes, gone=gone, only=job.only)
    return {**made, "config": config, "owns": _owns(ports, vrfs, groups), "guard": held}


def _ports(ctx: Context, nodes: Collection[Node]) -> list[Attachment]:
    return [port for port in on_leaf(ctx.fabric, ctx.device) if port.node in nodes]


def _emptied(whole: Doc, job: Job) -> list[str]:
    """The VRFs that nodes leave and nobody stays in. Of others nothing changes: their leaves go together."""
    return [name for name in job.ending if name not in below(whole, "vrf")]


def _passed(ctx: Context, whole: Doc, job: Job) -> list[str]:
    """The VRF of rest, through which nodes go from tenant to tenant, where nobody else is in it."""
    rest = ctx.registry.owner("rest").vrf
    return [rest] if job.leaving and rest not in below(whole, "vrf") else []


def _groups(ctx: Context, nodes: Iterable[Node]) -> list[str]:
    """The lists of acceptance groups that moving nodes pass: who is in a group is let through to them."""
    made = set()
    for node in nodes:
        record = ctx.registry.moves.get(node)
        if record is not None:
            resting = record.model_copy(update={"step": "rest"})
            made.add(ctx.registry.with_moves({node: resting}).holding(node).group)
    return sorted(f"{ACL}-rest-{group}" for group in made if group)


def _of(whole: Doc, ports: Iterable[Attachment], vrfs: set[str], lists: set[str]) -> Doc:
    """What the document says of some ports, VRFs and access lists."""
    kept = {"interface": {port.port for port in ports}, "vrf": vrfs, "acl": lists}
    made = {
        key: {name: body for name, body in below(whole, key).items() if name in names}
        for key, names in kept.items()
    }
    return {key: bodies for key, bodies in made.items() if bodies}


def _owns(ports: Iterable[Attachment], vrfs: set[str], groups: Iterable[str]) -> list[str]:
    places = {place for port in ports for place in guard.places(port.port)}
    places.update(f"vrf/{name}" for name in vrfs)
    places.update(f"acl/{name}" for name in groups)
    return sorted(places)
