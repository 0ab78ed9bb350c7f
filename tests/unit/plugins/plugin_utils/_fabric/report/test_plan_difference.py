# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of a description, compared with the plan before by a description or by its exports."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections import Counter

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import exports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report import (
    earlier_plan,
    plan_difference,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    NETWORKS as OTHERS,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
)

from ..changes import CHANGES, TWO_TIERS, described

THREE_TIERS = {
    **TWO_TIERS,
    "tiers": 3,
    "capacity": {"pods": 2, "sus_per_pod": 1, "slots_per_su": 4},
}
SHAPES = {"two tiers": TWO_TIERS, "three tiers": THREE_TIERS}
ABSENT = {"two tiers": ["su03", "su01/h02"], "three tiers": ["pod02", "pod01/su01/h04"]}


@pytest.mark.parametrize("shape", SHAPES)
def test_growth_and_removal_renumber_nothing(shape):
    small, whole = build(**SHAPES[shape], absent=ABSENT[shape]), build(**SHAPES[shape])
    for old, new, sides in ((small, whole, (None, "built")), (whole, small, ("built", None))):
        rows = described(old, new)
        assert not any(plan_difference.renumbers(row) for row in rows)
        moved = {row["place"] for row in rows if row["what"] == "device"}
        gone = {whole.name(d) for d in whole.devices() if not small.present(d)}
        assert moved == gone
        assert {(r["before"], r["after"]) for r in rows if r["what"] == "device"} == {sides}


@pytest.fixture(scope="module")
def old():
    return build(**TWO_TIERS, absent=["su03/h04"])


COUNTS = [
    ("another name", {"name": 1}),
    ("other names", {"name": 6}),
    ("swapped cage", {"link": 2}),
    # Six leaves with four uplinks each, numbered at both ends.
    ("numbered links", {"address": 6 * 4 * 2}),
]


@pytest.mark.parametrize("case, counts", COUNTS)
def test_each_change_is_told_once(case, counts, old):
    new = build(**{**TWO_TIERS, "absent": ["su03/h04"], **CHANGES[case]})
    rows = described(old, new)
    assert Counter(row["what"] for row in rows) == counts
    assert all(plan_difference.renumbers(row) for row in rows)


def test_cables_that_move_to_other_cages_are_told_and_touch_what_stands(old):
    """Raising the capacity gives a leaf more host ports, so that its uplinks begin further on."""
    new = build(**{**TWO_TIERS, "absent": ["su03/h04"], **CHANGES["raised capacity"]})
    leaf = [row for row in described(old, new) if row["place"].startswith("leaf-p1-su001-r1:")]
    pulled = [row["place"].partition(":")[2] for row in leaf if row["after"] == "no cable"]
    plugged = [row["place"].partition(":")[2] for row in leaf if row["before"] is None]
    assert pulled == ["swp3s0", "swp3s1", "swp4s0", "swp4s1"]
    assert plugged == [f"swp{cage}s{sub}" for cage in range(5, 9) for sub in (0, 1)]
    assert all(plan_difference.renumbers(row) for row in leaf if row["before"] is not None)


def test_the_whole_list_is_a_table(old):
    new = build(**{**TWO_TIERS, "absent": ["su03/h04"], **CHANGES["another profile"]})
    found = plan_difference.Differences(most=10)
    rows = found.watch(plan_difference.against(earlier_plan.computed(old), new))
    table = list(csv.DictReader(io.StringIO("".join(plan_difference.lines(rows)))))
    assert len(table) == found.renumbered + found.others > 10
    assert len(found.rows) == 10
    assert all(plan_difference.renumbers(row) for row in found.rows)


NETWORKS = {**OTHERS, "switches": {"usable_ports": 64}}


def test_other_networks_come_and_go_without_a_change_of_the_east_west_fabric():
    bare, whole = build(**TWO_TIERS), build(**TWO_TIERS, networks=NETWORKS)
    rows = described(bare, whole)
    assert not any(plan_difference.renumbers(row) for row in rows)
    assert {row["place"] for row in rows if row["what"] == "device"} == {
        whole.name(switch) for switch in whole.converged.switches()
    }
    gone = [row for row in described(whole, bare) if row["what"] == "link"]
    assert {row["place"].partition(":")[2][:-1] for row in gone} == {"front", "stor"}


