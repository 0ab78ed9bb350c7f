# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fleet runs never evict: what a leaf holds of customers stays until a tenant playbook takes it.

`rules` gives the guard of a leaf's document as plain data (the shape is that of `_nvue/guard.py`):

* a host port found in a VRF other than the registry's stays there, with its address and state, and
  is reported as tenant drift: a VRF that the registry does not list may be a customer's. Only the
  VRFs of the house and `default` yield, and that of a retired tenant where a record of the node under
  `health` keeps whose it was, as it is not wiped;
* the ports of a node that left a tenant and is not wiped are in quarantine, even if a tenant lists it, which
  is reported: only `tenant_move` brings it anywhere, through the wipe;
* the ports of a node that is moving stay as they are; only `tenant_move` goes on with it;
* a port that is shut in quarantine, though somebody holds its node, stays and is reported: it is in
  the middle of a move;
* a customer's VRF that the registry does not have on this leaf stays, and is reported; that of a
  retired tenant is nobody's and goes;
* a document is refused in which a VRF would have an L3VNI, a route distinguisher or a route target
  of another one of the leaf: of one that stays, as its id was given again or its VRF renamed;
* no apply deletes more VRFs than the releases support; the others go in the next run.

`leaving` names the nodes that the running playbook may take out of customers' VRFs.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..catalog.data import table
from .vrfs import host_ports, leaks

if t.TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..fabric import Fabric
    from ..topology.cabling import Node, Switch
    from .registry import Registry
    from .schema import Moving
    from .vrfs import HostPort

Rule = dict[str, t.Any]

# Computed names of every owner but the two of the house, whose ids are 1 and 2.
CUSTOMERS = ("t[3-9]-*", "t[1-9][0-9]*-*")
TENANT_VRFS = ("t[0-9]*-*",)
EXPORTS = "router/bgp/route-export/to-evpn/route-target"
IMPORTS = "router/bgp/route-import/from-evpn/route-target"


def rules(
    fabric: Fabric,
    registry: Registry,
    leaf: Switch,
    *,
    leaving: Collection[Node] = (),
    ending: Collection[str] = (),
) -> list[Rule]:
    """The guard of a leaf; `ending` are VRFs that the running playbook may delete."""
    if leaf.role != "leaf":
        return []
    taken_over = registry.own_vrf_names()
    customers = [*CUSTOMERS, *taken_over]
    device = fabric.name(leaf)
    made: list[Rule] = []
    ports = host_ports(fabric, registry, leaf)
    for port in ports:
        made += _of_port(fabric, registry, port, device, leaving)
    made.append(_vrfs(device, customers, sorted({*ending, *registry.retired_vrfs()})))
    made.append(_batch(device, [*TENANT_VRFS, *taken_over]))
    made.append(_alone(registry, device, {port.holding.slug for port in ports if port.present}))
    return made


@dataclasses.dataclass(frozen=True)
class Gone:
    """What a run that owns the places of some nodes would delete: VRFs, and lists of acceptance groups."""

    vrfs: Collection[str] = ()
    lists: Collection[str] = ()


def rules_of(
    fabric: Fabric,
    registry: Registry,
    leaf: Switch,
    nodes: Collection[Node],
    leaving: Collection[Node],
    *,
    gone: Gone,
    only: Mapping[Node, Collection[str]],
) -> list[Rule]:
    """The guard of a run that owns the places of some nodes alone, which are all that need rules.

    A port of a node in `only` is changed while it is in one of these VRFs, or in none.

    A VRF in which another node still is stays, as does a list that is bound at another node's port.
    """
    device, slugs = fabric.name(leaf), set[str]()
    made: list[Rule] = []
    for port in host_ports(fabric, registry, leaf):
        if port.node not in nodes:
            made += _in_use(port, gone)
            continue
        made += _of_port(fabric, registry, port, device, leaving)
        made += [_only(fabric, port, device, only[port.node])] if only.get(port.node) else []
        slugs.update([port.holding.slug] if port.present else [])
    return [*made, _alone(registry, device, slugs)]


def _only(fabric: Fabric, port: HostPort, device: str, vrfs: Collection[str]) -> Rule:
    """Two runs may move one node to two tenants: who comes second finds the port where it does not look for it."""
    return {
        "place": f"interface/{port.name}/vrf",
        "only": sorted(vrfs),
        "say": (
            f"{fabric.name(port.node)} is moving: port {port.name} of {device} is in {{value}}, where this run has "
            "not put it: another run moves the node too; let that one finish, and run again if the node is not "
            "where it must be."
        ),
    }


def _in_use(port: HostPort, gone: Gone) -> list[Rule]:
    here: Rule = {"place": f"interface/{port.name}/vrf", "always": True}
    made = [here | {"like": sorted(gone.vrfs), "keep": ["vrf/{value}"]}] if gone.vrfs else []
    return made + ([here | {"with": {f"interface/{port.name}/acl": "acl"}}] if gone.lists else [])


def _of_port(
    fabric: Fabric, registry: Registry, port: HostPort, device: str, leaving: Collection[Node]
) -> list[Rule]:
    """The rules of a host port; none while the running playbook takes its node anywhere."""
    if port.node in leaving:
        return []
    if port.holding.moving is not None:
        return [_moving(fabric, port, device)]
    made = [_port(registry, port, device)]
    if port.present and port.node not in registry.unwiped and registry.retired_vrfs():
        made.append(_forgotten(registry, port, device))
    if port.present and port.holding.slug != "quarantine":
        made.append(_halfway(registry, port, device))
    if port.node in registry.unwiped and port.node in registry.claims:
        made.append(_unwiped(registry, port, device))
    return made


