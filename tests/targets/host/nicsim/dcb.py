# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Priority trust, PFC and buffers of one port, as the kernel keeps them (DCB)."""

from __future__ import annotations

from typing import Any

Runtime = dict[str, Any]

TOTAL_BUFFER = 2069280


def trust(runtime: Runtime) -> str:
    """`dscp` while at least one DSCP entry exists, else `pcp`."""
    return "dscp" if runtime["dscp2prio"] else "pcp"


def trust_dscp(runtime: Runtime) -> None:
    """Add all 64 entries dscp -> dscp >> 3; nothing happens when trust is dscp already."""
    if trust(runtime) != "dscp":
        runtime["dscp2prio"] = {str(dscp): dscp >> 3 for dscp in range(64)}


def trust_pcp(runtime: Runtime) -> None:
    """Drop every DSCP entry."""
    runtime["dscp2prio"] = {}


def delete_entry(runtime: Runtime, dscp: int, priority: int) -> bool:
    """Remove one entry; with the last one the trust state returns to pcp."""
    if runtime["dscp2prio"].get(str(dscp)) != priority:
        return False
    del runtime["dscp2prio"][str(dscp)]
    return True


def entries(runtime: Runtime) -> list[tuple[int, int]]:
    """(dscp, priority) in the kernel's order: descending."""
    return sorted(((int(d), p) for d, p in runtime["dscp2prio"].items()), reverse=True)


def prio2buffer(runtime: Runtime) -> list[int]:
    """Set by hand, or by the driver: lossless priorities in buffer 1."""
    return runtime["prio2buffer"] or list(runtime["pfc"])


def buffer_size(runtime: Runtime) -> list[int]:
    """Set by hand, or by the driver."""
    if runtime["buffer_size"]:
        return runtime["buffer_size"]
    return [19872, 243072] + [0] * 6 if any(runtime["pfc"]) else [262944] + [0] * 7
