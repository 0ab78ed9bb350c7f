# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of a description, and what they are."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report import (
    earlier_plan,
    plan_difference,
)

CHANGES = {
    "raised capacity": {"capacity": {"sus_per_pod": 3, "slots_per_su": 8}},
    "another profile": {"addressing": {"profile": "dense-v4"}},
    "other names": {"naming": {"leaf": "tor-p{plane}-{pod}-{su}-{rail}"}},
    "another name": {"name": "other"},
    "another site": {
        "site": 1,
        "addressing": {
            "profile": "nvidia-guide-v6",
            "pools": {"loopback": "100.96.0.0/13", "vtep": "100.104.0.0/13"},
        },
    },
    "numbered links": {"addressing": {"profile": "octet-v4", "inter_switch": "numbered-31"}},
    "swapped cage": {
        "swapped_ports": [{"device": "leaf-p1-su001-r1", "ports": ["swp1s0", "swp2s1"]}]
    },
    "growth": {"absent": []},
}

TWO_TIERS = {
    "capacity": {"sus_per_pod": 3, "slots_per_su": 4},
    "switches": {"usable_ports": 32},
    "rails": 2,
}


def changes(old, new):
    return list(plan_difference.against(old, new))


def described(old, new):
    return changes(earlier_plan.computed(old), new)
