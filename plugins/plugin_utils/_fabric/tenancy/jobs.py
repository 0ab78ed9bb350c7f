# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a tenant playbook is about to do: nodes, leaves, prefixes, and the lines that say so.

Every plan is plain data whose cost follows the nodes named, never the size of the fabric.
"""

from __future__ import annotations

import typing as t

from ..addressing import codec
from ..model.errors import FabricError
from ..topology.cabling import HOST, Node, Port, Switch
from . import capacity, move, owners, prefixes, rules, schema
from . import nodes as node_text

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from .ports import Plan
    from .registry import Registry

Data = dict[str, t.Any]


def expand(fabric: Plan, texts: Iterable[str]) -> list[Node]:
    """Nodes of several texts, each once, in order; FabricError with a sentence for each bad text."""
    found: dict[Node, None] = {}
    sentences: list[str] = []
    for text in texts:
        try:
            found.update(dict.fromkeys(node_text.expand(fabric, str(text))))
        except FabricError as exc:
            sentences += [f"spx_nodes: {sentence}" for sentence in exc.sentences]
    if sentences:
        raise FabricError(sentences)
    return list(found)


def ports_of(fabric: Plan, node: Node) -> list[Data]:
    """The node's ports seen from its leaves: {leaf, port, nic, address, gateway, prefix, ...}.

    `resting`: the link is out of service; `deferred`: its leaf is, so that nothing can be changed there.
    """
    resting = {(row.device, row.port) for row in fabric.description.out_of_service}
    version, name, made = fabric.plan.version, fabric.name(node), []
    for nic in fabric.cabling.nic_ports():
        leaf, index = fabric.cabling.leaf_of(node, nic)
        host, gateway = fabric.plan.link(node, nic)
        first, length = prefixes.link_prefix(fabric, node, nic)
        port, switch = fabric.port_name(leaf, Port(HOST, index)), fabric.name(leaf)
        own = fabric.names.nic(nic)
        here = {(switch, port), (switch, None), (name, own), (name, None)}
        made.append(
            {
                "leaf": switch,
                "port": port,
                "nic": own,
                "rail": nic.rail,
                "plane": nic.plane,
                "address": codec.text(host, version),
                "gateway": codec.text(gateway, version),
                "prefix": f"{codec.text(first, version)}/{length}",
                "resting": bool(here & resting),
                "deferred": (switch, None) in resting,
            }
        )
    return made


def resting_links(fabric: Plan) -> set[str]:
    """The links that are out of service: by themselves, or with their node or leaf."""
    nodes: set[Node] = set()
    for name in {row.device for row in fabric.description.out_of_service}:
        device = fabric.device(name)
        if isinstance(device, Switch):
            rows = [row for row in fabric.slice(device)["ports"] if row["kind"] == "host"]
            peers = {row["peer"]["device"] for row in rows if row["present"]}
            nodes |= {t.cast("Node", fabric.device(peer)) for peer in peers}
        elif device is not None:
            nodes.add(device)
    ports = (port for node in nodes for port in ports_of(fabric, node))
    return {port["prefix"] for port in ports if port["resting"]}


def leaves_of(fabric: Plan, nodes: Iterable[Node]) -> list[str]:
    """The leaves that some nodes meet and that are in service, in the order of the fabric."""
    resting = {row.device for row in fabric.description.out_of_service if row.port is None}
    found: set[Switch] = set()
    for node in nodes:
        found.update(fabric.cabling.leaf_of(node, nic)[0] for nic in fabric.cabling.nic_ports())
    return [name for name in map(fabric.name, sorted(found)) if name not in resting]


def onboarding(
    fabric: Plan, registry: Registry, slug: str, *, extra: Collection[Node] = ()
) -> Data:
    """Bringing a tenant's nodes into its VRF: {tenant, vrf, nodes, leaves, watched, lines}.

    `extra` are nodes to be added to the registry's. FabricError when one is another tenant's.
    """
    row, owner = registry.tenant(slug), registry.owner(slug)
    _free(registry, slug, [*extra, *registry.waiting(slug)])
    held = [node for node in registry.nodes_of(slug) if registry.holding(node).moving is None]
    nodes = sorted({*held, *extra})
    leaves = leaves_of(fabric, nodes)
    return {
        "tenant": slug,
        "id": row.id,
        "vrf": owner.vrf,
        "l3vni": owner.l3vni,
        "nodes": [fabric.name(node) for node in nodes],
        "added": [fabric.name(node) for node in sorted(extra) if node not in held],
        "leaves": leaves,
        "watched": leaves,
        "not_realised": not_realised(registry, row),
        "lines": [
            f"onboard {slug} (id {row.id}): {count(nodes, 'node')} into {owner.vrf}, L3VNI "
            f"{owner.l3vni}, on {count(leaves, 'leaf', 'leaves')}",
            *(f"  {text}" for text in node_text.compress(fabric, nodes)),
            *not_realised(registry, row),
        ],
    }


def not_realised(registry: Registry, row: schema.Tenant) -> list[str]:
    """What the registry entitles a tenant to and this fabric's leaves do not carry out."""
    made = []
    if row.shared and not registry.file.leaking:
        made.append(
            f"  not imported: {', '.join(row.shared)} (leaking is false in the registry; the "
            "prefix sets are in the hand-over file)"
        )
    beyond = [network for network in row.networks if network != "east-west"]
    if beyond:
        made.append(f"  planned only: {', '.join(beyond)} (other switches than this fabric's)")
    return made


