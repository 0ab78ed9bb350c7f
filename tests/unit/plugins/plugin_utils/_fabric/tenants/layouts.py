# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random fabrics and layouts of tenants, and what they let nodes do; shared by tests of documents and of packets."""

from __future__ import annotations

import yaml
from hypothesis import strategies as st


@st.composite
def layouts(draw, sus):
    """Return a registry: each slot goes to a tenant, to rest, to nobody, or is on its way."""
    owners = ["acme", "globex", "initech", "rest-a", "rest-b", None]
    held: dict[str, list[str]] = {}
    moving = {}
    for su in range(1, sus + 1):
        for slot in range(1, 4):
            owner = draw(st.sampled_from(owners))
            place = f"su{su:02}/h{slot:02}"
            if owner:
                held.setdefault(owner, []).append(place)
            if owner in ("acme", "globex") and draw(st.integers(0, 3)) == 0:
                to = "globex" if owner == "acme" else "rest"
                step = draw(st.sampled_from(["drain", "shut", "withdraw", "open", "rest", "join"]))
                moving[place] = {"from": owner, "to": to, "step": step}
    names = ("acme", "globex", "initech")
    tenants = [
        {
            "id": 21 + n,
            "slug": slug,
            "nodes": held.get(slug, []),
            "routes": draw(st.sampled_from(["exact", "rail"])),
        }
        for n, slug in enumerate(names)
    ]
    rest = [
        {"nodes": held[f"rest-{name}"], "acceptance": name}
        for name in "ab"
        if f"rest-{name}" in held
    ]
    return yaml.safe_dump({"tenants": tenants, "rest": rest, "moving": moving})


def may_reach(registry, one, two):
    """Return the rights of two nodes by the registry, without looking at any document."""
    first, second = registry.holding(one), registry.holding(two)
    if not (first.up and second.up) or first.slug != second.slug or first.slug == "quarantine":
        return False
    return first.slug != "rest" or (first.group is not None and first.group == second.group)


PLANES = {
    "one": {"count": 1},
    "split": {"count": 2, "mode": "split", "balancing": "swplb"},
    "by-rail": {"count": 2, "mode": "by-rail"},
}


@st.composite
def fabrics(draw, *, planes=tuple(PLANES), profiles=("octet-v4", "nvidia-guide-v6"), most_sus=3):
    """Return the description of a small fabric: three or four nodes in each SU."""
    mode = draw(st.sampled_from(planes))
    described = {
        "name": "random",
        "release": {"ra": "2.1", "cumulus": "5.16.1"},
        "switches": {
            "model": "SN5600",
            "host_speed": "400G",
            "fabric_speed": "400G",
            "usable_ports": 16 if most_sus > 2 else 8,
        },
        "nics": {"model": "ConnectX-8"},
        "planes": PLANES[mode],
        "rails": 2 if mode == "by-rail" else draw(st.sampled_from([1, 2])),
        "tiers": 2,
        "capacity": {
            "sus_per_pod": draw(st.integers(1, most_sus)),
            "slots_per_su": 4,
            "nodes_per_rack": 2,
        },
        "addressing": {"profile": draw(st.sampled_from(profiles))},
    }
    if draw(st.booleans()):
        described["absent"] = ["*/*/h04"]
    return described


@st.composite
def worlds(draw, **limits):
    """Return (description, registry text) of a small fabric with tenants, rest and moves."""
    described = draw(fabrics(**limits))
    return described, draw(layouts(described["capacity"]["sus_per_pod"]))
