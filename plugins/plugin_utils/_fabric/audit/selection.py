# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scope of a run: `-e spx_where=su01/h03,acme` means a place and a tenant. Each word is one, or a device."""

from __future__ import annotations

import itertools
import typing as t

from ..description import places
from ..description.errors import FabricError, NotInFabric, nearest, shown
from ..plan.topology.cabling import Node
from ..tenants.nodes import is_place, slots, too_many
from ..tenants.schema import QUARANTINE

if t.TYPE_CHECKING:
    from ..plan.fabric import Fabric
    from ..plan.topology.cabling import Device
    from ..tenants.registry import Registry

_MOST_NAMES = 2000
"""Names of devices that a wrong word is compared with."""


def devices(
    fabric: Fabric, words: t.Sequence[str], registry: Registry | None = None
) -> frozenset[str]:
    """Names of the devices that words mean, with the leaves of nodes.

    FabricError for a word that is not a device, place or tenant.
    """
    _bound(fabric, words)
    return frozenset(name for word in words for name in _devices(fabric, word, registry))


def _bound(fabric: Fabric, words: t.Sequence[str]) -> None:
    if why := too_many(fabric, words):
        raise FabricError.of(f"spx_where: {why}")


def _devices(fabric: Fabric, word: str, registry: Registry | None) -> t.Iterator[str]:
    found = fabric.device(word)
    if found is not None and not isinstance(found, Node):
        yield fabric.name(found)
        return
    some = [found] if found else [n for n in _nodes(fabric, word, registry) if fabric.present(n)]
    nics = list(fabric.cabling.nic_ports())
    made: set[Device] = {fabric.cabling.leaf_of(node, nic)[0] for node in some for nic in nics}
    yield from map(fabric.name, made.union(some))


def _nodes(fabric: Fabric, word: str, registry: Registry | None) -> list[Node]:
    return [node for place in _meant(fabric, word, registry) for node in slots(place, fabric)]


def meant(fabric: Fabric, words: t.Sequence[str], registry: Registry | None) -> list[places.Place]:
    """The places that words mean: (pod), (pod, su) or (pod, su, slot), zero-based; nodes of a tenant are places."""
    _bound(fabric, words)
    return [place for word in words for place in _meant(fabric, word, registry)]


def _meant(fabric: Fabric, word: str, registry: Registry | None) -> t.Sequence[places.Place]:
    """The nodes of a tenant, of rest or of quarantine, or else places."""
    if registry and word == QUARANTINE:
        return [node for node in fabric.nodes() if registry.holding(node).slug == QUARANTINE]
    if registry and word in registry.owners:
        return registry.nodes_of(word)
    try:
        return places.expand(word, limits=fabric.clos.limits)
    except FabricError as exc:
        if is_place(fabric, word):
            raise NotInFabric.of(f"spx_where: {exc}") from exc
        names = map(fabric.name, itertools.islice(fabric.devices(), _MOST_NAMES))
        close = nearest(word, [*(registry.owners if registry else ()), *names])
        raise NotInFabric.of(
            f"spx_where: {shown(word)} is not a device, place or tenant of {fabric.description.name}{close}: "
            "name one, such as su01/h03."
        ) from exc


def pods(fabric: Fabric, words: t.Sequence[str], registry: Registry) -> list[int]:
    """The zero-based pods that words mean; FabricError for what is no whole pod."""
    found: set[int] = set()
    for word in words:
        named = [] if fabric.device(word) else meant(fabric, [word], registry)
        if not named or any(len(place) > 1 for place in named):
            raise FabricError.of(
                f"spx_where: {shown(word)} is no whole pod: playbook plan writes pods, such as pod01 or pod[01-02]."
            )
        found.update(place[0] for place in named)
    return sorted(found)