def count(things: Collection[t.Any], one: str, many: str | None = None) -> str:
    """`1 node`, `2 nodes`."""
    return f"{len(things)} {one if len(things) == 1 else many or one + 's'}"


def _free(registry: Registry, slug: str, nodes: Iterable[Node]) -> None:
    sentences = []
    for node in nodes:
        holding = registry.holding(node)
        name = registry.fabric.name(node)
        if holding.moving is not None:
            sentences.append(f"spx_nodes: {name} is moving: let tenant_move finish first.")
        elif holding.slug != slug and not prefixes.is_house(holding.slug):
            sentences.append(
                f"spx_nodes: {name} is {holding.slug}'s: move it with tenant_move -e "
                f"spx_tenant={slug} -e spx_nodes={name}."
            )
        elif node in registry.unwiped:
            sentences.append(
                f"spx_nodes: {name} left a tenant and has not been wiped since (its record under "
                f"health): move it with tenant_move -e spx_tenant={slug} -e spx_nodes={name}, which wipes it."
            )
    if sentences:
        raise FabricError(sentences)


def drifting(
    fabric: Plan, registry: Registry, slug: str, applied: Mapping[str, t.Any], names: Iterable[str]
) -> list[str]:
    """Sentences about nodes that may be at work in another VRF; none lets go on."""
    own = registry.owner(slug).vrf
    customers = {o.vrf for o in registry.owners.values() if o.customer and o.slug != slug}
    made: list[str] = []
    for name in names:
        node = fabric.device(name)
        if not isinstance(node, Node) or isinstance(node, Switch):
            continue
        found = move.seen(applied, ports_of(fabric, node))
        made += _nobodys(registry, name, found)
        for port in found:
            if port.vrf in customers:
                made.append(
                    f"tenant drift: port {port.port} of {port.leaf} ({name}) is in {port.vrf}, not "
                    f"{own}: run tenant_move -e spx_tenant={slug} -e spx_nodes={name}."
                )
    return made


def _nobodys(registry: Registry, name: str, found: Iterable[move.Seen]) -> list[str]:
    """Ports in VRFs that the registry does not list: who is at work there would not be drained."""
    known = {None, *registry.yielding_vrfs(), *(o.vrf for o in registry.owners.values())}
    return [
        f"tenant drift: port {port.port} of {port.leaf} ({name}) is in {port.vrf}, which may be a "
        "customer's and which the registry does not list: add its tenant with the key vrf, or put "
        f"the port into {registry.owner(schema.QUARANTINE).vrf} on the leaf by hand."
        for port in found
        if port.vrf not in known
    ]


def goal(registry: Registry, slug: str) -> None:
    """FabricError unless nodes may be moved there: to a tenant, rest or quarantine."""
    if registry.owner(slug).kind == "service":
        raise FabricError.of(
            f"'{slug}' is a service, whose nodes the registry names: move nodes to a tenant, rest or "
            "quarantine."
        )


