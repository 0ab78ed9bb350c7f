# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The registry: who holds what, and every breach at once."""

from __future__ import annotations

import itertools

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import (
    capacity,
    groups,
    schema,
    vrfs,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.steps import STEPS
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

ACME = "tenants: [{id: 21, slug: acme, nodes: [su01/h01]}, {id: 22, slug: globex}]\n"


def refused(registry, text, **where):
    """Return the sentences with which a registry is refused."""
    with pytest.raises(FabricError) as caught:
        registry(text, **where)
    return caught.value.sentences


@pytest.mark.parametrize(
    "text, sentence",
    [
        (
            "tenants:\n  - {id: 21, slug: acme, nodes: [su01/h01]}\n"
            "  - {id: 22, slug: globex, nodes: [su01]}",
            "tenants.yml line 3, tenants[1].nodes[0]: worker-su01-rack01-h01 is claimed by globex and "
            "already stands under acme (line 2): a node has one owner, so remove one of the two.",
        ),
        (
            "tenants: [{id: 21, slug: acme, nodes: [worker-su01-rack01-h09]}]",
            "tenants.yml line 1, tenants[0].nodes[0]: 'worker-su01-rack01-h09' is no node of the "
            "fabric: use a node's name such as worker-su01-rack01-h01, or a place such as su01/h01.",
        ),
        (
            "tenants:\n  - {id: 21, slug: acme}\n  - {id: 21, slug: globex}",
            "tenants.yml line 3, tenants[1].id: 21 of globex is already the id of acme (line 2): give "
            "each its own.",
        ),
        (
            "retired: [{id: 21, slug: acme, vrf: default}]",
            "tenants.yml line 1, retired[0].vrf: 'default' is a VRF of the switch itself: choose "
            "another name.",
        ),
        (
            "tenants: [{id: 21, slug: acme, vrf: swp1s0}]",
            "tenants.yml line 1, tenants[0].vrf: 'swp1s0' is the name of an interface: choose another "
            "name.",
        ),
        (
            "tenants: [{id: 21, slug: acme, since: 2026-02-30}]",
            "tenants.yml line 1, tenants[0].since: '2026-02-30' is not allowed: use a day of the "
            "calendar such as 2026-01-31.",
        ),
        (
            "moving:\n  su01/h01: {from: quarantine, to: rest, step: shut}\n"
            "  worker-su01-rack01-h01: {from: rest, to: quarantine, step: shut}",
            "tenants.yml line 3, moving.worker-su01-rack01-h01: worker-su01-rack01-h01 has another "
            "record above: keep one of the two.",
        ),
        (
            "tenants: [{id: 21, slug: acme}]\nretired: [{id: 21, slug: old}]",
            "tenants.yml line 1, tenants[0].id: 21 of acme was the id of old, who has left (see "
            "retired): an id is never given twice, choose another.",
        ),
        (
            "tenants: [{id: 21, slug: acme-laboratories}]",
            "tenants.yml line 1, tenants[0].slug: the VRF name 't21-acme-laboratories' has 21 "
            "characters and at most 15 are allowed: shorten slug to 11 characters, or set vrf.",
        ),
        (
            "tenants: [{id: 4, slug: acme}]",
            "tenants.yml line 1, tenants[0].id: 4 of acme is not allowed (1 to 15 are reserved, and a "
            "tenant has 16 to 65535): choose another id.",
        ),
        (
            "services: [{id: 16, slug: logs}]",
            "tenants.yml line 1, services[0].id: 16 of logs is not allowed (a service has 3 to 15): "
            "choose another id.",
        ),
        (
            "tenants: [{id: 21, slug: quarantine}]",
            "tenants.yml line 1, tenants[0].slug: 'quarantine' is reserved (quarantine, rest, default, "
            "mgmt): choose another slug.",
        ),
        (
            "tenants:\n  - {id: 21, slug: acme, shared: [globex]}\n"
            "  - {id: 22, slug: globex, shared: [acme]}",
            "tenants.yml line 2, tenants[0].shared: acme -> globex -> acme is a ring, which would join "
            "these tenants: remove one of the imports.",
        ),
        (
            "tenants: [{id: 21, slug: acme, shared: [storag]}]",
            "tenants.yml line 1, tenants[0].shared[0]: 'storag' is no service, did you mean 'storage': "
            "use some of acme, shared, storage.",
        ),
        (
            "tenants: [{id: 21, slug: acme, nodez: []}]",
            "tenants.yml line 1, tenants[0].nodez: the key is not known, did you mean 'nodes': rename "
            "it or remove it.",
        ),
        (
            "moving: {worker-su01-rack01-h01: {from: rest, to: quarantine, step: shut, sinse: x}}",
            "tenants.yml line 1, moving.worker-su01-rack01-h01.sinse: the key is not known, did you mean "
            "'since': rename it or remove it.",
        ),
        (
            "tenants: [{id: 21, slug: acme, nodes: [su01], quotas: {nodes: 2}}]",
            "tenants.yml line 1, tenants[0].quotas.nodes: acme has 3 nodes and its quota is 2: raise the "
            "quota, or give nodes back.",
        ),
        (
            ACME + "moving: {su01/h01: {from: globex, to: rest, step: shut}}",
            "tenants.yml line 2, moving.su01/h01: worker-su01-rack01-h01 stands under acme (line 1) and "
            "is recorded as moving from globex to rest: correct one of them.",
        ),
        (
            "moving: {su01/h01: {from: acme, to: rest, step: shut}}",
            "tenants.yml line 1, moving.su01/h01.from: 'acme' is no tenant: use one of quarantine, rest.",
        ),
        (
            "tenants: [{id: 21, slug: acme, route_targets: {imports: ['64512:4000022'], exports: "
            "['1:2']}}, {id: 22, slug: globex}]",
            "tenants.yml line 1, tenants[0].route_targets.imports[0]: '64512:4000022' of acme is also "
            "exported by globex, which would join the two: use a route target of its own, or declare it "
            "in shared and set leaking to true.",
        ),
        (
            "tenants: [{id: 21, slug: acme, route_targets: {imports: ['65000:1'], exports: ['65000:2']}}]",
            "tenants.yml line 1, tenants[0].route_targets: acme imports nothing that it exports, so that "
            "its nodes on different leaves would not reach each other: write one route target in both "
            "imports and exports.",
        ),
        (
            "tenants: [{id: 21, slug: acme, route_targets: {imports: ['64512:04000022'], exports: "
            "['64512:04000022']}}]",
            "tenants.yml line 1, tenants[0].route_targets.imports[0]: '64512:04000022' is not allowed: "
            "use a route target such as 64512:4000021 (a 2-byte AS number and a number up to 4294967295, "
            "or a 4-byte one and a number up to 65535, without leading zeros).",
        ),
        (
            "tenants: [{id: 21, slug: acme, routes: rail, route_targets: {imports: ['4200000000:100'], "
            "exports: ['4200000000:100']}}]",
            "tenants.yml line 1, tenants[0].routes: rail of acme has no room behind the route target "
            "4200000000:100 (the last rail would have 4200000000:20000100): use exact or leaf, or a "
            "2-byte AS number with a number up to 4274967295.",
        ),
        (
            "tenants:\n  - {id: 21, slug: acme, routes: rail}\n"
            "  - {id: 22, slug: globex, l3vni: 14000021}",
            "tenants.yml line 3, tenants[1].l3vni: 14000021 of globex makes the route target "
            "64512:14000021, also exported by acme, which would join the two: use an L3VNI of its own.",
        ),
        (
            "tenants: [{id: 21, slug: acme, l3vni: 4000004}]",
            "tenants.yml line 1, tenants[0].l3vni: 4000004 of acme is already the l3vni of storage: give "
            "each its own.",
        ),
        (
            "tenants:\n  - {id: 21, slug: acme, networks: [storage]}\n"
            "  - {id: 22, slug: globex, l3vni: 4200021}",
            "tenants.yml line 3, tenants[1].l3vni: 4200021 of globex is already the l3vni of acme (line "
            "2): give each its own.",
        ),
        (
            "tenants: [{id: 21, slug: storage}]",
            "tenants.yml line 1, tenants[0].slug: 'storage' is a service, which tenants may be entitled "
            "to reach: choose another slug.",
        ),
        (
            "tenants: [{id: 21, slug: acme, external_peers: [{name: a, address: x, asn: 64496}]}]",
            "tenants.yml line 1, tenants[0].external_peers[0].address: 'x' is no address: write one such "
            "as 192.0.2.1.",
        ),
        (
            "vrfs_per_leaf: 1\ntenants:\n  - {id: 21, slug: acme, nodes: [su01/h01]}\n"
            "  - {id: 22, slug: globex, nodes: [su01/h02]}",
            "tenants.yml line 1, vrfs_per_leaf: the leaves of pod01/su01 would hold 2 VRFs with an "
            "L3VNI, and 1 reserved VLANs serve one each: raise vrfs_per_leaf, or spread the tenants.",
        ),
        (
            "rest: [{nodes: [su01/h01], acceptance: a}, {nodes: [su01/h02], acceptance: a}]",
            "tenants.yml line 1, rest[1].acceptance: the group 'a' already stands in line 1: write its "
            "nodes in one entry.",
        ),
        (
            "health: {worker-su01: {}}",
            "tenants.yml line 1, health.worker-su01: 'worker-su01' is no node's name: correct it, or "
            "remove the record.",
        ),
    ],
)
def test_breaches(registry, text, sentence):
    """Each says where, what, what is allowed and what to do."""
    assert sentence in refused(registry, text)


@pytest.mark.parametrize(
    "text, part",
    [
        (
            "tenants: [{id: 30, slug: new, vrf: t21-acme}]\nretired: [{id: 21, slug: acme}]",
            "tenants[0].vrf: t21-acme of new was the vrf of acme, who has left (see retired): it is "
            "never given twice, choose another.",
        ),
        (
            "tenants: [{id: 30, slug: new, l3vni: 4000021}]\nretired: [{id: 21, slug: acme}]",
            "tenants[0].l3vni: 4000021 of new was the l3vni of acme, who has left (see retired): it",
        ),
        (
            "tenants: [{id: 30, slug: new, l3vni: 4200021}]\nretired: [{id: 21, slug: acme}]",
            "tenants[0].l3vni: 4200021 of new was the l3vni of acme, who has left (see retired): it",
        ),
        (
            "tenants: [{id: 30, slug: new, rd_id: 7}]\nretired: [{id: 21, slug: acme, rd_id: 7}]",
            "tenants[0].rd_id: 7 of new was the rd_id of acme, who has left (see retired): it is",
        ),
        (
            "tenants: [{id: 30, slug: acme, route_targets: {imports: ['1:1', '64512:4000021'], "
            "exports: ['1:1']}}]\nretired: [{id: 21, slug: acme}]",
            "tenants[0].route_targets.imports[1]: '64512:4000021' of acme is also exported by acme "
            "(retired), which would join the two",
        ),
        (
            "tenants: [{id: 30, slug: new}]\nretired: [{id: 21, slug: acme, route_targets: "
            "{imports: ['64512:4000030'], exports: ['64512:4000030']}}]",
            "tenants[0].l3vni: 4000030 of new makes the route target 64512:4000030, also exported by "
            "acme (retired), which would join the two",
        ),
        (
            "retired: [{id: 4, slug: storage}]",
            "retired[0].vrf: 't4-storage' is the VRF of storage, which stays: remove the row.",
        ),
    ],
)
def test_what_a_tenant_had_is_given_to_nobody(registry, text, part):
    """Its VRF may be on switches yet, where the two would be one."""
    (said,) = refused(registry, text)
    assert part in said


def test_all_at_once(registry):
    """A file with five mistakes gives five sentences."""
    text = (
        "tenants:\n"
        "  - {id: 21, slug: acme, nodes: [nowhere]}\n"
        "  - {id: 21, slug: rest}\n"
        "  - {id: 30, slug: far-too-long-a-slug}\n"
        "retired: [{id: 30, slug: old}]\n"
    )
    assert len(refused(registry, text)) == 5


def stating(imports, exports=None, **more):
    """Return a tenant's row that takes route targets over."""
    targets = {"imports": imports, "exports": imports if exports is None else exports}
    return {"id": 22, "slug": "globex", "route_targets": targets, **more}


ACME_BY_RAIL = {"id": 21, "slug": "acme", "routes": "rail"}
JOINED = [
    ([ACME_BY_RAIL, stating(["64512:24000021"])], "'64512:24000021' of globex is also exported"),
    (
        [ACME_BY_RAIL, stating(["1:1", "64512:4000021"], ["1:1"])],
        "'64512:4000021' of globex is also exported by acme",
    ),
    (
        [
            {"id": 21, "slug": "acme", "l3vni": 14000022},
            {"id": 22, "slug": "globex", "routes": "rail"},
        ],
        "14000022 of acme makes the route target 64512:14000022, also exported by globex",
    ),
    (
        [{"id": 21, "slug": "acme"}, stating(["64512:4000021"])],
        "tenants[1].route_targets.exports[0]: '64512:4000021' of globex is also exported by acme",
    ),
    (
        [
            {"id": 21, "slug": "acme", "l3vni": 14000500},
            stating(["64512:4000500"], routes="rail"),
        ],
        "'64512:4000500' of globex makes the route target 64512:14000500, also exported by acme",
    ),
    ([stating(["64512:4000002"])], "'64512:4000002' of globex is also exported by rest"),
    ([stating(["64512:4000003"])], "'64512:4000003' of globex is also exported by shared"),
    (
        [{"id": 21, "slug": "acme", "networks": ["front-end"]}, stating(["64512:4100021"])],
        "'64512:4100021' of globex is also exported by acme",
    ),
    (
        [{"id": 22, "slug": "acme", "shared": ["storage"], **stating(["64512:4000004"])}],
        "'64512:4000004' of globex is also exported by storage",
    ),
    (
        [stating(["1:1", "64512:4000004"], ["1:1"], shared=["storage"])],
        "imports[1]: '64512:4000004' of globex is also exported by storage",
    ),
]


@pytest.mark.parametrize("rows, part", JOINED)
def test_numbers_that_join_two(registry, rows, part):
    """Packets cross where one imports what the other exports, so one sentence tells of each pair."""
    (sentence,) = refused(registry, yaml.safe_dump({"tenants": rows}))
    assert part in sentence


def test_wrong_types_hide_no_broken_rules(registry):
    """Other rows are judged too, and nothing is said that follows from a value left out."""
    rows = (
        "tenants:\n"
        "  - {id: 21, slug: acme-laboratories, vrff: RED, quotas: {nodes: 0, x: 1}, nodes: [su01, 5]}\n"
        "  - {id: 21, slug: globex, nodes: [nowhere, su01/h01]}\n"
        "moving: {su02/h01: {from: acme-laboratories, to: rest, step: shut, sinse: x}}\n"
    )
    places = [sentence.split(", ")[1].split(":")[0] for sentence in refused(registry, rows)]
    assert places == [
        "tenants[0].nodes[1]",
        "tenants[0].quotas.x",
        "tenants[0].vrff",
        "moving.su02/h01.sinse",
        "tenants[1].nodes[0]",
        "tenants[1].nodes[1]",
        "tenants[1].id",
    ]


@pytest.mark.parametrize(
    "row", ["5", "{slug: acme}", "{id: '21', slug: acme}", "{id: 21, slug: A}"]
)
def test_rows_that_cannot_be_judged(registry, row):
    """A row without its id or slug leaves the rest to the schema alone."""
    text = f"tenants: [{row}, {{id: 22, slug: b, nodes: [nowhere]}}]"
    assert not any("nowhere" in sentence for sentence in refused(registry, text))


NUMBERS = ["64512:4000021", "64512:14000021", "64512:4000004", "1:1", "1:10000001", "65000:7"]


@st.composite
def rows_of_numbers(draw):
    """Return rows of tenants whose numbers come from a few, so that they clash."""
    made = []
    for number in range(draw(st.integers(2, 4))):
        row = {"id": 21 + number, "slug": f"t{number}"}
        row["routes"] = draw(st.sampled_from(["exact", "rail"]))
        row["shared"] = draw(st.sampled_from([[], ["storage"], ["t0"] if number else []]))
        row["networks"] = draw(st.sampled_from([["east-west"], ["east-west", "storage"]]))
        targets = st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=2, unique=True)
        if draw(st.booleans()):
            own = draw(targets)
            row["route_targets"] = {"exports": own, "imports": own + draw(st.just([]) | targets)}
        elif draw(st.booleans()):
            row["l3vni"] = draw(st.sampled_from([4000022, 14000021, 4000004, 4200021, 7, 10000007]))
        made.append(row)
    return made


