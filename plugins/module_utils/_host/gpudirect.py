# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requirements of GPUDirect RDMA on a host: access to the memory of its GPUs, and bridges without ACS. Nothing is
written.

ACS (Access Control Services) sends what NIC and GPU say to each other up to the root complex. It is off where
the control register of the capability is 0 (NCCL's user guide, troubleshooting: PCI Access Control Services).
"""

from __future__ import annotations

import re

from .._nic.discover import PCI, is_address
from .._nic.parse.pci import parse_word
from .._nic.tools import MISSING, Host, failed, not_installed, reason
from .records import Acs, GpuDirect

VENDOR = "0x10de"
GPUS = ("0x0300", "0x0302")
"""PCI classes of GPUs: VGA, and 3D as those of data centers are."""
CONTROL = "ECAP_ACS+6.w"
ABSENT = "xtended capability 000d not found"
WHOLE = 4096
"""Bytes of a PCI Express function's configuration space; extended capabilities begin at 256."""
ROOT = re.compile(r"pci[0-9a-f]{4,}:[0-9a-f]{2}")


def read_gpudirect(host: Host, cards: list[str]) -> GpuDirect:
    """{gpus, memory, acs}; of a host without GPUs nothing else is read.

    `memory` is nvidia-peermem or DMA-BUF, "" for neither; `acs` has an entry for each card and bridge above it.
    """
    found = gpus(host)
    if not found:
        return {"gpus": [], "memory": "", "acs": [], "iommu": {}}
    above = {pci: bridges_above(host, pci) for pci in cards}
    known = {
        bridge: _acs(host, bridge)
        for bridge in sorted({b for row in above.values() for b in row or ()})
    }
    acs: list[Acs] = [
        {"pci": pci, "bridge": bridge, "control": known[bridge][0], "unknown": known[bridge][1]}
        for pci, row in above.items()
        for bridge in row or ()
    ]
    lost = "/sys does not show what is above it"
    acs += [
        {"pci": p, "bridge": "", "control": 0, "unknown": lost} for p in cards if above[p] is None
    ]
    # A card without a group is not behind an IOMMU.
    iommu = {pci: host.text(f"{PCI}/{pci}/iommu_group/type") or "" for pci in cards}
    return {"gpus": found, "memory": memory(host), "acs": acs, "iommu": iommu}


def gpus(host: Host) -> list[str]:
    """The PCI addresses of the GPUs, sorted."""
    return [pci for pci in host.entries(PCI) if _is_gpu(host, pci)]


def _is_gpu(host: Host, pci: str) -> bool:
    kind = host.text(f"{PCI}/{pci}/class") or ""
    return host.text(f"{PCI}/{pci}/vendor") == VENDOR and kind.startswith(GPUS)


def bridges_above(host: Host, pci: str) -> list[str] | None:
    """The bridges from the root port down to a function; None where its real path shows no root."""
    parts = host.path(f"{PCI}/{pci}").resolve().parts
    roots = [n for n, part in enumerate(parts) if ROOT.fullmatch(part)]
    return [part for part in parts[roots[0] : -1] if is_address(part)] if roots else None


def _acs(host: Host, bridge: str) -> tuple[int, str]:
    """(control, why it is not known); 0 where the bridge has no such capability.

    setpci finds no capability either where the kernel shows it the first 64 or 256 bytes only.
    """
    said = host.ask("setpci", "-s", bridge, CONTROL)
    if said.rc == MISSING:
        return 0, not_installed("setpci").rstrip(".")
    word = None if failed(said) else parse_word(said.out)
    if word is not None:
        return word, ""
    if ABSENT not in said.text:
        return 0, f"setpci says '{reason(said)}'"
    shown = _shown(host, bridge)
    return (
        0,
        "" if shown == WHOLE else f"{shown} of {WHOLE} bytes of its configuration space are shown",
    )


def _shown(host: Host, bridge: str) -> int:
    try:
        return len(host.content(f"{PCI}/{bridge}/config"))
    except OSError:
        return 0


def memory(host: Host) -> str:
    """Return the way of NICs to GPU memory: nvidia-peermem or DMA-BUF, "" for neither.

    DMA-BUF of the GPU's driver comes with its open kernel modules alone (README of the driver, kernel_open).
    """
    if host.exists("/sys/module/nvidia_peermem"):
        return "nvidia-peermem"
    return (
        "DMA-BUF"
        if "Open Kernel Module" in (host.text("/proc/driver/nvidia/version") or "")
        else ""
    )