def moving(
    fabric: Plan,
    registry: Registry,
    nodes: Iterable[Node],
    to: str,
    *,
    applied: Mapping[str, t.Any],
    acceptance: str | None = None,
    from_: str | None = None,
    hooks: Collection[str] = (),
) -> Data:
    """Moving nodes: for each {record, steps, ports, prefixes}, and which leaves do and watch what.

    `found` is the step of the registry's record, empty without one; `seen` is [VRF, up] by port.

    {to, nodes: {name: ...}, there, leaves, watched, lines}; `there` are nodes that need not move,
    `hooks` those that the site has. FabricError with all that forbids it, the last step included.
    """
    goal(registry, to)
    made: Data = {}
    there: list[str] = []
    going: list[Node] = []
    sentences: list[str] = []
    watched: set[str] = set()
    for node in nodes:
        try:
            row = _one(
                fabric,
                registry,
                node,
                to,
                applied=applied,
                acceptance=acceptance,
                from_=from_,
                hooks=hooks,
            )
        except FabricError as exc:
            sentences += exc.sentences
            continue
        if row is None:
            there.append(fabric.name(node))
            continue
        made[fabric.name(node)] = row
        going.append(node)
        watched.update(row["watched"])
    sentences = sentences or _too_many(registry, going, to)
    if sentences:
        raise FabricError(sentences)
    leaves = sorted({port["leaf"] for row in made.values() for port in row["ports"]})
    lines = [line for name, row in made.items() for line in _lines(name, row)]
    lines += [_already(registry, name, to, acceptance) for name in there]
    return {
        "to": to,
        "nodes": made,
        "there": there,
        "leaves": leaves,
        "watched": sorted(watched),
        "recorded": all(fabric.device(name) in registry.moves for name in made),
        "lines": lines,
    }


def _too_many(registry: Registry, nodes: Iterable[Node], to: str) -> list[str]:
    """What the registry would refuse at the end of a move, with all that are on their way there."""
    if to == schema.QUARANTINE:
        return []
    coming = {*nodes, *(node for node, record in registry.moves.items() if record.to == to)}
    ended = registry.with_moves(dict.fromkeys(coming)).with_nodes(to, coming)
    breaches = [*rules.quotas(ended), *capacity.breaches(ended)]
    return [registry.source.sentence(breach) for breach in breaches]


def _already(registry: Registry, name: str, to: str, acceptance: str | None) -> str:
    """What is not done with a node that is where it shall be; in rest nothing is tested twice."""
    if to != schema.REST:
        return f"{name} is {to}'s already"
    group = registry.holding(t.cast("Node", registry.fabric.device(name))).group
    said = f"{name} is in rest already, in acceptance group {group or '(none)'}"
    if acceptance and acceptance != group:
        return (
            f"{said}, and does not go to {acceptance}: name that group under 'rest' of the registry, and "
            "run switches. The hook acceptance is not run."
        )
    return (
        f"{said}: the hook acceptance is not run. To have it tested again, move it to quarantine and "
        "back, through the wipe."
    )


def _one(
    fabric: Plan,
    registry: Registry,
    node: Node,
    to: str,
    *,
    applied: Mapping[str, t.Any],
    acceptance: str | None,
    from_: str | None,
    hooks: Collection[str],
) -> Data | None:
    ports = ports_of(fabric, node)
    if all(port["resting"] for port in ports):
        raise FabricError.of(
            f"{fabric.name(node)} has no port in service, so it cannot be moved: take it, or its leaves, out of "
            "out_of_service first."
        )
    found = move.seen(applied, [port for port in ports if not port["deferred"]])
    if astray := _nobodys(registry, fabric.name(node), found):
        raise FabricError(astray)
    record = move.begin(registry, node, to, found, from_=from_)
    if record is None:
        return None
    unwiped = node in registry.unwiped and node not in registry.moves
    if unwiped and record.from_ == schema.REST and to != schema.QUARANTINE:
        raise FabricError.of(
            f"{fabric.name(node)} is in {registry.owner(schema.REST).vrf} and has not been wiped "
            "since it left a tenant: run switches, which brings it to quarantine, and run again."
        )
    if acceptance and record.acceptance is None:
        record = record.model_copy(update={"acceptance": acceptance})
    record = move.forgetting(move.resume(registry, record, found))
    old, new = registry.owner(record.from_), registry.owner(record.to)
    group = _group_leaves(fabric, registry, node, record)
    records = _records(record, hooks)
    return {
        "record": dump(record),
        "steps": list(move.remaining(record)),
        "records": records,
        "passing": _passing(records),
        "found": registry.moves[node].step if node in registry.moves else "",
        "after": _after(record),
        "seen": {f"{port.leaf} {port.port}": [port.vrf, port.up] for port in found},
        "back": dump(move.forgetting(record.model_copy(update={"step": "open"}))),
        "health": _known(move.proven(record, move.remaining(record), hooks)),
        "ports": [port for port in ports if not port["deferred"]],
        "deferred": [port for port in ports if port["deferred"]],
        "old_vrf": old.vrf,
        "new_vrf": new.vrf,
        "old_watched": watched_by(fabric, registry, old, node) if old.l3vni else [],
        "new_watched": watched_by(fabric, registry, new, node) if new.l3vni else [],
        "watched": sorted(
            {leaf for o in (old, new) if o.l3vni for leaf in watched_by(fabric, registry, o, node)}
            | {port["leaf"] for port in ports if not port["deferred"]}
            | {*group}
        ),
        "group_leaves": group,
        "old_prefixes": prefixes.of_node(fabric, registry, node, record.from_),
        "new_prefixes": prefixes.of_node(fabric, registry, node, record.to),
        "routes": new.routes,
        "managed": _managed(registry, record),
    }