@given(rows_of_numbers(), st.booleans())
def test_no_packets_cross_in_a_registry_that_loads(rows, leaking):
    """Whatever is taken over: no VRF imports what an undeclared one exports, and L3VNIs differ."""
    lab = example("lab")
    try:
        found = Registry.parse(lab, yaml.safe_dump({"leaking": leaking, "tenants": rows}))
    except FabricError:
        return
    everyone = [owner for owner in found.owners.values() if owner.l3vni]
    assert len({owner.l3vni for owner in everyone}) == len(everyone)
    for one, other in itertools.permutations(everyone, 2):
        declared = leaking and (one.slug in other.reaches or other.slug in one.reaches)
        imports = {*one.imported(range(lab.clos.rails)), *vrfs.leaks(found, one)}
        assert declared or not imports & {*other.exported(range(lab.clos.rails))}


def test_what_is_declared_may_be_imported(registry):
    """With leaking on, both ends may import each other's route targets, and still not export them."""
    imports = stating(["1:1", "64512:4000004"], ["1:1"], shared=["storage"])
    assert registry(yaml.safe_dump({"leaking": True, "tenants": [imports]})).owner("globex")
    exports = stating(["64512:4000004"], shared=["storage"])
    (sentence,) = refused(registry, yaml.safe_dump({"leaking": True, "tenants": [exports]}))
    assert sentence.endswith("which would join the two: use a route target of its own.")


