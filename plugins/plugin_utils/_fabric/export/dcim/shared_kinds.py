# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Things that belong to no device: what devices refer to, tenants, VRFs, AS numbers.

A VRF has no route distinguisher of its own: each leaf has another one, its loopback and the number of the
tenant, and the description says so. Where `Names.rd` is `target`, the VRF has the text `64512:4000021`,
of the administrator of the route targets and its L3VNI; no switch uses it.
"""

from __future__ import annotations

import typing as t

from ...catalog.roles import ROLES
from ...plan.topology.converged import WITH_VTEP
from ...tenants import nets, routes
from ...tenants.owners import rt_asn
from . import converged
from .context import words
from .things import BORDER, FIELD, TAG, Ref, Thing, Value, vlan_groups

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...tenants.nets import Net
    from ...tenants.owners import Owner
    from .context import Context

STATUSES = ("active", "planned", "failed", "offline", "connected", "disconnected", "wrong")
"""Statuses of devices, addresses and cables; a dialect has its own words for them."""


def first(c: Context) -> Iterator[Thing]:
    """Yield the things that a device requires: kinds that fabrics share, matched by name."""
    made = words()
    maker = made["manufacturer"]
    yield _named("tag", TAG)
    yield _named("field", FIELD)
    yield _named("namespace", c.names.namespace)
    for status in STATUSES:
        yield _named("status", status)
    yield _named("location_type", c.names.location_type)
    yield _named("location", c.location.key)
    yield _named("rir", c.names.rir)
    for network, group in vlan_groups(c.fabric.description.name).items():
        if nets.part_of(network, c.fabric.description) is not None:
            yield _named("vlan_group", group)
    for name in maker.values():
        yield _named("manufacturer", name)
    yield _named("platform", made["platform"], manufacturer=Ref("manufacturer", maker["switch"]))
    for role in ROLES.values():
        if c.fabric.description.networks or not role.converged:
            yield _named("role", role.dcim)
    yield from _types(c)


def _named(kind: str, name: str, **values: Value) -> Thing:
    return Thing(kind, name, name, {"name": name, **values})


def _types(c: Context) -> Iterator[Thing]:
    made, stated = words(), c.fabric.description.networks
    models = [c.fabric.description.switches.model]
    models += [stated.switches.model] if stated and stated.switches.model else []
    named = [("switch", model) for model in dict.fromkeys(models)]
    for role, name in (*named, ("node", made["node_type"])):
        maker = Ref("manufacturer", made["manufacturer"][role])
        known = made["heights"].get(name)
        yield _named(
            "device_type", name, manufacturer=maker, height=known["units"] if known else None
        )


def owners(c: Context) -> list[Owner]:
    """All owners of VRFs by id."""
    return sorted(c.registry.owners.values(), key=lambda owner: owner.id)


def tenants(c: Context) -> Iterator[Thing]:
    """The customers."""
    for owner in owners(c):
        if owner.kind == "tenant":
            yield Thing("tenant", c.key(owner.slug), owner.slug, {"name": owner.slug})


class _Targets(t.NamedTuple):
    """Imports and exports of any leaf of a VRF: with leaks and the targets of single rails."""

    imports: list[str]
    exports: list[str]


def _targets(c: Context, owner: Owner) -> _Targets:
    rails = range(c.fabric.clos.rails)
    imports = {*owner.imported(rails), *routes.leaks(c.registry, owner)}
    front = (
        c.registry.nets.get((owner.slug, "front-end")) if c.fabric.description.networks else None
    )
    exports = {*owner.exported(rails), *(front.exports if front else ())}
    return _Targets(sorted({*imports, *(front.imports if front else ())}), sorted(exports))


def route_targets(c: Context) -> Iterator[Thing]:
    """Every route target of a VRF."""
    found = {rt for owner in owners(c) for both in _targets(c, owner) for rt in both}
    found |= {rt for net in converged.storage(c) for rt in (*net.imports, *net.exports)}
    for target in sorted(found):
        yield Thing("route_target", c.key(target), target, {"name": target})


def all_vrfs(c: Context) -> Iterator[Thing]:
    """The VRFs of the registry, and those of the house."""
    for owner in owners(c):
        found = _targets(c, owner)
        values: dict[str, Value] = {
            "name": owner.vrf,
            "rd": _rd(c, owner),
            "tenant": c.tenant(owner),
            "imports": tuple(Ref("route_target", c.key(rt)) for rt in found.imports),
            "exports": tuple(Ref("route_target", c.key(rt)) for rt in found.exports),
            "description": _about(c, owner),
        }
        yield Thing("vrf", c.vrf(owner).key, owner.vrf, values)
    for net in converged.storage(c):
        yield _of_storage(c, net)


def _of_storage(c: Context, net: Net) -> Thing:
    asn, name = rt_asn(c.fabric.description), c.fabric.description.name
    values: dict[str, Value] = {
        "name": net.vrf,
        "rd": None if c.names.rd == "none" else f"{asn}:{net.l3vni}",
        "tenant": c.tenant(net.owner),
        "imports": tuple(Ref("route_target", c.key(rt)) for rt in sorted(net.imports)),
        "exports": tuple(Ref("route_target", c.key(rt)) for rt in sorted(net.exports)),
        "description": f"{name} storage of {net.owner.kind} {net.owner.slug}, L3VNI {net.l3vni}",
    }
    return Thing("vrf", c.named_vrf(net.vrf).key, net.vrf, values)


def _rd(c: Context, owner: Owner) -> str | None:
    if c.names.rd == "none" or not owner.l3vni:
        return None
    return f"{rt_asn(c.fabric.description)}:{owner.l3vni}"


def _about(c: Context, owner: Owner) -> str:
    name = f"{c.fabric.description.name} {owner.kind} {owner.slug}"
    if not owner.l3vni:
        return f"{name}, stays on each leaf"
    return f"{name}, L3VNI {owner.l3vni}, RD of a leaf: its loopback:{owner.rd_id}"


def asns(c: Context) -> Iterator[Thing]:
    """The AS numbers of the part's switches; spines of a pod share one."""
    seen: set[int] = set()
    for switch in c.part.switches(c.fabric):
        asn = c.fabric.addresses.asn(switch)
        if asn in seen:
            continue
        seen.add(asn)
        about = c.fabric.name(switch) if switch.role in WITH_VTEP else switch.role
        values: dict[str, Value] = {
            "asn": asn,
            "rir": Ref("rir", c.names.rir),
            "description": f"{c.fabric.description.name} {about}",
        }
        yield Thing("asn", c.key(str(asn)), str(asn), values)


def vlans(c: Context) -> Iterator[Thing]:
    """The VLAN of each owner on the networks that have bonds or arrays, and those of subinterfaces to the outside."""
    groups = vlan_groups(c.fabric.description.name)
    for net in converged.with_vlans(c):
        values: dict[str, Value] = {
            "vlan_group": Ref("vlan_group", groups[net.network]),
            "vid": net.vlan,
            "name": net.vrf,
            "tenant": c.tenant(net.owner),
            "description": f"{net.network} of {net.owner.kind} {net.owner.slug}, L2VNI {net.l2vni}",
        }
        yield Thing("vlan", c.vlan(net).key, net.vrf, values)
    for vid, users in converged.border_vlans(c).items():
        alone = users[0].owner if len(users) == 1 else None
        name, whose = f"border-{vid}", ", ".join(net.vrf for net in users)
        border: dict[str, Value] = {
            "vlan_group": Ref("vlan_group", groups[BORDER]),
            "vid": vid,
            "name": name,
            "tenant": c.tenant(alone) if alone else "",
            "description": f"subinterfaces to the outside, {whose}",
        }
        yield Thing("vlan", c.border_vlan(vid).key, name, border)
