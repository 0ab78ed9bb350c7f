# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a design as plain data, all from its plan."""

from __future__ import annotations

import typing as t

from ..plan.addressing import space, suggest
from ..plan.topology.cages import gbps
from ..report.report import capacity, pools
from . import growth, search
from .request import uncovered

if t.TYPE_CHECKING:
    from ..description.description import Description
    from ..plan.fabric import Fabric
    from .designs import Design


class Equipment(t.TypedDict):
    """The part of the figures that the catalogs decide."""

    model: str
    nic: str
    host_speed: str
    fabric_speed: str
    ra: str
    cumulus: str
    nics_not_public: str


class Facts(Equipment):
    """A design in figures. A pair is (first day, at capacity).

    `switches`, `spare_cages` go by role; `cables` by `hosts` and `switches`. `oversubscription` is the bandwidth of a
    switch downwards for each unit upwards. `private_share` is the part of the addresses of RFC 1918 that is taken.
    `plan_gpus` is what a plan says, which counts one GPU for each rail.
    """

    reason: str
    nodes: tuple[int, int]
    gpus: tuple[int, int]
    plan_gpus: int
    tiers: int
    planes: int
    plane_mode: str
    pods: int
    sus_per_pod: int
    slots_per_su: int
    rails: int
    rails_per_leaf: int
    switches: dict[str, tuple[int, int]]
    cables: dict[str, tuple[int, int]]
    spare_cages: dict[str, int]
    oversubscription: dict[str, float]
    more_sus: int
    more_gpus: int
    raised_by: str
    raised_moves: list[str]
    raised_refused: str
    start_smaller: str
    profile: str
    other_profiles: list[str]
    prefixes: list[str]
    private_share: float
    over_limits: list[str]


def facts(design: Design) -> Facts:
    """The figures of a design."""
    fabric, clos = design.fabric, design.fabric.clos
    rows = capacity(fabric)
    prefixes = space.taken(pools(fabric))
    raised = growth.raised(fabric)
    built_sus = -(-design.nodes // clos.slots)
    return {
        "reason": design.reason,
        **_equipment(fabric.description),
        "nodes": (design.nodes, clos.nodes),
        "gpus": (design.nodes * design.gpus_per_node, clos.nodes * design.gpus_per_node),
        "plan_gpus": clos.gpus,
        "tiers": clos.tiers,
        "planes": clos.planes,
        "plane_mode": "by-rail" if clos.by_rail else fabric.description.planes.balancing,
        "pods": clos.pods,
        "sus_per_pod": clos.sus,
        "slots_per_su": clos.slots,
        "rails": clos.rails,
        "rails_per_leaf": clos.rails_per_leaf,
        "switches": _switches(design),
        "cables": cables(design),
        "spare_cages": {row["role"]: row["spare"] for row in rows if row["what"] == "cages"},
        "oversubscription": oversubscription(fabric),
        "more_sus": clos.pods * clos.sus - built_sus,
        "more_gpus": (clos.nodes - design.nodes) * design.gpus_per_node,
        "raised_by": raised.step,
        "raised_moves": raised.moves,
        "raised_refused": raised.refused,
        "start_smaller": _smaller(design),
        "profile": fabric.description.addressing.profile,
        "other_profiles": _others(fabric),
        "prefixes": prefixes,
        "private_share": space.private_share(prefixes),
        "over_limits": [
            f"{r['role']} {r['what']} {r['used']} of {r['limit']}" for r in rows if r["spare"] < 0
        ],
    }


def _equipment(d: Description) -> Equipment:
    return {
        "model": d.switches.model,
        "nic": d.nics.model,
        "host_speed": d.switches.host_speed,
        "fabric_speed": d.switches.fabric_speed,
        "ra": d.release.ra,
        "cumulus": d.release.cumulus,
        "nics_not_public": uncovered(d),
    }


def _smaller(design: Design) -> str:
    """Describe a start with fewer switches of the top tier, and what it costs later."""
    found = growth.smaller(design.fabric, design.nodes)
    if found is None:
        return ""
    role = "super-spines" if design.fabric.clos.tiers == 3 else "spines"
    return f"{found.spines:,} {role}, {found.moved:,} of {found.cables:,} cables move later"


def _switches(design: Design) -> dict[str, tuple[int, int]]:
    first = search.switches_of(design.fabric.clos, design.nodes)
    at_capacity = design.fabric.clos.switches()
    return {role: (first[role], at_capacity[role]) for role in first if at_capacity[role]}


def cables(design: Design) -> dict[str, tuple[int, int]]:
    """Cables to hosts and between switches, as `links.csv` lists them."""
    clos, cabling = design.fabric.clos, design.fabric.cabling
    ports = sum(1 for _port in cabling.nic_ports())
    first = search.switches_of(clos, design.nodes)
    up = {"leaf": clos.leaf_up.count, "spine": clos.spine_up.count}

    def between(switches: t.Mapping[str, int]) -> int:
        return sum(switches[role] * count for role, count in up.items())

    return {
        "hosts": (design.nodes * ports, clos.nodes * ports),
        "switches": (between(first), between(clos.switches())),
    }


def oversubscription(fabric: Fabric) -> dict[str, float]:
    """By role below the top tier: bandwidth down for each unit up, at capacity."""
    speeds = fabric.description.switches
    clos = fabric.clos
    host, between = gbps(speeds.host_speed), gbps(speeds.fabric_speed)
    made = {"leaf": clos.leaf_host.count * host / (clos.leaf_up.count * between)}
    if clos.tiers == 3:
        made["spine"] = clos.spine_down.count / clos.spine_up.count
    return made


def _others(fabric: Fabric) -> list[str]:
    """The other address profiles that fit."""
    d = fabric.description
    found = suggest.suggest(d, fabric.clos)
    return [name for name, reasons in found.items() if not reasons and name != d.addressing.profile]