def test_numbers_given_twice_are_told_once(registry):
    """What follows from an id or an L3VNI given twice is not told as route targets again."""
    for rows in (
        [{"id": 21, "slug": "acme"}, {"id": 21, "slug": "globex"}],
        [{"id": 21, "slug": "acme"}, {"id": 22, "slug": "globex", "l3vni": 4000021}],
        [{"id": 21, "slug": "acme", "l3vni": 5001}, {"id": 22, "slug": "globex", "l3vni": 5001}],
        [{"id": 4, "slug": "acme"}],
    ):
        assert len(refused(registry, yaml.safe_dump({"tenants": rows}))) == 1


@pytest.mark.parametrize(
    "target",
    ["0:1", "64512:4294967296", "65536:65536", "4294967296:1", "01:1", "1:", "1:" + "9" * 5000],
)
def test_what_is_no_route_target(registry, target):
    """Each is one sentence, however long the number is."""
    rows = [stating([target, "1:1"], ["1:1"])]
    (sentence,) = refused(registry, yaml.safe_dump({"tenants": rows}))
    assert "is not allowed: use a route target such as 64512:4000021" in sentence
    assert len(sentence) < 400


@pytest.mark.parametrize("target", ["65535:4294967295", "4294967295:65535", "1:0"])
def test_the_largest_route_targets(registry, target):
    """What fits into eight bytes is taken over."""
    text = yaml.safe_dump({"tenants": [stating([target])]})
    assert registry(text).owner("globex").exports == (target,)


