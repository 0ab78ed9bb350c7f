# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants' part of a leaf: all of it, or what some nodes have there.

A fleet run owns all of a leaf's tenants. A tenant playbook owns the places of the nodes it names: their
ports, the VRFs these enter and leave, and the access lists of these ports; on the other networks also what belongs to
the tenants that it names and to no node (`converged_part.py`). Every other place on the leaf is left to a run that
names it; `waiting` says which nodes that concerns.
"""

from __future__ import annotations

import typing as t

from ...._nvue.document.paths import Globs
from ...._nvue.document.shapes import below
from ...._nvue.document.tree import select
from ...plan.topology.converged import LEAVES, WITH_VTEP
from ...tenants import leaf_guard
from ...tenants.attachments import on_leaf
from . import change_conditions, converged_part
from .tenants import ACL

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from .....module_utils._json import Doc
    from ...plan.topology.cabling import Node
    from ...tenants.attachments import Attachment
    from ...tenants.moves.leaf import Job
    from .change_conditions import Part
    from .context import Context


def part(ctx: Context, job: Job) -> Part:
    """The leaf's part: {config, owns, role, managed, considered, guard}."""
    made = change_conditions.part(ctx, "switch_tenants")
    if ctx.role not in WITH_VTEP:
        return {**made, "guard": None}
    whole, owns = made["config"], made["owns"]
    if job.nodes is not None:
        owns, needs = _others(ctx, job, whole) if ctx.role in LEAVES else _rails(ctx, job, whole)
        made = {**made, "config": select(whole, Globs([*owns, *needs])), "owns": owns}
    run = (job.leaving, job.ending, job.nodes, owns, job.only)
    return {**made, "guard": leaf_guard.Guard(ctx.fabric, ctx.registry, ctx.device, *run)}


def _others(ctx: Context, job: Job, whole: Doc) -> tuple[list[str], list[str]]:
    return converged_part.places(ctx, job, whole), []


def _rails(ctx: Context, job: Job, whole: Doc) -> tuple[list[str], list[str]]:
    """The places of a job on the east-west network, and those that its document needs besides."""
    ports = _ports(ctx, job.nodes or ())
    vrfs = {str(below(whole, "interface", port.port)["vrf"]) for port in ports}
    if ports:
        vrfs.update(_emptied(whole, job), _passed(ctx, whole, job))
    groups = _groups(ctx, job.leaving)
    bound = {name for port in ports for name in below(whole, "interface", port.port, "acl")}
    return _owns(ports, vrfs, groups), [f"acl/{name}" for name in sorted(bound)]


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


def _owns(ports: Iterable[Attachment], vrfs: set[str], groups: Iterable[str]) -> list[str]:
    places = {place for port in ports for place in leaf_guard.places(port)}
    places.update(f"vrf/{name}" for name in vrfs)
    places.update(f"acl/{name}" for name in groups)
    return sorted(places)
