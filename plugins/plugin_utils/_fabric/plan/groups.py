# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inventory groups of a device, with the numbers and widths of the names.

spx_leaf spx_plane_1 spx_pod_01 spx_su_01_001 spx_rail_1
spx_front_end_leaf spx_converged
spx_oob_leaf spx_oob
"""

from __future__ import annotations

import collections
import typing as t

from ..catalog.roles import ROLES
from .places import rails_of
from .topology.cabling import Device, Node, Switch
from .topology.converged_cabling import plane_of

if t.TYPE_CHECKING:
    from .fabric import Fabric


class Groups:
    """Names the groups of devices; the same tuple of names serves all devices of a place."""

    def __init__(self, fabric: Fabric) -> None:
        self._fabric, self._c = fabric, fabric.clos
        self._pod = max(2, len(str(self._c.pods)))
        self._su = max(3, len(str(self._c.sus)))
        self._memo: dict[tuple[t.Any, ...], tuple[str, ...]] = {}
        self.all = "spx_fabric_" + fabric.description.name.replace("-", "_")

    def of(self, device: Device) -> tuple[str, ...]:
        """The groups of a device, its role first."""
        leaf = isinstance(device, Switch) and device.role == "leaf"
        key: tuple[t.Any, ...] = device if leaf else device[:-1]
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = tuple(self._names(device))
        return found

    def _names(self, device: Device) -> list[str]:
        c = self._c
        if isinstance(device, Node):
            return [ROLES["node"].group, self.pod(device.pod), self.su(device.pod, device.su)]
        group, plane = ROLES[device.role].group, plane_of(device)
        if plane is None:
            return [group, "spx_oob" if ROLES[device.role].oob else "spx_converged"]
        made = [group, f"spx_plane_{plane + 1}"]
        if device.role != "super_spine":
            made.append(self.pod(device.pod))
        if device.role == "leaf":
            su, within = divmod(device.index, c.leaves_per_su)
            made.append(self.su(device.pod, su))
            made += [
                f"spx_rail_{rail + 1}" for rail in rails_of(self._fabric, device.plane, within)
            ]
        return made

    def pod(self, pod: int) -> str:
        """The group of a pod."""
        return f"spx_pod_{pod + 1:0{self._pod}}"

    def su(self, pod: int, su: int) -> str:
        """The group of an SU."""
        return f"spx_su_{pod + 1:0{self._pod}}_{su + 1:0{self._su}}"

    def expected(self) -> dict[str, int]:
        """Count the hosts of each role's group when the whole fabric is in the inventory."""
        return dict(collections.Counter(self.of(device)[0] for device in self._fabric.devices()))
