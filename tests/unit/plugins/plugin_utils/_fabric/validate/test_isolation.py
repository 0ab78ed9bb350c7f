# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The isolation audit, on documents as they should be and on broken ones."""

from __future__ import annotations

import copy
import itertools
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import (
    links,
    nodes,
    schema,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import isolation
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
    build,
    example,
)

ROOT = Path(__file__).resolve().parents[6]

from ..tenancy import evpn
from ..tenancy.layouts import may_reach, worlds

LEAF, RAIL_2, FAR = "leaf-p1-su001-r1", "leaf-p1-su001-r2", "leaf-p1-su002-r1"
NODE = "worker-su01-rack01-h01"
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


# Route targets


def bgp(*, imports=(), exports=(), leaks=(), vni=None):
    """Return a VRF that somebody configured."""
    sides = {
        "route-import": {"from-evpn": {"route-target": {target: {} for target in imports}}},
        "route-export": {"to-evpn": {"route-target": {target: {} for target in exports}}},
        "address-family": {
            "ipv4-unicast": {"route-import": {"from-vrf": {"list": {vrf: {} for vrf in leaks}}}}
        },
    }
    evpn_of = {"state": "enabled", "vni": {vni: {}}} if vni else {}
    return {"evpn": evpn_of, "router": {"bgp": {"state": "enabled", **sides}}}


def edges_of(fabric, registry, documents):
    """Return (importing VRF, the other) of all that the graph does not let pass."""
    rows = [row for row in isolation.graph(fabric, registry, documents) if row["state"] == "fail"]
    assert {row["id"] for row in rows} <= {"tenant.route_targets"}
    return [(row["sentence"].split()[0], row["found"]) for row in rows]


ELSEWHERE = (
    "tenants:\n"
    "  - {id: 21, slug: acme, nodes: ['su02/[01-02]'], routes: %s}\n"
    "  - {id: 22, slug: globex, nodes: ['su01/h01']}\n"
)


@pytest.mark.parametrize(
    "routes, target, found",
    [
        ("exact", "64512:4000021", "t21-acme"),
        ("rail", "64512:4000021", "t21-acme"),
        ("rail", "64512:24000021", "t21-acme"),
        ("exact", "64512:4000002", "t2-rest"),
        ("exact", "64512:999", "an unknown VRF"),
    ],
)
def test_an_exporter_counts_though_no_leaf_of_it_was_read(lab, routes, target, found):
    """What a leaf imports is judged by itself, whichever others answer."""
    registry = Registry.parse(lab, ELSEWHERE % routes)
    document = copy.deepcopy(rendered(lab, registry)[LEAF])
    assert edges_of(lab, registry, {LEAF: document}) == []
    imports = document["vrf"]["t22-globex"]["router"]["bgp"]["route-import"]["from-evpn"]
    imports["route-target"][target] = {}
    assert edges_of(lab, registry, {LEAF: document}) == [("t22-globex", found)]


@pytest.mark.parametrize(
    "name, body, found",
    [
        ("blue", bgp(imports=["64512:4000021"]), ["t21-acme"]),
        ("blue", bgp(imports=["ANY:4000021"]), ["t21-acme"]),
        ("blue", bgp(vni="4000021"), ["t21-acme"]),
        ("blue", bgp(leaks=["t21-acme", "green"]), ["t21-acme"]),
        ("blue", bgp(leaks=["t30-old"]), ["t30-old"]),
        ("mgmt", bgp(leaks=["t21-acme"]), ["t21-acme"]),
        ("default", bgp(leaks=["t1-quarantine"]), ["t1-quarantine"]),
        ("t30-old", bgp(imports=["64512:4000022"]), ["t22-globex"]),
        ("blue", bgp(imports=["64512:77"], exports=["64512:77"], leaks=["green"], vni="77"), []),
        ("blue", bgp(imports=["ANY:77"], exports=["64512:77"]), []),
        ("mgmt", bgp(leaks=["default"]), []),
    ],
)
def test_a_vrf_that_nobody_declared_takes_no_tenants_routes(lab, name, body, found):
    """It may have all others, which are the site's business."""
    registry = Registry.parse(lab, TEXT)
    documents = {LEAF: copy.deepcopy(rendered(lab, registry)[LEAF])}
    documents[LEAF]["vrf"][name] = body
    assert edges_of(lab, registry, documents) == [(name, other) for other in found]


