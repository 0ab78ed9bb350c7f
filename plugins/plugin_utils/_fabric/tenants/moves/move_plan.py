# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a move of nodes: for each its record, its steps, its ports, and who watches.

`move.py` knows the steps of one node and when each is done; this lays them out for all nodes that a
playbook names, with all that forbids it.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...description import devices
from ...description.errors import FabricError
from ...description.words import count
from ...plan.addressing import codec
from ...plan.addressing.pools import OOB_INDEX
from ...plan.topology.cabling import EAST_WEST
from ...plan.topology.converged import EQUIPMENT
from .. import attachments, prefixes, rules, schema, wipe
from ..attachments import Attachment
from ..observed_ports import ObservedPort, seen
from ..steps import STEPS
from . import move

if t.TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Node
    from ..owners import Owner
    from ..registry import Registry
    from .records import NetworkEnd, NetworkMove, NodeMove, Note


class MovePlan(t.TypedDict):
    """The plan of moving nodes.

    `there` are nodes that need not move, `leaves` those that change, `watched` those that are asked for routes, `runs`
    who has each record, `ended` the step by which the registry has each node when all is done; `recorded`: each node
    has a record already.
    """

    to: str
    steps: list[str]
    nodes: dict[str, NodeMove]
    there: list[str]
    leaves: list[str]
    watched: list[str]
    runs: dict[str, str]
    ended: dict[str, str]
    recorded: bool
    lines: list[str]


