# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that the plan wants in a DCIM, one thing after the other, in the order of creation.

    for thing in wanted(fabric, registry): ...                    all of it
    for thing in wanted(fabric, registry, Part(pods=(0,), top=False)): ...
    for thing in of_kind("cable", context): ...

Nothing is collected: memory does not grow with the fabric. In a part, a cable may end outside of it; what
belongs to no pod is always there, since the rest refers to it.
"""

from __future__ import annotations

import itertools
import typing as t

from . import equipment, prefixes, shared_kinds
from .context import DEFAULT, Context, Names
from .part import WHOLE, Part
from .things import KINDS

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ...plan.fabric import Fabric
    from ...tenants.registry import Registry
    from .things import Thing

_FIRST = KINDS[: KINDS.index("rack")]
_STREAMS: Mapping[str, Callable[[Context], Iterator[Thing]]] = {
    "rack": equipment.racks,
    "tenant": shared_kinds.tenants,
    "route_target": shared_kinds.route_targets,
    "vrf": shared_kinds.all_vrfs,
    "asn": shared_kinds.asns,
    "vlan": shared_kinds.vlans,
    "prefix": prefixes.prefixes,
    "device": equipment.devices,
    "interface": equipment.interfaces,
    "address": equipment.addresses,
    "cable": equipment.cables,
    "primary": equipment.primaries,
}


def wanted(
    fabric: Fabric, registry: Registry, part: Part = WHOLE, *, names: Names = DEFAULT
) -> Iterator[Thing]:
    """All things of a part in the order of KINDS."""
    context = Context(fabric, registry, part, names)
    return itertools.chain.from_iterable(of_kind(kind, context) for kind in KINDS)


def of_kind(kind: str, context: Context) -> Iterator[Thing]:
    """The things of one kind."""
    if kind in _FIRST:
        return (thing for thing in shared_kinds.first(context) if thing.kind == kind)
    return _STREAMS[kind](context)
