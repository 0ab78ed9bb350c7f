# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which switches take over the traffic of one that is drained."""

from __future__ import annotations

import typing as t

from ..catalog.roles import ROLES
from .topology.converged import MEMBERS
from .topology.converged_cabling import is_converged

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from .fabric import Fabric
    from .topology.cabling import Switch
    from .topology.converged import Converged


def of_switch(fabric: Fabric, switch: Switch) -> Iterator[Switch]:
    """The built switches that do its work: one of them in service is enough.

    For one that relays EVPN routes these are others that do: without any, tenants lose their routes.
    """
    net = fabric.converged if is_converged(switch) else None
    relays = (net or fabric.cabling).relays_evpn
    for other in _alike(fabric, switch):
        if other != switch and fabric.present(other) and relays(other) >= relays(switch):
            yield other


def _alike(fabric: Fabric, switch: Switch) -> Iterator[Switch]:
    """Leaves of the same rails in all planes, spines of the pod, or super-spines of the plane."""
    clos = fabric.clos
    if fabric.converged and is_converged(switch):
        return _of_converged(fabric.converged.counts, switch)
    if switch.role == "leaf":
        planes = () if clos.by_rail else range(clos.planes)
        return (switch._replace(plane=plane) for plane in planes)
    groups = range(clos.groups) if switch.role == "super_spine" else (switch.pod,)
    members = clos.members if switch.role == "super_spine" else clos.spines
    return (switch._replace(pod=group, index=index) for group in groups for index in range(members))


def _of_converged(counts: Converged, switch: Switch) -> Iterator[Switch]:
    """All spines, or the pair of a leaf; none where nodes have one port, which no other leaf has."""
    if not ROLES[switch.role].pairs:
        return (switch._replace(index=index) for index in range(counts.spines))
    members = 0 if counts.leaves[switch.role].node_ports == 1 else MEMBERS
    return (switch._replace(index=member) for member in range(members))