def test_a_listed_service_may_bear_the_name_of_a_default(registry):
    """The house's own rows say what the default services are."""
    found = registry("services: [{id: 5, slug: storage}]\ntenants: [{id: 21, slug: acme}]")
    assert found.owner("storage").id == 5


def test_a_long_chain_of_sharing(registry):
    """A chain is no ring, and however long it is, a ring at its end is found."""
    rows = [
        {"id": 100 + n, "slug": f"t{n}", "shared": [f"t{n + 1}"] if n < 1499 else []}
        for n in range(1500)
    ]
    assert registry(yaml.safe_dump({"tenants": rows})).owner("t0").reaches == ("t1",)
    rows[-1]["shared"] = ["t1497"]
    (sentence,) = refused(registry, yaml.safe_dump({"tenants": rows}))
    assert "t1497 -> t1498 -> t1499 -> t1497 is a ring" in sentence


def test_rings_are_told_once(registry):
    """Each ring gives one sentence, wherever one enters it."""
    shared = {"a": ["b"], "b": ["c"], "c": ["b"], "d": ["e", "b"], "e": ["d"]}
    rows = [{"id": 30 + n, "slug": slug, "shared": s} for n, (slug, s) in enumerate(shared.items())]
    said = refused(registry, yaml.safe_dump({"tenants": rows}))
    assert [sentence.split(": ")[1].split(" is a ring")[0] for sentence in said] == [
        "b -> c -> b",
        "d -> e -> d",
    ]


