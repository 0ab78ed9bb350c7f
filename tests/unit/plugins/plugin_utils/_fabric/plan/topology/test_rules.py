# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules between the keys of a description."""

from __future__ import annotations

import dataclasses

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology import rules
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    BY_RAIL,
    build,
)

# Counts at the edge of what ASNs hold; no spine has ports for so many leaves today.
EDGES = [
    ({"sus": 1000, "leaves_per_su": 1, "slots": 1, "pods": 1}, []),
    ({"sus": 1001, "leaves_per_su": 1, "slots": 1, "pods": 1}, ["1001 leaves in a pod"]),
    ({"sus": 1, "leaves_per_su": 1, "slots": 1, "pods": 128}, []),
    ({"sus": 1, "leaves_per_su": 1, "slots": 1, "pods": 129}, ["129 pods do not fit"]),
    ({"sus": 512, "leaves_per_su": 1, "slots": 128, "pods": 1}, []),
    ({"sus": 1, "leaves_per_su": 1, "slots": 65_537, "pods": 1}, ["65537 nodes do not fit"]),
]


@pytest.mark.parametrize("counts, sentences", EDGES)
def test_what_the_asn_scheme_holds(counts, sentences):
    fabric = build()
    clos = dataclasses.replace(fabric.clos, **counts)
    found = [breach.sentence for breach in rules._numbering(fabric.description, clos)]
    assert len(found) == len(sentences)
    assert all(map(str.startswith, found, sentences))


REFUSED = [
    ({"capacity": {"slots_per_su": 65}}, "slots_per_su: 65"),
    ({"capacity": {"sus_per_pod": 17}}, "17 SUs make 136 leaves in a plane, more than the 128"),
    ({"capacity": {"pods": 2}}, "tiers 3 or one pod"),
    ({"tiers": 3, "capacity": {"sus_per_pod": 9}}, "more than the 64 downlinks of a spine"),
    ({"switches": {"usable_ports": 129}}, "more than the 128 ports of 400G"),
    ({"switches": {"usable_ports": 7}, "capacity": {"slots_per_su": 3}}, "is not a multiple of 2"),
    ({"switches": {"model": "SN5601"}}, "did you mean 'SN56"),
    ({"switches": {"host_speed": "100G"}}, "use 800G, 400G, 200G"),
    ({"switches": {"fabric_speed": "800G"}}, "no adaptive routing"),
    (
        {
            "switches": {"model": "SN5400", "fabric_speed": "100G"},
            "capacity": {"slots_per_su": 32},
        },
        "no adaptive routing",
    ),
    ({"wiring": {"rails_per_leaf": 3}}, "does not divide the 8 rails"),
    ({"planes": {"count": 4, "mode": "by-rail"}}, "differs from the 8 rails"),
    ({"planes": BY_RAIL, "wiring": {"mode": "top-of-rack"}}, "contradict by-rail"),
    (
        {"wiring": {"mode": "top-of-rack"}, "switches": {"usable_ports": 8}},
        "8 rails of one node that share a leaf are more than the 4 host ports",
    ),
]


@pytest.mark.parametrize("changes, text", REFUSED)
def test_refused_with_the_numbers(changes, text):
    with pytest.raises(FabricError) as caught:
        build(**changes)
    assert text in str(caught.value)