def test_a_vrf_that_nobody_declared_gives_no_routes_to_tenants(lab):
    """Whoever exports a tenant's route target puts routes into its VRF."""
    registry = Registry.parse(lab, TEXT)
    documents = copy.deepcopy(rendered(lab, registry))
    documents[FAR]["vrf"]["blue"] = bgp(exports=["64512:4000021"])
    assert ("t21-acme", "blue") in edges_of(lab, registry, documents)


# Interfaces


def of_leaf(fabric, registry, document, leaf=LEAF, *, check="tenant."):
    """Return the failures of one leaf's static checks."""
    view = isolation.LeafView(fabric, registry, fabric.device(leaf), document)
    rows = [row for row in isolation.static(view) if row["id"].startswith(check)]
    return [row for row in rows if row["state"] == "fail"]


@pytest.mark.parametrize("vrf", ["t21-acme", "t2-rest", "t1-quarantine", "t30-old"])
@pytest.mark.parametrize("name", ["vlan10", "swp3s0", "swp1s0.100", "eth0"])
def test_only_host_ports_are_in_tenants_vrfs(lab, name, vrf):
    """Neither an uplink nor an interface that is not of the plan."""
    registry = Registry.parse(lab, TEXT)
    document = compose.document(lab, LEAF, tenants=registry)
    document["interface"].setdefault(name, {})["vrf"] = vrf
    (row,) = of_leaf(lab, registry, document)
    assert (row["id"], row["port"], row["found"]) == ("tenant.port_vrf", name, vrf)
    assert f"Interface {name} of {LEAF} is in {vrf}" in row["sentence"]


@pytest.mark.parametrize("vrf", ["mgmt", "blue", "default", None])
def test_other_vrfs_are_the_sites_business(lab, vrf):
    """An interface of the site in a VRF of the site is none of ours."""
    registry = Registry.parse(lab, TEXT)
    document = compose.document(lab, LEAF, tenants=registry)
    document["interface"]["vlan10"] = {"vrf": vrf}
    assert of_leaf(lab, registry, document) == []


def top_of_rack():
    """Return a small fabric whose leaves have all rails of some nodes."""
    return build(
        wiring={"mode": "top-of-rack"}, rails=2, capacity={"sus_per_pod": 1, "slots_per_su": 4}
    )


FABRICS = {name: (lambda name=name: example(name)) for name in EXAMPLES if name != "max-524288"}
FABRICS["top-of-rack"] = top_of_rack
FABRICS["over-ipv6"] = lambda: build(addressing={"profile": "nvidia-guide-v6"})


@pytest.mark.parametrize("name", FABRICS)
def test_all_that_the_plan_puts_into_vrfs_passes(name):
    """Whole documents, of every example and wiring: tenants, a group, a node alone, quarantine."""
    fabric = FABRICS[name]()
    acme, globex, group, alone = map(fabric.name, itertools.islice(fabric.nodes(), 4))
    text = (
        "tenants:\n"
        f"  - {{id: 21, slug: acme, nodes: [{acme}], routes: rail}}\n"
        f"  - {{id: 22, slug: globex, nodes: [{globex}]}}\n"
        f"rest: [{{nodes: [{group}], acceptance: burn-in}}, {{nodes: [{alone}]}}]\n"
    )
    registry = Registry.parse(fabric, text)
    leaves = [leaf for leaf in itertools.islice(fabric.switches(), 400) if leaf.role == "leaf"]
    documents = {}
    for leaf in leaves[:3]:
        documents[fabric.name(leaf)] = compose.document(fabric, leaf, tenants=registry)
        found = of_leaf(fabric, registry, documents[fabric.name(leaf)], fabric.name(leaf))
        assert found == []
    assert edges_of(fabric, registry, documents) == []


# Nodes on their way

MOVE = TEXT + "moving: {su01/h01: {from: %s, to: %s, step: %s}}"


