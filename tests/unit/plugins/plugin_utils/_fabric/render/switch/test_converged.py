# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that the features of converged switches share."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    converged,
)

from . import converged_fabric as made

SUBNET = {"subnet": "10.208.14.0/23", "vlan": 21}


def test_bonds_by_their_members(load):
    ctx = made.context(load, made.STORAGE)
    found = {bond.name: [row["port"] for row in bond.members] for bond in converged.bonds(ctx)}
    assert found == {"bond1": ["swp1s0"], "bond2": ["swp2s0"], "bond5001": ["swp20s0"]}


def test_each_leaf_has_an_address_of_its_own_on_a_vlan(load):
    """Of both roles and both members, from the end of the subnet, beside the gateway."""
    leaves = [leaf._replace(index=m) for leaf in (made.FRONT, made.STORAGE) for m in (0, 1)]
    found = [converged.own_address(made.context(load, leaf), SUBNET) for leaf in leaves]
    assert found == ["10.208.15.254", "10.208.15.252", "10.208.15.253", "10.208.15.251"]


def test_a_subnet_without_room_for_the_leaves_is_refused(load):
    ctx = made.context(load, made.FRONT._replace(pod=3))
    with pytest.raises(FabricError) as caught:
        converged.own_address(ctx, {"subnet": "10.208.14.0/28", "vlan": 21})
    assert str(caught.value).startswith(
        "front-end-leaf-001-1: the subnet 10.208.14.0/28 of VLAN 21 has no room for an address of its own"
    )


def test_a_port_is_in_service_where_its_end_is_built(load):
    ctx = made.context(load, made.FRONT)
    found = {row["port"]: converged.in_service(ctx, row) for row in converged.ports(ctx, "host")}
    assert found == {"swp1s0": True, "swp2s0": True, "swp3s0": False}


def test_switches_are_counted_at_capacity(load):
    assert converged.switches(made.context(load, made.SPINE)) == 8


def test_spines_have_no_vrfs(load):
    assert converged.rows(made.context(load, made.SPINE, networks=[])) == []


@pytest.mark.parametrize(
    "text, family, alone",
    [("192.0.2.1", "ipv4", "192.0.2.1/32"), ("2001:db8::1", "ipv6", "2001:db8::1/128")],
)
def test_addresses(text, family, alone):
    assert (converged.family(text), converged.host(text)) == (family, alone)
    assert converged.length(alone) == (32 if family == "ipv4" else 128)