def test_too_many_vrfs_on_a_switch(lab, registry):
    """A leaf of 254 tenants and quarantine is full; no known switch has ports for more."""
    rows = [{"id": 20 + n, "slug": f"t{n}"} for n in range(255)]
    made = registry(yaml.safe_dump({"vrfs_per_leaf": 300, "tenants": rows}))
    for n in range(254):
        made = made.with_nodes(f"t{n}", [Node(0, 0, n)])
    held = schema.Moving.model_validate({"from": "t0", "to": "t1", "step": "withdraw"})
    for full in (made, made.with_moves({Node(0, 0, 255): held})):
        assert list(capacity.breaches(full)) == []
    (breach,) = capacity.breaches(made.with_nodes("t254", [Node(0, 0, 254)]))
    assert breach.sentence == (
        "the leaves of pod01/su01 would hold 256 VRFs and a switch has at most 255: spread the "
        "tenants over more SUs."
    )


def test_a_leaf_of_128_tenants(load, registry):
    """As many tenants as the largest leaf has nodes are allowed."""
    fabric = load(
        "multiplane-16384",
        switches={
            "usable_ports": 256,
            "model": "SN5600",
            "host_speed": "200G",
            "fabric_speed": "200G",
        },
        capacity={"slots_per_su": 128, "sus_per_pod": 2},
    )
    rows = "\n".join(
        f"  - {{id: {20 + n}, slug: t{n}, nodes: [su01/h{n + 1}]}}" for n in range(128)
    )
    assert registry("tenants:\n" + rows, fabric).holding(Node(0, 0, 127)).slug == "t127"


