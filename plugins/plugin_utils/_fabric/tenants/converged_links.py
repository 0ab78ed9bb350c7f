# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where nodes, storage arrays and external links meet the converged fabric.

Every cost follows the nodes, arrays and links that are asked about, never the fabric.
"""

from __future__ import annotations

import typing as t

from ..description._third_party import netaddr
from ..plan.slices import bond_name
from ..plan.topology.cabling import HOST, Node, Port, Switch
from ..plan.topology.converged import FRONT_END, STORAGE_LEAF, array_port
from ..plan.topology.converged_cabling import NetPort
from . import nets
from .schema import QUARANTINE

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..plan.fabric import Fabric
    from ..plan.topology.converged_cabling import ConvergedCabling
    from .holdings import Holdings

Data = dict[str, t.Any]
BOND, ROUTED = "bond", "routed"


def place(registry: Holdings, slug: str, network: str, *, up: bool) -> tuple[str, bool]:
    """Where a port of a network is whose node an owner has: with the owner, or shut in quarantine.

    Who is not entitled to the network has the port out of service. Nobody has storage in quarantine or rest.
    """
    entitled = (slug, network) in registry.nets and (slug, network) != (QUARANTINE, "storage")
    return (slug, up) if entitled else (QUARANTINE, False)


def placed(registry: Holdings, node: Node, network: str) -> tuple[str, bool]:
    """Where a node's ports of a network are now, and whether they are up."""
    holding = registry.holding(node)
    return place(registry, holding.slug, network, up=holding.up)


def attachment(fabric: Fabric, network: str) -> str:
    """How nodes attach to a network: bond or routed. Storage without ports of its own is on the front-end bond."""
    part = nets.part_of(network, fabric.description)
    return BOND if part is None or tagged(fabric, network) else str(part.attachment)


def tagged(fabric: Fabric, network: str) -> bool:
    """Whether a network is a tagged VLAN on the front-end bonds."""
    part = nets.part_of("storage", fabric.description)
    return network == "storage" and part is not None and part.node_ports == 0


def ports_of(fabric: Fabric, node: Node) -> list[Data]:
    """The node's ports of the converged fabric, seen from its leaves: {leaf, port, nic, network, tagged, ...}.

    `port` is the bond where the node has one, and `swp` what is below it. With `beside` another network is on the bond
    too; with `tagged` this one is the tagged one of the two. A routed port has address, gateway and prefix besides.
    `resting` and `deferred` are those of `links.ports_of`.
    """
    if fabric.converged is None:
        return []
    made = [_row(fabric, fabric.converged, node, port) for port in fabric.converged.node_ports()]
    if not tagged(fabric, "storage"):
        return made
    nic = f"{fabric.names.bond(FRONT_END)}.storage"
    storage = [{**row, "network": "storage", "tagged": True, "nic": nic} for row in made]
    return [*({**row, "beside": True} for row in made), *storage]


def _row(fabric: Fabric, cabling: ConvergedCabling, node: Node, port: NetPort) -> Data:
    leaf, index = cabling.leaf_of(node, port)
    switch, name = fabric.name(leaf), fabric.name(node)
    swp = fabric.port_name(leaf, Port(HOST, index))
    bonded = attachment(fabric, port.network) == BOND
    nic = fabric.names.net(port)
    resting = {(row.device, row.port) for row in fabric.description.out_of_service}
    here = {(switch, swp), (switch, None), (name, nic), (name, None)}
    return {
        "leaf": switch,
        "port": bond_name(index) if bonded else swp,
        "swp": swp,
        "nic": nic,
        "network": port.network,
        "tagged": False,
        "beside": False,
        "resting": bool(here & resting),
        "deferred": (switch, None) in resting,
        **({} if bonded else link(fabric, node, port.network, port.index)),
    }


def link(fabric: Fabric, node: Node, network: str, index: int) -> Data:
    """A routed link: {address, gateway, prefix}, the address of the node first."""
    ends = fabric.addresses.net_link(node, NetPort(network, index))
    return {"address": ends.low, "gateway": ends.high, "prefix": ends.prefix}


def leaves_of(fabric: Fabric, nodes: Iterable[Node]) -> list[str]:
    """The converged leaves that some nodes meet and that are in service, each once."""
    cabling = fabric.converged
    if cabling is None:
        return []
    found = {cabling.leaf_of(node, port)[0] for node in nodes for port in cabling.node_ports()}
    return _in_service(fabric, found)


def leaves_with_arrays(fabric: Fabric) -> list[str]:
    """The storage leaves to which an array is cabled, each once."""
    part = nets.part_of("storage", fabric.description)
    if part is None or fabric.converged is None:
        return []
    pairs = {array_port(port)[0] for array in part.arrays for port in array.ports}
    role = fabric.converged.counts.serving(STORAGE_LEAF)
    found = {Switch(role, 0, pair, member) for pair in pairs for member in (0, 1)}
    return _in_service(fabric, found)


def _in_service(fabric: Fabric, switches: Iterable[Switch]) -> list[str]:
    return [name for name in map(fabric.name, sorted(switches)) if name not in fabric.resting]


def links(fabric: Fabric) -> dict[str, t.Any]:
    """The links to the outside by name, as the description has them: {name, leaf, port}."""
    border = nets.part_of("border", fabric.description)
    return {link.name: link for link in border.links} if border else {}


def leaf_of_link(fabric: Fabric, name: str) -> Switch:
    """The border leaf of a link; the description has its name in the plan, and a site may have given it another."""
    return t.cast(Switch, fabric.names.device(links(fabric)[name].leaf))


def border_leaves(fabric: Fabric, names: Iterable[str]) -> list[str]:
    """The border leaves in service of some links, each once."""
    known = links(fabric)
    return _in_service(fabric, {leaf_of_link(fabric, name) for name in names if name in known})


def routed_prefixes(fabric: Fabric, nodes: Iterable[Node], network: str) -> list[str]:
    """The links of nodes on a routed network, as the fewest prefixes."""
    made = list(_routed(fabric, nodes, network))
    return [str(prefix) for prefix in netaddr.cidr_merge(made)]


def routed_ports(fabric: Fabric, network: str) -> int:
    """How many routed links a node has on a network: none on a bond, one where the description has no such network."""
    part = nets.part_of(network, fabric.description)
    if part is None:
        return 1
    return fabric.addresses.routed_ports.get(network, 0)


def _routed(fabric: Fabric, nodes: Iterable[Node], network: str) -> Iterator[t.Any]:
    for node in nodes:
        for index in range(routed_ports(fabric, network)):
            yield netaddr.IPNetwork(link(fabric, node, network, index)["prefix"])
