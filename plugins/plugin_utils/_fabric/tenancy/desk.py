# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The front desk: questions of playbooks, by name, to the functions that answer them.

    answer(fabric, "onboard", {"tenant": "acme"})     plain data, or a list of sentences

`moves`, `extra` and `gone` describe a registry a step further than the file; the file itself is
never changed here.
"""

from __future__ import annotations

import typing as t

from ..model import load, yaml_source
from ..model.errors import FabricError, nearest, shown
from ..topology.cabling import Node, Switch
from . import handover, health, jobs, links, move, moving, prefixes, schema, tables
from .registry import Registry
from .vrfs import expected_routes, host_ports, leaked_routes, rails_of, tenant_vrfs

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..fabric import Fabric

Asked = t.Mapping[str, t.Any]


def answer(fabric: Fabric, term: str, asked: Asked, path: str | None = None) -> t.Any:
    """The answer to one question; FabricError when there is no such question."""
    if term not in _ANSWERS:
        raise FabricError.of(
            f"'{term}' is no question about tenants{nearest(term, _ANSWERS)}: use one of "
            f"{', '.join(sorted(_ANSWERS))}."
        )
    registry = as_asked(fabric, Registry.load(fabric, path), asked)
    return _ANSWERS[term](fabric, registry, asked)


def as_asked(fabric: Fabric, registry: Registry, asked: Asked) -> Registry:
    """The registry with the moves and nodes of the question laid over it."""
    moves = {
        _node(fabric, name): _moving(name, record) if record else None
        for name, record in (asked.get("moves") or {}).items()
    }
    extra = jobs.expand(fabric, asked.get("extra") or ())
    made = registry.with_moves(moves) if moves else registry
    gone = jobs.expand(fabric, asked.get("gone") or ())
    made = made.with_nodes(schema.QUARANTINE, gone) if gone else made
    return made.with_nodes(_tenant(asked), extra) if extra else made


def _moving(name: str, record: t.Any) -> schema.Moving:
    """A moving record; FabricError with a sentence for each wrong key."""
    if not isinstance(record, dict):
        raise FabricError.of(
            f"moving record of {name}: {shown(str(record))} is not allowed: use a mapping of keys."
        )
    return load.typed(
        schema.Moving, yaml_source.Source(f"moving record of {name}", dict(record), {})
    )


def _node(fabric: Fabric, name: str) -> Node:
    device = fabric.device(str(name))
    if not isinstance(device, Node):
        raise FabricError.of(f"'{name}' is no node's name: correct it.")
    return device


def _tenant(asked: Asked) -> str:
    slug = asked.get("tenant")
    if not slug:
        raise FabricError.of("variable spx_tenant: this playbook needs it: add -e spx_tenant=...")
    return str(slug)


def _onboard(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    extra = jobs.expand(fabric, asked.get("nodes") or ())
    return jobs.onboarding(fabric, registry, _tenant(asked), extra=extra)


def _move(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    nodes = jobs.expand(fabric, asked.get("nodes") or ())
    order = moving.Order(
        _tenant(asked),
        applied=asked.get("applied") or {},
        acceptance=asked.get("acceptance"),
        from_=asked.get("from"),
        hooks=[str(name) for name in asked.get("hooks") or ()],
        written=bool(asked.get("written")),
        run=str(asked.get("run") or "unnamed"),
        today=str(asked.get("today") or "1970-01-01"),
        **({"at_work": asked["at_work"]} if "at_work" in asked else {}),
    )
    return moving.plan(fabric, registry, nodes, order)


def _resize(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    return jobs.resizing(
        fabric, registry, _tenant(asked), jobs.expand(fabric, asked.get("nodes") or ())
    )


def _offboard(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    return jobs.offboarding(fabric, registry, _tenant(asked))


def _leaves(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    if asked.get("tenant"):
        moving.goal(registry, _tenant(asked))
    return links.leaves_of(fabric, jobs.expand(fabric, asked.get("nodes") or ()))


def _drifting(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    applied = asked.get("applied") or {}
    return jobs.drifting(fabric, registry, _tenant(asked), applied, asked.get("nodes") or ())


def _coming(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    applied = asked.get("applied") or {}
    return jobs.coming(fabric, registry, _tenant(asked), applied, asked.get("nodes") or ())


def _known(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    nodes = jobs.expand(fabric, asked.get("nodes") or ())
    return jobs.known(registry, _tenant(asked), nodes)


# Gates: each answers for one leaf (`device`), from what was read there (`read`: data by path, None
# where the switch has nothing), about all nodes of a step (`rows`, as `move` planned them).


def _reads(fabric: Fabric, _registry: Registry, asked: Asked) -> t.Any:
    """The operational places that the route gates need, for some VRFs."""
    release = str(asked.get("release") or "")
    return [
        path
        for vrf in asked.get("vrfs") or ()
        for path in tables.places(fabric, str(vrf), release=release).values()
    ]


def _untold(fabric: Fabric, _registry: Registry, asked: Asked) -> t.Any:
    """The leaf with its release, if that cannot be asked for its FIB; else nothing."""
    release = str(asked.get("release") or "")
    blind = release and not tables.tells_fib(release)
    return f"{asked.get('device')} (Cumulus Linux {release})" if blind else ""


def _told(fabric: Fabric, asked: Asked, vrf: str) -> dict[str, tables.Told]:
    """What the leaf that was asked tells of one VRF."""
    device, release = str(asked.get("device")), str(asked.get("release") or "")
    document = (asked.get("applied") or {}).get(device)
    where = tables.places(fabric, vrf, release=release)
    return {device: tables.told(where, asked.get("read") or {}, document, vrf)}


def _rows(asked: Asked) -> list[tuple[str, Mapping[str, t.Any]]]:
    return [(str(name), row) for name, row in (asked.get("rows") or {}).items()]


def _found(
    fabric: Fabric, registry: Registry, asked: Asked
) -> Iterator[tuple[Node, schema.Moving, list[move.Seen], Mapping[str, t.Any]]]:
    """Of each moving node: its record, its ports as one leaf has them, and its row of the plan."""
    device = str(asked.get("device"))
    for name, row in _rows(asked):
        node = _node(fabric, name)
        record = registry.moves.get(node) or schema.Moving.model_validate(dict(row["record"]))
        ports = [port for port in row["ports"] if port["leaf"] == device]
        yield node, record, move.seen({device: asked.get("read") or {}}, ports), row


def _placed(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    made = []
    for node, record, found, _row in _found(fabric, registry, asked):
        made += move.misplaced(registry, node, record, found)
    return made


def _taken_on(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    made = []
    for node, record, found, row in _found(fabric, registry, asked):
        way = {"step": str(asked["step"]), "steps": row["steps"], "before": row["seen"]}
        made += move.taken_on(registry, node, record, found, **way)
    return made


def _withdrawn(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    """No leaf has a route to any link of the node, whatever the tenant's `routes` make of it.

    Only what the registry leaks from the node's new owner may be there.
    """
    made = {}
    for name, row, leaf in _watching(fabric, asked, "old_watched"):
        links = [port["prefix"] for port in (*row["ports"], *row["deferred"])]
        told = _told(fabric, asked, row["old_vrf"])
        allowed = leaked_routes(fabric, registry, registry.owner(row["record"]["from"]), leaf)
        made[name] = tables.not_withdrawn(name, row["old_vrf"], links, told, allowed=allowed)
    return _refused(made)


def _watching(
    fabric: Fabric, asked: Asked, which: str
) -> Iterator[tuple[str, Mapping[str, t.Any], Switch]]:
    """The rows about which the leaf that was asked has a say, with the leaf."""
    leaf = fabric.device(str(asked.get("device")))
    for name, row in _rows(asked):
        if isinstance(leaf, Switch) and fabric.name(leaf) in row[which]:
            yield name, row, leaf


def _refused(said: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The nodes of which a gate says anything."""
    return {name: lines for name, lines in said.items() if lines}


