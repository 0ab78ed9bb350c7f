# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules between rows of the registry."""

from __future__ import annotations

import pytest

from .rows import ACME, refused


@pytest.mark.parametrize(
    "text, sentence",
    [
        (
            "tenants:\n  - {id: 21, slug: acme, nodes: [su01/h01]}\n"
            "  - {id: 22, slug: globex, nodes: [su01]}",
            "tenants.yml line 3, tenants[1].nodes[0]: worker-su01-rack01-h01 is claimed by globex and "
            "already is listed under acme (line 2): a node has one owner, so remove one of the two.",
        ),
        (
            "tenants: [{id: 21, slug: acme, nodes: [worker-su01-rack01-h09]}]",
            "tenants.yml line 1, tenants[0].nodes[0]: 'worker-su01-rack01-h09' is not a node of the "
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
            "retired): an id is never reused, choose another.",
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
            "tenants.yml line 1, tenants[0].shared[0]: 'storag' is not a service, did you mean 'storage': "
            "use some of acme, shared, storage.",
        ),
        (
            "leaking: true\nservices: [{id: 4, slug: disks}]\n"
            "tenants: [{id: 21, slug: acme, shared: [storage], nodes: [su01/h01]}]",
            "tenants.yml line 3, tenants[0].shared[0]: 'storage' is not a service: use some of acme, disks, shared.",
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
            "tenants.yml line 2, moving.su01/h01: worker-su01-rack01-h01 is listed under acme (line 1) and "
            "is recorded as moving from globex to rest: correct one of them.",
        ),
        (
            "moving: {su01/h01: {from: acme, to: rest, step: shut}}",
            "tenants.yml line 1, moving.su01/h01.from: 'acme' is not a tenant: use one of quarantine, rest.",
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
            "vrfs_per_leaf: 1\ntenants:\n  - {id: 21, slug: acme, nodes: [su01/h01]}\n"
            "  - {id: 22, slug: globex, nodes: [su01/h02]}",
            "tenants.yml line 1, vrfs_per_leaf: the leaves of pod01/su01 would hold 2 VRFs with an "
            "L3VNI, and 1 reserved VLANs serve one each: raise vrfs_per_leaf, or spread the tenants.",
        ),
        (
            "rest: [{nodes: [su01/h01], acceptance: a}, {nodes: [su01/h02], acceptance: a}]",
            "tenants.yml line 1, rest[1].acceptance: the group 'a' is already in line 1: write its "
            "nodes in one entry.",
        ),
        (
            "health: {worker-su01: {}}",
            "tenants.yml line 1, health.worker-su01: 'worker-su01' is not the name of a node: correct it, or "
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
            "tenants[0].vrf: t21-acme of new was the vrf of acme, who has left (see retired): it is never "
            "reused, choose another.",
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
