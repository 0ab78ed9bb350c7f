# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovery of the machine's NICs: functions of one card are grouped by domain:bus:device.

/sys is read, and no process is started. Virtual functions and representors are left out.
"""

from __future__ import annotations

import re

from .records import Card, PortRecord
from .tools import Host

VENDOR = "0x15b3"
PCI = "/sys/bus/pci/devices"
NETWORK_CLASSES = ("0x02",)

# PCI device id -> model. Source: github.com/Mellanox/nic-configuration-operator pkg/consts.
MODELS = {
    "a2d6": "BlueField-2",
    "a2d9": "BlueField-3 Lx",
    "a2dc": "BlueField-3",
    "a2df": "BlueField-4",
    "1021": "ConnectX-7",
    "1023": "ConnectX-8",
    "1025": "ConnectX-9",
}
BLUEFIELDS = frozenset({"a2d6", "a2d9", "a2dc", "a2df"})


def card_of(pci: str) -> str:
    """`0000:1a:00.1` -> `0000:1a:00`: what all functions of a card share."""
    return full_address(pci).rsplit(".", 1)[0]


def full_address(pci: str) -> str:
    """`1a:00.0`, `00000000:1A:00.0` -> `0000:1a:00.0`: short, and as nvidia-smi prints it."""
    text = pci.strip().lower()
    return text[-12:] if text.count(":") == 2 else f"0000:{text}"


def without_driver(host: Host, pci: str) -> str:
    """The sentence for a function that no driver has, as an installation that was killed leaves it; else ""."""
    if host.exists(f"{PCI}/{pci}/driver") or not host.exists(f"{PCI}/{pci}"):
        return ""
    return (
        f"{pci}: no driver is bound to this function, so the host lacks its network device: reboot the "
        f"host, or bind it with 'echo {pci} > /sys/bus/pci/drivers/mlx5_core/bind'."
    )


def is_address(pci: str) -> bool:
    """Has the text the form of a PCI address, with or without domain?"""
    return bool(re.match(r"^((0000)?[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$", pci))


def discover(host: Host) -> list[Card]:
    """Every NIC as {pci, device, model, ports: [{pci, netdev, rdma, link, speed, mtu}]}.

    `pci` is the first function; speed is in Mb/s or None; sorted by address.
    """
    cards: dict[str, list[str]] = {}
    for pci in host.entries(PCI):
        if _is_nic_function(host, pci):
            cards.setdefault(card_of(pci), []).append(pci)
    return [_card(host, found) for found in cards.values()]


def _card(host: Host, functions: list[str]) -> Card:
    device = (host.text(f"{PCI}/{functions[0]}/device") or "").replace("0x", "")
    return {
        "pci": functions[0],
        "device": device,
        "model": MODELS.get(device, f"device {device}"),
        "ports": [_port(host, pci) for pci in functions],
    }


def _port(host: Host, pci: str) -> PortRecord:
    netdev = physical_netdev(host, pci)
    folder = f"/sys/class/net/{netdev}"
    return {
        "pci": pci,
        "netdev": netdev,
        "rdma": rdma_of(host, pci),
        "link": host.text(f"{folder}/operstate"),
        "speed": host.number(f"{folder}/speed"),
        "mtu": host.number(f"{folder}/mtu"),
    }


def _is_nic_function(host: Host, pci: str) -> bool:
    return (
        host.text(f"{PCI}/{pci}/vendor") == VENDOR
        and (host.text(f"{PCI}/{pci}/class") or "0x02").startswith(NETWORK_CLASSES)
        and not host.exists(f"{PCI}/{pci}/physfn")
    )


def physical_netdev(host: Host, pci: str) -> str:
    """The netdev of the port itself: representors have another phys_port_name than pN."""
    for name in host.entries(f"{PCI}/{pci}/net"):
        folders = (f"{PCI}/{pci}/net/{name}", f"/sys/class/net/{name}")
        port = next(filter(None, (host.text(f"{path}/phys_port_name") for path in folders)), "")
        if not port or re.match(r"^p\d+$", port):
            return name
    return ""


def rdma_of(host: Host, pci: str) -> str:
    """The RDMA device of a PCI function, "" where there is none."""
    return next(iter(host.entries(f"{PCI}/{pci}/infiniband")), "")
