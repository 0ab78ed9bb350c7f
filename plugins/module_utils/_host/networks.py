# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports of the front end and of storage, the bonds that they form, and VLANs on a bond.

    [{"name": "front1", "network": "front-end", "pci": "0000:01:00.0", "mtu": 9166, "bond": "front"},
     {"name": "front2", "network": "front-end", "pci": "0000:01:00.1", "mtu": 9166, "bond": "front"},
     {"name": "front", "members": ["front1", "front2"], "mtu": 9166, "metric": 512},
     {"name": "front.2021", "parent": "front", "vlan": 2021, "mtu": 9166, "metric": 0}]

A bond or VLAN takes its address by DHCP, and may have the `gateway` and `routes` of a rail besides: the way to storage
arrays of other subnets. A routed port has an address, and is an interface like a rail.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

from .._nic.check import each, fields_of, mapping, whole
from .._nic.errors import NicError
from .interfaces import (
    ANYWHERE,
    Interface,
    LiveState,
    Route,
    address_from,
    destination,
    interface_from,
    interface_name,
    routes_from,
)
from .records import LinkRow

KEYS = (
    *("name", "members", "parent", "vlan", "mtu", "metric", "network", "system", "idle"),
    *("gateway", "routes"),
)
OURS = re.compile(r"^(front|stor)(\.[0-9]{1,4})?$")
"""Bonds and VLANs by these names are of this collection alone."""
BOND: Mapping[str, object] = {
    "mode": "802.3ad",
    "miimon": 100,
    "xmit_hash_policy": "layer3+4",
    "ad_lacp_rate": "fast",
}
"""Settings of a bond, in the words of the kernel; miimon in milliseconds. LACP is fast, as Cumulus Linux has it."""
FRONT_END = "front-end"
FIXED = "mode"
"""Setting that the kernel does not change on a bond with members."""


@dataclass(frozen=True)
class Virtual:
    """A bond of `members`, or the VLAN `vlan` on `parent`; `metric` is that of its default route, 0 for none.

    `routes` are behind `gateway`, which is "" without any.
    """

    name: str
    mtu: int
    members: tuple[str, ...] = ()
    parent: str = ""
    vlan: int = 0
    metric: int = 0
    gateway: str = ""
    routes: tuple[Route, ...] = ()

    @property
    def kind(self) -> str:
        """Kind of the interface, in the words of iproute2."""
        return "bond" if self.members else "vlan"


class Networks(NamedTuple):
    """The ports of a host's other networks, and what is made of them: bonds first, then VLANs."""

    ports: tuple[Interface, ...] = ()
    virtual: tuple[Virtual, ...] = ()


def networks_from(data: object) -> Networks:
    """The option `networks` of the module; NicError with one sentence."""
    rows = [
        (mapping(entry, f"networks[{n}]"), f"networks[{n}]") for n, entry in enumerate(each(data))
    ]
    virtual = [_virtual(row, where) for row, where in rows if "pci" not in row]
    made = Networks(
        tuple(interface_from(row, where) for row, where in rows if "pci" in row),
        tuple(sorted(virtual, key=lambda one: (one.kind, one.name))),
    )
    _check_whole(made)
    return made


def _virtual(data: object, where: str) -> Virtual:
    known = fields_of(data, where, KEYS)
    name = interface_name(known.get("name"), where)
    if not OURS.match(name):
        raise NicError(f"{where}.name: '{name}' is neither front, stor nor a VLAN on one of them.")
    members = tuple(str(member) for member in each(known.get("members")))
    parent = str(known.get("parent") or "")
    if bool(members) == bool(parent):
        raise NicError(
            f"{where}: {name} needs either the members of a bond or the parent of a VLAN."
        )
    routes = routes_from(known.get("routes"), f"{where}.routes")
    return Virtual(
        name=name,
        mtu=whole(known.get("mtu", 1500), f"{where}.mtu", 1280, 65535),
        members=members,
        parent=parent,
        vlan=whole(known.get("vlan"), f"{where}.vlan", 2, 4094) if parent else 0,
        metric=whole(known.get("metric", 0), f"{where}.metric", 0, 2**31),
        gateway=address_from(known.get("gateway"), f"{where}.gateway") if routes else "",
        routes=routes,
    )


def _check_whole(made: Networks) -> None:
    """Each member is a port that says so, and each VLAN has its parent."""
    bonds = {one.name: set(one.members) for one in made.virtual if one.members}
    for name in {**bonds, **{port.bond: set() for port in made.ports if port.bond}}:
        ports = {port.name for port in made.ports if port.bond == name}
        if ports != bonds.get(name):
            raise NicError(
                f"networks: the members of {name} are not the ports that name it as bond."
            )
    for one in made.virtual:
        if one.parent and one.parent not in bonds:
            raise NicError(
                f"networks: {one.name} is on {one.parent}, which is no bond of the list."
            )


# What is on the host


def refuse(found: LiveState, made: Networks) -> None:
    """NicError where a port or a name is in use by a bond that is not of this collection."""
    for port in made.ports:
        name = found.name_of(port)
        master = found.links.get(name, {}).get("master", "")
        if master and not OURS.match(master):
            raise NicError(
                f"{port.name}: {name} is in {master}, which is not of this collection: remove {master} from the "
                "host's own configuration over its BMC, and run again."
            )
    for one in made.virtual:
        link = found.links.get(one.name)
        if link is None:
            continue
        kind, mode = _kind(link), _data(link).get(FIXED)
        if kind != one.kind or (one.members and mode != BOND[FIXED]):
            there = f"a {kind} of mode {mode}" if kind == "bond" else kind or "a network device"
            raise NicError(
                f"{one.name}: the host has {there} of this name, expected a {one.kind}: remove it over the "
                "host's BMC, and run again."
            )


