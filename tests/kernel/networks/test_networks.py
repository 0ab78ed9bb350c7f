# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A converged fabric in this machine's kernel, or in a guest's: border, front-end and storage pairs, two spines.

The documents are those that the collection makes. They pass through the API of a double each, which checks them; what
the doubles have applied is realised in the kernel, and packets show what it does.
"""

from __future__ import annotations

import json
import types

import pytest
from kernel.networks import playbooks
from kernel.networks.doubles import checked
from kernel.networks.life import MOVES
from unit.playbooks.beside import Beside

STORY = "networks"

pytestmark = pytest.mark.large
STEPS = ("tenant_onboard", "tenant_move", "tenant_offboard")
VNIS = ("4100022", "4200022", "4300022", "4400022")


def story(folder):
    """The three playbooks, one after the other, and what is told of the documents that they left on the doubles."""
    life = playbooks.live(folder)
    spines = checked(life.plan.roles["spine"], life.first.__getitem__)
    return life, life.order({name: life.first[name] for name in life.plan.names} | spines)


@pytest.fixture(scope="module")
def lived(known):
    """Documents of the switches before and after each revision of the playbooks."""
    return known


def vtep(order, name):
    """The address of a switch's tunnels."""
    return order["switches"][name]["nve"]["vxlan"]["source"]["address"]


MOVE = "tenant_move"
BEFORE, AFTER = {"s21-acme", "t21-acme"}, {"s22-globex", "t22-globex"}


def test_a_node_sees_one_lacp_partner_over_two_leaves(answer):
    found = {**answer.get("first", {}).get("lacp", {}), **answer["lacp"]}
    assert len(found) >= 2
    assert {row["ports"] for row in found.values()} == {2}
    for name, row in found.items():
        assert len(row["partners"]) == 1, name
        assert row["partners"][0].startswith("44:38:39:ff:"), name


def test_both_leaves_of_a_pair_have_the_segments_and_each_other(order, answer):
    first, second = order["roles"]["front"]
    segments = answer["segments"]
    assert set(segments[first]) == set(segments[second])
    assert len(segments[first]) == len([row for row in order["cables"] if row[1] == "front1"])
    for name, other in ((first, second), (second, first)):
        for row in segments[name].values():
            assert list(row["remote-vtep"]) == [vtep(order, other)]
            assert {"local", "remote", "oper-up", "ready-for-bgp"} <= set(row["flags"])
            assert row["vni-count"] >= 1
            assert row["local-interface"].startswith("bond")


def test_tenants_reach_their_storage_and_the_outside_and_nobody_else(answer):
    own = answer["apart"]["own"]
    assert len(own) == 6
    assert len([row for row in own if row[0] == "provider"]) == 2
    assert answer["apart"]["wrong"] == []


def reported(lived, name):
    """The routes of VRFs, and segments, that the double of a leaf reported to the playbooks after onboarding."""
    lab = types.SimpleNamespace(documents=lived.after(STEPS[0]), down=set(), leaked={}, given={})
    double = Beside(lab, name)
    vrfs = {
        vrf: body["router"]["rib"]["ipv4"]["route"]
        for vrf, body in double.operational(["vrf"]).items()
    }
    return vrfs, double.operational(["evpn", "multihoming", "esi"])


def test_doubles_report_the_routes_and_segments_that_frr_has(lived, answer):
    """The playbooks ran on what the doubles computed, so that is held against real tables."""
    for name, found in answer["tables"].items():
        vrfs, segments = reported(lived, name)
        assert sorted(segments) == found["segments"], name
        for vrf, routes in found["routes"].items():
            told = sorted(prefix for prefix in vrfs[vrf] if not prefix.endswith("/32"))
            assert told == routes, (name, vrf)


def test_playbooks_onboard_move_and_offboard_and_nothing_is_left_on_the_switches(lived):
    assert [name for name in lived.steps if name.startswith("tenant_")] == list(STEPS)
    text = json.dumps(lived.last)
    assert "acme" in text
    assert [word for word in ("globex", *VNIS, "10.208.16.", "10.216.16.") if word in text] == []


def test_validate_names_a_session_that_is_down_a_default_and_a_stolen_prefix(lived):
    assert " passed, 0 failed," in lived.steps["validate"].output
    code, output = lived.faults
    assert code == 2, output
    for words in (
        "network.session t22-globex: the session 'isp-a' with 100.64.0.5 (AS 64999) on swp1s0.3022 is idle",
        "network.default s21-acme of storage-leaf-001-1 has a default route, and no peer of it may give one",
        "network.refused t21-acme: the session 'isp-a' gives 10.208.16.0/24, which the switch refuses (10.208.16.0/24 "
        "overlaps 10.208.16.0/23 of globex on the network front-end)",
    ):
        assert words in " ".join(output.split())
    assert " passed, 4 failed," in output