def _group_leaves(fabric: Plan, registry: Registry, node: Node, record: schema.Moving) -> list[str]:
    """The leaves of the acceptance group that a node joins or leaves: their lists name its links."""
    resting = registry.with_moves({node: record.model_copy(update={"step": "rest"})})
    group = resting.holding(node).group
    return leaves_of(fabric, resting.group(group)) if group else []


def _records(record: schema.Moving, hooks: Collection[str]) -> Data:
    """The record as it stands while each of the remaining steps is carried out."""
    steps = move.remaining(record)
    return {
        step: dump(move.proven(record, steps[:number], hooks).model_copy(update={"step": step}))
        for number, step in enumerate(steps)
    }


def _passing(records: Data) -> Data:
    """The same, for the first part of steps that pass through where another step has the ports."""
    return {
        step: {**records[step], "step": passed}
        for step, passed in move.PASSES.items()
        if step in records
    }


def _after(record: schema.Moving) -> Data:
    """The step by which the node is recorded when each of the remaining steps begins."""
    steps = move.remaining(record)
    return dict(zip(steps, (record.step, *steps)))


def _known(record: schema.Moving) -> Data:
    """What is known of the node when it has come to rest or quarantine; nothing elsewhere."""
    if not prefixes.is_house(record.to):
        return {}
    if record.to == schema.QUARANTINE:
        return {"passed": []}
    absent = {"no_hook": record.no_hook} if record.no_hook else {}
    return {"passed": record.passed or [], **absent}


def _managed(registry: Registry, record: schema.Moving) -> bool:
    """Whether playbooks may log in to the node while it is its old tenant's."""
    if prefixes.is_house(record.from_):
        return True
    return registry.tenant(record.from_).host_access == "managed"


def watched_by(fabric: Plan, registry: Registry, owner: owners.Owner, node: Node) -> list[str]:
    """Every leaf that has an owner's VRF, and the node's own."""
    return leaves_of(fabric, {*registry.nodes_of(owner.slug), node})


def dump(record: schema.Moving) -> Data:
    """A record as it stands in the file."""
    return record.model_dump(by_alias=True, exclude_none=True)


def _lines(name: str, row: Data) -> list[str]:
    record = row["record"]
    ports = sorted({port["leaf"] for port in row["ports"]})
    lines = [
        f"move {name} from {record['from']} to {record['to']} on {count(ports, 'leaf', 'leaves')}: "
        f"{', '.join(row['steps'])}"
    ]
    for port in row["deferred"]:
        lines.append(f"  deferred: {port['leaf']} {port['port']}, as the leaf is out of service")
    for port in row["ports"]:
        if port["resting"]:
            lines.append(f"  stays shut: {port['leaf']} {port['port']} is out of service")
    return lines


def resizing(fabric: Plan, registry: Registry, slug: str, wanted: Collection[Node]) -> Data:
    """From what a tenant has in the registry to the nodes it shall have: {add, remove, lines}."""
    registry.tenant(slug)
    leaving = _leaving(registry, slug)
    has = {*registry.nodes_of(slug), *leaving}
    add, remove = sorted(set(wanted) - has), sorted(has - set(wanted))
    _free(registry, slug, [*add, *(node for node in leaving if node in wanted)])
    lines = [f"resize {slug}: {len(has)} -> {len(set(wanted))} nodes"]
    lines += [f"  add {text}" for text in node_text.compress(fabric, add)]
    lines += [f"  give back {text}" for text in node_text.compress(fabric, remove)]
    return {
        "tenant": slug,
        "vrf": registry.owner(slug).vrf,
        "add": [fabric.name(node) for node in add],
        "remove": [fabric.name(node) for node in remove],
        "leaves": leaves_of(fabric, [*add, *remove]),
        "enters": leaves_of(fabric, add),
        "watched": leaves_of(fabric, has),
        "lines": lines,
    }


