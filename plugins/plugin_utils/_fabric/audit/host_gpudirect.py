# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Can the NICs of a host reach the memory of its GPUs directly? Read and reported; no playbook sets it."""

from __future__ import annotations

import functools
import typing as t

from .results import failed, not_run, passed

if t.TYPE_CHECKING:
    from ....module_utils._host.records import GpuDirect
    from .host_view import View
    from .results import Check, Findings


def _of(view: View, judge: t.Callable[[GpuDirect, str], Findings]) -> Findings:
    found = view.probe.get("gpudirect") if view.probe else None
    if found is None:
        yield not_run("What GPUDirect needs was not read.")
    elif not found["gpus"]:
        yield not_run(f"{view.subject.device} has no GPU.")
    else:
        yield from judge(found, view.subject.device)


def _acs(found: GpuDirect, _name: str) -> Findings:
    """A bridge that was not read is not known, and so no pass is given."""
    for row in found["acs"]:
        where = row["bridge"] or row["pci"]
        if row["unknown"]:
            yield not_run(
                f"{where}: whether ACS is off above {row['pci']} is not known: {row['unknown']}."
            )
        elif row["control"]:
            says = (
                f"{where}: ACS is on ({row['control']:04x}) above {row['pci']}, so GPUs and the NIC meet at the root "
                f"complex: turn it off in the BIOS, or at each boot with 'setpci -s {where} ECAP_ACS+6.w=0000'."
            )
            yield failed(says, expected="0000", found=f"{row['control']:04x}")
    if not any(row["unknown"] for row in found["acs"]):
        yield passed(found=len({row["bridge"] for row in found["acs"]}))


def _memory(found: GpuDirect, name: str) -> Findings:
    if not found["memory"]:
        says = (
            f"{name}: neither nvidia-peermem nor the open kernel module of the GPU's driver is loaded: run 'modprobe "
            "nvidia-peermem', or install the open module, which brings DMA-BUF."
        )
        yield failed(says, expected="nvidia-peermem or DMA-BUF")
    yield passed(f"NICs reach the memory of the GPUs by {found['memory']}.")


def _iommu(found: GpuDirect, _name: str) -> Findings:
    """NCCL's user guide, troubleshooting: an IOMMU that translates sends GPUDirect by the root complex."""
    for pci, kind in found["iommu"].items():
        if kind.startswith("DMA"):
            says = (
                f"{pci}: the IOMMU translates (domain {kind}), so GPUs and the NIC meet at the root complex: boot with "
                "iommu=pt, or turn the IOMMU off in the BIOS."
            )
            yield failed(says, expected="identity", found=kind)
    yield passed()


CHECKS: dict[str, Check[View]] = {
    "host.acs": functools.partial(_of, judge=_acs),
    "host.gpu_memory": functools.partial(_of, judge=_memory),
    "host.iommu": functools.partial(_of, judge=_iommu),
}
