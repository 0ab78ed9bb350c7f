# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inventory groups of a device."""

from __future__ import annotations

import re

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.groups import Groups
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
    Switch,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
    FEW,
    OOB,
    build,
    example,
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_expected_sizes_of_groups(name):
    fabric = example(name)
    counts = {f"spx_{role}": n for role, n in fabric.clos.switches().items() if n}
    counts["spx_node"] = sum(1 for dummy in fabric.nodes())
    assert Groups(fabric).expected() == counts


GROUPS = [
    ("lab", Switch("leaf", 0, 0, 3), "spx_leaf spx_plane_1 spx_pod_01 spx_su_01_002 spx_rail_2"),
    ("lab", Switch("spine", 0, 0, 1), "spx_spine spx_plane_1 spx_pod_01"),
    ("lab", Node(0, 1, 2), "spx_node spx_pod_01 spx_su_01_002"),
    ("lab-3tier", Switch("super_spine", 0, 1, 0), "spx_super_spine spx_plane_1"),
    (
        "max-524288",
        Switch("leaf", 0, 99, 9),
        "spx_leaf spx_plane_1 spx_pod_100 spx_su_100_002 spx_rail_2",
    ),
    ("max-524288", Node(4, 1, 0), "spx_node spx_pod_005 spx_su_005_002"),
    (
        "multiplane-16384",
        Switch("leaf", 4, 0, 9),
        "spx_leaf spx_plane_5 spx_pod_01 spx_su_01_010 spx_rail_5",
    ),
]


@pytest.mark.parametrize("name, device, groups", GROUPS)
def test_groups(name, device, groups):
    assert Groups(example(name)).of(device) == tuple(groups.split())


@pytest.mark.parametrize("name", ["lab-3tier", "lab-2plane", "b300-4096"])
def test_groups_are_those_of_the_name(name):
    """Every device's numbers of plane, pod, SU and rail, read from its own name."""
    fabric = example(name)
    groups = Groups(fabric)
    words = {"p": "plane_{}", "pod": "pod_{:02}", "r": "rail_{}"}
    for device in fabric.devices():
        told = dict(re.findall(r"-(p|pod|su|r)0*([0-9]+)", fabric.name(device)))
        wanted = {f"spx_{words[key].format(int(n))}" for key, n in told.items() if key in words}
        if "su" in told:
            wanted.add(f"spx_su_{int(told.get('pod', 1)):02}_{int(told['su']):03}")
        role = "node" if isinstance(device, Node) else device.role
        if role != "super_spine":
            wanted.add(f"spx_pod_{int(told.get('pod', 1)):02}")
        assert set(groups.of(device)) == wanted | {f"spx_{role}"}


def test_groups_of_the_converged_fabric_have_no_plane_pod_or_su():
    groups = Groups(example("lab-converged"))
    assert groups.of(Switch("border_leaf", 0, 0, 1)) == ("spx_border_leaf", "spx_converged")
    assert groups.of(Switch("converged_spine", 0, 0, 1))[1] == "spx_converged"
    assert groups.expected()["spx_storage_leaf"] == 2


def test_groups_of_the_out_of_band_network():
    groups = Groups(build(capacity=FEW, oob=OOB))
    assert groups.of(Switch("oob_leaf", 0, 0, 1)) == ("spx_oob_leaf", "spx_oob")
