# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions of a change, and the requirements on a switch from the factory."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    change_conditions,
    compose,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)


@pytest.mark.parametrize(
    "manage, role, managed, considered",
    [
        ([], "switch_roce", False, True),
        (["switch_roce"], "switch_roce", True, True),
        (["switch_roce"], "switch_underlay", False, False),
        (["switch_underlay"], "switch_maintenance", True, True),
    ],
)
def test_only_listed_roles_write(load, manage, role, managed, considered):
    part = change_conditions.part(compose.context(load(manage=manage), "spine-p1-s01"), role)
    assert (part["managed"], part["considered"]) == (managed, considered)


def test_terms(load):
    fabric = load(accept_releases=["5.17"], unmanaged=["interface/swp60"])
    made = change_conditions.terms(compose.context(fabric, "leaf-p1-su001-r1"))
    assert made["expected"]["releases"] == ["5.16.1", "5.17"]
    assert made["expected"]["lldp"]["swp3s0"] == {"system": "spine-p1-s01", "port": "swp1s0"}
    assert made["unmanaged"] == ["interface/swp60"]
    assert made["host_ports"] == ["swp1s0", "swp1s1", "swp2s0", "swp2s1"]


def test_a_leaf_is_known_by_switches_alone():
    """A host says what its root likes, so that the two uplinks of this leaf decide."""
    made = change_conditions.terms(compose.context(example("lab-2plane"), "leaf-p2-su001-r1"))
    assert {place["system"] for place in made["expected"]["lldp"].values()} == {"spine-p2-s01"}


def test_a_switch_from_the_factory_needs_little(load):
    made = change_conditions.first(compose.context(load(), "leaf-p1-su001-r1"))
    assert set(made) == {"system", "interface"}
    assert set(made["system"]) == {"api", "hostname"}
    assert set(made["interface"]) == {"eth0"}
