# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of a fabric: some nodes, the leaves of their SUs, and every spine above these.

Everything else is listed in `absent`, which changes no name and no address of what is built.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..audit.selection import devices
from ..description.errors import FabricError
from ..description.places import text_of
from ..plan.fabric import Fabric
from ..tenants.registry import Registry


def of(fabric: Fabric, where: t.Sequence[str]) -> Fabric:
    """The fabric with nothing but the nodes that some words mean, and the switches above them.

    The words are those of `spx_where`: a place, a node, a tenant. FabricError where they mean no node.
    """
    absent = outside(fabric, where)
    source = dataclasses.replace(fabric.source, data={**fabric.source.data, "absent": absent})
    return Fabric(fabric.description.model_copy(update={"absent": absent}), source)


def outside(fabric: Fabric, where: t.Sequence[str]) -> list[str]:
    """The places beside the nodes that some words of `spx_where` mean, the largest ones whole."""
    names = devices(fabric, where, Registry.load(fabric))
    kept = {node for node in fabric.nodes() if fabric.name(node) in names}
    if not kept:
        raise FabricError.of(
            f"nodes: {', '.join(where)} matches no built node: name nodes, such as su01/h03."
        )
    slots: dict[tuple[int, int], set[int]] = {}
    for node in kept:
        slots.setdefault((node.pod, node.su), set()).add(node.slot)
    pods = {pod for pod, _su in slots}
    made, c = [], fabric.clos
    for pod in range(c.pods):
        if pod not in pods:
            made.append(text_of((pod,)))
            continue
        for su in range(c.sus):
            here = slots.get((pod, su))
            missing = [] if here is None else [n for n in range(c.slots) if n not in here]
            made += (
                [text_of((pod, su))] if here is None else [text_of((pod, su, n)) for n in missing]
            )
    return made
