# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Source of every feature of a switch's document."""

from __future__ import annotations

import types

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch.compose import (
    context,
)

from . import converged_fabric as made

LEAF, SPINE = "leaf-p1-su001-r1", "spine-p1-s01"


def test_ports_are_of_hosts_or_of_the_fabric(load):
    ctx = context(load(), LEAF)
    assert {row["kind"] for row in ctx.host_ports} == {"host"}
    assert {row["kind"] for row in ctx.fabric_ports} == {"up"}
    assert len(ctx.host_ports) + len(ctx.fabric_ports) == len(ctx.ports)
    assert ctx.cages["swp1"] == 2
    assert ctx.role == "leaf"


@pytest.mark.parametrize("named", ["here", "there"])
def test_a_port_out_of_service_rests_whichever_end_is_named(load, named):
    row = next(row for row in context(load(), LEAF).ports if row["kind"] == "up")
    ends = {"here": (LEAF, row["port"]), "there": (row["peer"]["device"], row["peer"]["port"])}
    device, port = ends[named]
    entry = {"device": device, "port": port, "since": "2026-01-01", "reason": "dead"}
    ctx = context(load(out_of_service=[entry]), LEAF)
    assert ctx.resting_ports == {row["port"]}
    assert [ctx.shut(one) for one in ctx.ports if one["port"] == row["port"]] == [True]


def test_a_port_without_a_built_peer_is_shut(load):
    ctx = context(load(absent=["pod01/su02"]), SPINE)
    shut = [row for row in ctx.ports if ctx.shut(row)]
    assert shut
    assert not any(row["present"] for row in shut)
    assert ctx.resting_ports == frozenset()


def test_evpn_has_one_port_for_each_neighbour(load):
    ctx = context(load(), LEAF)
    peers = [row["peer"]["device"] for row in ctx.fabric_ports if row["port"] in ctx.evpn_ports]
    assert len(peers) == len(set(peers)) > 0
    assert ctx.evpn


def test_a_node_has_no_context(load):
    with pytest.raises(FabricError, match="is a node: name a switch"):
        context(load(), "worker-su01-rack01-h01")


def test_a_converged_switch_has_a_model_of_its_own_where_the_networks_state_one(load):
    ctx = made.context(load, made.FRONT)
    assert (ctx.converged, ctx.model, ctx.asic) == (True, "SN5600", "spectrum-4")
    stated = types.SimpleNamespace(switches=types.SimpleNamespace(model="SN5640"))
    ctx.fabric.description = types.SimpleNamespace(
        networks=stated, switches=ctx.description.switches, oob_models={}
    )
    assert (ctx.model, ctx.asic) == ("SN5640", "spectrum-5")


def test_ports_of_arrays_and_to_the_outside_are_neither_of_hosts_nor_of_the_fabric(load):
    for switch in made.ALL:
        ctx = made.context(load, switch)
        assert {row["kind"] for row in ctx.host_ports} <= {"host"}
        assert {row["kind"] for row in ctx.fabric_ports} <= {"up", "down"}
