# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The isolation audit, on documents as they should be and on broken ones."""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import jobs, nodes
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import isolation

ROOT = Path(__file__).resolve().parents[6]
sys.path.insert(0, str(Path(__file__).parents[1] / "tenancy"))

import evpn
from layouts import may_reach, worlds

LEAF = "leaf-p1-su001-r1"
TEXT = (
    "tenants:\n"
    "  - {id: 21, slug: acme, nodes: ['*/h01']}\n"
    "  - {id: 22, slug: globex, nodes: ['*/h02']}\n"
)


@pytest.fixture
def lab():
    return Fabric.load(str(ROOT / "inventories/lab/model/fabric.yml"))


def rendered(fabric, registry):
    """Return what every leaf should run."""
    leaves = [leaf for leaf in fabric.switches() if leaf.role == "leaf"]
    return {
        fabric.name(leaf): compose.document(fabric, leaf, ["tenants"], tenants=registry)
        for leaf in leaves
    }


def in_plane(fabric, documents, plane):
    """Return the documents of one plane: planes share no cable, so no route either."""
    return {n: body for n, body in documents.items() if fabric.device(n).plane == plane}


def failures(fabric, registry, documents):
    """Return the failed results of the static audit over all leaves."""
    results = list(isolation.graph(fabric, registry, documents))
    for name, document in documents.items():
        view = isolation.LeafView(fabric, registry, fabric.device(name), document)
        results += isolation.static(view)
        plane = in_plane(fabric, documents, fabric.device(name).plane)
        tables = {vrf: evpn.table(plane, name, vrf) for vrf in document["vrf"]}
        results += isolation.live(view, tables)
    return [row for row in results if row["state"] == "fail"]


def test_the_planned_fabric_passes(lab):
    """What the roles render breaks no rule."""
    registry = Registry.parse(lab, TEXT)
    assert failures(lab, registry, rendered(lab, registry)) == []


def test_shape_of_results(lab):
    """Results have the shape that reports read."""
    registry = Registry.parse(lab, TEXT)
    view = isolation.LeafView(lab, registry, lab.device(LEAF), {})
    for row in isolation.static(view):
        assert row["schema"] == 1
        assert (row["fabric"], row["device"], row["place"]) == ("lab", LEAF, LEAF)
        assert row["sentence"].endswith(".")


def _wrong_target(documents):
    vrf = documents[LEAF]["vrf"]["t21-acme"]["router"]["bgp"]
    vrf["route-import"]["from-evpn"]["route-target"]["64512:4000022"] = {}


def _wrong_vrf(documents):
    documents[LEAF]["interface"]["swp1s0"]["vrf"] = "t22-globex"


def _no_vrf(documents):
    del documents[LEAF]["interface"]["swp1s0"]["vrf"]


def _automatic(documents):
    vrf = documents[LEAF]["vrf"]["t21-acme"]["router"]["bgp"]
    vrf["route-import"]["from-evpn"]["route-target"]["auto"] = {}


def _local_leak(documents):
    family = documents[LEAF]["vrf"]["t21-acme"]["router"]["bgp"]["address-family"]["ipv4-unicast"]
    family["route-import"] = {"from-vrf": {"list": {"default": {}}}}


def _loud_quarantine(documents):
    documents[LEAF]["vrf"]["t1-quarantine"]["evpn"] = {"state": "enabled", "vni": {"1": {}}}


def _open_quarantine(documents):
    del documents[LEAF]["interface"]["swp2s0"]["acl"]


def _toothless_list(documents):
    name = next(iter(documents[LEAF]["interface"]["swp2s0"]["acl"]))
    documents[LEAF]["acl"][name]["rule"]["65001"] = {"action": {"permit": {}}}


def _stray_vrf(documents):
    documents[LEAF]["vrf"]["t30-old"] = {"table": "auto"}


def _leaked_default(documents):
    vrf = documents[LEAF]["vrf"]["t21-acme"]["router"]
    vrf["static"] = {"0.0.0.0/0": {"via": {"10.0.0.1": {}}}}


def _missing_route(documents):
    bgp = documents["leaf-p1-su002-r1"]["vrf"]["t21-acme"]["router"]["bgp"]
    bgp["address-family"]["ipv4-unicast"]["redistribute"] = {}


