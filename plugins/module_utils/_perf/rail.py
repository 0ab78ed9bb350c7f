# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The port that a measurement uses: its RDMA device, GID, planes, NUMA node and nearest GPU. /sys is read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .._host.gpudirect import bridges_above, gpus, memory
from .._host.interfaces import gid_index
from .._nic.discover import PCI, discover
from .._nic.errors import NicError
from .._nic.tools import Host

NET = "/sys/class/net"
VERBS = "/sys/class/infiniband"


class Rail(NamedTuple):
    """`netdevs` are the interfaces that carry its traffic: with hwplb the planes share one RDMA device.

    `pci` is empty for a device without PCI (Soft-RoCE); `numa` is None where the machine has one node.
    """

    interface: str
    address: str
    rdma: str
    gid_index: int
    netdevs: tuple[str, ...]
    pci: str = ""
    numa: int | None = None


class Memory(NamedTuple):
    """The GPU whose memory is used, "" for host memory, its number in PCI order, and why host memory."""

    gpu: str = ""
    number: int = 0
    dmabuf: bool = False
    note: str = ""


def rail(host: Host, interface: str, address: str) -> Rail:
    """The port; NicError where the interface, its RDMA device or the GID of its address is absent."""
    found = plain(host, interface, address)
    if not found.rdma:
        raise NicError(
            f"{interface}: it has no RDMA device; check that the driver is bound to the card."
        )
    index = gid_index(host, found.rdma, interface, address)
    if index is None:
        raise NicError(
            f"{interface}: {found.rdma} has no RoCE v2 GID of {address}; check that the interface is "
            "up and has the address."
        )
    return found._replace(gid_index=index)


def plain(host: Host, interface: str, address: str) -> Rail:
    """The port for a command that does not use RoCE: there may be no RDMA device, and the GID is not looked for."""
    pci, rdma, netdevs = _port(host, interface)
    if not pci and host.text(f"{NET}/{interface}/operstate") is None:
        raise NicError(
            f"{interface}: this host has no such interface; run the playbook dpus, which names it."
        )
    numa = host.number(f"{PCI}/{pci}/numa_node") if pci else None
    return Rail(interface, address, rdma, 0, netdevs, pci, numa)


def _port(host: Host, interface: str) -> tuple[str, str, tuple[str, ...]]:
    """(PCI function, RDMA device, interfaces that share it), each empty where there is none.

    With hwplb the ports of a card that have no RDMA device of their own are planes of the first one's.
    """
    for card in discover(host):
        ports = [port for port in card["ports"] if port["netdev"]]
        for port in ports:
            if port["netdev"] == interface:
                others = (one["netdev"] for one in ports if not one["rdma"])
                planes = (interface, *(name for name in others if name != interface))
                return port["pci"], port["rdma"], planes
    return "", _software(host, interface), (interface,)


def _software(host: Host, interface: str) -> str:
    """An RDMA device whose GIDs belong to the interface, as of Soft-RoCE and of cards of others."""
    return next((name for name in host.entries(VERBS) if _serves(host, name, interface)), "")


def _serves(host: Host, rdma: str, interface: str) -> bool:
    folder = f"{VERBS}/{rdma}/ports/1/gid_attrs/ndevs"
    return any(host.text(f"{folder}/{n}") == interface for n in host.entries(folder))


class Fabric(NamedTuple):
    """The interfaces and the RDMA devices of all cards, for runs that use all of them."""

    netdevs: tuple[str, ...]
    rdmas: tuple[str, ...]


def everything(host: Host) -> Fabric:
    """Collect the interfaces and RDMA devices of the cards that have an RDMA device."""
    cards = [card["ports"] for card in discover(host)]
    used = [port for ports in cards if any(port["rdma"] for port in ports) for port in ports]
    return Fabric(
        tuple(port["netdev"] for port in used if port["netdev"]),
        tuple(port["rdma"] for port in used if port["rdma"]),
    )


def ports_of(rails: Iterable[Rail]) -> Fabric:
    """The interfaces and the RDMA devices of some rails, each once."""
    every = list(rails)
    netdevs = dict.fromkeys(name for one in every for name in one.netdevs)
    return Fabric(tuple(netdevs), tuple(dict.fromkeys(one.rdma for one in every)))


def nearest(host: Host, pci: str) -> Memory:
    """The GPU that shares the most bridges with a card, else one of its NUMA node; `note` where none will do."""
    found = gpus(host)
    if not found:
        return Memory(note="host memory: this host has no GPU")
    way = memory(host)
    if not host.exists("/proc/driver/nvidia/version"):
        return Memory(note="host memory: the driver of the GPUs is not loaded")
    if not way:
        return Memory(note="host memory: neither nvidia-peermem nor DMA-BUF opens that of the GPUs")
    own = bridges_above(host, pci) if pci else None
    best = max(found, key=lambda gpu: (_shared(host, own, gpu), _same_node(host, pci, gpu)))
    return Memory(gpu=best, number=found.index(best), dmabuf=way == "DMA-BUF")


def _shared(host: Host, own: list[str] | None, gpu: str) -> int:
    pairs = zip(own or (), bridges_above(host, gpu) or ())
    same = [mine == theirs for mine, theirs in pairs]
    return same.index(False) if False in same else len(same)


def _same_node(host: Host, pci: str, gpu: str) -> bool:
    nodes = [host.text(f"{PCI}/{name}/numa_node") for name in (pci, gpu)]
    return nodes[0] is not None and nodes[0] == nodes[1]
