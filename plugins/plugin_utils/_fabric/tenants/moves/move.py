# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The move of one node: which step comes next, and when a step is done.

The steps are in `steps.py`. The record of the registry names the step being carried out; it also says
which hooks cleaned and tested the node, and which the site does not have: a hook that is not there has
passed nothing. Nothing here does anything: plain data in, plain data out.
"""

from __future__ import annotations

import typing as t

from ...description.errors import FabricError
from .. import schema, steps
from ..steps import STEPS

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ...plan.topology.cabling import Node
    from ..observed_ports import ObservedPort
    from ..registry import Registry

# What the ports show where a step begins that changes no port but needs them in place.
PROVEN_AT = {"accept": "rest", "verify": "verify", "release": "verify"}


def order_of(record: schema.MovingRecord) -> tuple[str, ...]:
    """The steps of a recorded move; a node of rest that failed its proof goes the way from quarantine."""
    order, again = steps.of(record.from_, record.to), steps.of(schema.QUARANTINE, record.to)
    return again if record.step in again and record.step not in order else order


def remaining(record: schema.MovingRecord) -> tuple[str, ...]:
    """The record's step and all that follow."""
    order = order_of(record)
    return order[order.index(record.step) :] if record.step in order else order


def proven(
    record: schema.MovingRecord,
    done: Collection[str],
    hooks: Collection[str],
    clean: schema.WipeRecord | None = None,
    accepted: schema.Acceptance | None = None,
) -> schema.MovingRecord:
    """The record after some steps are done; `hooks` are those that the site has.

    `clean` is what the wipe shows, `accepted` what the acceptance does.
    """
    if "wipe" in done:
        record = record.model_copy(update={"clean": clean})
    if "accept" in done and "acceptance" in hooks:
        record = record.model_copy(update={"accepted": accepted})
    ran = [hook for step in done for hook in STEPS[step].hooks if hook in steps.REMEMBERED]
    passed = [*(record.passed or ()), *(hook for hook in ran if hook in hooks)]
    absent = [*(record.no_hook or ()), *(hook for hook in ran if hook not in hooks)]
    return _remembering(record, passed, absent)


def forgetting(record: schema.MovingRecord) -> schema.MovingRecord:
    """The record without what was proven in steps that are still to come: they are done again."""
    order = order_of(record)
    ahead = {hook for step in order[_index(order, record.step) :] for hook in STEPS[step].hooks}
    passed, absent = (
        [hook for hook in known or () if hook not in ahead]
        for known in (record.passed, record.no_hook)
    )
    if "wipe" in order[_index(order, record.step) :]:
        record = record.model_copy(update={"clean": None})
    if "acceptance" in ahead:
        record = record.model_copy(update={"accepted": None})
    return _remembering(record, passed, absent)


def _remembering(
    record: schema.MovingRecord, passed: Iterable[str], absent: Iterable[str]
) -> schema.MovingRecord:
    """Each hook once, in one of the two lists; an empty list is left out of the file."""
    ran = list(dict.fromkeys(passed))
    lacked = [hook for hook in dict.fromkeys(absent) if hook not in ran]
    return record.model_copy(update={"passed": ran or None, "no_hook": lacked or None})


