# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of a tenant's job on a converged leaf."""

from __future__ import annotations

import dataclasses
import types

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    compose,
    converged_part,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    Job,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.paths import (
    Globs,
    parse,
)

from . import converged_fabric as made

H01 = "worker-su01-rack01-h01"


def net(slug, vrf, vlan, l2vni, owner_vrf):
    owner = types.SimpleNamespace(slug=slug, vrf=owner_vrf)
    return types.SimpleNamespace(vrf=vrf, vlan=vlan, l2vni=l2vni, owner=owner)


NETS = {
    "quarantine": net("quarantine", "t1-quarantine", 11, 4_300_001, "t1-quarantine"),
    "rest": net("rest", "t2-rest", 12, 4_300_002, "t2-rest"),
    "gone": net("gone", "t20-gone", 20, 4_300_020, "t20-gone"),
    "gone-storage": net("gone", "s20-gone", 2020, 4_400_020, "t20-gone"),
    "beta": net("beta", "t22-beta", 22, 4_300_022, "t22-beta"),
}


def narrowed(load, switch, *, slug="acme", networks=None, nodes=(H01,), **job):
    """(document, places) of a job for nodes by name, whose owner is `slug`."""
    ctx = made.context(load, switch, networks=networks)
    ctx.fabric.name = lambda node: node
    registry = types.SimpleNamespace(
        holding=lambda _node: types.SimpleNamespace(slug=slug),
        nets=NETS,
        file=types.SimpleNamespace(vrfs_per_leaf=None),
    )
    ctx = dataclasses.replace(ctx, tenants=registry)
    whole = compose.render(ctx, ["tenants"])
    return converged_part.narrowed(ctx, Job(nodes=nodes, **job), whole), whole


def test_a_job_changes_the_bonds_of_its_nodes_alone(load):
    (config, owns), whole = narrowed(load, made.FRONT)
    assert config["interface"]["bond1"] == whole["interface"]["bond1"]
    assert config["interface"]["swp1s0"] == whole["interface"]["swp1s0"]
    assert not {"bond2", "swp2s0", "swp3s0", "vlan11"} & set(config["interface"])
    globs = Globs(owns)
    for place in ("interface/bond2/bridge", "interface/swp2s0/link/state", "vrf/t1-quarantine"):
        assert not globs.covers(parse(place))


def test_the_vrf_that_its_nodes_enter_comes_with_its_vlan(load):
    (config, _owns), _whole = narrowed(load, made.FRONT)
    assert set(config["vrf"]) == {"t21-acme"}
    assert set(config["bridge"]["domain"]["br_default"]["vlan"]) == {"21"}
    assert set(config["evpn"]["vni"]) == {"4300021"}
    assert set(config["service"]["dhcp-relay"]) == {"t21-acme"}
    assert "vlan21" in config["interface"]


def test_an_owner_gets_its_vlan_at_arrays_where_it_has_no_node(load):
    (config, owns), _whole = narrowed(load, made.STORAGE, slug="beta", nodes=("elsewhere",))
    assert config["interface"]["bond5001"]["bridge"]["domain"]["br_default"] == {
        "vlan": {"2022": {}},
        "untagged": "none",
        "stp": {"admin-edge": "enabled", "bpdu-guard": "enabled"},
    }
    assert set(config["vrf"]) == {"s22-beta"}
    assert not Globs(owns).covers(parse("interface/bond5001/bridge/domain/br_default/vlan/2021"))


def test_shared_storage_changes_with_its_tenants(load):
    (config, owns), whole = narrowed(load, made.STORAGE, networks=made.shared_vrfs())
    assert set(config["vrf"]) == {"s4-storage", "s21-acme"}
    assert config["vrf"]["s4-storage"] == whole["vrf"]["s4-storage"]
    assert "spx-tenant-s22-beta-leak" not in config["router"]["policy"]["route-map"]
    assert Globs(owns).covers(parse("router/policy/community-list/spx-tenant-leaked"))


def test_what_ends_is_owned_with_all_networks_and_not_rendered(load):
    (config, owns), _whole = narrowed(load, made.FRONT, ending=["t20-gone"])
    globs = Globs(owns)
    for place in (
        "vrf/t20-gone",
        "vrf/s20-gone",
        "interface/vlan20",
        "interface/vlan2020",
        "bridge/domain/br_default/vlan/2020",
        "evpn/vni/4400020",
        "service/dhcp-relay/t20-gone",
    ):
        assert globs.covers(parse(place)), place
    assert "t20-gone" not in config["vrf"]
    assert not globs.covers(parse("vrf/t22-beta"))


@pytest.mark.parametrize("leaving, owned", [((H01,), True), ((), False)])
def test_a_house_vrf_that_nobody_is_left_in_goes_with_the_last_one(load, leaving, owned):
    (_config, owns), _whole = narrowed(load, made.FRONT, leaving=leaving)
    assert Globs(owns).covers(parse("vrf/t2-rest")) is owned
    assert not Globs(owns).covers(parse("vrf/t1-quarantine"))


def test_a_routed_port_in_quarantine_has_its_list(load):
    port = {
        "port": "swp1s0",
        "node": H01,
        "address": "10.160.0.1",
        "peer_address": "10.160.0.0",
        "length": 31,
        "present": True,
        "up": True,
    }
    rows = [made.vrf("t1-quarantine", 11, "front-end", kind="quarantine", routed=[port])]
    (config, _owns), whole = narrowed(load, made.FRONT, slug="quarantine", networks=rows)
    assert config["acl"] == whole["acl"]
    assert set(config["interface"]["swp1s0"]["acl"]) <= set(config["acl"])


def test_nothing_is_narrowed_on_border_leaves_and_in_fleet_runs(load):
    found, _whole = narrowed(load, made.BORDER)
    assert found is None
    found, _whole = narrowed(load, made.FRONT, nodes=None)
    assert found is None