@pytest.mark.parametrize(
    "from_, to, good, bad",
    [
        ("acme", "globex", "t21-acme t1-quarantine t2-rest t22-globex", "t23-initech default blue"),
        ("acme", "rest", "t21-acme t1-quarantine t2-rest", "t22-globex default"),
        ("acme", "quarantine", "t21-acme t1-quarantine", "t2-rest t22-globex"),
        ("rest", "globex", "t2-rest t1-quarantine t22-globex", "t21-acme"),
        ("quarantine", "globex", "t1-quarantine t2-rest t22-globex", "t21-acme"),
    ],
)
def test_a_moving_port_is_somewhere_on_its_way(lab, from_, to, good, bad):
    """Its old tenant's, quarantine, rest and its new tenant's VRF, as its steps are; nowhere else."""
    text = MOVE.replace("['*/h01']", "[su02/h01]" if from_ != "acme" else "['*/h01']")
    registry = Registry.parse(lab, text % (from_, to, "release"))
    document = copy.deepcopy(rendered(lab, registry)[LEAF])
    quarantined = rendered(lab, Registry.parse(lab, text % (from_, to, "open")))[LEAF]
    document["acl"].update(quarantined["acl"])
    port = document["interface"]["swp1s0"] = copy.deepcopy(quarantined["interface"]["swp1s0"])
    for vrf in good.split():
        port["vrf"] = vrf
        assert of_leaf(lab, registry, document) == []
    for vrf in [*bad.split(), None]:
        port["vrf"] = vrf
        (row,) = of_leaf(lab, registry, document)
        assert (row["id"], row["port"], row["found"]) == ("tenant.port_vrf", "swp1s0", vrf)
        assert row["expected"] == good.split()


PAIRS = [pair for pair in itertools.pairwise(schema.STEPS) if pair != ("accept", "join")]
SHUT = [("accept", "quarantine"), ("quarantine", "join")]
"""Out of rest a node is shut in quarantine first, as nobody may be up there and with a tenant."""


@pytest.mark.parametrize("recorded", schema.STEPS)
@pytest.mark.parametrize("before, after", PAIRS + SHUT)
def test_a_node_that_is_fine_on_its_way_is_excused(lab, recorded, before, after):
    """Wherever it is, whatever its record says, and with one leaf a step further than the other."""
    documents = rendered(lab, Registry.parse(lab, MOVE % ("acme", "globex", before)))
    ahead = rendered(lab, Registry.parse(lab, MOVE % ("acme", "globex", after)))
    documents[LEAF] = ahead[LEAF]
    registry = Registry.parse(lab, MOVE % ("acme", "globex", recorded))
    assert failures(lab, registry, documents) == []


def both_ends(fabric, first, second):
    """Return a registry and documents in which a node is at one step on rail 1, another on rail 2."""
    registry = Registry.parse(fabric, MOVE % ("acme", "globex", "join"))
    documents = rendered(fabric, Registry.parse(fabric, MOVE % ("acme", "globex", second)))
    other = rendered(fabric, Registry.parse(fabric, MOVE % ("acme", "globex", first)))
    return registry, {**documents, LEAF: other[LEAF]}


@pytest.mark.parametrize(
    "first, second, vrfs",
    [
        ("drain", "join", ["t21-acme", "t22-globex"]),
        ("verify", "drain", ["t21-acme", "t22-globex"]),
        ("drain", "rest", ["t21-acme", "t2-rest"]),
        ("shut", "join", None),
        ("rest", "join", ["t2-rest", "t22-globex"]),
        ("join", "accept", ["t2-rest", "t22-globex"]),
        ("quarantine", "join", None),
        ("drain", "open", None),
    ],
)
def test_no_node_is_up_with_its_old_and_its_new_tenant(lab, first, second, vrfs):
    """Over all leaves; what the graph needs of a document is enough."""
    registry, documents = both_ends(lab, first, second)
    views = [isolation.LeafView(lab, registry, lab.device(n), d) for n, d in documents.items()]
    short = {view.subject.device: isolation.for_graph(view) for view in views}
    assert set(short[LEAF]["interface"]) == {"swp1s0"}
    assert set(short[LEAF]["interface"]["swp1s0"]) == {"vrf", "link"}
    for whole in (documents, short):
        rows = [r for r in isolation.graph(lab, registry, whole) if r["state"] == "fail"]
        assert [row["found"] for row in rows] == ([vrfs] if vrfs else [])
        assert {row["id"] for row in rows} <= {"tenant.port_vrf"}
        assert all(NODE in row["sentence"] for row in rows)


