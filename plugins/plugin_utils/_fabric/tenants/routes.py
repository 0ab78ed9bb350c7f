# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The east-west routes that the VRF of an owner holds on a leaf, and those that it takes from others by leaking.

The cost follows the size of the owner; what is the same on many leaves is computed once a registry.
"""

from __future__ import annotations

import typing as t

from ..plan.addressing import codec
from ..plan.topology.cabling import NicPort, Node, Switch
from . import attachments, prefixes

if t.TYPE_CHECKING:
    from ..plan.fabric import Fabric
    from .owners import Owner
    from .registry import Registry


def leaks(registry: Registry, owner: Owner) -> list[str]:
    """Route targets of other VRFs that are imported too."""
    return [rt for slug in registry.leaked(owner) for rt in registry.owners[slug].exports]


def expected_routes(
    fabric: Fabric, registry: Registry, owner: Owner, leaf: Switch, *, rails: list[int]
) -> list[str]:
    """The prefixes that an owner's VRF on a leaf holds.

    Quarantine holds the leaf's own links only. Others hold the links of every node of theirs in
    the leaf's plane: all rails, or the leaf's own where routes are scoped by rail. Where routes are
    collapsed, every leaf announces the fewest prefixes, and holds its own links besides.
    """
    if not owner.l3vni:
        return _own(fabric, registry, leaf, owner)
    seen = _rails_seen(fabric, leaf)
    wanted = [rail for rail in seen if owner.routes != "rail" or rail in rails]
    made = _caused(fabric, registry, owner, plane=leaf.plane, rails=wanted)
    made += leaked_routes(fabric, registry, owner, leaf)
    if owner.routes == "leaf":
        made += _own(fabric, registry, leaf, owner)
    return list(dict.fromkeys(made))


def leaked_routes(fabric: Fabric, registry: Registry, owner: Owner, leaf: Switch) -> list[str]:
    """Return what an owner's VRF on a leaf holds of others, by leaking."""
    rails, made = _rails_seen(fabric, leaf), list[str]()
    for slug in registry.leaked(owner):
        made += _caused(fabric, registry, registry.owners[slug], plane=leaf.plane, rails=rails)
    return made


def _rails_seen(fabric: Fabric, leaf: Switch) -> list[int]:
    return [leaf.plane] if fabric.clos.by_rail else list(range(fabric.clos.rails))


def _own(fabric: Fabric, registry: Registry, leaf: Switch, owner: Owner) -> list[str]:
    ports = attachments.on_leaf(fabric, leaf)
    return [
        str(at.prefix) for at in ports if attachments.holder(registry, at) == (owner.slug, True)
    ]


def _caused(
    fabric: Fabric, registry: Registry, owner: Owner, *, plane: int, rails: list[int]
) -> list[str]:
    """The routes that an owner's nodes cause on one plane."""
    if owner.routes == "leaf":
        return list(_collapsed(fabric, registry, owner, plane=plane, rails=rails))
    made: list[str] = []
    for rail in rails:
        made += _rail(fabric, registry, owner, plane=plane, rail=rail)
    return made


def _rail(fabric: Fabric, registry: Registry, owner: Owner, *, plane: int, rail: int) -> list[str]:
    """The links of an owner's nodes on one plane and rail, computed once a registry."""

    def work() -> list[str]:
        version = fabric.addresses.version
        links = prefixes.links_of(fabric, _up(registry, owner), plane=plane, rail=rail)
        return [f"{codec.text(first, version)}/{length}" for first, length in links]

    return registry.cached(("routes", owner.slug, plane, rail), work)


def _collapsed(
    fabric: Fabric, registry: Registry, owner: Owner, *, plane: int, rails: list[int]
) -> list[str]:
    """The links of an owner's nodes on one plane, collapsed by leaf; computed once a registry."""

    def work() -> list[str]:
        by_leaf: dict[Switch, list[tuple[int, int]]] = {}
        for rail in rails:
            nic = NicPort(rail, plane)
            for node in _up(registry, owner):
                leaf, _index = fabric.cabling.leaf_of(node, nic)
                by_leaf.setdefault(leaf, []).append(prefixes.link_prefix(fabric, node, nic))
        return [p for links in by_leaf.values() for p in prefixes.collapsed(fabric, links)]

    return registry.cached(("collapsed", owner.slug, plane, *rails), work)


def _up(registry: Registry, owner: Owner) -> list[Node]:
    return [node for node in registry.nodes_of(owner.slug) if registry.holding(node).up]
