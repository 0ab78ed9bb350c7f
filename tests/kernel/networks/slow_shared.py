# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An array that tenants share, on other leaves than their nodes: these leaves have the way to it by EVPN alone."""

from __future__ import annotations

from kernel.networks import core
from kernel.networks.doubles import checked

STORY = "shared"


def story(folder):
    """Leaves below spines, and what is told of three of these switches."""
    plan = core.planned(folder, core=False)
    return plan, core.leaves(plan, checked(plan.names, plan.document))


def test_nodes_on_leaves_without_arrays_reach_the_array_and_not_one_another(order, answer):
    assert len(answer["announced"]["array"]) == len(order["tenants"])
    assert answer["announced"]["crossed"] == []


def test_where_tenants_do_not_announce_the_way_to_the_array_nobody_has_it(answer):
    """So the test above can fail."""
    assert answer["unannounced"]["array"] == []