def begin(
    registry: Registry,
    node: Node,
    to: str,
    found: Iterable[ObservedPort],
    *,
    from_: str | None = None,
) -> schema.MovingRecord | None:
    """The record of a move: the registry's if there is one, else where the switches have the node.

    `from_` says whose it was, where the caller knows. None when the node is there already.
    FabricError when the registry's record goes elsewhere, or when no move brings a port to its place.
    """
    record = registry.moves.get(node)
    name = registry.fabric.name(node)
    if record is not None:
        if record.to != to:
            raise FabricError.of(
                f"{unfinished(name, record)}, or take its record out of moving, before it goes to {to}."
            )
        from_ = record.from_
    owner, every = registry.owner(to), list(found)
    ports = [port for port in every if not port.silent]
    gathers = not from_ and to == schema.QUARANTINE  # whatever two tenants have of it
    known = {to, from_}
    from_ = from_ or _holder(registry, node, to, ports)
    if not gathers and (thirds := _thirds(registry, node, from_, to, ports)):
        raise FabricError(thirds)
    if record is not None:
        return record
    if half := _half_joined(registry, node, known, ports):
        raise FabricError(half)
    listed = registry.holding(node).slug
    if from_ == to != listed and to != schema.QUARANTINE:
        raise FabricError.of(
            f"spx_nodes: the leaves have {name} in {owner.vrf}, and the registry lists it under {listed}, so "
            "nothing shows that it was wiped on its way: use the registry of the run that moved it, or run "
            f"tenant_move -e spx_tenant={listed} -e spx_nodes={name} first, and run again."
        )
    joined = listed == to and any(port.vrf == owner.vrf for port in ports)
    if from_ == to or (joined and not registry.owner(from_).customer):
        if wrong := _out_of_place(registry, node, to, every):
            raise FabricError(wrong)
        return None
    if joined and owner.customer:
        raise FabricError(_left_behind(registry, node, to, ports))
    fields = {"from": from_, "to": to, "step": steps.of(from_, to)[0]}
    return schema.MovingRecord.model_validate(fields)


def _holder(registry: Registry, node: Node, to: str, found: Iterable[ObservedPort]) -> str:
    """Return the owner of the ports' VRF: a customer's before the house's; without any, as the registry has it.

    A node that sits in quarantine and that the registry still lists under a customer is on its way
    from there: its record was lost.
    """
    by_vrf = {owner.vrf: owner for owner in registry.owners.values()}
    slugs = [by_vrf[port.vrf].slug for port in found if port.vrf in by_vrf]
    customers = [slug for slug in slugs if registry.owners[slug].customer and slug != to]
    if customers:
        return customers[0]
    listed = registry.holding(node).slug
    if schema.QUARANTINE in slugs and registry.owners[listed].customer and listed != to:
        return listed
    for house in (schema.QUARANTINE, schema.REST):
        if house in slugs:
            return house
    return slugs[0] if slugs else registry.holding(node).slug


def unfinished(name: str, record: schema.MovingRecord) -> str:
    """Describe that a node is on its way, and how it gets there; the end of a sentence follows."""
    return (
        f"{name} is moving from {record.from_} to {record.to} (step {record.step}): finish that first with tenant_move "
        f"-e spx_tenant={record.to} -e spx_nodes={name}"
    )


def at_work(name: str, run: str) -> str:
    """Reason that a node is not moved: another run does it."""
    return (
        f"moving.{name}: the run {run} (machine, process, number) still works on its move, perhaps in a hook: "
        "let it finish, or end it, and run again."
    )


def unproven(record: schema.MovingRecord) -> bool:
    """Check whether a record claims a step behind the wipe, and no wipe."""
    order = order_of(record)
    behind = "wipe" in order and _index(order, record.step) > order.index("wipe")
    return behind and record.clean is None


def wiped_first(record: schema.MovingRecord) -> schema.MovingRecord:
    """The record back in quarantine, where the wipe follows: its ports are behind the wipe, and it shows none."""
    step = "quarantine" if "quarantine" in order_of(record) else "open"
    return record.model_copy(update={"step": step})


def _thirds(
    registry: Registry, node: Node, from_: str, to: str, found: Iterable[ObservedPort]
) -> list[str]:
    """Ports in the VRF of a customer whom the move does not know: nobody would drain or watch it."""
    name, quarantine = registry.fabric.name(node), registry.owner(schema.QUARANTINE).vrf
    others = registry.customer_vrfs(from_, to)
    return [
        f"spx_nodes: {name} goes from {from_} to {to}, and port {port.port} of {port.leaf} is in {port.vrf}, which "
        f"is {others[port.vrf]}'s: where that tenant has the node, commit the move that was made, or correct the "
        f"registry, a record under moving too; where a leaf came back as it was before, put the port into "
        f"{quarantine} by hand."
        for port in found
        if port.vrf in others
    ]


