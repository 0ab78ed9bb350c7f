# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of a fabric that is pushed, and whether a key of the DCIM is inside it.

    Part()                         all of it
    Part(pods=(0,), top=False)     a pod: its nodes, leaves and spines
    Part(sus=(1,), top=False)      the second SU of every pod: its nodes and leaves
    Part(pods=())                  what belongs to no pod: super-spines, converged switches, VRFs, pools
    Part((), top=False, groups=(0,))  a group of super-spines

Numbers are zero-based. A cable belongs to the part of its lower end.
"""

from __future__ import annotations

import typing as t

from ...plan.places import pod_of
from ...plan.topology.cabling import Device, Node
from .mark import tail

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Switch


class Part(t.NamedTuple):
    """Some pods and SUs, None is all of them; `top` is whether what belongs to no pod is part of it.

    `groups` of super-spines are a part of their own; None leaves super-spines to `top`.
    """

    pods: tuple[int, ...] | None = None
    sus: tuple[int, ...] | None = None
    top: bool = True
    groups: tuple[int, ...] | None = None

    @property
    def whole(self) -> bool:
        """Check whether it is all of the fabric."""
        return self == Part()

    def switches(self, fabric: Fabric) -> Iterator[Switch]:
        """The built switches of the part."""
        if self.whole:
            yield from fabric.switches()
            return
        pods = range(fabric.clos.pods) if self.pods is None else self.pods
        yield from fabric.switches(pods=pods, sus=self.sus)
        if self._has_top(fabric):
            yield from filter(self._on_top, fabric.switches())

    def _has_top(self, fabric: Fabric) -> bool:
        return (self.top or bool(self.groups)) and bool(
            fabric.description.networks or fabric.clos.tiers == 3
        )

    def _on_top(self, device: Device) -> bool:
        """Check whether a device that belongs to no pod is in the part."""
        if isinstance(device, Node) or not is_top(device):
            return False
        if self.groups is None or device.role != "super_spine":
            return self.top
        return device.pod in self.groups

    def nodes(self, fabric: Fabric) -> Iterator[Node]:
        """The built nodes of the part."""
        return fabric.nodes(pods=self.pods, sus=self.sus)

    def devices(self, fabric: Fabric) -> Iterator[Device]:
        """The built devices of the part: switches, then nodes."""
        yield from self.switches(fabric)
        yield from self.nodes(fabric)

    def slots(self, fabric: Fabric) -> Iterator[Device]:
        """All devices of the part that the capacity has, built or not."""
        pods = range(fabric.clos.pods) if self.pods is None else self.pods
        yield from fabric.cabling.switches(pods=pods, sus=self.sus)
        if self._has_top(fabric):
            yield from filter(self._on_top, fabric.slots())
        yield from fabric.cabling.nodes(pods=self.pods, sus=self.sus)

    def holds(self, fabric: Fabric, key: str) -> bool:
        """Check whether a thing of the fabric, which may be gone from the plan, belongs to the part.

        A key without a device that the capacity has belongs to no pod.
        """
        name, _slash, place = key.partition("/")
        if name != fabric.description.name:
            return False
        device = fabric.names.device(place.partition("/")[0])
        if device is None:
            return self.top
        if is_top(device):
            return self._on_top(device)
        if self.pods is not None and device.pod not in self.pods:
            return False
        su = su_of(fabric, device)
        return self.sus is None or (su is not None and su in self.sus)


WHOLE = Part()
"""All of a fabric."""


def is_top(device: Device) -> bool:
    """Check whether a device belongs to no pod."""
    return pod_of(device) is None


def su_of(fabric: Fabric, device: Device) -> int | None:
    """The SU of a node or leaf; a spine has none."""
    if isinstance(device, Node):
        return device.su
    return device.index // fabric.clos.leaves_per_su if device.role == "leaf" else None


def parts(fabric: Fabric) -> Iterator[Part]:
    """The whole fabric in parts that fit into memory: what belongs to no pod, super-spines by groups, each pod."""
    yield Part(pods=(), groups=())
    for group in range(fabric.clos.groups if fabric.clos.tiers == 3 else 0):
        yield Part(pods=(), top=False, groups=(group,))
    for pod in range(fabric.clos.pods):
        yield Part(pods=(pod,), top=False)


def place_of(key: str) -> str:
    """The place of a device in the key of a thing on it: `lab/leaf-p1-su001-r1/swp1s0` -> the leaf."""
    return tail(key).partition("/")[0]