@pytest.mark.parametrize("from_", ["rest", "quarantine"])
def test_no_node_is_up_in_rest_and_with_its_tenant(lab, from_):
    """Nor is one that was nobody's before."""
    text = TEXT.replace("nodes: ['*/h01']", "nodes: [su02/h01]")
    text += "moving: {su01/h01: {from: %s, to: globex, step: %s}}"
    held = {
        step: Registry.parse(lab, text % (from_, step)) for step in ("rest", "quarantine", "join")
    }
    ahead, behind = rendered(lab, held["join"]), rendered(lab, held["rest"])
    (row,) = [
        r
        for r in isolation.graph(lab, held["join"], {**behind, LEAF: ahead[LEAF]})
        if r["state"] == "fail"
    ]
    assert row["found"] == ["t2-rest", "t22-globex"]
    shut = {**rendered(lab, held["quarantine"]), LEAF: ahead[LEAF]}
    rows = isolation.graph(lab, held["join"], shut)
    assert [r for r in rows if r["state"] == "fail"] == []


def test_no_node_is_up_twice_on_one_leaf():
    """A top-of-rack leaf has all ports of a node, so it shows it by itself, and once."""
    fabric = top_of_rack()
    registry = Registry.parse(fabric, MOVE % ("acme", "globex", "join"))
    documents = copy.deepcopy(rendered(fabric, registry))
    ports = links.ports_of(fabric, registry.fabric.device(NODE))
    leaf, one = ports[0]["leaf"], ports[0]["port"]
    assert {port["leaf"] for port in ports} == {leaf}
    documents[leaf]["interface"][one]["vrf"] = "t21-acme"
    (row,) = of_leaf(fabric, registry, documents[leaf], leaf)
    assert (row["id"], row["port"]) == ("tenant.port_vrf", one)
    assert "at once" in row["sentence"]
    assert edges_of(fabric, registry, documents) == []


# Access lists

QUARANTINED, RESTING = "swp2s0", "swp1s1"
REST = (
    "tenants: [{id: 21, slug: acme, nodes: ['*/h01']}]\n"
    "rest: [{nodes: ['*/h02'], acceptance: burn-in}]\n"
)


def rule(action, **match):
    """Return a rule of an access list."""
    return {"match": {"ip": match} if match else {}, "action": {action: {}}}


def with_list(fabric, port, change):
    """Return the failures of a leaf's lists when the list at a port has been changed."""
    registry = Registry.parse(fabric, REST)
    document = copy.deepcopy(rendered(fabric, registry)[LEAF])
    (name,) = document["interface"][port]["acl"]
    change(document, document["interface"][port]["acl"], document["acl"][name])
    return of_leaf(fabric, registry, document, check="tenant.access_lists")


@pytest.mark.parametrize(
    "number, added, passes",
    [
        ("5", rule("permit", **{"dest-ip": "ANY"}), False),
        ("5", rule("permit"), False),
        ("5", rule("permit", **{"source-ip": "172.16.0.0/16"}), False),
        ("5", rule("permit", **{"dest-ip": "172.16.0.2/31"}), False),
        ("5", rule("permit", **{"dest-ip": "0.0.0.0/0", "protocol": "tcp"}), False),
        ("5", rule("permit", **{"dest-ip": "nothing"}), False),
        ("5", rule("permit", **{"dest-ip": "fe80::/10"}), False),
        ("65001", rule("permit", **{"dest-ip": "ANY"}), False),
        ("65001", rule("deny", **{"dest-ip": "10.0.0.0/8"}), False),
        ("65001", rule("deny", **{"dest-ip": "ANY", "tcp": {"dest-port": {"22": {}}}}), False),
        ("5", rule("permit", **{"dest-ip": "172.16.0.5", "protocol": "icmp"}), True),
        ("5", rule("deny", **{"dest-ip": "10.0.0.0/8"}), True),
        ("65001", rule("deny"), True),
        ("65001", rule("deny", **{"source-ip": "ANY", "dest-ip": "0.0.0.0/0"}), True),
    ],
)
def test_what_a_list_of_quarantine_may_permit(lab, number, added, passes):
    """The host's gateway, in whatever rule, and nothing else; then everything is denied."""

    def change(_document, _bound, own):
        own["rule"][number] = added

    found = with_list(lab, QUARANTINED, change)
    assert (found == []) is passes
    assert all(row["port"] == QUARANTINED for row in found)