def _arrived(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    """Each leaf has what the node causes there: links, those of the leaf's rails, or what holds them.

    A leaf that lacks the VRF, as the tenant's own nodes there still wait, has nobody who needs the routes.
    """
    ends = {
        _node(fabric, name): schema.Moving.model_validate({**row["record"], "step": "verify"})
        for name, row in _rows(asked)
    }
    then, made = registry.with_moves(ends), {}
    for name, row, leaf in _watching(fabric, asked, "new_watched"):
        if _waits(asked, row):
            continue
        links = [port["prefix"] for port in row["ports"] if not port["resting"]]
        owner, rails = then.owner(row["record"]["to"]), rails_of(host_ports(fabric, then, leaf))
        expected = expected_routes(fabric, then, owner, leaf, rails=rails)
        leading = tables.leading_to(links)
        wanted = [prefix for prefix in expected if prefix in leading]
        told = _told(fabric, asked, row["new_vrf"])
        made[name] = tables.not_arrived(name, row["new_vrf"], wanted, told)
    return _refused(made)


def _waits(asked: Asked, row: Mapping[str, t.Any]) -> bool:
    """Whether the leaf that was asked has no port of the node, and by its document not the new VRF."""
    device = str(asked.get("device"))
    document = (asked.get("applied") or {}).get(device)
    lacks = document is not None and row["new_vrf"] not in (document.get("vrf") or {})
    return lacks and all(port["leaf"] != device for port in row["ports"])


def _resolved(_fabric: Fabric, _registry: Registry, asked: Asked) -> t.Any:
    return _refused(
        {name: move.unresolved(name, ports, known) for name, ports, known in _neighbours(asked)}
    )


def _silent(_fabric: Fabric, _registry: Registry, asked: Asked) -> t.Any:
    """The ports at which the leaf does not resolve the host: [{port, address, vrf}], in its new VRF."""
    new = {name: row["new_vrf"] for name, row in _rows(asked)}
    return [
        {"port": port["port"], "address": port["address"], "vrf": new[name]}
        for name, ports, known in _neighbours(asked)
        for port in ports
        if move.unresolved(name, [port], known)
    ]


def _mute(_fabric: Fabric, _registry: Registry, asked: Asked) -> t.Any:
    """The leaf, if it does not tell of some port whether it resolves the host there; else nothing."""
    told = all(not move.untold(ports, known) for _name, ports, known in _neighbours(asked))
    return "" if told else str(asked.get("device"))


def _neighbours(asked: Asked) -> Iterator[tuple[str, list[t.Any], dict[str, t.Any]]]:
    """Of each node, its ports in service on the leaf that was asked, and the neighbours told at each."""
    device, read = str(asked.get("device")), asked.get("read") or {}
    for name, row in _rows(asked):
        ports = [port for port in row["ports"] if port["leaf"] == device and not port["resting"]]
        yield name, ports, {p["port"]: read.get(f"interface/{p['port']}/neighbor") for p in ports}


def _entered(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    """Routes that a leaf of the tenant lacks; none is waited for whose links are out of service."""
    device, slug = fabric.device(str(asked.get("device"))), _tenant(asked)
    if not isinstance(device, Switch):
        return []
    owner = registry.owner(slug)
    wanted: list[str] = next(
        (row["routes"] for row in tenant_vrfs(fabric, registry, device) if row["slug"] == slug), []
    )
    (told,) = _told(fabric, asked, owner.vrf).values()
    resting = links.resting_links(fabric)
    excused = prefixes.explained(tables.leading_to(resting).intersection(wanted), resting)
    kind, lacking = tables.lacks(told, [prefix for prefix in wanted if prefix not in excused])
    if not lacking:
        return []
    more = f" and {len(lacking) - 5} more" if len(lacking) > 5 else ""
    return [
        f"{fabric.name(device)} lacks {', '.join(lacking[:5])}{more} in the {tables.NAMES[kind]} of "
        f"{owner.vrf}: see whether the hosts' ports are up and the sessions of the leaf Established, and run again."
    ]


def _handover(fabric: Fabric, registry: Registry, asked: Asked) -> t.Any:
    mtu = fabric.slice(next(fabric.cabling.switches()))["mtu"]["path"]
    return handover.handover(fabric, registry, _tenant(asked), mtu=mtu)


def _health(fabric: Fabric, registry: Registry, _asked: Asked) -> t.Any:
    rows = health.held(fabric, registry)
    return {**rows, "lines": health.lines(rows)}


_ANSWERS: dict[str, Callable[[Fabric, Registry, Asked], t.Any]] = {
    "onboard": _onboard,
    "move": _move,
    "resize": _resize,
    "offboard": _offboard,
    "leaves": _leaves,
    "drifting": _drifting,
    "coming": _coming,
    "known": _known,
    "reads": _reads,
    "untold": _untold,
    "entered": _entered,
    "placed": _placed,
    "taken_on": _taken_on,
    "withdrawn": _withdrawn,
    "arrived": _arrived,
    "resolved": _resolved,
    "mute": _mute,
    "silent": _silent,
    "handover": _handover,
    "health": _health,
}
