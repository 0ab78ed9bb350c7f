# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel modules of the host: those of the NICs, and those of the GPUs where there are any.

`host.gpu` of the state is null, "open" or "proprietary", after the flavour of NVIDIA's driver.
`host.peermem` says whether nvidia_peermem is loaded: a boot loads it only where it is asked for.
`host.upon` names modules of others upon ib_core: a boot loads those that are built for the kernel, below `updates`.
"""

from __future__ import annotations

import os
import pathlib
from typing import NamedTuple, Optional

from nicsim import faults, paths
from nicsim.store import State

FLAVOURS = ("none", "open", "proprietary")
PEERMEM = "nvidia_peermem"


class Driver(NamedTuple):
    """One flavour: what its files and modinfo say."""

    version: str
    license: str
    banner: str
    compiler: str


DRIVERS = {
    "open": Driver(
        "565.57.01",
        "Dual MIT/GPL",
        "NVIDIA UNIX Open Kernel Module for x86_64  565.57.01  Release Build  "
        "(dvs-builder@U16-A24-9-2)  Thu Oct 10 12:15:00 UTC 2024",
        "gcc version 13.3.0 (Ubuntu 13.3.0-6ubuntu2~24.04)",
    ),
    "proprietary": Driver(
        "515.76",
        "NVIDIA",
        "NVIDIA UNIX x86_64 Kernel Module  515.76  Mon Sep 12 19:21:56 UTC 2022",
        "gcc version 7.5.0 (Ubuntu 7.5.0-3ubuntu1~18.04)",
    ),
}

#: (name, bytes, users that are no modules, modules it needs), the last loaded first.
NIC_MODULES = (
    ("rdma_ucm", 32768, 0, ("ib_uverbs", "rdma_cm", "ib_core")),
    ("rdma_cm", 147456, 0, ("ib_core",)),
    ("mlx5_ib", 471040, 0, ("ib_uverbs", "ib_core", "mlx5_core")),
    ("ib_uverbs", 200704, 0, ("ib_core",)),
    ("ib_core", 442368, 0, ()),
    ("mlx5_core", 2289664, 0, ()),
)
GPU_MODULES = (
    ("nvidia_uvm", 1523712, 0, ("nvidia",)),
    (PEERMEM, 16384, 0, ("nvidia", "ib_core")),
    ("nvidia_modeset", 1306624, 0, ("nvidia",)),
    ("nvidia", 56598528, 16, ()),
)


def plain(name: str) -> str:
    """A module's name as the kernel writes it: `-` and `_` are alike."""
    return name.replace("-", "_")


def driver(state: State) -> Optional[Driver]:
    """NVIDIA's GPU driver of this host, or None."""
    return DRIVERS.get(state["host"]["gpu"])


def loaded(state: State) -> list[tuple[str, int, int, list[str]]]:
    """(name, bytes, use count, used by) as /proc/modules has it."""
    gpu = GPU_MODULES if driver(state) else ()
    present = [
        module
        for module in (*gpu, *NIC_MODULES)
        if module[0] != PEERMEM or state["host"]["peermem"]
    ]
    rows = []
    for name, size, others, _needs in present:
        users = [other for other, _size, _others, needs in present if name in needs]
        rows.append((name, size, others + len(users), users))
    return rows


def boot(state: State) -> None:
    """Load the modules of a boot: nvidia_peermem only where a file of modules-load.d names it."""
    refused = driver(state) is None or faults.active(state, "peermem-refused")
    state["host"]["peermem"] = not refused and PEERMEM in _wanted()
    built = pathlib.Path("/lib/modules") / os.uname().release / "updates"
    state["host"]["upon"] = [name for name in _upon(state) if (built / f"{name}.ko").exists()]


def _upon(state: State) -> list[str]:
    return state["host"].get("upon") or []


def _wanted() -> set[str]:
    folder = paths.modules_load()
    found = set()
    for path in sorted(folder.glob("*.conf")) if folder.is_dir() else []:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip()[:1] not in ("", "#", ";"):
                found.add(plain(line.strip()))
    return found


def files(state: State) -> dict[str, str]:
    """Path under the run folder -> text: sys/module and what /proc would have."""
    rows = loaded(state)
    texts = {
        "proc/modules": "".join(
            f"{name} {size} {count} {','.join([*users, '']) or '-'} Live 0x0000000000000000\n"
            for name, size, count, users in rows
        )
    }
    for name, _size, count, _users in rows:
        texts[f"sys/module/{name}/initstate"] = "live\n"
        texts[f"sys/module/{name}/refcnt"] = f"{count}\n"
    for name in _upon(state):
        texts[f"sys/module/{name}/refcnt"] = "0\n"
        texts[f"sys/module/ib_core/holders/{name}/refcnt"] = "0\n"
    found = driver(state)
    if found is not None:
        texts["proc/driver/nvidia/version"] = (
            f"NVRM version: {found.banner}\nGCC version:  {found.compiler}\n"
        )
        for name, *_rest in rows:
            if name.startswith("nvidia"):
                texts[f"sys/module/{name}/version"] = f"{found.version}\n"
    return texts


def information(state: State, name: str) -> Optional[list[tuple[str, str]]]:
    """modinfo's (field, value) of a module of the GPU driver, or None where there is no such."""
    found = driver(state)
    needs = {module[0]: module[3] for module in GPU_MODULES}
    if found is None or plain(name) not in needs:
        return None
    file = plain(name).replace("_", "-")
    fields = [("filename", f"/lib/modules/{os.uname().release}/updates/dkms/{file}.ko")]
    if plain(name) == PEERMEM:
        fields += [
            ("version", found.version),
            ("license", "Linux-OpenIB"),
            ("description", "NVIDIA GPU memory plug-in"),
            ("author", "Yishai Hadas"),
        ]
    else:
        fields += [("import_ns", "DMA_BUF")] if found is DRIVERS["open"] else []
        fields += [
            ("version", found.version),
            ("supported", "external"),
            ("license", found.license),
        ]
    return [
        *fields,
        ("depends", ",".join(sorted(needs[plain(name)]))),
        ("name", plain(name)),
        ("vermagic", f"{os.uname().release} SMP preempt mod_unload modversions "),
    ]