def test_routes_over_the_budget(load, registry):
    """A tenant of 16,384 nodes has more links than the default table holds; its routes can shrink."""
    fabric = load("max-524288")
    row = "tenants: [{{id: 21, slug: acme, nodes: ['pod[01-32]'], routes: {}}}]"
    (sentence,) = refused(registry, row.format("exact"), fabric=fabric)
    assert "131072 tenant routes" in sentence
    assert "82000" in sentence
    assert "set routes of acme (131072 routes) to rail" in sentence
    assert registry(row.format("rail"), fabric).owner("acme").routes == "rail"
    assert registry(row.format("leaf"), fabric).owner("acme").routes == "leaf"


@pytest.mark.parametrize(
    ("profile", "length", "budget"),
    [("octet-v4", 31, 82000), ("nvidia-guide-v6", 64, 74000), ("nvidia-guide-v6", 127, 37000)],
)
def test_the_budget_is_that_of_the_family(load, monkeypatch, profile, length, budget):
    """A forwarding table holds less of IPv6, and least of prefixes longer than /64."""
    fabric = load(addressing={"profile": profile})
    monkeypatch.setattr(fabric.plan, "link_length", length)
    assert capacity.route_budget(fabric)["value"] == budget


LEAKING = """leaking: true
tenants: [{id: 22, slug: globex, nodes: [su01/h02], shared: [storage]}]
services: [{id: 4, slug: storage, nodes: [su02/h01, su02/h02]}]
"""


