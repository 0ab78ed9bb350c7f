# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a design agree with the plan that follows from it."""

from __future__ import annotations

import collections

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.designs import (
    designs,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.facts import facts
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.request import (
    Request,
)

ASKS = [
    Request(gpus=20),
    Request(gpus=256),
    Request(gpus=520, final_gpus=2048),
    Request(gpus=1000, planes=2),
    Request(gpus=640, planes=8),
    Request(gpus=72, gpus_per_node=4),
    Request(gpus=2100, switch="SN5400"),
]


@pytest.mark.parametrize("ask", ASKS, ids=str)
def test_switches_and_cables_are_those_of_the_plan(ask):
    for design in designs(ask):
        figures, fabric = facts(design), design.fabric
        built = collections.Counter(switch.role for switch in fabric.switches())
        assert {role: first for role, (first, _last) in figures["switches"].items()} == built
        assert sum(last for _first, last in figures["switches"].values()) == sum(
            fabric.clos.switches().values()
        )
        assert {kind: first for kind, (first, _last) in figures["cables"].items()} == _cables(
            fabric
        )


def _cables(fabric):
    """Cables by the slices: each once, at its lower end."""
    found = {"hosts": 0, "switches": 0}
    for device in fabric.devices():
        if isinstance(device, Node):
            found["hosts"] += len(list(fabric.cabling.nic_ports()))
        else:
            found["switches"] += sum(
                1 for port in fabric.cabling.ports(device) if port.kind == "up"
            )
    return found


def test_cages_and_ratio_are_of_one_switch():
    figures = facts(designs(Request(gpus=256))[1])
    assert figures["spare_cages"] == {"leaf": 32, "spine": 0}
    assert figures["oversubscription"] == {"leaf": 1.0}


def test_growth_is_what_is_left_of_the_capacity():
    figures = facts(designs(Request(gpus=2048))[1])
    assert (figures["more_sus"], figures["more_gpus"]) == (4, 2048)
    assert figures["gpus"] == (2048, 4096)


def test_addresses_are_those_of_the_profile():
    figures = facts(designs(Request(gpus=2048))[0])
    assert figures["profile"] == "nvidia-guide-v4-2tier"
    assert "172.16.0.0/12" in figures["prefixes"]
    assert "octet-v4" in figures["other_profiles"]
    assert 0.3 < figures["private_share"] < 0.4


def test_limits_that_are_passed_are_named():
    (figures,) = [facts(design) for design in designs(Request(gpus=524_288))]
    assert any("routes_if_one_tenant_has_all" in text for text in figures["over_limits"])
