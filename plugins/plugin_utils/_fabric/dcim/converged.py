# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the converged fabric adds: ports of its switches and of nodes, routed links, and the VRFs of storage.

A bond is in a VLAN and not in a VRF, so that its ports are in none. VLANs and bonds themselves are not written.
"""

from __future__ import annotations

import typing as t

from ..slices import mtu, speed_of
from ..tenancy.converged import converged_vrfs
from ..tenancy.converged_links import placed
from ..topology.cabling import DOWN, HOST, UP, Port, Switch
from ..topology.converged import ARRAY, EXTERNAL, LEAVES
from ..topology.converged_cabling import is_converged
from .context import words
from .things import Value

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..fabric import Fabric
    from ..tenancy.nets import Net
    from ..topology.cabling import Device, Node
    from ..topology.converged_cabling import NetPort
    from .context import Context

_SIDES = {HOST: "downlink", ARRAY: "downlink", DOWN: "downlink", UP: "uplink", EXTERNAL: ""}


def model_of(fabric: Fabric, switch: Switch) -> str:
    """The model of a switch."""
    own = fabric.description.networks
    if own and own.switches.model and is_converged(switch):
        return own.switches.model
    return fabric.description.switches.model


def has_vtep(switch: Switch) -> bool:
    """Whether a switch has a VTEP: leaves have."""
    return switch.role == "leaf" or switch.role in LEAVES


def node_ports(fabric: Fabric) -> list[NetPort]:
    """The ports of every node on the converged fabric."""
    return list(fabric.converged.node_ports()) if fabric.converged else []


def leaf_end(fabric: Fabric, node: Node, port: NetPort) -> tuple[Switch, str]:
    """The leaf and interface that a port of a node meets."""
    leaf, index = t.cast("t.Any", fabric.converged).leaf_of(node, port)
    return leaf, fabric.port_name(leaf, Port(HOST, index))


def net_of(c: Context, node: Node, port: NetPort) -> Net:
    """The owner and VRF of a routed port of a node."""
    slug, _up = placed(c.registry, node, port.network)
    return c.registry.nets[slug, port.network]


def storage(c: Context) -> Iterator[Net]:
    """The owners on the storage network, by id; none without one."""
    stated = c.fabric.description.networks
    if stated and stated.storage:
        found = [net for net in c.registry.nets.values() if net.network == "storage"]
        yield from sorted(found, key=lambda net: net.owner.id)


def of_switch(c: Context, switch: Switch) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """Name and values of each port of a switch."""
    vrfs = dict(_in_vrfs(c, switch))
    for port in t.cast("t.Any", c.fabric.converged).ports(switch):
        name = c.fabric.port_name(switch, port)
        between = port.kind in (UP, DOWN)
        values: dict[str, Value] = {
            "type": words()["types"]["OSFP"][speed_of(c.fabric, switch, port.kind)],
            "mtu": None if port.kind == EXTERNAL else mtu()["fabric" if between else "host"],
            "role": _SIDES[port.kind],
        }
        yield name, {**values, **vrfs.get(name, {})}


def _in_vrfs(c: Context, switch: Switch) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """The ports that are in a VRF themselves: routed ones of nodes, and those of one customer to the outside."""
    for row in converged_vrfs(c.fabric, c.registry, switch):
        vrf = c.named_vrf(row["vrf"])
        for routed in row["routed"]:
            yield routed["port"], {"vrf": vrf, "enabled": routed["up"]}
        for session in row["sessions"]:
            if session["vlan"] is None:
                yield session["port"], {"vrf": vrf}


def of_node(c: Context, node: Device) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """Name and values of each port of a node; the cage follows the speed, as nothing is known of these cards."""
    for port in node_ports(c.fabric):
        leaf = t.cast("tuple[Switch, Port]", c.fabric.end(node, port))[0]
        kind = words()["types"]["OSFP"][speed_of(c.fabric, leaf, HOST)]
        yield c.fabric.names.net(port), {"type": kind, "mtu": mtu()["host"], "role": "uplink"}
