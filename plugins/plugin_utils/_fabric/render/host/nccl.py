# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of a node for NCCL and a scheduler, as far as they follow from the plan.

`module_utils/_host/nccl.py` adds what only the host knows, and makes the files. Source of the variables:
NVIDIA/nccl src/transport/net_ib, NVIDIA's HPC-X pages and field settings for Spectrum-X. The `versions` are
{ra, nccl: [version], hpcx: [version]}.
"""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from .....module_utils._host.nccl import Plan, Stack
    from ...plan.fabric import Fabric


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


def facts(fabric: Fabric, versions: Stack) -> Plan:
    """{env, planes, plane_mode, balancing, crosses_rails, versions}."""
    planes = fabric.description.planes
    by_rail = bool(fabric.clos.by_rail)
    return {
        "env": {**ENVIRONMENT, **(NOT_BETWEEN_RAILS if by_rail else {})},
        "planes": planes.count,
        "plane_mode": planes.mode if planes.count > 1 else "none",
        "balancing": planes.balancing,
        "crosses_rails": not by_rail,
        "versions": versions,
    }