@pytest.mark.parametrize(
    "goal, passes",
    [
        ("172.16.0.2/31", True),
        ("172.18.1.3", True),
        ("172.16.0.0/31", False),
        ("172.16.0.0/30", False),
        ("172.16.0.4/31", False),
    ],
)
def test_what_a_list_of_rest_may_permit(lab, goal, passes):
    """The links of the node's acceptance group."""

    def change(_document, _bound, own):
        own["rule"]["5"] = rule("permit", **{"dest-ip": goal})

    found = with_list(lab, RESTING, change)
    assert (found == []) is passes
    assert all(f"{goal} (rule 5 of spx-tenant-rest-burn-in)" in r["sentence"] for r in found)


def _second_list(document, bound, _own):
    document["acl"]["site"] = {"type": "ipv4", "rule": {"10": rule("permit")}}
    bound["site"] = {"inbound": {}}


def _strict_list(document, bound, _own):
    document["acl"]["site"] = {"type": "ipv4", "rule": {"10": rule("deny")}}
    bound["site"] = {"inbound": {}}


def _control_list(document, bound, _own):
    document["acl"]["site"] = {"type": "ipv4", "rule": {"10": rule("permit")}}
    bound["site"] = {"inbound": {"control-plane": {}}}


def _outbound(_document, bound, _own):
    (name,) = bound
    bound[name] = {"outbound": {}}


def _other_family(_document, _bound, own):
    own["type"] = "ipv6"


def _dangling(document, bound, _own):
    (name,) = bound
    del document["acl"][name]


def test_a_list_that_lacks_a_node_of_its_group_fails(lab):
    """One that joined the group on another leaf is named, unless it is still moving."""
    registry = Registry.parse(lab, REST)
    fewer = rendered(lab, Registry.parse(lab, REST.replace("*/h02", "su01/h02")))[LEAF]
    (row,) = of_leaf(lab, registry, fewer, check="tenant.access_lists")
    assert "do not let it reach 172.16.1.2/31" in row["sentence"]
    moving = REST + "moving: {su02/h02: {from: acme, to: rest, step: rest, acceptance: burn-in}}\n"
    moving = moving.replace("'*/h01'", "'*/h01', su02/h02").replace("'*/h02']", "su01/h02]")
    registry = Registry.parse(lab, moving)
    assert of_leaf(lab, registry, fewer, check="tenant.access_lists") == []


@pytest.mark.parametrize(
    "change, passes",
    [
        (_second_list, False),
        (_outbound, False),
        (_other_family, False),
        (_dangling, False),
        (_strict_list, True),
        (_control_list, True),
    ],
)
def test_all_lists_of_a_port_count(lab, change, passes):
    """A list of the site beside ours that lets more through undoes it."""
    assert (with_list(lab, QUARANTINED, change) == []) is passes


def test_a_moving_node_in_quarantine_is_behind_its_list(lab):
    """Also while it is moving, and then it is tenant_move that mends it."""
    registry = Registry.parse(lab, MOVE % ("acme", "globex", "wipe"))
    document = copy.deepcopy(rendered(lab, registry)[LEAF])
    assert of_leaf(lab, registry, document) == []
    del document["interface"]["swp1s0"]["acl"]
    (row,) = of_leaf(lab, registry, document)
    assert (row["id"], row["port"]) == ("tenant.access_lists", "swp1s0")
    assert row["sentence"].endswith("run tenant_move again.")


# Route tables


def tables(fabric, registry, documents, name):
    """Return the judge of a leaf's tables, and the tables as they should be."""
    view = isolation.LeafView(fabric, registry, fabric.device(name), documents[name])
    plane = in_plane(fabric, documents, fabric.device(name).plane)
    return view, {vrf: evpn.table(plane, name, vrf) for vrf in documents[name]["vrf"]}


def judged(view, found):
    """Return {VRF: (missing, surplus)} of the tables that fail."""
    rows = [row for row in isolation.live(view, found) if row["state"] == "fail"]
    vrf_of = {row["slug"]: row["vrf"] for row in view.vrfs}
    return {
        vrf_of[row["tenant"]]: (row["expected"]["missing"], row["found"]["surplus"]) for row in rows
    }


LINKS = {"172.16.0.0/31", "172.18.0.0/31"}
"""Of su01/h01: rail 1 and rail 2."""