def goal(registry: Registry, slug: str) -> None:
    """FabricError unless nodes may be moved there: to a tenant, rest or quarantine."""
    if registry.owner(slug).kind == "service":
        raise FabricError.of(
            f"'{slug}' is a service, whose nodes the registry names: move nodes to a tenant, rest or "
            "quarantine."
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Conditions:
    """Means and permissions of a run.

    `acceptance` is the acceptance group of nodes that go to rest; `hooks` are those that the site has; `written`:
    the registry may be written. `run` and `today`, such as 2026-11-23, date a wipe. `at_work` reports whether
    another run, by its name, still is.
    """

    acceptance: str | None = None
    hooks: Collection[str] = ()
    written: bool = False
    run: str = "unnamed"
    today: str = "1970-01-01"
    at_work: Callable[[str], bool] = lambda _run: False


@dataclasses.dataclass(frozen=True)
class Order(Conditions):
    """Destination of nodes, and their origin if that is known; `applied` are the documents of the leaves by name."""

    to: str
    applied: Mapping[str, t.Any]
    from_: str | None = None


def plan(fabric: Fabric, registry: Registry, nodes: Iterable[Node], order: Order) -> MovePlan:
    """Return the plan of moving nodes; FabricError with all that forbids it, the last step included."""
    goal(registry, order.to)
    made: dict[str, NodeMove] = {}
    there: list[str] = []
    going: list[Node] = []
    sentences: list[str] = []
    unwiped: dict[str, str] = {}
    unread: dict[str, str] = {}
    means = _means(fabric, order)
    leaving = frozenset(nodes := list(nodes))
    for node in nodes:
        try:
            record = _record(fabric, registry, node, order)
        except FabricError as exc:
            sentences += exc.sentences
            continue
        if record is None:
            there.append(fabric.name(node))
            continue
        going.append(node)
        row = made[fabric.name(node)] = _row(fabric, registry, node, record, order, leaving=leaving)
        if "wipe" in row["steps"] and means.clean(row["had"], None) is None:
            unwiped[fabric.name(node)] = row["had"]
        elif row["cards"] == wipe.READ and not row["managed"]:
            unread[fabric.name(node)] = record.from_
        elif "wipe" not in row["steps"] and record.to != schema.QUARANTINE and row["had"]:
            sentences.append(wipe.passed_by(fabric.name(node), row["had"], record))
    sentences += [wipe.refused(unwiped, order.to)] if unwiped else []
    sentences += [wipe.closed(unread)] if unread else []
    sentences = sentences or _too_many(registry, going, order.to)
    if sentences:
        raise FabricError(sentences)
    lines = [line for name, row in made.items() for line in _lines(name, row)]
    lines += [_already(registry, name, order) for name in there]
    return {
        "to": order.to,
        "steps": [step for step in STEPS if any(step in row["steps"] for row in made.values())],
        "nodes": made,
        "there": there,
        "leaves": sorted({leaf for row in made.values() for leaf in _changed(row)}),
        "watched": sorted({leaf for row in made.values() for leaf in row["watched"]}),
        "runs": {fabric.name(node): _run_of(registry, node) for node in going},
        "ended": {
            name: row["steps"][-1] if order.written else row["found"] for name, row in made.items()
        },
        "recorded": all(node in registry.moves for node in going),
        "lines": lines,
    }


def _changed(row: NodeMove) -> set[str]:
    """The leaves that a move of a node changes."""
    made = {at.leaf for at in changed(row)}
    return made.union(*row["outside"].values())


def _means(fabric: Fabric, order: Order) -> wipe.Means:
    stated = fabric.description.wipe
    elsewhere = (stated.elsewhere or "", stated.nic_elsewhere or "") if stated else ("", "")
    return wipe.Means("wipe" in order.hooks, *elsewhere, order.run, order.today)


def _had(
    fabric: Fabric, registry: Registry, node: Node, record: schema.MovingRecord, order: Order
) -> str:
    """Name the customer whose data may be on the node as its move continues; empty where the record shows a wipe."""
    if record.clean is not None:
        return ""
    if record.had:
        return record.had
    goal = registry.owner(record.to).vrf  # where its ports may be already
    found = _seen(registry, order, attachments.of_node(fabric, node))
    vrfs = [port.vrf for port in found if port.vrf != goal]
    return wipe.last_customer(registry, node, from_=record.from_, to=record.to, vrfs=vrfs)


def _too_many(registry: Registry, nodes: Iterable[Node], to: str) -> list[str]:
    """Report the limits that the registry would exceed at the end of a move, with all nodes on their way there."""
    if to == schema.QUARANTINE:
        return []
    coming = {*nodes, *(node for node, record in registry.moves.items() if record.to == to)}
    return rules.too_much(registry.with_moves(dict.fromkeys(coming)).with_nodes(to, coming))


def _already(registry: Registry, name: str, order: Order) -> str:
    """Describe a node that is there already; in rest nothing is tested twice."""
    if order.to != schema.REST:
        return f"{name} is {order.to}'s already"
    group = registry.holding(t.cast("Node", registry.fabric.device(name))).group
    said = f"{name} is in rest already, in acceptance group {group or '(none)'}"
    if order.acceptance and order.acceptance != group:
        return (
            f"{said}, and does not go to {order.acceptance}: name that group under 'rest' of the registry, and "
            "run switches. The hook acceptance is not run."
        )
    return (
        f"{said}: the hook acceptance is not run. To have it tested again, move it to quarantine and "
        "back, through the wipe."
    )


def _record(
    fabric: Fabric, registry: Registry, node: Node, order: Order
) -> schema.MovingRecord | None:
    """The record with the step to begin with; None where nothing is to be moved."""
    name, ports = fabric.name(node), attachments.of_node(fabric, node)
    if all(at.resting for at in ports if at.network == EAST_WEST):
        raise FabricError.of(
            f"{name} has no port in service, so it cannot be moved: take it, or its leaves, out of "
            "out_of_service first."
        )
    found = _seen(registry, order, ports)
    if foreign := unlisted(registry, name, found):
        raise FabricError(foreign)
    if order.at_work(run := _run_of(registry, node)):
        raise FabricError.of(move.at_work(name, run))
    record = move.begin(registry, node, order.to, found, from_=order.from_)
    if record is None:
        return None
    if move.unproven(record):
        raise FabricError.of(
            f"moving.{name}: the record says step {record.step}, and no wipe, which comes before, under clean: set its "
            "step to wipe, and run again."
        )
    if record.from_ == schema.REST and node not in registry.moves and order.to != schema.QUARANTINE:
        _clean_in_rest(registry, node, name, order.to)
    if order.acceptance and record.acceptance is None:
        record = record.model_copy(update={"acceptance": order.acceptance})
    record = record.model_copy(update={"run": None})  # whose it is now, who writes it says
    had = _had(fabric, registry, node, record, order)
    if had != record.from_ and had in {*registry.owners, *(o.slug for o in registry.retired())}:
        record = record.model_copy(update={"had": had})  # no port shows it once the move has begun
    resumed = move.resume(registry, record, found)
    return move.forgetting(move.wiped_first(resumed) if move.unproven(resumed) else resumed)


def _clean_in_rest(registry: Registry, node: Node, name: str, to: str) -> None:
    """FabricError for a node that leaves rest without a wipe on its way, and needs one."""
    if had := wipe.last_customer(registry, node, to=to):
        raise FabricError.of(
            f"{name} is in {registry.owner(schema.REST).vrf}, and nothing shows that it was wiped since its last "
            f"customer ({had}): run tenant_move -e spx_tenant=quarantine -e spx_nodes={name}, and run again."
        )


def _run_of(registry: Registry, node: Node) -> str:
    """The run that the registry's record of a node names; empty where it names none."""
    return registry.moves[node].run or "" if node in registry.moves else ""


def watched_by(fabric: Fabric, registry: Registry, owner: Owner, node: Node) -> list[str]:
    """Return every leaf that has an owner's east-west VRF, and the node's own."""
    return attachments.leaves_of(fabric, {*registry.nodes_of(owner.slug), node}, (EAST_WEST,))


def _seen(registry: Registry, order: Order, ports: Iterable[Attachment]) -> list[ObservedPort]:
    """The ports that can be changed, as the leaves have them."""
    return seen(registry, order.applied, [at for at in ports if not at.deferred])


def changed(row: NodeMove, *networks: str) -> list[Attachment]:
    """The attachments of a planned move that it can change, of some networks or of all."""
    return [at for at in of_plan(row, *networks) if not at.deferred]


def of_plan(row: NodeMove, *networks: str) -> list[Attachment]:
    """The attachments of a planned move, of some networks or of all."""
    return [at for at in row["ports"] if not networks or at.network in networks]


def _row(
    fabric: Fabric,
    registry: Registry,
    node: Node,
    record: schema.MovingRecord,
    order: Order,
    *,
    leaving: Collection[Node],
) -> NodeMove:
    """All that the playbook has to know of one node."""
    every = attachments.of_node(fabric, node)
    ports = [at for at in every if not at.deferred]
    rails, others = _split(ports)
    links = _links_beyond(registry, record.from_, others)
    old, new = registry.owner(record.from_), registry.owner(record.to)
    watching = {
        owner.slug: watched_by(fabric, registry, owner, node) if owner.l3vni else []
        for owner in (old, new)
    }
    group = _group_leaves(fabric, registry, node, record)
    if links:
        watching[old.slug] += _others_watched(fabric, registry, node, record.from_)
    watched = {*watching[old.slug], *watching[new.slug], *group, *(at.leaf for at in ports)}
    had, means = _had(fabric, registry, node, record, order), _means(fabric, order)
    known, stated = registry.health.get(node), fabric.rows.get(node)
    clean = means.clean(had, known.clean if known else None)
    accepted = schema.Acceptance(on=order.today, by="hook", run=order.run)
    steps, was = move.remaining(record), registry.moves.get(node)
    proof = (order.hooks, clean, accepted)
    return {
        "record": record.plain(),
        "steps": list(steps),
        "records": _records(record, steps, proof),
        "found": was.step if was else "",
        "after": dict(zip(steps, (record.step, *steps))),
        "seen": {at.key: [at.vrf, at.up] for at in _seen(registry, order, every)},
        "back": move.forgetting(record.model_copy(update={"step": "open"})).plain(),
        "health": _known(registry, node, move.proven(record, steps, *proof)),
        "had": had,
        "wipe": wipe.evidence(record, means, had, known.clean if known else None),
        "cards": means.cards if "wipe" in steps else "",
        "ports": every,
        "others_links": links,
        "outside": _outside(fabric, registry, record, others),
        "networks": _networks(fabric, registry, record, others),
        "met": sorted({at.leaf for at in rails if not at.resting}),
        "old_vrf": old.vrf,
        "new_vrf": new.vrf,
        "old_watched": watching[old.slug],
        "new_watched": watching[new.slug],
        "watched": sorted(watched),
        "group_leaves": group,
        "old_prefixes": prefixes.of_node(fabric, registry, node, record.from_, without=leaving),
        "new_prefixes": prefixes.of_node(fabric, registry, node, record.to),
        "routes": new.routes,
        "managed": _managed(registry, record),
        "serial": stated.serial if stated else "",
        "macs": [devices.mac(stated.mac)] if stated and stated.mac else [],
        "bmc": codec.text(fabric.addresses.management(node, OOB_INDEX["bmc"])[0], 4),
    }


def _records(
    record: schema.MovingRecord,
    steps: Sequence[str],
    proof: tuple[Collection[str], schema.WipeRecord | None, schema.Acceptance],
) -> dict[str, dict[str, object]]:
    """Return the record while each of the remaining steps is carried out."""
    return {
        step: move.proven(record, steps[:number], *proof).model_copy(update={"step": step}).plain()
        for number, step in enumerate(steps)
    }


def _split(ports: Iterable[Attachment]) -> tuple[list[Attachment], list[Attachment]]:
    """East-west attachments, and those of the other networks."""
    made: tuple[list[Attachment], list[Attachment]] = ([], [])
    for at in ports:
        made[at.network != EAST_WEST].append(at)
    return made


def _links_beyond(
    registry: Registry, slug: str, ports: Iterable[Attachment]
) -> dict[str, list[str]]:
    """The routed links of a node on the other networks by the VRF that a customer has them in."""
    made: dict[str, list[str]] = {}
    for at in ports if registry.owner(slug).customer else ():
        net = registry.nets.get((slug, at.network))
        if net is not None and at.prefix:
            made.setdefault(net.vrf, []).append(at.prefix)
    return made


def _outside(
    fabric: Fabric, registry: Registry, record: schema.MovingRecord, ports: Iterable[Attachment]
) -> dict[str, list[str]]:
    """By tenant the border leaves whose sessions announce the routed links of its nodes, and let out no others."""
    made: dict[str, list[str]] = {}
    networks = {at.network for at in ports if at.prefix}
    for slug in (record.from_, record.to):
        if registry.owner(slug).kind == "tenant":
            peers = registry.tenant(slug).external_peers
            links = [peer.link for peer in peers if peer.network in networks]
            made[slug] = attachments.border_leaves(fabric, links)
    return made


def _others_watched(fabric: Fabric, registry: Registry, node: Node, slug: str) -> list[str]:
    """Every leaf of the other networks that may have a VRF of a tenant: of nodes, arrays and links outside."""
    peers = registry.tenant(slug).external_peers if registry.owner(slug).kind == "tenant" else ()
    return list(
        dict.fromkeys(
            [
                *attachments.leaves_of(fabric, {*registry.nodes_of(slug), node}, schema.OTHERS),
                *attachments.leaves_with(fabric, *EQUIPMENT),
                *attachments.border_leaves(fabric, [peer.link for peer in peers]),
            ]
        )
    )


def _networks(
    fabric: Fabric, registry: Registry, record: schema.MovingRecord, ports: Iterable[Attachment]
) -> list[NetworkMove]:
    """Return the effect of a move on each of the other networks: {network, from, to, address}.

    `from` and `to` are {vrf, vlan, subnet}, None where the ports are shut. `address`: changes (by DHCP) where the
    node is on a bond, stays where its links are routed, none where the ports are shut at the goal.
    """
    made: list[NetworkMove] = []
    for network in dict.fromkeys(at.network for at in ports):
        ends = [_end(registry, slug, network) for slug in (record.from_, record.to)]
        routed = attachments.mode(fabric, network) == attachments.ROUTED
        address = "none" if ends[1] is None else "stays" if routed else "changes"
        made.append({"network": network, "from": ends[0], "to": ends[1], "address": address})
    return made


def _end(registry: Registry, slug: str, network: str) -> NetworkEnd | None:
    holder, up = attachments.place(registry, slug, network, up=True)
    net = registry.nets[holder, network]
    return {"vrf": net.vrf, "vlan": net.vlan, "subnet": net.subnet} if up else None


def _network_line(row: NetworkMove, to: str) -> str:
    """Describe one network of a move, as a line of a plan."""
    goal = row["to"]
    if goal is None:
        return f"  {row['network']}: shut, as {to} has none of it"
    if row["address"] == "stays":
        return f"  {row['network']}: into {goal['vrf']}, its addresses stay"
    before = row["from"]["subnet"] if row["from"] else "no address"
    return f"  {row['network']}: its address changes by DHCP, from {before} to {goal['subnet']} (VLAN {goal['vlan']})"


def unlisted(registry: Registry, name: str, found: Iterable[ObservedPort]) -> list[str]:
    """Ports in VRFs that the registry does not list: who is at work there would not be drained."""
    known = {None, *registry.yielding_vrfs(), *(o.vrf for o in registry.owners.values())}
    return [
        f"tenant drift: port {port.port} of {port.leaf} ({name}) is in {port.vrf}, which may be a "
        "customer's and which the registry does not list: add its tenant with the key vrf, or put "
        f"the port into {registry.owner(schema.QUARANTINE).vrf} on the leaf by hand."
        for port in found
        if port.vrf not in known
    ]


def _group_leaves(
    fabric: Fabric, registry: Registry, node: Node, record: schema.MovingRecord
) -> list[str]:
    """The leaves of the acceptance group that a node joins or leaves: their lists name its links."""
    resting = registry.with_moves({node: record.model_copy(update={"step": "rest"})})
    group = resting.holding(node).group
    return attachments.leaves_of(fabric, resting.group(group), (EAST_WEST,)) if group else []


def _known(registry: Registry, node: Node, record: schema.MovingRecord) -> Note:
    """Return the record of the node when it has come to rest or quarantine; nothing elsewhere.

    Into quarantine a node of rest is as clean as it was; what it passed there is forgotten.
    """
    if not prefixes.is_house(record.to):
        return {}
    was = registry.health.get(node) or schema.Health()
    had, clean = was.had, record.clean
    if registry.owner(record.from_).customer:
        had = record.from_
    elif record.had:
        had = record.had
    elif record.to == schema.QUARANTINE:
        clean = was.clean
    made = schema.Health(had=had, clean=clean, accepted=record.accepted)
    row = made.model_dump(exclude_none=True, exclude_defaults=True)
    if record.to == schema.QUARANTINE:
        return {**row, "passed": []}
    absent = {"no_hook": record.no_hook} if record.no_hook else {}
    return {**row, "passed": record.passed or [], **absent}


def _managed(registry: Registry, record: schema.MovingRecord) -> bool:
    """Check whether playbooks may log in to the node while it is its old tenant's."""
    if prefixes.is_house(record.from_):
        return True
    return registry.tenant(record.from_).host_access == "managed"


def _lines(name: str, row: NodeMove) -> list[str]:
    record = row["record"]
    ports = changed(row)
    leaves = {at.leaf for at in ports}
    lines = [
        f"move {name} from {record['from']} to {record['to']} on {count(leaves, 'leaf', 'leaves')}: "
        f"{', '.join(row['steps'])}"
    ]
    lines += [f"  {wipe.phrase(row['wipe'])}"] if row["wipe"] else []
    lines += [_network_line(each, str(record["to"])) for each in row["networks"]]
    for at in row["ports"]:
        if at.deferred:
            lines.append(f"  deferred: {at.leaf} {at.port}, as the leaf is out of service")
    for at in ports:
        if at.resting:
            lines.append(f"  stays shut: {at.leaf} {at.port} is out of service")
    return lines
