# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find a simulated device by the names the tools accept, and say what it looks like now."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from typing import Any, Optional

from nicsim import paths
from nicsim.store import State

Nic = dict[str, Any]
Function = dict[str, Any]

#: The MST number of a device is its PCI device id in decimal.
MST = re.compile(r"^/dev/mst/mt(\d+)_pciconf(\d+)(?:\.(\d+))?$")


def visible(nic: Nic) -> list[Function]:
    """The port functions the firmware shows now: NUM_OF_PF of the running configuration."""
    count = int(nic["nv"]["current"].get("NUM_OF_PF", 1))
    return [function for function in nic["functions"] if function["index"] < count]


def each(state: State) -> Iterator[tuple[Nic, Function]]:
    """Every visible (NIC, function) in PCI order."""
    for nic in state["nics"]:
        for function in visible(nic):
            yield nic, function


def mst_name(state: State, nic: Nic, function: Function) -> str:
    """`/dev/mst/mt41692_pciconf0`, with `.N` for later functions."""
    same = [other for other in state["nics"] if other["device_id"] == nic["device_id"]]
    suffix = f".{function['index']}" if function["index"] else ""
    return f"/dev/mst/mt{int(nic['device_id'], 16)}_pciconf{same.index(nic)}{suffix}"


def find(state: State, token: str) -> Optional[tuple[Nic, Function]]:
    """Resolve a PCI address (with or without domain), MST path, RDMA or network name."""
    for nic, function in each(state):
        pci = function["pci"]
        names = {pci, pci[5:], rdma_name(nic, function), netdev_name(function)}
        if state["host"]["mst"]:
            names.add(mst_name(state, nic, function))
        if token in names or token == f"/dev/fwctl/fwctl{state['nics'].index(nic)}":
            return nic, function
    return None


def find_netdev(state: State, name: str) -> Optional[tuple[Nic, Function]]:
    """The function behind a network device name."""
    for nic, function in each(state):
        if netdev_name(function) == name:
            return nic, function
    return None


def find_rdma(state: State, name: str) -> Optional[tuple[Nic, Function]]:
    """The first function of an RDMA device."""
    for nic, function in each(state):
        if rdma_name(nic, function) == name:
            return nic, function
    return None


def planes(nic: Nic) -> int:
    """Hardware planes of port 1 now (0 = not planarised)."""
    return int(nic["nv"]["current"].get("NUM_OF_PLANES_P1", 0))


def rdma_owner(nic: Nic, function: Function) -> Function:
    """With hardware planes all functions share the first function's RDMA device."""
    return nic["functions"][0] if planes(nic) else function


def rdma_name(nic: Nic, function: Function) -> str:
    """The RDMA device's present name."""
    return rdma_owner(nic, function)["rdma"]


def rdma_devices(state: State) -> Iterator[tuple[Nic, Function]]:
    """One (NIC, function) per RDMA device."""
    for nic, function in each(state):
        if rdma_owner(nic, function) is function:
            yield nic, function


def rename_rdma(state: State, old: str, new: str) -> Optional[str]:
    """Give an RDMA device another name, whether or not it is in use; returns the kernel's refusal."""
    found = find_rdma(state, old)
    if found is None:
        return "No such device"
    if find_rdma(state, new) not in (None, found):
        return "File exists"
    found[1]["rdma"] = new
    return None


def register_rdma(state: State, nics: list[Nic]) -> None:
    """RDMA devices appear anew: by their first name, or the kernel's lowest free number."""
    again = [function for nic in nics for function in nic["functions"]]
    taken = {
        function["rdma"]
        for nic in state["nics"]
        for function in nic["functions"]
        if function not in again
    }
    for function in again:
        spare = (f"mlx5_{number}" for number in range(len(taken) + 1))
        name = function["rdma_factory"]
        function["rdma"] = next(n for n in spare if n not in taken) if name in taken else name
        taken.add(function["rdma"])


def netdev_name(function: Function) -> str:
    """The network device's name now: it may have been renamed since the simulation began."""
    return _names().get(function.get("ifindex") or 0, function["netdev"])


@functools.lru_cache(maxsize=1)
def _names() -> dict[int, str]:
    """ifindex -> name of the kernel's devices; read once, see forget_names()."""
    folder = paths.kernel_net()
    if not folder.is_dir():
        return {}
    found = {entry.name: kernel_value(entry.name, "ifindex") for entry in folder.iterdir()}
    return {int(index): name for name, index in found.items() if index}


def forget_names() -> None:
    """Read the kernel's list again: a device was renamed, or time has passed."""
    _names.cache_clear()


def kernel_value(interface: str, attribute: str) -> Optional[str]:
    """One attribute of the kernel's own device, or None where there is none."""
    try:
        text = (paths.kernel_net() / interface / attribute).read_text(encoding="utf-8")
    except OSError:
        return None
    return text.strip()


def ifindex(interface: str) -> Optional[int]:
    """The kernel's index of a network device, or None."""
    text = kernel_value(interface, "ifindex")
    return int(text) if text else None


def link_up(nic: Nic, function: Function) -> bool:
    """Check whether the port has a link: the kernel's word where it has a real device."""
    if function["link"].get("forced_down") or mode(nic) == "dpu":
        return False
    carrier = kernel_value(netdev_name(function), "carrier")
    if carrier is not None:
        return carrier == "1"
    if kernel_value(netdev_name(function), "ifindex"):
        return False  # administratively down: the kernel refuses to read the carrier
    if function.get("ifindex") is not None:
        return False  # cabled once, and the device is gone
    return bool(function["link"]["up"])


def carrier_downs(function: Function) -> int:
    """Count the losses of the link, by the kernel (0 without a real device)."""
    return int(kernel_value(netdev_name(function), "carrier_down_count") or 0)


def mode(nic: Nic) -> str:
    """`nic` or `dpu` for a BlueField, by the running configuration; `nic` for a ConnectX."""
    if nic["device_id"] != "a2dc":
        return "nic"
    current = nic["nv"]["current"]
    return "nic" if current["INTERNAL_CPU_OFFLOAD_ENGINE"] == 1 else "dpu"


def addresses(function: Function) -> list[dict[str, Any]]:
    """Addresses of the real device as `ip -j` gives them, else those in the state file."""
    name = netdev_name(function)
    if kernel_value(name, "ifindex") is None:
        return function.get("addresses", [])
    try:
        import subprocess

        found = subprocess.run(
            ["ip", "-j", "addr", "show", "dev", name],
            check=False,
            capture_output=True,
            text=True,
            timeout=10,
        )
        return json.loads(found.stdout or "[]")[0].get("addr_info", [])
    except (OSError, ValueError, IndexError):
        return []


def set_link(function: Function, up: bool) -> None:
    """Raise or lower the real device (nothing where there is none)."""
    name = netdev_name(function)
    if kernel_value(name, "ifindex") is not None:
        import subprocess

        state = "up" if up else "down"
        subprocess.run(["ip", "link", "set", name, state], check=False, timeout=10)