@pytest.mark.parametrize(
    "row, excused",
    [
        ({"device": NODE, "port": "rail2p1"}, {"172.18.0.0/31"}),
        ({"device": RAIL_2, "port": "swp1s0"}, {"172.18.0.0/31"}),
        ({"device": NODE}, LINKS),
        ({"device": RAIL_2}, {"172.18.0.0/31"}),
        ({"device": "spine-p1-s01"}, set()),
        ({"device": "worker-su01-rack01-h02"}, set()),
    ],
)
def test_what_is_out_of_service_may_be_missing_and_nothing_else(load, row, excused):
    """The links of that port, node or leaf; as a surplus they are what they are."""
    fabric = load(out_of_service=[{"since": "2026-01-01", "reason": "dead", **row}])
    registry = Registry.parse(fabric, TEXT)
    view, found = tables(fabric, registry, rendered(fabric, registry), FAR)
    assert judged(view, found) == {}
    lacking = {**found, "t21-acme": found["t21-acme"] - LINKS}
    missing = sorted(LINKS - excused)
    assert judged(view, lacking) == ({"t21-acme": (missing, [])} if missing else {})
    other = {**found, "t22-globex": found["t22-globex"] | LINKS}
    assert judged(view, other) == {"t22-globex": ([], sorted(LINKS))}


def test_links_of_moving_nodes_are_excused_on_their_way_only(lab):
    """In a third tenant's VRF they are a leak."""
    text = (
        TEXT.replace("['*/h02']", "[su02/h02]") + "  - {id: 23, slug: initech, nodes: [su02/h03]}\n"
    )
    registry = Registry.parse(
        lab, text + "moving: {su01/h01: {from: acme, to: globex, step: withdraw}}"
    )
    view, found = tables(lab, registry, rendered(lab, registry), FAR)
    assert judged(view, found) == {}
    passing = {vrf: found[vrf] | LINKS for vrf in ("t21-acme", "t22-globex", "t1-quarantine")}
    assert judged(view, {**found, **passing}) == {}
    strange = {**found, "t23-initech": found["t23-initech"] | LINKS}
    assert judged(view, strange) == {"t23-initech": ([], sorted(LINKS))}


COLLAPSED = (
    "tenants:\n"
    "  - {id: 21, slug: acme, nodes: ['su01/[01-04]', 'su02/[01-04]'], routes: leaf}\n"
    "  - {id: 22, slug: globex, nodes: [su01/h05, su02/h05], routes: leaf}\n"
)


def test_collapsed_routes_pass_their_own_audit():
    """Every leaf of the tenant, which has its own links besides what all announce."""
    fabric = example("h200-2048")
    registry = Registry.parse(fabric, COLLAPSED)
    documents = rendered(fabric, registry)
    assert failures(fabric, registry, documents) == []


@pytest.mark.parametrize("routes", ["exact", "rail", "leaf"])
def test_all_kinds_of_routes_pass_at_the_top_of_a_rack(routes):
    """Also where all links of a leaf collapse, over the rails too."""
    fabric = top_of_rack()
    text = "tenants: [{id: 21, slug: acme, nodes: ['su01/*'], routes: %s}]"
    registry = Registry.parse(fabric, text % routes)
    assert failures(fabric, registry, rendered(fabric, registry)) == []


@pytest.mark.parametrize(
    "before, recorded", [("drain", "shut"), ("shut", "drain"), ("drain", "join"), ("join", "drain")]
)
def test_moving_nodes_are_excused_where_routes_collapse(before, recorded):
    """What comes and goes with them holds their neighbours' links too, and nobody else's."""
    fabric = example("h200-2048")
    text = COLLAPSED + "moving: {su01/h01: {from: acme, to: globex, step: %s}}"
    documents = rendered(fabric, Registry.parse(fabric, text % before))
    registry = Registry.parse(fabric, text % recorded)
    assert failures(fabric, registry, documents) == []
    view, found = tables(fabric, registry, documents, LEAF)
    wide = {**found, "t21-acme": found["t21-acme"] | {"172.16.0.0/27"}}
    assert judged(view, wide) == {"t21-acme": ([], ["172.16.0.0/27"])}


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
    for here in links.ports_of(fabric, one):
        plane = in_plane(fabric, documents, here["plane"])
        for there in links.ports_of(fabric, two):
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
