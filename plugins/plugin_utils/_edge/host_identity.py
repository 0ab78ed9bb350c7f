# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The identity of the host that a task reaches, before anything is written, wiped or rebooted there. Private."""

from __future__ import annotations

import dataclasses
import typing as t

from ansible.errors import AnsibleConnectionFailure

from .._fabric.description.errors import FabricError
from .._fabric.plan.topology.cabling import Node
from .._fabric.render.host import identity
from .._fabric.tenants.moves.leaf import LeafError
from .._jobs import kinds
from .._jobs.host.form import in_form
from .._jobs.tenant import evidence
from . import role_variables
from .action import on_device
from .output import say
from .run_store import store
from .switch import leaves as nvue_leaves

if t.TYPE_CHECKING:
    from ...module_utils._host.records import Traces
    from .._fabric.plan.fabric import Fabric
    from .._fabric.render.host.identity import Identity, Place
    from .._fabric.tenants.moves.leaf import Leaf
    from .._jobs.switch.leaves import Leaves
    from .action import Action
    from .role_variables import VariableMap

HEARD = ("/*/neighbor", "/*/lldp/neighbor")
"""Places of the MAC addresses that all ports hear. That REST has the first at once is inferred: the CLI shows it so
(https://docs.nvidia.com/networking-ethernet-software/nvue-reference/Show-Commands/ARP)."""


def run(task: Action, args: VariableMap, stated: VariableMap, plan: Fabric) -> dict[str, object]:
    """Read the host and prove whose it is; FabricError where it is another one, or unknown.

    Before a wipe a host that does not answer is unknown: another one may answer there later.
    """
    name = str(args["device"] or stated["inventory_hostname"])
    node = plan.known(name)
    if not isinstance(node, Node):
        raise FabricError.of(f"device: '{name}' is a switch: name a node.")
    name = plan.name(node)
    own = _variables(stated, name)
    sysfs = role_variables.values("dpu_state", own, task._templar.template)["sysfs"]
    try:
        answer = on_device(task, "host", {"do": "identify", "sysfs_path": str(sysfs)}, stated)
    except AnsibleConnectionFailure as exc:
        if not args["outside"]:
            raise
        answer = {"unreachable": True, "msg": str(exc)}
    if answer.get("unreachable") and not args["outside"]:
        return answer
    traces = answer.get("identity") or {}
    if answer.get("unreachable") or answer.get("failed"):
        traces = {"error": f"it was not read ({str(answer.get('msg') or 'no answer').rstrip('.')})"}
    found = proven(task, plan, node, traces, stated, outside=bool(args["outside"]))
    refuse(found)
    if args["outside"] and found.by_leaves:
        evidence.add(store, evidence.IDENTITY, by="leaves", node=name)
    return {"changed": False, "identity": dataclasses.asdict(found)}


def proven(
    task: Action,
    plan: Fabric,
    node: Node,
    traces: VariableMap,
    stated: VariableMap,
    *,
    outside: bool = False,
) -> Identity:
    """Return whose host it is before a run writes there.

    Its leaves are asked with `outside`; else where the run can ask them, and nothing but the host says which it is.
    """
    leaves = nvue_leaves(plan, task, stated)
    if not outside:
        alone = judge(plan, node, traces, stated)
        settled = judge(plan, node, traces, stated, outside=True).state != identity.UNKNOWN
        if settled or not leaves.at_hand(_leaves(plan, node)):
            return alone
    heard_there = heard(leaves, plan, node)
    return judge(plan, node, traces, stated, leaves=heard_there, outside=outside)


def _leaves(plan: Fabric, node: Node) -> list[str]:
    return sorted({port["peer"]["device"] for port in identity.ports(plan, node)})


def judge(
    plan: Fabric,
    node: Node,
    traces: VariableMap,
    stated: VariableMap,
    *,
    leaves: t.Mapping[Place, t.Collection[str]] | None = None,
    outside: bool = False,
) -> Identity:
    """Return whose host it is by what module host read there."""
    name = plan.name(node)
    own = _variables(stated, name)
    at = str(own.get("ansible_host") or name)
    with in_form(name, "host"):
        unread = str(traces.get("error") or "")
        shown = identity.Evidence.of(t.cast("Traces", traces), leaves)
    found = identity.judge(plan, node, shown, at=at, outside=outside)
    if found.state == identity.UNKNOWN and unread:
        return dataclasses.replace(found, sentence=f"{name}: {unread}: {found.sentence}")
    return found


def refuse(found: Identity) -> None:
    """FabricError where a run may not touch the host; spx_factory accepts an unknown one."""
    factory = kinds.given(store).factory
    if not identity.accepted(found, factory=factory):
        raise FabricError.of(found.sentence)
    if found.state != identity.PROVEN:
        say(f"accepted by spx_factory: {found.sentence}")


def heard(leaves: Leaves, plan: Fabric, node: Node) -> dict[Place, set[str]]:
    """Ask the leaves of a node which MAC addresses they hear at its ports, and at those of other nodes.

    A host that is silent is pinged from the VRF of its port first. A leaf that does not answer has heard nothing.
    """
    ports = identity.ports(plan, node)

    def work(leaf: Leaf) -> dict[Place, set[str]]:
        own = {port["peer"]["port"]: port for port in ports if port["peer"]["device"] == leaf.name}
        try:
            found = _read(leaf, own)
            silent = [port for port in own if not found[leaf.name, port]]
            found |= _pinged(leaf, {port: own[port]["address"] for port in silent})
            return found | _beside(leaf, found, identity.ports_of_others(plan, node, leaf.name))
        except LeafError as exc:
            say(f"{plan.name(node)}: a leaf reports nothing about its host: {exc}")
            return {}

    answers = leaves.each(_leaves(plan, node), work).values()
    return {place: macs for places in answers for place, macs in places.items()}


def _pinged(leaf: Leaf, addresses: t.Mapping[str, str]) -> dict[Place, set[str]]:
    """Read the neighbours of ports again, after a ping from the VRF of each."""
    if not addresses:
        return {}
    interfaces = leaf.applied().document.get("interface") or {}
    for port, address in addresses.items():
        body = interfaces.get(port) or {}
        leaf.ping(str(body.get("vrf") or "default"), address)
    return _read(leaf, addresses)


def _beside(
    leaf: Leaf, own: t.Mapping[Place, set[str]], ports: t.Iterable[str]
) -> dict[Place, set[str]]:
    """Read the neighbours of other ports: at once, or one by one where a leaf does not report `own` so."""
    if not any(own.values()):
        return {}
    whole = {port: identity.macs_of([body]) for port, body in leaf.interfaces(HEARD).items()}
    if all(macs <= whole.get(port, set()) for (_leaf, port), macs in own.items()):
        return {(leaf.name, port): whole.get(port, set()) for port in ports}
    return _read(leaf, ports)


def _read(leaf: Leaf, ports: t.Iterable[str]) -> dict[Place, set[str]]:
    """Read the neighbours of ports, by ARP or ND and by LLDP."""
    paths = {port: (f"interface/{port}/neighbor", f"interface/{port}/lldp") for port in ports}
    read = leaf.read([path for both in paths.values() for path in both])
    return {
        (leaf.name, port): identity.macs_of(read.get(path) for path in both)
        for port, both in paths.items()
    }


def _variables(stated: VariableMap, name: str) -> VariableMap:
    """Return the variables of a host, also where localhost delegates to it."""
    return t.cast("dict[str, VariableMap]", stated.get("hostvars") or {}).get(name) or stated
