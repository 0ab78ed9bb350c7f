# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A proposal for the registry: the node belongs to whose VRF all of its leaf ports have in the DCIM."""

from __future__ import annotations

import typing as t

from ...plan.topology.cabling import HOST, Node, Port
from ...plan.topology.converged_cabling import is_converged
from ...tenants.edit import Place, edit
from .mark import tail
from .things import Ref

if t.TYPE_CHECKING:
    from collections.abc import Mapping

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Device, Switch
    from ...tenants.registry import Registry
    from .dcim_state import DcimState


def text(fabric: Fabric, registry: Registry, read: DcimState, before: str) -> tuple[str, list[str]]:
    """The registry with the nodes where the DCIM has them, and sentences about those it cannot place.

    FabricError where the rules of the registry refuse the whole.
    """
    slugs = {owner.vrf: owner.slug for owner in registry.owners.values()}
    need, notes = sum(1 for _nic in fabric.cabling.nic_ports()), list[str]()
    moved: dict[str, list[str]] = {}
    for node, vrfs in _by_node(fabric, read).items():
        name = fabric.name(node)
        unknown = sorted(set(vrfs) - slugs.keys())
        if unknown:
            notes.append(
                f"{name}: VRF {', '.join(unknown)} is of no owner of the registry: add the owner, or correct the DCIM."
            )
        elif len(set(vrfs)) > 1:
            notes.append(
                f"{name}: its ports are in several VRFs, {', '.join(sorted(set(vrfs)))}: correct the DCIM."
            )
        elif len(vrfs) == need and not registry.holding(node).moving:
            slug = slugs[vrfs[0]]
            if slug != registry.holding(node).slug:
                moved.setdefault(slug, []).append(name)
    changes = [Place(slug, tuple(names)) for slug, names in sorted(moved.items())]
    return (edit(fabric, before, changes) if changes else before), notes


def _east_west(device: Device) -> bool:
    return not isinstance(device, Node) and not is_converged(device)


def _by_node(fabric: Fabric, read: DcimState) -> Mapping[Node, list[str]]:
    """The VRFs of the leaf ports of each built node; a port without one is in none."""
    found: dict[Node, list[str]] = {}
    for leaf, name, one in read.interfaces(fabric):
        port = None if isinstance(leaf, Node) else fabric.port(leaf, name)
        if not isinstance(port, Port) or port.kind != HOST or not _east_west(leaf):
            continue
        leaf = t.cast("Switch", leaf)
        end, vrf = fabric.cabling.host_end(leaf, port.index), one.values.get("vrf")
        if end and fabric.present(end[0]) and vrf:
            name_ = tail(vrf.key) if isinstance(vrf, Ref) else str(vrf)
            found.setdefault(end[0], []).append(name_)
    return found
