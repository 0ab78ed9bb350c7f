# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP and EVPN: who speaks with whom, and under which number."""

from __future__ import annotations

import collections

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    bgp,
    compose,
)

from . import converged_fabric as made

INTER_SWITCH = ("unnumbered", "numbered-31", "numbered-127")


def default_vrf(document):
    return document["vrf"]["default"]["router"]["bgp"]


def all_documents(fabric):
    return {
        fabric.name(s): compose.document(fabric, s, ["switch_underlay"]) for s in fabric.switches()
    }


@pytest.mark.parametrize("inter_switch", INTER_SWITCH)
@pytest.mark.parametrize("name", ["lab", "lab-3tier"])
def test_every_session_names_the_number_of_its_other_end(load, name, inter_switch):
    fabric = load(name, addressing={"inter_switch": inter_switch})
    documents = all_documents(fabric)
    seen = 0
    for own, document in documents.items():
        ports = {row["port"]: row for row in fabric.slice(own)["ports"]}
        numbered = {row.get("peer_address"): row for row in ports.values()}
        for key, neighbor in default_vrf(document)["neighbor"].items():
            row = numbered[key] if inter_switch != "unnumbered" else ports[key]
            other = documents[row["peer"]["device"]]
            assert neighbor["remote-as"] == other["router"]["bgp"]["autonomous-system"]
            assert default_vrf(other)["neighbor"]
            seen += 1
    links = sum(row["kind"] != "host" for own in documents for row in fabric.slice(own)["ports"])
    assert seen == links > 0


@pytest.mark.parametrize("name", ["lab", "lab-3tier", "h200-2048"])
def test_numbers_tell_leaves_apart_and_tiers_together(load, name):
    fabric = load(name)
    owners = collections.defaultdict(set)
    for switch in fabric.switches():
        document = compose.document(fabric, switch, ["bgp"])
        owners[document["router"]["bgp"]["autonomous-system"]].add(switch)
    for switches in owners.values():
        roles = {switch.role for switch in switches}
        assert len(roles) == 1
        if roles == {"leaf"}:
            assert len(switches) == 1
        if roles == {"spine"}:
            assert len({(switch.plane, switch.pod) for switch in switches}) == 1
        if roles == {"super_spine"}:
            assert len({switch.plane for switch in switches}) == 1


def test_numbered_links_carry_both_ends(load):
    fabric = load(addressing={"inter_switch": "numbered-127"})
    leaf = compose.document(fabric, "leaf-p1-su001-r1")
    (own,) = leaf["interface"]["swp3s0"]["ipv6"]["address"]
    (peer,) = compose.document(fabric, "spine-p1-s01")["interface"]["swp1s0"]["ipv6"]["address"]
    assert own != peer
    assert own.endswith("/127")
    neighbor = default_vrf(leaf)["neighbor"][peer.removesuffix("/127")]
    assert neighbor["type"] == "numbered"
    assert neighbor["update-source"] == own.removesuffix("/127")
    group = default_vrf(leaf)["peer-group"][neighbor["peer-group"]]
    assert group["capabilities"] == {"extended-nexthop": "enabled"}


@pytest.mark.parametrize(
    "name, device, width",
    [
        ("lab", "leaf-p1-su001-r1", 64),
        ("max-524288", "leaf-p1-pod001-su001-r1", 64),
        ("wide", "", 128),
    ],
)
def test_multipaths_hold_the_plan(load, name, device, width):
    if name == "wide":
        speeds = {"host_speed": "200G", "fabric_speed": "200G"}
        capacity = {"slots_per_su": 128, "sus_per_pod": 2}
        fabric = load(
            "h200-2048", switches=speeds, capacity=capacity, addressing={"profile": "dense-v4"}
        )
        device = fabric.name(next(fabric.switches()))
    else:
        fabric = load(name)
    document = compose.document(fabric, device)
    assert default_vrf(document)["address-family"]["ipv4-unicast"]["multipaths"] == {"ebgp": width}


def test_limits_warn_and_hold_the_capacity(load):
    fabric = load("h200-2048")
    leaf = compose.document(fabric, next(fabric.switches()))
    loopbacks = 2 * fabric.clos.leaves_per_pod + fabric.clos.spines
    ipv4 = default_vrf(leaf)["peer-group"]["spx-up"]["address-family"]["ipv4-unicast"]
    assert ipv4["prefix-limits"]["inbound"]["maximum"] > loopbacks
    for switch in fabric.switches():
        for group in default_vrf(compose.document(fabric, switch, ["bgp"]))["peer-group"].values():
            limit = group["address-family"]["ipv4-unicast"]["prefix-limits"]["inbound"]
            assert limit["warning-only"] == "enabled"


