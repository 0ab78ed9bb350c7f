# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The front desk: questions of playbooks, by name, to the functions that answer them.

    answer(fabric, "onboard", {"tenant": "acme"})     plain data, or a list of sentences

`moves`, `leaving` and `extra` describe a registry a step further than the file; the file itself is
never changed here.
"""

from __future__ import annotations

import typing as t

from ..model.errors import FabricError, nearest
from ..topology.cabling import Node, Switch
from . import guard, handover, jobs, move, prefixes, schema
from .registry import Registry

if t.TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .ports import Plan

Asked = t.Mapping[str, t.Any]


def answer(fabric: Plan, term: str, asked: Asked, path: str | None = None) -> t.Any:
    """The answer to one question; FabricError when there is no such question."""
    if term not in _ANSWERS:
        raise FabricError.of(
            f"'{term}' is no question about tenants{nearest(term, _ANSWERS)}: use one of "
            f"{', '.join(sorted(_ANSWERS))}."
        )
    registry = as_asked(fabric, Registry.load(fabric, path), asked)
    return _ANSWERS[term](fabric, registry, asked)


def as_asked(fabric: Plan, registry: Registry, asked: Asked) -> Registry:
    """The registry with the moves and nodes of the question laid over it."""
    moves = {
        _node(fabric, name): schema.Moving.model_validate(dict(record)) if record else None
        for name, record in (asked.get("moves") or {}).items()
    }
    extra = jobs.expand(fabric, asked.get("extra") or ())
    made = registry.with_moves(moves) if moves else registry
    return made.with_nodes(_tenant(asked), extra) if extra else made


def _node(fabric: Plan, name: str) -> Node:
    device = fabric.device(str(name))
    if not isinstance(device, Node):
        raise FabricError.of(f"'{name}' is no node's name: correct it.")
    return device


def _tenant(asked: Asked) -> str:
    slug = asked.get("tenant")
    if not slug:
        raise FabricError.of("variable spx_tenant: this playbook needs it: add -e spx_tenant=...")
    return str(slug)


def _guard(fabric: Plan, registry: Registry, asked: Asked) -> t.Any:
    device = fabric.device(str(asked.get("device")))
    if not isinstance(device, Switch):
        raise FabricError.of(f"'{asked.get('device')}' is no switch: name a leaf.")
    leaving = jobs.expand(fabric, asked.get("leaving") or ())
    ending = [str(name) for name in asked.get("ending") or ()]
    return guard.rules(fabric, registry, device, leaving=leaving, ending=ending)


def _onboard(fabric: Plan, registry: Registry, asked: Asked) -> t.Any:
    extra = jobs.expand(fabric, asked.get("nodes") or ())
    return jobs.onboarding(fabric, registry, _tenant(asked), extra=extra)


def _move(fabric: Plan, registry: Registry, asked: Asked) -> t.Any:
    nodes = jobs.expand(fabric, asked.get("nodes") or ())
    return jobs.moving(
        fabric,
        registry,
        nodes,
        _tenant(asked),
        applied=asked.get("applied") or {},
        acceptance=asked.get("acceptance"),
        from_=asked.get("from"),
    )


def _resize(fabric: Plan, registry: Registry, asked: Asked) -> t.Any:
    return jobs.resizing(
        fabric, registry, _tenant(asked), jobs.expand(fabric, asked.get("nodes") or ())
    )


def _drifting(fabric: Plan, registry: Registry, asked: Asked) -> t.Any:
    applied = asked.get("applied") or {}
    return jobs.drifting(fabric, registry, _tenant(asked), applied, asked.get("nodes") or ())


def _links(row: Mapping[str, t.Any]) -> list[str]:
    return [port["prefix"] for port in row["ports"]]


def _placed(fabric: Plan, registry: Registry, asked: Asked) -> t.Any:
    node, row = _node(fabric, str(asked.get("node"))), asked["plan"]
    record = registry.moves.get(node) or schema.Moving.model_validate(dict(row["record"]))
    found = move.seen(asked.get("applied") or {}, row["ports"])
    return move.misplaced(registry, node, record, found)


def _withdrawn(_fabric: Plan, _registry: Registry, asked: Asked) -> t.Any:
    row = asked["plan"]
    tables = {leaf: asked["tables"].get(leaf) or {} for leaf in row["old_watched"]}
    return move.not_withdrawn(str(asked["node"]), row["old_vrf"], _links(row), tables)


def _arrived(fabric: Plan, _registry: Registry, asked: Asked) -> t.Any:
    """By plane: a leaf reaches the links of its own plane, and by-rail planes those of its rail."""
    row, made = asked["plan"], []
    for plane in sorted({port["plane"] for port in row["ports"]}):
        leaves = [leaf for leaf in row["new_watched"] if _plane(fabric, leaf) == plane]
        links = [port["prefix"] for port in row["ports"] if port["plane"] == plane]
        tables = {leaf: asked["tables"].get(leaf) or {} for leaf in leaves}
        if row["routes"] == "exact":
            made += move.not_arrived(str(asked["node"]), row["new_vrf"], links, tables)
    return made


def _plane(fabric: Plan, leaf: str) -> int | None:
    device = fabric.device(leaf)
    return device.plane if isinstance(device, Switch) else None


def _resolved(_fabric: Plan, _registry: Registry, asked: Asked) -> t.Any:
    return move.unresolved(str(asked["node"]), asked["plan"]["ports"], asked.get("neighbors") or {})


def _handover(fabric: Plan, registry: Registry, asked: Asked) -> t.Any:
    mtu = fabric.slice(next(fabric.switches()))["mtu"]["path"]
    return handover.handover(fabric, registry, _tenant(asked), mtu=mtu)


def _prefixes(fabric: Plan, registry: Registry, asked: Asked) -> t.Any:
    return prefixes.tenant_prefixes(fabric, registry, _tenant(asked))


def _delta(fabric: Plan, _registry: Registry, asked: Asked) -> t.Any:
    return prefixes.of_nodes(fabric, jobs.expand(fabric, asked.get("nodes") or ()))


def _health(fabric: Plan, registry: Registry, _asked: Asked) -> t.Any:
    return jobs.health(fabric, registry)


_ANSWERS: dict[str, Callable[[Plan, Registry, Asked], t.Any]] = {
    "guard": _guard,
    "onboard": _onboard,
    "move": _move,
    "resize": _resize,
    "drifting": _drifting,
    "placed": _placed,
    "withdrawn": _withdrawn,
    "arrived": _arrived,
    "resolved": _resolved,
    "handover": _handover,
    "prefixes": _prefixes,
    "delta": _delta,
    "health": _health,
}