def _half_joined(
    registry: Registry, node: Node, known: Collection[str | None], found: Sequence[ObservedPort]
) -> list[str]:
    """Ports that a join of another clone has brought up, with a tenant that is not `known`, before the others."""
    name, house = registry.fabric.name(node), registry.owner(schema.QUARANTINE).vrf
    others = registry.customer_vrfs(*known)
    if not any(port.at(house, up=False) and not port.resting for port in found):
        return []
    return [
        f"spx_nodes: port {port.port} of {port.leaf} ({name}) is up in {port.vrf}, and another port of the node is "
        f"shut in {house}, as a run leaves them that brings the node to {others[port.vrf]}: let that run finish, or, "
        f"without one, put the port into {house} by hand, and run again."
        for port in found
        if port.up and port.vrf in others
    ]


def _out_of_place(
    registry: Registry, node: Node, to: str, found: Iterable[ObservedPort]
) -> list[str]:
    """Ports of a node in a wrong place, which its owner corrects without a move."""
    owner, name = registry.owner(to), registry.fabric.name(node)
    play = f"tenant_onboard -e spx_tenant={to}" if owner.customer else "switches"
    return [
        f"{name} is {to}'s, and port {port.port} of {port.leaf} is in {port.vrf or 'no VRF'} and "
        f"{'up' if port.up else 'shut'}: that needs no move, run {play}."
        for port in found
        if not port.at(owner.vrf, up=True)
    ]


def _left_behind(
    registry: Registry, node: Node, to: str, found: Iterable[ObservedPort]
) -> list[str]:
    """Ports of a tenant's node that are in another tenant's VRF while the node is at work in its own.

    No step of a move leaves a node so: a leaf was away while the node moved, and came back as it was.
    """
    owner, name = registry.owner(to), registry.fabric.name(node)
    others = registry.customer_vrfs(to)
    quarantine = registry.owner(schema.QUARANTINE).vrf
    return [
        f"{name} is {to}'s and in {owner.vrf}, and port {port.port} of {port.leaf} is still in "
        f"{port.vrf}: a move would shut and wipe the whole node. Put this port into {quarantine} on "
        f"the leaf by hand, and run tenant_onboard -e spx_tenant={to}."
        for port in found
        if port.vrf in others
    ]


def resume(
    registry: Registry, record: schema.MovingRecord, found: Iterable[ObservedPort]
) -> schema.MovingRecord:
    """The record with the step to carry out now, given what the switches have.

    The recorded step, while the ports are where that step or the one before puts them. Ports found
    in the old tenant's VRF after it was left (a leaf rolled back, or came back) take the move back
    to `shut`: nothing else is safe. Ports that are all in quarantine take a move that was behind the
    wipe back before it: a run of another clone may have had the node meanwhile. Ports found short of
    where a proof must be made (an earlier one failed and put them back) have the steps that lead there
    again. The recorded step itself corrects other differences.
    """
    order = order_of(record)
    if record.step not in order:
        return record.model_copy(update={"step": order[0]})
    every = list(found)
    ports = [port for port in every if not port.silent]
    inferred = _infer(registry, record, ports)
    if inferred == "verify" and any(port.lacks(registry.owner(record.to).vrf) for port in every):
        inferred = "join"
    if inferred is None:
        return record
    left = order.index(record.step) > _index(order, "quarantine")
    if left and inferred in ("drain", "shut", "quarantine"):
        return record.model_copy(update={"step": "shut"})
    if _waits(registry, ports) and order.index(record.step) > _index(order, "wipe"):
        return record.model_copy(update={"step": inferred if inferred in order else "open"})
    if inferred != PROVEN_AT.get(record.step, inferred):
        return record.model_copy(update={"step": inferred})
    ahead = _index(order, inferred) > order.index(record.step)
    return record.model_copy(update={"step": inferred}) if ahead else record