def offboarding(fabric: Plan, registry: Registry, slug: str) -> Data:
    """Taking a tenant's nodes back: {there, nodes, leaves, lines}; nothing to do when it has left."""
    if any(row.slug == slug for row in registry.file.retired) and slug not in registry.owners:
        return {"there": False, "nodes": [], "leaves": [], "lines": [f"{slug} has left already"]}
    row = registry.tenant(slug)
    _may_end(registry, slug)
    nodes = sorted({*registry.nodes_of(slug), *_leaving(registry, slug)})
    leaves = leaves_of(fabric, nodes)
    lines = [
        f"offboard {slug} (id {row.id}): {count(nodes, 'node')} to quarantine, "
        f"{registry.owner(slug).vrf} off {count(leaves, 'leaf', 'leaves')}"
    ]
    lines += [f"  {text}" for text in node_text.compress(fabric, nodes)]
    names = [fabric.name(node) for node in nodes]
    return {"there": True, "nodes": names, "leaves": leaves, "lines": lines}


def _leaving(registry: Registry, slug: str) -> list[Node]:
    """Nodes that an earlier run began to take from a tenant and has not brought to quarantine."""
    return [
        node
        for node, record in registry.moves.items()
        if (record.from_, record.to) == (slug, schema.QUARANTINE)
    ]


def _may_end(registry: Registry, slug: str) -> None:
    """FabricError with all that still hangs on a tenant that shall leave."""
    sentences = [
        f"{registry.fabric.name(node)} is moving from {record.from_} to {record.to}: let tenant_move finish, then "
        f"offboard {slug}."
        for node, record in registry.moves.items()
        if slug in (record.from_, record.to) and record.to != schema.QUARANTINE
    ]
    sentences += [
        f"{registry.fabric.name(node)} is listed under {slug} and waits in quarantine for its wipe: "
        f"take it out of the nodes of {slug}, then offboard {slug}."
        for node in registry.waiting(slug)
    ]
    sentences += [
        f"{other.slug} shares with {slug}: take {slug} out of its key shared, then offboard {slug}."
        for other in registry.file.tenants
        if slug in other.shared
    ]
    if sentences:
        raise FabricError(sentences)


def health(fabric: Plan, registry: Registry) -> Data:
    """What sits in quarantine and rest, since when, and what it passed: {quarantine, rest, moving}."""
    rows: dict[str, list[Data]] = {schema.QUARANTINE: [], schema.REST: [], "moving": []}
    known = registry.file.health
    for node in fabric.nodes():
        holding = registry.holding(node)
        name = fabric.name(node)
        if holding.moving is not None:
            rows["moving"].append({"node": name, **dump(holding.moving)})
        elif holding.slug in rows:
            record = known.get(name) or schema.Health()
            row = {
                "node": name,
                "since": record.since,
                "passed": list(record.passed),
                "no_hook": list(record.no_hook),
            }
            rows[holding.slug].append(row | ({"group": holding.group} if holding.group else {}))
    return rows


def health_lines(rows: Mapping[str, list[Data]]) -> list[str]:
    """`health` as lines for people; what nothing is known of is counted, not listed."""
    lines = []
    for section, held in rows.items():
        lines.append(f"{section}: {count(held, 'node')}")
        known = [
            row
            for row in held
            if any(row.get(key) for key in ("since", "passed", "no_hook", "step"))
        ]
        for row in known:
            if "step" in row:
                lines.append(
                    f"  {row['node']} from {row['from']} to {row['to']}, step {row['step']}"
                )
                continue
            passed = ", ".join(row["passed"]) or "nothing yet"
            absent = f", no hook {', '.join(row['no_hook'])}" if row["no_hook"] else ""
            since = row["since"] or "unknown"
            lines.append(f"  {row['node']} since {since}, passed {passed}{absent}")
        if held and len(known) < len(held):
            lines.append(f"  {count(held[len(known) :], 'node')} without a record")
    return lines