def strays(found: LiveState, made: Networks) -> list[str]:
    """Bonds and VLANs by our names that the plan has no longer, VLANs first."""
    kept = {one.name for one in made.virtual}
    names = [
        name
        for name, link in found.links.items()
        if OURS.match(name) and name not in kept and _kind(link) in ("bond", "vlan")
    ]
    return sorted(names, key=lambda name: ("." not in name, name))


def differences(found: LiveState, made: Networks) -> dict[str, list[str]]:
    """Name -> a sentence for each thing of a bond or VLAN that is not as wanted; {} when all is."""
    rows = {one.name: list(_differences(found, one)) for one in made.virtual}
    gone = {name: [f"{name}: it exists and is not planned."] for name in strays(found, made)}
    return {name: said for name, said in (rows | gone).items() if said}


def _differences(found: LiveState, one: Virtual) -> Iterator[str]:
    link = found.links.get(one.name)
    if link is None:
        yield f"{one.name}: there is no such {one.kind}."
        return
    if "UP" not in link.get("flags", ()):
        yield f"{one.name}: it is down."
    if link.get("mtu") != one.mtu:
        yield f"{one.name}: mtu is {link.get('mtu')}, expected {one.mtu}."
    yield from _bond(found, one, link) if one.members else _vlan(one, link)
    yield from _default(found, one)
    yield from _led(found, one, link)


def _bond(found: LiveState, one: Virtual, link: LinkRow) -> Iterator[str]:
    for key, value in BOND.items():
        if _data(link).get(key) != value:
            yield f"{one.name}: {key} is {_data(link).get(key)}, expected {value}."
    there = {name for name, row in found.links.items() if row.get("master") == one.name}
    for name in one.members:
        if name not in there:
            yield f"{one.name}: {name} is not in it."
    for name in sorted(there - {*one.members}):
        yield f"{one.name}: {name} is a member that is not planned."


def _vlan(one: Virtual, link: LinkRow) -> Iterator[str]:
    if (_data(link).get("id"), link.get("link")) != (one.vlan, one.parent):
        yield (
            f"{one.name}: it is VLAN {_data(link).get('id')} on {link.get('link')}, expected VLAN {one.vlan} on "
            f"{one.parent}."
        )


def _default(found: LiveState, one: Virtual) -> Iterator[str]:
    """Only the front end leads anywhere; that nobody answers by DHCP is no difference."""
    for row in found.routes:
        if row.get("dev") != one.name or destination(row) != ANYWHERE[4]:
            continue
        metric = row.get("metric", 0)
        if row.get("table", "main") == "main" and (metric != one.metric or not one.metric):
            wanted = f"metric {one.metric}" if one.metric else "none"
            yield f"{one.name}: it has a default route of metric {metric}, expected {wanted}."


def _led(found: LiveState, one: Virtual, link: LinkRow) -> Iterator[str]:
    """Its own routes, once somebody has answered by DHCP: before, the gateway is out of reach."""
    if not any(row.get("family") == "inet" for row in link.get("addr_info", ())):
        return
    own = [row for row in found.routes if row.get("dev") == one.name]
    there = {(destination(row), row.get("gateway"), row.get("metric", 0)) for row in own}
    for route in one.routes:
        if (route.to, one.gateway, route.metric) not in there:
            yield f"{one.name}: it lacks the route {route.to} by {one.gateway}, metric {route.metric}."


def orders(found: LiveState, made: Networks) -> Iterator[tuple[str, ...]]:
    """Commands of iproute2 before files are read again: remove strays, correct settings of existing bonds."""
    yield from (("ip", "link", "delete", "dev", name) for name in strays(found, made))
    for one in made.virtual:
        link = found.links.get(one.name)
        if link is None or not one.members:
            continue
        wrong = [key for key, value in BOND.items() if _data(link).get(key) != value]
        if "ad_lacp_rate" in wrong:  # the kernel changes it on a bond that is down
            yield ("ip", "link", "set", "dev", one.name, "down")
        words = [word for key in wrong for word in (_WORD.get(key, key), str(BOND[key]))]
        if words:
            yield ("ip", "link", "set", "dev", one.name, "type", "bond", *words)


_WORD = {"ad_lacp_rate": "lacp_rate"}
"""Words that iproute2 reads where it prints another one."""


class LivePorts(TypedDict):
    """The ports, bonds and VLANs as they are, by their names in the plan, and whose default route wins."""

    networks: dict[str, LinkRow]
    default_by: str


def seen(found: LiveState, made: Networks) -> LivePorts:
    """State that others decide: carrier, partners, addresses, and the default route that wins, "" for none.

    It is that of the version of IP which routed ports of the front end have; IPv4 without such ports.
    """
    six = any(one.version == 6 for one in made.ports if one.network == FRONT_END and one.address)
    names = {one.name: found.name_of(one) for one in made.ports}
    names |= {one.name: one.name for one in made.virtual}
    routes = [
        (row.get("metric", 0), row.get("dev", ""))
        for row in found.routes
        if destination(row) == ANYWHERE[6 if six else 4]
        and row.get("table", "main") == "main"
        and "dev" in row
    ]
    return {
        "networks": {name: found.links[now] for name, now in names.items() if now in found.links},
        "default_by": min(routes, default=(0, ""))[1],
    }


def _kind(link: LinkRow) -> str:
    return link.get("linkinfo", {}).get("info_kind", "")


def _data(link: LinkRow) -> Mapping[str, object]:
    return link.get("linkinfo", {}).get("info_data", {})


def named(made: Networks) -> Iterable[str]:
    """The names of all of them."""
    return [*(one.name for one in made.ports), *(one.name for one in made.virtual)]