def test_leaked_routes_count(lab, registry):
    """What the budget counts is what the leaf holds."""
    held = registry(LEAKING)
    totals = {slug: len(held.nodes_of(slug)) for slug in held.owners}
    rows = {row["slug"]: row for row in vrfs.tenant_vrfs(lab, held, lab.device("leaf-p1-su001-r1"))}
    assert len(rows["globex"]["routes"]) == capacity.routes_held(held, "globex", totals) == 6


def test_collapsed_routes_and_split_planes(load, registry):
    """Collapsed routes hide a lost link: refused with split planes on an old release."""
    fabric = load("b300-4096")
    (sentence,) = refused(registry, "tenants: [{id: 21, slug: acme, routes: leaf}]", fabric=fabric)
    assert "is not allowed with split planes before Cumulus Linux 5.18" in sentence


def test_leaking_needs_a_release(load, registry):
    """Leaking is off by default, and refused where the release cannot."""
    assert not registry().file.leaking
    fabric = load(release={"ra": "1.3", "cumulus": "5.12.1"})
    assert "downstream VNI" in refused(registry, "leaking: true", fabric=fabric)[0]


def test_holdings(registry):
    """Lists, groups, and quarantine for whoever is named nowhere."""
    found = registry(ACME + "rest: [{nodes: [su01/h02], acceptance: burn-in}]")
    assert found.holding(Node(0, 0, 0)).slug == "acme"
    assert (found.holding(Node(0, 0, 1)).slug, found.holding(Node(0, 0, 1)).group) == (
        "rest",
        "burn-in",
    )
    assert found.holding(Node(0, 0, 2)).slug == "quarantine"
    assert found.group("burn-in") == [Node(0, 0, 1)]


@pytest.mark.parametrize("step", schema.STEPS)
def test_a_moving_record_stands_for_the_place(registry, step):
    """Every step has a place of the node: one VRF, ports up or not."""
    text = ACME + f"moving: {{su01/h01: {{from: acme, to: globex, step: {step}}}}}"
    holding = registry(text).holding(Node(0, 0, 0))
    whose, up = STEPS[step].place
    assert holding.slug == {"from": "acme", "to": "globex"}.get(whose, whose)
    assert holding.up is up


def test_every_step_has_a_place():
    """No step is forgotten, and the ports are shut whenever the VRF changes after the old tenant."""
    assert tuple(STEPS) == schema.STEPS
    places = [STEPS[step].place for step in schema.STEPS]
    for (before, up_before), (after, up_after) in itertools.pairwise(places):
        assert before == after or before != "from" or not (up_before or up_after)


def test_without_a_file_everything_is_in_quarantine(load):
    """A fabric without tenants.yml loads."""
    fabric = load()
    assert Registry.load(fabric).holding(Node(0, 0, 0)).slug == "quarantine"


def test_loaded_once(load, tmp_path):
    """The same file is not parsed twice; a changed one is."""
    fabric = load()
    path = tmp_path / "t.yml"
    path.write_text("tenants: []\n")
    first = Registry.load(fabric, str(path))
    assert Registry.load(fabric, str(path)) is first
    path.write_text(ACME)
    assert Registry.load(fabric, str(path)).holding(Node(0, 0, 0)).slug == "acme"


def test_groups(lab, tmp_path):
    """Inventory groups hold node names; quarantine has none."""
    path = tmp_path / "t.yml"
    path.write_text(ACME + "rest: [{nodes: [su01/h02], acceptance: a}]")
    assert groups.of_registry(lab, str(path)) == {
        "spx_tenant_rest": ["worker-su01-rack01-h02"],
        "spx_tenant_acme": ["worker-su01-rack01-h01"],
        "spx_tenant_globex": [],
    }


def test_takeover(registry):
    """Existing numbering replaces the computed one, key by key."""
    owner = registry(
        "tenants: [{id: 21, slug: acme, vrf: RED, l3vni: 5001, rd_id: 7, "
        "route_targets: {imports: ['65000:1', '65000:2'], exports: ['65000:2']}}]"
    ).owner("acme")
    assert (owner.vrf, owner.l3vni, owner.rd_id) == ("RED", 5001, 7)
    assert (owner.imports, owner.exports) == (("65000:1", "65000:2"), ("65000:2",))
