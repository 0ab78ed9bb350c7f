# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The interfaces of a host: stable names, addresses, MTU, rail routes and policy rules.

    {name: rail1p1, card: 0000:18:00.0, pci: 0000:18:00.0, rail: 0, plane: 0,
     address: 172.16.0.0, length: 31, gateway: 172.16.0.1, mtu: 9166, table: 1001,
     routes: [{to: 172.16.0.0/15, metric: 100}, {to: 172.16.0.0/12, metric: 108}],
     peer: {device, port}}

Every rail knows the whole of its plane, so that rails reach each other; the metric makes one of
them the default. What leaves from a rail's own address is kept on that rail by its own table.

Where the NIC's hardware balances its planes (hwplb), one address is that of all cables of a rail.
Its first port has it; the others get name, MTU and QoS: {name, card, pci, rail, plane, mtu, peer}. With
`nics.rdma_names` there is `rdma`, the name of the RDMA device, for each port that has one.
Public sources say that all functions of the NIC share one RDMA device, that of the first, and that
there is one address for each rail; they do not say which network device has it on bare metal. The
first is the conservative choice: GIDs follow the network device of the RDMA device's function.
"""

from __future__ import annotations

import ipaddress
import itertools
import typing as t

from ...description.errors import FabricError

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...plan.fabric import Fabric
    from ...plan.slices import Nic, NodeSlice


Network = t.Union[ipaddress.IPv4Network, ipaddress.IPv6Network]

METRIC = 100
"""Metric of the first route of the first port; no two routes of a host have the same.

The kernel keeps one route for a destination, table and metric, and IPv6 merges a second into it.
"""


class Route(t.TypedDict):
    """A route of a port."""

    to: str
    metric: int


class Rdma(t.TypedDict, total=False):
    """Name of its RDMA device, where the port has one and the description names them."""

    rdma: str


class Layer3(t.TypedDict, total=False):
    """Routing of a port that makes it a rail."""

    address: str
    length: int
    gateway: str
    table: int
    routes: list[Route]


class End(t.TypedDict):
    """The leaf's end of a cable."""

    device: str
    port: str


class Interface(Layer3, Rdma):
    """A port of a host; where planes share a NIC, only its first port is a rail."""

    name: str
    card: str
    pci: str
    rail: int
    plane: int
    mtu: int
    peer: End


def must_be_found(fabric: Fabric) -> None:
    """FabricError where the description does not say by which PCI addresses hosts have their NICs."""
    if (node := fabric.unfound()) is not None:
        raise _unfound(fabric, fabric.name(node))


def _unfound(fabric: Fabric, name: str) -> FabricError:
    whose = f" of {name}" if fabric.description.nics.places else ""
    return FabricError.of(
        f"nics.pci: 0 PCI addresses are given for {fabric.description.rails} rails{whose}, and hosts cannot be "
        "configured without them: name each rail's NIC, such as 0000:18:00.0."
    )


def rows(fabric: Fabric, slice_: NodeSlice, *, table_base: int) -> list[Interface]:
    """One entry for each port of the plan; FabricError without PCI addresses in the description."""
    if not all(port["pci"] for port in slice_["ports"]):
        raise _unfound(fabric, slice_["name"])
    shared = fabric.description.planes.balancing == "hwplb"
    ports = list(_numbered(slice_["ports"]))
    return [
        {
            **_port(port, function),
            **(
                Layer3() if shared and function else _layer3(port, position, len(ports), table_base)
            ),
            **(Rdma() if shared and function else _rdma(fabric, port)),
        }
        for position, (function, port) in enumerate(ports)
    ]


def _rdma(fabric: Fabric, port: Nic) -> Rdma:
    """`roce_r0`, or `roce_r0_p1` where each plane has an RDMA device; counted from 0, as NVIDIA's operator does.

    Source: github.com/NVIDIA/k8s-launch-kit, default configuration (spectrumX: singlePlane, hwplb, swplb), and
    github.com/Mellanox/nic-configuration-operator pkg/udev.
    """
    if fabric.description.nics.rdma_names == "kept":
        return {}
    planes = fabric.description.planes
    alone = planes.count == 1 or planes.mode == "by-rail" or planes.balancing == "hwplb"
    name = f"roce_r{port['rail']}"
    return {"rdma": name if alone else f"{name}_p{port['plane']}"}


def _numbered(ports: Iterable[Nic]) -> Iterator[tuple[int, Nic]]:
    """Each port with its number on its NIC, which is its PCI function."""
    for _rail, of_one in itertools.groupby(ports, key=lambda port: port["rail"]):
        yield from enumerate(of_one)


def _port(port: Nic, function: int) -> Interface:
    pci = str(port["pci"])
    return {
        "name": port["port"],
        "card": pci,
        "pci": f"{pci[:-1]}{function}",
        "rail": port["rail"],
        "plane": port["plane"],
        "mtu": port["mtu"],
        "peer": {"device": port["peer"]["device"], "port": port["peer"]["port"]},
    }


def _layer3(port: Nic, position: int, ports: int, table_base: int) -> Layer3:
    """Return the routing of a rail: the wider a route, the higher its metric, and the first rails are cheapest."""
    return {
        "address": port["address"],
        "length": port["length"],
        "gateway": port["gateway"],
        "table": table_base + position + 1,
        "routes": [
            {"to": to, "metric": METRIC + number * ports + position}
            for number, to in enumerate(port["routes"])
        ],
    }


def whole(found: Iterable[Interface]) -> list[str]:
    """The prefixes that the fabric means on a host, none inside another."""
    nets = {
        ipaddress.ip_network(route, strict=False)
        for row in found
        if row.get("address")
        for route in (*(r["to"] for r in row["routes"]), f"{row['address']}/{row['length']}")
    }
    kept = [net for net in nets if not any(net != other and _inside(net, other) for other in nets)]
    return [str(net) for net in sorted(kept, key=str)]


def _inside(net: Network, other: Network) -> bool:
    return net.version == other.version and net.subnet_of(other)  # type: ignore[arg-type]