def _waits(registry: Registry, found: Iterable[ObservedPort]) -> bool:
    """Check whether all ports are in quarantine, where nothing shows who had the node last."""
    return {port.vrf for port in found} == {registry.owner(schema.QUARANTINE).vrf}


def _index(order: tuple[str, ...], step: str) -> int:
    return order.index(step) if step in order else -1


def _infer(
    registry: Registry, record: schema.MovingRecord, ports: list[ObservedPort]
) -> str | None:
    """The first step whose work the ports show to be unfinished; None when they show nothing."""
    owner_of = {owner.vrf: slug for slug, owner in registry.owners.items()}
    slugs = {owner_of.get(port.vrf or "", "") for port in ports}
    up = {port.up for port in ports if port.up or not port.resting}
    if not up or record.from_ == record.to:
        return None
    if record.from_ in slugs and registry.owners[record.from_].customer:
        if up == {False}:
            return "quarantine"
        return "drain" if up == {True} else "shut"
    if schema.QUARANTINE in slugs:
        return "open" if up == {True} else "withdraw"
    if slugs == {schema.REST}:
        return "rest"
    if slugs == {record.to} and record.to != schema.REST:
        return "verify" if up == {True} else "join"
    return None


# Gates: an empty list lets the move go on, sentences keep it where it is.


def misplaced(
    registry: Registry, node: Node, record: schema.MovingRecord, found: Iterable[ObservedPort]
) -> list[str]:
    """Ports that are not where the record's step puts them."""
    vrf, up = _at(registry, record, STEPS[record.step].place)
    name = registry.fabric.name(node)
    return [
        f"{name} is moving: port {port.port} of {port.leaf} is in {port.vrf or 'no VRF'} and "
        f"{'up' if port.up else 'shut'}, and step {record.step} puts it in {vrf}, "
        f"{'up' if port.asked(vrf, up=up) else 'shut'}: run tenant_move again."
        for port in found
        if not port.at(vrf, up=up)
    ]


def taken_on(
    registry: Registry,
    node: Node,
    record: schema.MovingRecord,
    found: Iterable[ObservedPort],
    *,
    step: str,
    way: Sequence[str],
    before: Mapping[str, Sequence[t.Any]],
) -> list[str]:
    """Ports that somebody else has put elsewhere while this run carried out its way as far as `step`.

    A port may be where the step or the one before puts it, or where the step passes: a leaf may end
    there late what a killed run asked of it. Until the run has written, it may be where the run first
    saw it (`before`: [VRF, up] by leaf and port); later that is a leaf that started again as it was. Nor
    is it with the new customer where the next step that writes does not take it out there.
    """
    number, through = way.index(step), STEPS[step].through
    first = {} if any(STEPS[each].writes for each in way[:number]) else before
    out_of = next((STEPS[each].out_of for each in way[number:] if STEPS[each].writes), ())
    goal = registry.owner(record.to)
    early = goal.vrf if goal.customer and out_of and "to" not in out_of else ""
    own = [*way[max(number - 1, 0) : number + 1], *([through] if through else [])]
    places = [_at(registry, record, STEPS[each].place) for each in own]
    name, house = registry.fabric.name(node), registry.owner(schema.QUARANTINE).vrf
    return [
        f"{name} is moving: port {port.port} of {port.leaf} is in {port.vrf or 'no VRF'} and "
        f"{'up' if port.up else 'shut'}, where this run has not put it: another run moves the node "
        f"too, or the leaf has started again as it was: let that run finish, or put the port into {house} by hand, and "
        "run again."
        for port in found
        if ([port.vrf, port.up] != first.get(port.key) or port.vrf == early)
        and not any(port.at(vrf, up=up) for vrf, up in places)
    ]


def _at(registry: Registry, record: schema.MovingRecord, place: steps.Place) -> tuple[str, bool]:
    """The VRF of a place for one move, and whether the ports are up."""
    whose, up = place
    return registry.owner(steps.slug_of(whose, record)).vrf, up
