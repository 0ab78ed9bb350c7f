# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabric as a whole: its counts, and how far each role is from its limits."""

from __future__ import annotations

import typing as t

from .catalog.data import table
from .topology import rules

if t.TYPE_CHECKING:
    from .fabric import Fabric


def facts(fabric: Fabric) -> dict[str, t.Any]:
    """Name, releases, counts, pools and MTUs of a fabric, as plain data."""
    from .slices import mtu  # pylint: disable=import-outside-toplevel

    d, c = fabric.description, fabric.clos
    return {
        "name": d.name,
        "site": d.site,
        "release": {
            "ra": d.release.ra,
            "cumulus": d.release.cumulus,
            "accept": list(d.accept_releases),
        },
        "profile": d.addressing.profile,
        "planes": c.planes,
        "plane_mode": d.planes.mode,
        "balancing": d.planes.balancing,
        "rails": c.rails,
        "tiers": c.tiers,
        "gpus": c.gpus,
        "nodes": c.nodes,
        "nodes_built": sum(1 for _node in fabric.nodes()) if fabric.description.absent else c.nodes,
        "switches": c.switches(),
        "pools": pools(fabric),
        "mtu": mtu(),
        "manage": list(d.manage),
        "unmanaged": list(d.unmanaged),
        "capacity": capacity(fabric),
    }


def pools(fabric: Fabric) -> dict[str, str]:
    """Every prefix that the fabric owns, by name."""
    links = {"host_links": fabric.plan.links.base} if fabric.plan.links else {}
    return links | {name: layout.base for name, layout in fabric.plan.pools.items()}


def capacity(fabric: Fabric) -> list[dict[str, t.Any]]:
    """Per role: ports, sessions and equal paths used at capacity, each limit with its source.

    A row is {role, what, used, limit, spare, source}.
    """
    c, limits = fabric.clos, table("switches")["limits"]
    model = table("switches")["models"][fabric.description.switches.model]
    cages = model["cages"]
    rows = []
    width = _ecmp(fabric)
    for role, blocks in _blocks(fabric).items():
        used = sum(block.cages for block in blocks.values())
        rows.append(_row(role, "cages", used, cages, model["source"]))
        sessions = sum(block.count for kind, block in blocks.items() if kind != "host")
        rows.append(
            _row(
                role,
                "bgp_sessions",
                sessions,
                limits["bgp_sessions"]["value"],
                limits["bgp_sessions"]["source"],
            )
        )
        widest = max(block.count for kind, block in blocks.items() if kind != "host")
        rows.append(_row(role, "equal_paths", widest, width["value"], width["source"]))
    rows.append(
        _row(
            "leaf",
            "tenant_vrfs",
            min(c.leaf_host.count, 255),
            limits["vrfs_per_switch"]["value"],
            limits["vrfs_per_switch"]["source"],
        )
    )
    return rows


def _blocks(fabric: Fabric) -> dict[str, dict[str, t.Any]]:
    roles = ["leaf", "spine", *(["super_spine"] if fabric.clos.tiers == 3 else [])]
    return {role: fabric.cabling.blocks(role) for role in roles}


def _ecmp(fabric: Fabric) -> dict[str, t.Any]:
    limits, d = table("switches")["limits"], fabric.description
    asic = table("switches")["models"][d.switches.model]["asic"]
    wide = asic == "spectrum-4" and rules.version(d.release.cumulus) >= (5, 15)
    return t.cast("dict[str, t.Any]", limits["ecmp_width_spectrum4" if wide else "ecmp_width"])


def _row(role: str, what: str, used: int, limit: int, source: str) -> dict[str, t.Any]:
    return {
        "role": role,
        "what": what,
        "used": used,
        "limit": limit,
        "spare": limit - used,
        "source": source,
    }