def places(port: str) -> list[str]:
    """What is the tenants' of a host port."""
    head = f"interface/{port}"
    return [
        f"{head}/vrf",
        f"{head}/ipv4",
        f"{head}/ipv6",
        f"{head}/link/state",
        f"{head}/acl/spx-tenant-*",
        f"acl/spx-tenant-{port}",
    ]


def _port(registry: Registry, port: HostPort, device: str) -> Rule:
    slug = port.holding.slug if port.present else "quarantine"
    return {
        "place": f"interface/{port.name}/vrf",
        "keep": [*places(port.name), "vrf/{value}"],
        "with": {f"interface/{port.name}/acl": "acl"},
        "but": registry.yielding_vrfs(),
        "drift": True,
        "say": (
            f"tenant drift: port {port.name} of {device} is in {{value}}, registry says "
            f"{slug} ({registry.owners[slug].vrf}): run tenant_move, or correct the registry."
        ),
    }


def _forgotten(registry: Registry, port: HostPort, device: str) -> Rule:
    """A retired row, which may be written by hand, names no nodes: what takes a port out must know whose it was."""
    name = registry.fabric.name(port.node)
    return {
        "place": f"interface/{port.name}/vrf",
        "like": registry.retired_vrfs(),
        "keep": [*places(port.name), "vrf/{value}"],
        "with": {f"interface/{port.name}/acl": "acl"},
        "drift": True,
        "say": (
            f"tenant drift: port {port.name} of {device} ({name}) is in {{value}}, whose tenant has left, and no "
            f"record says that {name} is not wiped: add {name}: {{{{had: SLUG}}}} under health of the registry, with "
            "the slug of that tenant, and run again."
        ),
    }


def _halfway(registry: Registry, port: HostPort, device: str) -> Rule:
    quarantine = registry.owners["quarantine"].vrf
    return {
        "place": f"interface/{port.name}/link/state",
        "where": {f"interface/{port.name}/vrf": quarantine},
        "like": ["down"],
        "keep": places(port.name),
        "drift": True,
        "say": (
            f"tenant drift: port {port.name} of {device} is shut in {quarantine}, as in the middle of a move whose "
            "record is not in the registry: run tenant_move, or open the port by hand."
        ),
    }


def _unwiped(registry: Registry, port: HostPort, device: str) -> Rule:
    """Nothing to hold: the registry has the node in quarantine, whatever its lists say."""
    slug, name = registry.claims[port.node].slug, registry.fabric.name(port.node)
    return {
        "place": f"interface/{port.name}/vrf",
        "like": [registry.owners["quarantine"].vrf],
        "always": True,
        "drift": True,
        "say": (
            f"tenant drift: port {port.name} of {device} stays in {{value}}, registry says "
            f"{slug}, and {name} left a tenant and has not been wiped since: run tenant_move "
            f"-e spx_tenant={slug} -e spx_nodes={name}."
        ),
    }


def _moving(fabric: Fabric, port: HostPort, device: str) -> Rule:
    record = t.cast("Moving", port.holding.moving)
    name = fabric.name(port.node)
    return {
        "place": f"interface/{port.name}/vrf",
        "always": True,
        "keep": [*places(port.name), "vrf/{value}"],
        "with": {f"interface/{port.name}/acl": "acl"},
        "say": (
            f"{name} is moving from {record.from_} to {record.to} (step {record.step}): port "
            f"{port.name} of {device} stays as it is until tenant_move goes on."
        ),
    }


def _vrfs(device: str, customers: list[str], ending: list[str]) -> Rule:
    return {
        "place": "vrf",
        "like": customers,
        "but": ending,
        "keep": ["vrf/{value}"],
        "drift": True,
        "say": (
            f"tenant drift: {device} has the VRF {{value}}, and the registry has no node of it "
            "there: run tenant_offboard or tenant_move, or correct the registry."
        ),
    }


def _alone(registry: Registry, device: str, slugs: Collection[str]) -> Rule:
    """Two VRFs with one number are one tenant; what the registry lets leak is shared by intent."""
    here = [owner for owner in map(registry.owner, sorted(slugs)) if owner.l3vni]
    leaking = [owner for owner in here if leaks(registry, owner)]
    return {
        "place": "vrf",
        "like": [owner.vrf for owner in here],
        "but": sorted(
            {rt for owner in leaking for rt in (*owner.exports, *leaks(registry, owner))}
        ),
        "alone": {
            "evpn/vni": ["evpn/vni"],
            "router/bgp/rd": ["router/bgp/rd"],
            EXPORTS: [EXPORTS, IMPORTS],
        },
        "say": (
            f"{device} would have {{what}} {{value}} in {{one}} and in {{other}}, which mixes the "
            "two: numbers are never given twice, and the VRF of a tenant at work is not renamed; "
            "correct the registry, or take {other} off the leaf first."
        ),
    }


def _batch(device: str, names: list[str]) -> Rule:
    most = table("tenancy")["vrf_deletes"]["most"]
    return {
        "place": "vrf",
        "like": names,
        "spare": most,
        "keep": ["vrf/{value}"],
        "say": (
            f"{device}: the VRF {{value}} stays for now, as one apply deletes at most {most} VRFs: "
            "run again."
        ),
    }
