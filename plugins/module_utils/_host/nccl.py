# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that NCCL and a scheduler read on a node.

They follow from the plan (`plan`, the part `nccl` of the desired state) and from what only the host knows: names of
RDMA devices, and the index of the address in the table of GIDs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from .._nic.errors import NicError
from .records import Rail


class Stack(TypedDict, total=False):
    """Libraries that a job should use, with the RA that requires them."""

    ra: str
    nccl: list[str]
    hpcx: list[str]


class KnownRail(TypedDict):
    """A rail of the plan, with its RDMA device."""

    rail: int
    plane: int
    interface: str
    address: str
    leaf: str
    rdma: str
    gid_index: int | None


class Plan(TypedDict):
    """Settings of a host for NCCL and schedulers, beside its interfaces."""

    env: dict[str, str]
    planes: int
    plane_mode: str
    balancing: str
    crosses_rails: bool
    versions: Stack


class Texts(TypedDict):
    """The two files."""

    environment: str
    topology: str


def files(
    plan: Plan,
    interfaces: Iterable[Mapping[str, Any]],
    found: Iterable[Rail],
    environment: Mapping[str, object] | None = None,
) -> Texts:
    """{environment: text of KEY=VALUE lines, topology: text of JSON} of one node.

    Both name the NCCL and HPC-X of the validated set (`plan["versions"]`), which jobs bring along.

    There is a rail for each of the planned `interfaces` that has an address, so for each RDMA device: where hardware
    balances the planes of a NIC (hwplb) its first port has both. `found` are the interfaces of the host with `name`,
    `rdma` and `gid_index`. NicError when an interface has no RDMA device, or addresses are at different places of the
    GID tables.
    """
    known = {row["name"]: row for row in found}
    rails = [_rail(row, known.get(row["name"])) for row in interfaces if row.get("address")]
    variables = {
        **plan["env"],
        **devices([(row["interface"], row["rdma"], row["gid_index"]) for row in rails]),
        **{str(key): str(value) for key, value in (environment or {}).items()},
    }
    versions = plan.get("versions") or Stack()
    topology = {**{k: v for k, v in plan.items() if k != "env"}, "rails": rails}
    return {
        "environment": _head(versions)
        + "".join(f"{key}={variables[key]}\n" for key in sorted(variables)),
        "topology": json.dumps({"schema": 1, **topology}, indent=1, sort_keys=True) + "\n",
    }


def devices(rails: Sequence[tuple[str, str, int | None]]) -> dict[str, str]:
    """Return the variables of NCCL for rails as (interface, RDMA device, GID index); NicError where indexes differ."""
    indexes = {index for _name, _rdma, index in rails} - {None}
    if len(indexes) > 1:
        said = ", ".join(f"{name} {index}" for name, _rdma, index in rails)
        raise NicError(
            f"GID indexes differ between rails ({said}), and NCCL uses one for all: remove "
            "further addresses from the rails."
        )
    names = ",".join(dict.fromkeys(f"{rdma}:1" for _name, rdma, _index in rails))
    return {
        "NCCL_IB_HCA": f"={names}",
        **({"NCCL_IB_GID_INDEX": str(indexes.pop())} if indexes else {}),
    }


def _head(versions: Stack) -> str:
    """A comment without an equals sign, which NCCL's own reader takes for no variable."""
    names = {"nccl": "NCCL", "hpcx": "HPC-X"}
    stated: Mapping[str, Any] = versions
    known = [f"{names[key]} {' or '.join(stated[key])}" for key in names if stated.get(key)]
    return f"# Versions of RA {versions['ra']}: {', '.join(known)}\n" if known else ""


def _rail(row: Mapping[str, Any], found: Rail | None) -> KnownRail:
    if found is None or not found["rdma"]:
        raise NicError(
            f"{row['name']}: it has no RDMA device, so NCCL could not use it: check that the "
            "driver is bound to the card."
        )
    return {
        "rail": row["rail"],
        "plane": row["plane"],
        "interface": row["name"],
        "address": row["address"],
        "leaf": row["peer"]["device"],
        "rdma": found["rdma"],
        "gid_index": found["gid_index"],
    }