MOVES = [
    ({"storage": {**OTHERS["storage"], "array_ports": 12}}, "link", "storage-leaf-001-1:swp"),
    ({"front_end": {"host_speed": "200G", "attachment": "routed"}}, "address", ":front1"),
    ({"spines": 3}, "link", "front-end-leaf-001-1:swp"),
]


@pytest.mark.parametrize("change, what, place", MOVES)
def test_a_change_of_counts_renumbers_the_converged_fabric(change, what, place):
    old, new = (build(**TWO_TIERS, networks={**NETWORKS, **more}) for more in ({}, change))
    rows = [row for row in described(old, new) if plan_difference.renumbers(row)]
    assert any(row["what"] == what and place in row["place"] for row in rows)
    assert not any(row["place"].startswith(("leaf", "spine")) for row in rows)


def test_a_move_of_a_link_to_the_outside_is_seen():
    def linked(port):
        links = [{"name": "isp-a", "leaf": "border-leaf-01-1", "port": port}]
        return build(
            **TWO_TIERS, networks={**NETWORKS, "border": {**OTHERS["border"], "links": links}}
        )

    (row,) = [one for one in described(linked(1), linked(2)) if plan_difference.renumbers(one)]
    assert (row["before"], row["after"]) == ("isp-a:", plan_difference.UNPLUGGED)


def test_exports_of_the_converged_fabric_are_read_again(tmp_path):
    """From slices and from the two lists nothing differs."""
    fabric = build(**TWO_TIERS, networks=NETWORKS)
    for kinds in (["slices"], ["links", "addresses"]):
        folder = tmp_path / kinds[0]
        exports.write(fabric, Output(str(folder)), kinds=kinds)
        assert list(plan_difference.against(earlier_plan.find(str(folder), fabric), fabric)) == []


def test_another_site_renumbers_the_vnis_of_every_tenant():
    """Whatever shows it besides, such as ASNs."""
    pools = {"loopback": "10.64.0.0/13", "vtep": "10.72.0.0/13"}
    addressing = {"profile": "nvidia-guide-v4-2tier", "pools": pools}
    old, new = (build(**{**TWO_TIERS, "addressing": addressing, "site": site}) for site in (1, 2))
    rows = [row for row in described(old, new) if row["what"] == "vni"]
    assert rows == [
        {"what": "vni", "place": "first L3VNI", "before": 5_000_000, "after": 6_000_000}
    ]
    assert plan_difference.renumbers(rows[0])


TENANTS = [
    ({21: "acme", 22: "globex"}, []),
    ({21: "acme"}, []),
    ({22: "globex", 23: "initech"}, []),
    ({22: "acme"}, [("vni", "tenant acme: id", 21, 22)]),
    ({21: "initech"}, [("name", "tenant 21", "acme", "initech")]),
]


@pytest.mark.parametrize("new, expected", TENANTS)
def test_a_tenant_keeps_its_id_and_its_slug(new, expected, tmp_path, monkeypatch):
    """They are in its VRF, VNIs and route targets; tenants come and go without a row."""
    text = "tenants:\n" + "".join(
        f"  - {{id: {n}, slug: {s}, nodes: []}}\n" for n, s in new.items()
    )
    (tmp_path / "tenants.yml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    fabric = build(**TWO_TIERS)
    was = dataclasses.replace(earlier_plan.computed(fabric), tenants={21: "acme"})
    rows = list(plan_difference.against(was, fabric))
    assert [tuple(row.values()) for row in rows] == expected
    assert all(map(plan_difference.renumbers, rows))


@pytest.mark.parametrize(
    "rows, has",
    [
        ([], "Nothing of existing equipment changes. Differences in all: 0."),
        ([("device", "a", None, "built")], "| device | `a` | `nothing` | `built` |"),
        ([("asn", "a asn", 1, 2)], "**1 value of existing equipment would change.**"),
        ([("asn", "a asn", 1, 2)] * 60, "And 10 more in `plan-changes.csv`."),
    ],
)
def test_the_comment_of_a_merge_request(rows, has):
    found = plan_difference.Differences(most=100)
    list(found.watch(dict(zip(plan_difference.COLUMNS, row, strict=True)) for row in rows))
    assert has in "".join(plan_difference.comment(found, "mine"))
