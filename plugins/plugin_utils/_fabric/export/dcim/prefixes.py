# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The prefixes of a fabric: pools, what hosts route to, management subnets, and each link.

Pools in use, and what lies between them and a link, are containers. They, management, loopbacks and the links
between switches are in the global table; the link of a node is in the VRF of who holds the node, unless
`Names.link_vrfs` leaves that to the interfaces. Management
subnets are those that DHCP serves.
"""

from __future__ import annotations

import ipaddress
import itertools
import typing as t

from ...plan.addressing import codec
from ...plan.topology.cabling import UP, Node, Port, Switch
from ...plan.topology.converged import WITH_VTEP
from ...report.report import used_pools
from . import converged
from .mark import tail
from .things import Thing, Value

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...plan.topology.cabling import Device
    from ...tenants.owners import Owner
    from .context import Context


def prefixes(c: Context) -> Iterator[Thing]:
    """Containers first, then subnets, then the links of the part."""
    seen: set[str] = set()
    name = c.fabric.description.name
    wide = ((f"{name} {pool}", ("pool", pool), text) for pool, text in used_pools(c.fabric).items())
    cuts = ((f"{name} host links", ("pool", text), text) for text in _cuts(c))
    for about, key, text in itertools.chain(wide, cuts):
        if text not in seen:
            seen.add(text)
            yield _prefix(c.key(*key), text, container=True, description=about)
    for text in _subnets(c):
        if text not in seen:
            seen.add(text)
            dhcp = not text.endswith(("/32", "/128"))
            about = f"{name} management"
            yield _prefix(c.key("subnet", text), text, description=about, dhcp=dhcp)
    yield from _of_vlans(c)
    yield from _links(c)


PLACELESS = ("pool", "subnet", "vlan", "session")
"""Prefixes of the keys of networks that belong to no device."""


def is_session(key: str) -> bool:
    """Check whether a prefix is that of a session to the outside; two tenants may have equal ones."""
    return tail(key).startswith("session/")


def link_networks(c: Context) -> list[str]:
    """The networks in which all links of the part are, built or not: as few as there are."""
    texts = [text for device in c.part.slots(c.fabric) for text in _of_device(c, device) if text]
    found: dict[int, list[t.Any]] = {4: [], 6: []}
    for network in map(ipaddress.ip_network, texts):
        found[network.version].append(network)
    return [
        str(each) for several in found.values() for each in ipaddress.collapse_addresses(several)
    ]


def _of_device(c: Context, device: Device) -> Iterator[str | None]:
    """The links of which a device is the lower end."""
    ends = c.fabric.addresses.ends
    if isinstance(device, Node):
        yield from (ends(device, nics[0]).prefix for nics in c.host_links(device))
        yield from (ends(device, port).prefix for port in converged.node_ports(c.fabric))
    elif c.fabric.description.addressing.inter_switch != "unnumbered":
        block = c.fabric.blocks(device).get(UP)
        ports = (Port(UP, index) for index in range(block.count if block else 0))
        yield from (ends(device, port).prefix for port in ports if c.fabric.end(device, port))


def _of_vlans(c: Context) -> Iterator[Thing]:
    """The subnets of owners on the converged fabric, and of sessions to the outside, in their VRFs and VLANs."""
    for net in converged.with_vlans(c):
        if net.subnet:
            about = f"{c.fabric.description.name} {net.network} of {net.owner.slug}"
            made = _prefix(c.vlan(net).key, net.subnet, description=about)
            own = {"vrf": c.named_vrf(net.vrf), "tenant": c.tenant(net.owner), "vlan": c.vlan(net)}
            yield made._replace(values={**made.values, **own})
    for net, text, vlan in converged.session_prefixes(c):
        about = f"{c.fabric.description.name} session of {net.owner.slug} to the outside"
        made = _prefix(c.key("session", net.vrf, text), text, description=about)
        own = {"vrf": c.named_vrf(net.vrf), "tenant": c.tenant(net.owner)}
        own |= {"vlan": c.border_vlan(vlan)} if vlan else {}
        yield made._replace(values={**made.values, **own})


def _prefix(
    key: str, text: str, *, description: str, container: bool = False, dhcp: bool = False
) -> Thing:
    values: dict[str, Value] = {
        "prefix": text,
        "vrf": "",
        "tenant": "",
        "container": container,
        "dhcp": dhcp,
        "description": description,
    }
    return Thing("prefix", key, text, values)


def _cuts(c: Context) -> Iterator[str]:
    """Yield the prefixes that hosts reach through their ports, the widest first; the same for all nodes of a pod or
    SU."""
    found: dict[str, int] = {}
    for pod in range(c.fabric.clos.pods):
        for nic in c.fabric.cabling.nic_ports():
            for text in c.fabric.addresses.routes(Node(pod, 0, 0), nic):
                found.setdefault(text, int(text.rpartition("/")[2]))
    yield from sorted(found, key=lambda text: (found[text], text))


def _subnets(c: Context) -> Iterator[str]:
    """The management subnets, and a prefix for each address that a site stated beside all pools."""
    for device in c.part.devices(c.fabric):
        own = c.fabric.addresses.management(device)
        alone = own.length == (32 if own.version == 4 else 128)
        if not alone or not _pooled(c, own.address):
            yield str(ipaddress.ip_network(own.whole, strict=False))
        if isinstance(device, Switch) and device in c.fabric.rows:
            yield from _stated(c, device)


def _stated(c: Context, switch: Switch) -> Iterator[str]:
    asked = [c.fabric.addresses.loopback]
    asked += [c.fabric.addresses.vtep] if switch.role in WITH_VTEP else []
    for ask in asked:
        if not _pooled(c, ask(switch)):
            yield f"{codec.text(ask(switch), 4)}/32"


def _pooled(c: Context, address: int) -> bool:
    layouts = c.fabric.addresses.layouts.values()
    return any(layout.version == 4 and address in layout for layout in layouts)


def _links(c: Context) -> Iterator[Thing]:
    for node in c.part.nodes(c.fabric):
        owner = c.owner(c.registry.holding(node))
        for nics in c.host_links(node):
            text = c.fabric.addresses.ends(node, nics[0]).prefix
            if text:
                yield _link(c, c.key(c.place(node), c.fabric.names.nic(nics[0])), text, owner)
        yield from _routed(c, node)
    if c.fabric.description.addressing.inter_switch == "unnumbered":
        return
    for switch in c.part.switches(c.fabric):
        for port in uplinks(c, switch):
            text = c.fabric.addresses.ends(switch, port).prefix
            if text:
                key = c.key(c.place(switch), c.fabric.port_name(switch, port))
                yield _link(c, key, text, None)


def _routed(c: Context, node: Node) -> Iterator[Thing]:
    """The links of a node on the converged fabric that are in no bond."""
    for port in converged.node_ports(c.fabric):
        text = c.fabric.addresses.ends(node, port).prefix
        if text:
            net = converged.net_of(c, node, port)
            made = _link(c, c.key(c.place(node), c.fabric.names.net(port)), text, net.owner)
            own = {"vrf": c.named_vrf(net.vrf)} if c.names.link_vrfs else {}
            yield made._replace(values={**made.values, **own})


def _link(c: Context, key: str, text: str, owner: Owner | None) -> Thing:
    values: dict[str, Value] = {
        "prefix": text,
        "vrf": c.vrf(owner) if owner and c.names.link_vrfs else "",
        "tenant": c.tenant(owner) if owner else "",
        "container": False,
        "dhcp": False,
    }
    return Thing("prefix", key, text, values)


def uplinks(c: Context, switch: Switch) -> Iterator[Port]:
    """The ports of a switch that lead up to a built one."""
    block = c.fabric.blocks(switch).get(UP)
    for index in range(block.count if block else 0):
        port = Port(UP, index)
        end = t.cast("tuple[Switch, Port] | None", c.fabric.end(switch, port))
        if end and c.fabric.present(end[0]):
            yield port
