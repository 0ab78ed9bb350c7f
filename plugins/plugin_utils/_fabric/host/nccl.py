# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NCCL's environment and the topology facts of a node, for its scheduler.

`facts` follows from the plan; `files` adds what only the host knows (names of RDMA devices, index
of the address in the table of GIDs). Source of the variables: NVIDIA/nccl src/transport/net_ib,
NVIDIA's HPC-X pages and field settings for Spectrum-X. `desired.py` adds to the facts `versions`: {ra,
nccl: [version], hpcx: [version]}.
"""

from __future__ import annotations

import json
import typing as t

from ..model.errors import FabricError

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..fabric import Fabric

Plain = dict[str, t.Any]

ENVIRONMENT = {
    "NCCL_IB_TC": "96",
    "NCCL_IB_SL": "0",
    "NCCL_IB_ADAPTIVE_ROUTING": "1",
    "NCCL_IB_ROCE_VERSION_NUM": "2",
    "NCCL_IB_RETRY_CNT": "7",
    "NCCL_IB_MERGE_NICS": "0",
}
NOT_BETWEEN_RAILS = {"NCCL_CROSS_NIC": "0"}
"""Rails are planes of their own: a NIC reaches its own rail only."""


def facts(fabric: Fabric, rows: Iterable[Mapping[str, t.Any]]) -> Plain:
    """{env, planes, balancing, rails: [{rail, plane, interface, leaf}], crosses_rails}.

    A rail stands for each address, so for each RDMA device: where hardware balances the planes of
    a NIC (hwplb) its first port has both, and `leaf` is that of the first plane.
    """
    planes = fabric.description.planes
    by_rail = bool(fabric.clos.by_rail)
    rails = [
        {
            "rail": row["rail"],
            "plane": row["plane"],
            "interface": row["name"],
            "address": row["address"],
            "leaf": row["peer"]["device"],
        }
        for row in rows
        if row.get("address")
    ]
    return {
        "env": {**ENVIRONMENT, **(NOT_BETWEEN_RAILS if by_rail else {})},
        "planes": planes.count,
        "plane_mode": planes.mode if planes.count > 1 else "none",
        "balancing": planes.balancing,
        "crosses_rails": not by_rail,
        "rails": rails,
    }


def files(
    plan: Mapping[str, t.Any],
    found: Sequence[Mapping[str, t.Any]],
    environment: Mapping[str, t.Any] | None = None,
) -> Plain:
    """{environment: text of KEY=VALUE lines, topology: text of JSON} of one node.

    Both name the NCCL and HPC-X of the validated set (`plan["versions"]`), which jobs bring along.

    `found` are the interfaces of the host with `name`, `rdma` and `gid_index`. FabricError when
    an interface has no RDMA device, or addresses stand at different places of the GID tables.
    """
    known = {row["name"]: row for row in found}
    rails = [_rail(row, known.get(row["interface"], {})) for row in plan["rails"]]
    indexes = {row["gid_index"] for row in rails} - {None}
    if len(indexes) > 1:
        said = ", ".join(f"{row['interface']} {row['gid_index']}" for row in rails)
        raise FabricError.of(
            f"GID indexes differ between rails ({said}), and NCCL takes one for all: remove "
            "further addresses from the rails."
        )
    devices = list(dict.fromkeys(row["rdma"] for row in rails))
    variables = {
        **plan["env"],
        "NCCL_IB_HCA": "=" + ",".join(f"{name}:1" for name in devices),
        **({"NCCL_IB_GID_INDEX": str(indexes.pop())} if indexes else {}),
        **{str(key): str(value) for key, value in (environment or {}).items()},
    }
    versions = plan.get("versions") or {}
    topology = {**{k: v for k, v in plan.items() if k not in ("env", "rails")}, "rails": rails}
    return {
        "environment": _head(versions)
        + "".join(f"{key}={variables[key]}\n" for key in sorted(variables)),
        "topology": json.dumps({"schema": 1, **topology}, indent=1, sort_keys=True) + "\n",
    }


def _head(versions: Mapping[str, t.Any]) -> str:
    """A comment without an equals sign, which NCCL's own reader takes for no variable."""
    names = {"nccl": "NCCL", "hpcx": "HPC-X"}
    known = [f"{names[key]} {' or '.join(versions[key])}" for key in names if versions.get(key)]
    return f"# What goes with RA {versions['ra']}: {', '.join(known)}\n" if known else ""


def _rail(row: Mapping[str, t.Any], found: Mapping[str, t.Any]) -> Plain:
    if not found.get("rdma"):
        raise FabricError.of(
            f"{row['interface']}: it has no RDMA device, so NCCL could not use it: check that the "
            "driver has taken the card."
        )
    return {**row, "rdma": found["rdma"], "gid_index": found.get("gid_index")}
