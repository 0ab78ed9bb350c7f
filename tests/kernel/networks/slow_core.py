# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A core of two switches, and an array that its tenants share by leaking between VRFs."""

from __future__ import annotations

import ipaddress

import pytest
from kernel.networks import core
from kernel.networks.doubles import checked

STORY = "core"


def story(folder):
    """The core, and what is told of it."""
    plan = core.planned(folder, core=True)
    return plan, core.order(plan, checked(plan.names, plan.document))


def test_a_node_sees_one_lacp_partner_over_the_two_switches(answer):
    assert set(answer["lacp"]) == {"acme front", "globex front"}
    for row in answer["lacp"].values():
        assert row["ports"] == 2
        assert [partner[:12] for partner in row["partners"]] == ["44:38:39:ff:"]


def test_tenants_reach_the_array_and_the_outside_and_nobody_else(answer):
    assert len(answer["apart"]["own"]) == 6
    assert answer["apart"]["wrong"] == []


def routes(order, answer, state):
    """(tenant, switch, its routes, the prefix of another tenant's storage, the prefix of the service)."""
    rows = {slug: row["store"] for slug, row in order["tenants"].items()}
    for slug, row in rows.items():
        (other,) = (one["prefix"] for name, one in rows.items() if name != slug)
        for switch, found in answer["sharing"][state]["routes"][row["vrf"]].items():
            yield slug, switch, found, other


def inside(found, prefix):
    """The routes within a prefix."""
    whole = ipaddress.ip_network(prefix)
    return [route for route in found if ipaddress.ip_network(route).subnet_of(whole)]


def test_tenants_share_an_array_and_have_no_route_to_each_other(order, answer):
    for _slug, _switch, found, other in routes(order, answer, "filtered"):
        assert order["shared"]["prefix"] in found
        assert inside(found, other) == []
    assert len(answer["sharing"]["filtered"]["array"]) == 2
    assert answer["sharing"]["filtered"]["crossed"] == []


def test_without_the_filters_tenants_learn_of_each_other(order, answer):
    """So the test above can fail; and with the filters back it is as before."""
    assert any(inside(found, other) for _s, _n, found, other in routes(order, answer, "unfiltered"))
    assert answer["sharing"]["unfiltered"]["crossed"]
    assert answer["sharing"]["again"] is not None
    assert answer["sharing"]["served"] is not None


@pytest.mark.parametrize("tenant", ["acme", "globex"])
def test_the_other_switch_carries_on_when_one_dies(order, answer, tenant):
    dying = answer["dying"]["core"]
    assert dying["back"] is not None, dying
    assert set(dying["lost"][tenant]) == {
        order["tenants"][tenant]["store"]["vip"],
        order["outside"],
    }
