# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of tenants' jobs on the leaves of the converged laboratory, and places that they leave."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    compose,
    tenants_part,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    Job,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import disruption
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import Wish, make
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import (
    Release,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import diff

from ...tenants.converged_lab import laboratory

FRONT, STORAGE, BORDER = "front-end-leaf-001-1", "storage-leaf-001-1", "border-leaf-01-1"
ALL = "networks: [east-west, front-end, storage]"
PEER = "external_peers: [{name: isp, link: isp-a, asn: 64496}]"
TEXT = f"""\
tenants:
  - {{id: 21, slug: acme, nodes: [su01/h01], {ALL}, {PEER}}}
  - {{id: 22, slug: globex, nodes: [su01/h02], {ALL}, {PEER}}}
"""


@pytest.fixture
def lab(load):
    """Return the laboratory with a converged fabric."""
    return load("lab-converged")


def brought(fabric, name, registry, job, *, before=None):
    """Return what a leaf has after a job, and the plan of it."""
    ctx = compose.context(fabric, name, tenants=registry)
    part = tenants_part.part(ctx, job)
    wish = Wish(part["config"], "replaced", owns=tuple(part["owns"]), guard=part["guard"])
    plan = make(before or {}, wish, Release(5, 16, 1))
    return plan.after, plan


def node(fabric, text):
    """Return a node of the laboratory."""
    return fabric.slot(text)


def test_onboarding_brings_a_tenant_and_nobody_else(lab):
    """On the leaf of its node, at the ports of arrays, and on the border: the other tenant waits."""
    registry = Registry.parse(lab, TEXT)
    job = Job(nodes=[node(lab, "su01/h01")], tenants=["acme"])
    front, _plan = brought(lab, FRONT, registry, job)
    assert set(front["vrf"]) == {"t21-acme"}
    assert front["interface"]["bond1"]["bridge"]["domain"]["br_default"]["access"] == 21
    assert "bond2" not in front["interface"]
    storage, _plan = brought(lab, STORAGE, registry, job)
    assert set(storage["vrf"]) == {"s4-storage", "s21-acme"}
    assert set(storage["interface"]["bond5001"]["bridge"]["domain"]["br_default"]["vlan"]) == {
        "2004",
        "2021",
    }
    border, _plan = brought(lab, BORDER, registry, job)
    assert {"t21-acme"} == {name for name in border["vrf"] if name.startswith("t")}
    assert not [name for name in border["interface"] if name.endswith(".3022")]
    assert [name for name in border["interface"] if name.endswith(".3021")]


def test_a_node_in_rest_reaches_what_one_in_quarantine_reaches(lab):
    """The kernel stage shows quarantine by packets; rest differs by its VLAN, its VNI and its subnet alone."""
    registry = Registry.parse(lab, TEXT + "rest: [{nodes: [su02/h01]}]\n")
    after = compose.render(compose.context(lab, FRONT, tenants=registry), ["tenants"])
    bonds = {
        body["bridge"]["domain"]["br_default"]["access"]: body["acl"]
        for body in after["interface"].values()
        if "acl" in body
    }
    assert {vlan: sorted(lists) for vlan, lists in bonds.items()} == {
        vlan: [f"spx-tenant-house-{vlan}-{ip}" for ip in (4, 6)] for vlan in (11, 12)
    }
    for ip in (4, 6):
        quarantine, rest = (after["acl"][f"spx-tenant-house-{vlan}-{ip}"] for vlan in (11, 12))
        assert str(rest).replace("10.208.2.", "10.208.0.") == str(quarantine)
    assert "10.208.2.1" in str(after["acl"]["spx-tenant-house-12-4"])


@pytest.mark.parametrize("tenants", [["acme"], []])
def test_a_core_takes_nodes_arrays_and_sessions_of_a_tenant_at_once(tenants):
    """Also a job that names the node alone brings the session of the VRF that it enters, and no other."""
    core = laboratory(core=True)
    registry = Registry.parse(core, TEXT)
    job = Job(nodes=[node(core, "su01/h01")], tenants=tenants)
    after, _plan = brought(core, "converged-core-1", registry, job)
    assert {name for name in after["vrf"] if name[0] in "ts"} == {
        "t21-acme",
        "s21-acme",
        "s4-storage",
        "spx-unused",
    }
    interfaces = after["interface"]
    assert interfaces["bond1"]["bridge"]["domain"]["br_default"]["access"] == 21
    assert interfaces["bond9"]["bridge"]["domain"]["br_default"]["access"] == 2021
    assert set(interfaces["bond5001"]["bridge"]["domain"]["br_default"]["vlan"]) == {"2004", "2021"}
    assert [name for name in interfaces if "." in name] == ["swp1s0.3021"]
    assert "bond2" not in interfaces


def test_another_site_number_is_a_renumbering_of_every_vrf(load):
    """Its number is in L3VNIs and route targets: a leaf that has it knows no routes of one that has not."""
    pools = {"loopback": "10.224.0.0/13", "vtep": "10.232.0.0/13", "converged": "10.200.0.0/13"}
    stated = {"profile": "nvidia-guide-v4-2tier", "pools": pools}
    before, after = (
        compose.document(fabric, FRONT, ["tenants"], tenants=Registry.parse(fabric, TEXT))
        for fabric in (load("lab-converged", site=site, addressing=stated) for site in (0, 1))
    )
    found = [one for one in disruption.classify(diff(before, after)) if one.klass == "renumber"]
    places = {place for one in found for place in one.places}
    assert {"vrf/t1-quarantine/evpn/vni/4100001", "vrf/t21-acme/evpn/vni/4100021"} <= places
    assert any(place.startswith("vrf/t21-acme/router/bgp/route-export/to-evpn") for place in places)
    assert all(one.gated for one in found)


def test_routed_addresses_stay_with_a_move_and_are_announced_for_the_new_tenant():
    """Each port keeps its /31, in the VRF of who holds the node; the border leaf lets these links out, no subnet."""
    fabric = laboratory(front_end={"attachment": "routed"}, storage={"attachment": "routed"})
    moved = TEXT.replace("nodes: [su01/h01], ", "").replace("[su01/h02]", "[su01/h01, su01/h02]")
    ports, links, sent = [], [], []
    for text in (TEXT, moved):
        registry = Registry.parse(fabric, text)
        whole = {
            name: compose.document(fabric, name, tenants=registry)
            for name in (FRONT, STORAGE, BORDER)
        }
        front, store = (
            next(row for row in whole[name]["interface"].values() if row.get("description") == said)
            for name, said in (
                (FRONT, "worker-su01-rack01-h01 front1"),
                (STORAGE, "worker-su01-rack01-h01 stor1"),
            )
        )
        ports.append([front["vrf"], store["vrf"]])
        links.append([next(iter(row["ipv4"]["address"])) for row in (front, store)])
        for name, row in ((FRONT, front), (STORAGE, store)):
            family = whole[name]["vrf"][row["vrf"]]["router"]["bgp"]["address-family"]
            assert family["ipv4-unicast"]["redistribute"]["connected"]["state"] == "enabled"
            assert family["ipv4-unicast"]["route-export"]["to-evpn"] == {"state": "enabled"}
        lists = whole[BORDER]["router"]["policy"]["prefix-list"]
        sent.append(
            [
                [prefix for rule in lists[name]["rule"].values() for prefix in rule["match"]]
                for name in ("spx-tenant-t21-acme-out4", "spx-tenant-t22-globex-out4")
            ]
        )
    assert ports == [["t21-acme", "s21-acme"], ["t22-globex", "s22-globex"]]
    assert links[0] == links[1] == ["10.160.0.1/31", "10.160.0.5/31"]
    assert sent == [
        [["10.160.0.0/30"], ["10.160.0.8/30"]],
        [["0.0.0.0/0"], ["10.160.0.0/30", "10.160.0.8/30"]],
    ]


def test_the_bonds_of_a_core_stay_up_when_its_other_switch_is_gone():
    """Its links are no uplinks that are tracked; two of them have EVPN, so that one may fail."""
    core = laboratory(core=True)
    whole = compose.document(core, "converged-core-2", tenants=Registry.parse(core, TEXT))
    assert "uplink" not in str(whole["interface"]["swp7s0"])
    neighbors = whole["vrf"]["default"]["router"]["bgp"]["neighbor"]
    assert [
        name for name, row in neighbors.items() if "l2vpn-evpn" in row.get("address-family", {})
    ] == ["swp7s0", "swp7s1"]
    assert {row["remote-as"] for row in neighbors.values()} == {4_244_000_000}


@pytest.mark.parametrize("name", [FRONT, STORAGE, BORDER])
def test_a_tenant_that_ends_leaves_the_others_as_they_are(lab, name):
    """Its sessions, its VLANs at arrays and its VRFs go; those of others are untouched."""
    registry = Registry.parse(lab, TEXT)
    whole = compose.document(lab, name, ["tenants"], tenants=registry)
    gone = registry.with_nodes("quarantine", [node(lab, "su01/h01")])
    moved, _plan = brought(
        lab,
        name,
        gone,
        Job(nodes=[node(lab, "su01/h01")], leaving=[node(lab, "su01/h01")], ending=["t21-acme"]),
        before=whole,
    )
    left, _plan = brought(
        lab, name, gone.without("acme"), Job(nodes=(), tenants=["acme"]), before=moved
    )
    fresh = Registry.parse(lab, TEXT.replace(TEXT.splitlines()[1] + "\n", ""))
    assert left == compose.document(lab, name, ["tenants"], tenants=fresh)


def test_a_fleet_run_does_not_open_or_take_what_is_a_customers(lab):
    """A port that another registry's tenant has stays, with its VRF; a shut one stays shut."""
    registry = Registry.parse(lab, TEXT)
    before = compose.document(lab, FRONT, ["tenants"], tenants=registry)
    other = Registry.parse(lab, TEXT.replace("su01/h01", "su02/h01"))
    after, plan = brought(lab, FRONT, other, Job(), before=before)
    assert after["interface"]["bond1"] == before["interface"]["bond1"]
    assert after["vrf"]["t21-acme"] == before["vrf"]["t21-acme"]
    assert [text for text in plan.held.drift if "is in t21-acme, registry says quarantine" in text]
    swp = before["interface"]["swp1s0"]
    swp["link"]["state"] = {"down": {}}
    before["interface"]["bond1"].pop("bridge")
    after, plan = brought(lab, FRONT, registry, Job(), before=before)
    assert "down" in after["interface"]["swp1s0"]["link"]["state"]
    assert "is shut, as in the middle of a move whose record" in plan.held.drift[0]


def test_a_fleet_run_on_an_empty_switch_brings_all(lab):
    registry = Registry.parse(lab, TEXT)
    for name in (FRONT, STORAGE, BORDER):
        after, plan = brought(lab, name, registry, Job())
        assert (plan.held.drift, plan.forbidden) == ((), ())
        assert after == compose.document(lab, name, ["tenants"], tenants=registry)
