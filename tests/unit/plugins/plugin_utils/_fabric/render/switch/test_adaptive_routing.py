# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adaptive routing where the role wants it."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose

from . import converged_fabric as made
from .ports import ports_with


@pytest.mark.parametrize(
    "name, device, kinds",
    [
        ("lab", "leaf-p1-su001-r1", {"up"}),
        ("lab", "spine-p1-s01", {"down"}),
        ("lab-3tier", "leaf-p1-pod01-su001-r1", {"up"}),
        ("lab-3tier", "spine-p1-pod01-s01", {"up", "down"}),
        ("lab-3tier", "super-spine-p1-g01-s01", {"down"}),
    ],
)
def test_adaptive_routing_where_the_role_wants_it(load, name, device, kinds):
    fabric = load(name)
    document = compose.document(fabric, device)
    wanted = {row["port"] for row in fabric.slice(device)["ports"] if row["kind"] in kinds}
    assert ports_with(document, "router", "adaptive-routing") == wanted
    assert document["router"]["adaptive-routing"]["profile"] == "profile-custom"


def test_building_a_unit_later_changes_no_adaptive_routing(load):
    before = compose.document(
        load(absent=["pod01/su02"]), "spine-p1-s01", ["switch_adaptive_routing"]
    )
    assert before == compose.document(load(), "spine-p1-s01", ["switch_adaptive_routing"])


def test_adaptive_routing_off_leaves_nothing(load):
    fabric = load(routing={"adaptive_routing": False})
    assert compose.document(fabric, "leaf-p1-su001-r1", ["switch_adaptive_routing"]) == {}


@pytest.mark.parametrize(
    ("accept", "options", "mode"),
    [
        ([], {}, "auto"),
        (["5.15"], {}, "ingress"),
        ([], {"ar_values": {"ar.ibm": "ingress"}}, "ingress"),
    ],
)
def test_one_threshold_is_another_since_5_16_and_can_be_chosen(load, accept, options, mode):
    fabric = load(accept_releases=accept)
    made = compose.document(fabric, "spine-p1-s01", ["adaptive_routing"], options=options)
    snippet = made["system"]["config"]["snippet"]["spx-ar-profile"]
    assert f"ar.ibm = {mode}\n" in snippet["content"]
    assert snippet["services"] == {"switchd": {"service": "switchd", "action": "reload"}}


def test_numbers_of_the_profile_can_be_set(load):
    made = compose.document(
        load(), "spine-p1-s01", ["adaptive_routing"], options={"ar_values": {"ar.srt": "20"}}
    )
    content = made["system"]["config"]["snippet"]["spx-ar-profile"]["content"]
    assert "ar.srt = 20\n" in content
    assert "ar.ctm = 800\n" in content
    assert content.count("ar.srt") == 1


@pytest.mark.parametrize("switch", made.ALL, ids=lambda switch: switch.role)
def test_converged_switches_route_adaptively_on_links_between_switches_only(load, switch):
    ctx = made.context(load, switch)
    document = compose.render(ctx)
    assert ports_with(document, "router", "adaptive-routing") == {
        row["port"] for row in ctx.fabric_ports
    }