@pytest.mark.parametrize("restart, mode", [("standard", "helper-only"), ("issu", "full")])
def test_restart_profiles(load, restart, mode):
    document = compose.document(load(routing={"restart": restart}), "leaf-p1-su001-r1")
    assert document["router"]["bgp"]["graceful-restart"]["mode"] == mode
    assert "bfd" not in document["router"]


@pytest.mark.parametrize(
    "changes, leaf, spine",
    [
        ({}, "half", "full"),
        ({"accept_releases": ["5.14.0", "5.16.1"]}, None, None),
        ({"routing": {"restart": "standard"}}, None, None),
    ],
)
def test_a_restart_in_service_needs_a_resource_mode(load, changes, leaf, spine):
    """A release without the key gets none; what nobody renders is nobody's to remove."""
    fabric = load(**{"routing": {"restart": "issu"}, **changes})
    for name, word in (("leaf-p1-su001-r1", leaf), ("spine-p1-s01", spine)):
        ctx = compose.context(fabric, name)
        document = compose.render(ctx, ["switch_underlay"])
        assert document.get("system", {}).get("forwarding", {}).get("resource-mode") == word
        owned = "system/forwarding/resource-mode" in compose.owns(ctx, ["switch_underlay"])
        assert owned is bool(word)


def test_bfd_on_links_and_between_loopbacks(load):
    routing = {"restart": "bfd", "evpn": "loopbacks"}
    document = compose.document(load(routing=routing), "leaf-p1-su001-r1")
    bfd = document["router"]["bfd"]
    assert bfd["state"] == "enabled"
    assert bfd["profile"]["spx-links"]["min-tx-interval"] == 300
    assert bfd["profile"]["spx-loopbacks"]["min-tx-interval"] == 1000
    groups = default_vrf(document)["peer-group"]
    assert groups["spx-up"]["bfd"] == {"profile": "spx-links"}
    assert groups["spx-overlay"]["bfd"] == {"profile": "spx-loopbacks"}
    assert document["router"]["bgp"]["graceful-restart"]["mode"] == "helper-only"


def test_as_the_published_templates_have_it(load):
    document = compose.document(load(routing={"restart": "templates"}), "leaf-p1-su001-r1")
    restart = document["router"]["bgp"]["graceful-restart"]
    assert (restart["mode"], restart["restart-time"]) == ("full", 180)
    assert document["router"]["bfd"]["profile"]["spx-links"] == {
        "detect-multiplier": 3,
        "min-rx-interval": 300,
        "min-tx-interval": 300,
    }


def test_a_hard_limit_ends_the_session(load):
    document = compose.document(load(routing={"prefix_limit": "hard"}), "leaf-p1-su001-r1")
    ipv4 = default_vrf(document)["peer-group"]["spx-up"]["address-family"]["ipv4-unicast"]
    assert list(ipv4["prefix-limits"]["inbound"]) == ["maximum"]


def test_only_the_templates_pair_full_restart_with_bfd():
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import (
        table,
    )

    for name, row in table("restart_profiles").items():
        if row["graceful_restart"]["mode"] == "full":
            assert any(row["bfd"].values()) == (name == "templates")
            assert row["graceful_restart"]["restart-time"] >= 180


@pytest.mark.parametrize("asked", [True, False, None])
def test_graceful_shutdown_follows_the_option(load, asked):
    options = {} if asked is None else {"maintenance": asked}
    made = bgp.maintenance(compose.context(load(), "leaf-p1-su001-r1", options=options))
    expected = {"router": {"bgp": {"graceful-shutdown": "enabled"}}}
    assert made == (expected if asked else None)


@pytest.mark.parametrize("switch", made.ALL, ids=lambda switch: switch.role)
def test_sessions_of_converged_switches_name_the_number_of_their_other_end(load, switch):
    ctx = made.context(load, switch)
    neighbors = bgp.bgp(ctx)["vrf"]["default"]["router"]["bgp"]["neighbor"]
    assert {name: row["remote-as"] for name, row in neighbors.items()} == {
        row["port"]: row["peer"]["asn"] for row in ctx.fabric_ports
    }


@pytest.mark.parametrize(
    ("switch", "kind", "most"), [(made.FRONT, "up", 16), (made.SPINE, "down", 2)]
)
def test_loopbacks_behind_a_port_of_the_converged_fabric(load, switch, kind, most):
    assert bgp.loopbacks_behind(made.context(load, switch), kind) == most


def test_a_border_leaf_has_bfd_before_the_first_peer_asks_for_it(load):
    """Turning it on later would reset every session."""
    assert bgp.bgp(made.context(load, made.BORDER))["router"]["bfd"] == {"state": "enabled"}
    assert "bfd" not in bgp.bgp(made.context(load, made.FRONT))["router"]


def test_multipaths_of_a_converged_switch(load):
    assert bgp.multipaths(made.context(load, made.SPINE)) == 64