def test_a_session_that_stays_down_is_a_gate_of_the_onboarding(lived):
    """The nodes have entered, and the next run goes on."""
    (code, output), (after, _output) = lived.gate
    assert (code, after) == (2, 0), output
    said = "the session of globex with isp-a (100.64.0.5, link isp-a) in t22-globex is idle"
    assert said in " ".join(output.split())


@pytest.mark.parametrize("rails", [True, False])
@pytest.mark.parametrize("place", ["globex", MOVES])
def test_at_no_revision_of_the_end_is_a_node_with_the_tenant_and_in_quarantine(lived, rails, place):
    found = lived.stations(STEPS[2], place, rails=rails)
    assert found[0] & AFTER
    assert found[-1] == {"t1-quarantine"}
    assert set() in found
    assert [vrfs for vrfs in found if vrfs & AFTER and "t1-quarantine" in vrfs] == []


@pytest.mark.parametrize("rails", [True, False])
def test_at_no_revision_is_the_node_with_two_tenants(lived, rails):
    found = lived.stations(STEPS[1], MOVES, rails=rails)
    both = [{"t21-acme"}, {"t22-globex"}] if rails else [BEFORE, AFTER]
    assert [found[0], found[-1]] == both
    assert set() in found
    for vrfs in found:
        assert not vrfs & BEFORE or not vrfs & AFTER


def test_a_node_moves_with_everything_and_never_reaches_two_storages(order, answer):
    found, rows = answer["node_moves"], order["steps"][MOVE]
    assert found["before"] is not None
    assert found["after"] is not None
    assert found["wrong"] == []
    old, new = found["answered"]["acme"], found["answered"]["globex"]
    assert len(old) >= 5
    assert len(new) >= 5
    left = next(n for n, row in enumerate(rows) if "s21-acme" not in row["vrfs"])
    joined = next(n for n, row in enumerate(rows) if "s22-globex" in row["vrfs"])
    assert (
        max(old)
        < found["revisions"][left]["whole"]
        < found["revisions"][joined]["begun"]
        < min(new)
    )


def test_nothing_is_left_of_a_tenant_that_has_left(answer):
    assert all(answer["node_moves"]["traces"].values()), (
        "the words are those that its switches have"
    )
    assert set(answer["leaves"]["traces"].values()) == {0}


def test_a_node_has_its_front_end_address_by_the_relay_of_its_tenant(order, answer):
    assert answer["lease"][:1] == [order["tenants"][order["leased"]]["front"]["address"]]


def test_nodes_boot_from_the_network_in_quarantine_and_reach_nobody_else(order, answer):
    """Each over one port, whose leaf has no LACP partner in the bond."""
    found, house = answer["leaves"], order["house"]
    assert set(found["booted"]) == {"node-globex", "node-moves"}
    addresses = {rows[0] for rows in found["booted"].values()}
    assert len(addresses) == 2
    assert addresses <= set(house["leases"])
    for rows in found["booted"].values():
        assert rows[1:] == [house["server"], "node.img", house["image"]]
    assert set(map(tuple, found["partners"].values())) == {("00:00:00:00:00:00",)}
    assert [name for name, _address in found["served"]] == ["node-globex", "node-moves"]
    assert found["wrong"] == []


def test_no_tenant_reaches_the_out_of_band_network_which_leaves_do(order, answer):
    assert [name for name, _address in answer["leaves"]["managed"]] == list(order["managed"])
    assert not [to for _name, to in answer["leaves"]["wrong"] if to in order["managed"].values()]


def test_a_storage_address_moves_with_its_mac_address(order, answer):
    moving = answer["moving"]
    target = vtep(order, order["roles"]["store"][1])
    assert moving["before"]["remoteVtep"] != target
    assert moving["after"]["remoteVtep"] == target
    assert moving["after"]["remoteSequence"] > 0
    assert moving["back"] is not None


def test_a_provider_that_leaks_is_refused_and_limited(order, answer):
    leaking = answer["leaking"]
    assert leaking["refused"]
    assert order["leaks"]["acme"]["stolen"] not in leaking["accepted"]
    assert "0.0.0.0/0" in leaking["accepted"]
    assert {row["state"] for row in leaking["limited"].values()} == {"Idle"}
    assert {row["code"] for row in leaking["limited"].values()} == {"0601"}
    assert (leaking["acme outside"], leaking["globex outside"]) == (False, True)
    assert leaking["outside again"] is not None


@pytest.mark.parametrize("dead", ["spine", "uplinks", "border", "store"])
def test_the_others_carry_on_when_one_dies(answer, dead):
    assert answer["dying"][dead]["back"] is not None, answer["dying"][dead]


def test_a_leaf_without_uplinks_takes_the_bonds_of_its_nodes_down(answer):
    assert answer["dying"]["uplinks"]["alone"] is not None


def test_without_a_provider_storage_is_still_there_and_the_outside_is_not(order, answer):
    dying = answer["dying"]["provider"]
    assert dying["back"] is not None
    assert dying["silent"] is not None
    for lost in dying["lost"].values():
        assert [row for address, row in lost.items() if address != order["outside"]] == [[]]