@pytest.mark.parametrize(
    "breakage, check",
    [
        (_wrong_target, "tenant.route_targets"),
        (_wrong_target, "tenant.routes"),
        (_wrong_vrf, "tenant.port_vrf"),
        (_no_vrf, "tenant.port_vrf"),
        (_automatic, "tenant.route_targets"),
        (_local_leak, "tenant.route_targets"),
        (_loud_quarantine, "tenant.quarantine"),
        (_open_quarantine, "tenant.access_lists"),
        (_toothless_list, "tenant.access_lists"),
        (_stray_vrf, "tenant.vrfs"),
        (_leaked_default, "tenant.routes"),
        (_missing_route, "tenant.routes"),
    ],
)
def test_what_is_broken_is_caught(lab, breakage, check):
    """Each way to break isolation fails the check that is for it."""
    registry = Registry.parse(lab, TEXT)
    documents = copy.deepcopy(rendered(lab, registry))
    breakage(documents)
    assert check in {row["id"] for row in failures(lab, registry, documents)}


def test_missing_and_surplus_are_both_named(lab):
    """A table that lacks one route and has another says both."""
    registry = Registry.parse(lab, TEXT)
    view = isolation.LeafView(lab, registry, lab.device(LEAF), {})
    routes = {"172.16.0.0/31", "172.18.0.0/31", "172.18.1.0/31", "10.9.9.0/24", "127.0.0.0/8"}
    rows = [r for r in isolation.live(view, {"t21-acme": routes}) if r["tenant"] == "acme"]
    assert "lacks 172.16.1.0/31" in rows[0]["sentence"]
    assert "has 10.9.9.0/24, which is not its own" in rows[0]["sentence"]


def test_a_silent_switch_is_not_green(lab):
    """No routing table is no pass."""
    registry = Registry.parse(lab, TEXT)
    view = isolation.LeafView(lab, registry, lab.device(LEAF), {})
    assert {row["state"] for row in isolation.live(view, {})} == {"not_run"}


def test_declared_leaks_pass(lab):
    """What the registry declares is no breach, in either direction."""
    registry = Registry.parse(
        lab, "leaking: true\n" + TEXT.replace("slug: acme,", "slug: acme, shared: [globex],")
    )
    assert failures(lab, registry, rendered(lab, registry)) == []


def test_moving_nodes_are_excused(lab):
    """A node on its way is no breach of the ports' check."""
    registry = Registry.parse(
        lab, TEXT + "moving: {su01/h01: {from: acme, to: globex, step: shut}}"
    )
    stale = rendered(lab, Registry.parse(lab, TEXT))
    assert failures(lab, registry, stale) == []


# Random small fabrics and layouts


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(world=worlds())
def test_random_fabrics_are_isolated(tmp_path, world):
    """In every world: the audit passes, nobody reaches whom the registry does not let reach,
    and on its own rail and plane everybody reaches whom it does."""
    described, text = world
    path = tmp_path / "fabric.yml"
    path.write_text(yaml.safe_dump(described))
    try:
        fabric = Fabric.load(str(path))
    except FabricError as exc:
        pytest.fail(str(exc))
    registry = Registry.parse(fabric, text)
    documents = rendered(fabric, registry)
    assert failures(fabric, registry, documents) == []
    built = list(fabric.nodes())
    for one in built:
        for two in built:
            if one != two:
                check_pair(fabric, registry, documents, one, two)


def check_pair(fabric, registry, documents, one, two):
    """Compare what the registry lets two nodes do with what documents do, port by port."""
    allowed = may_reach(registry, one, two)
    for here in jobs.ports_of(fabric, one):
        plane = in_plane(fabric, documents, here["plane"])
        for there in jobs.ports_of(fabric, two):
            if there["plane"] != here["plane"]:
                continue
            found = evpn.reaches(
                plane, (here["leaf"], here["port"]), (there["leaf"], there["port"])
            )
            if not allowed:
                assert not found, (one, two, here, there)
            elif here["rail"] == there["rail"]:
                assert found, (one, two, here, there)


def test_compress_in_random_layouts(lab):
    """The texts of a layout name its nodes."""
    held = list(lab.nodes())[::2]
    texts = nodes.compress(lab, held)
    assert [node for text in texts for node in nodes.expand(lab, text)] == held
