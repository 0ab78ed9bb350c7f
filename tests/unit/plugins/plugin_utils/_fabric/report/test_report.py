# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The capacity report, and the rule behind its multipath row."""

from __future__ import annotations

import csv
import dataclasses
import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology import rules
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import bgp
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch.context import (
    Context,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report import report
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
    build,
    example,
)


def table(fabric):
    return {(row["role"], row["what"]): row for row in report.capacity(fabric)}


# example: (role, what): used, limit
USED = [
    ("h200-2048", "leaf", "cages", 64, 64),
    ("h200-2048", "leaf", "bgp_sessions", 64, 256),
    ("h200-2048", "leaf", "equal_paths", 64, 256),
    ("h200-2048", "leaf", "tenant_vrfs", 64, 255),
    ("h200-2048", "leaf", "l3vni_vlans", 64, 65),
    ("h200-2048", "leaf", "underlay_routes", 48 + 32, 82_000),
    ("h200-2048", "leaf", "routes_if_one_tenant_has_all", 80 + 2048, 82_000),
    ("h200-2048", "spine", "bgp_sessions", 128, 256),
    ("h200-2048", "spine", "equal_paths", 4, 256),
    ("lab", "leaf", "cages", 4, 64),
    ("max-524288", "spine", "equal_paths", 64, 256),
    ("max-524288", "super_spine", "bgp_sessions", 128, 256),
    ("max-524288", "super_spine", "equal_paths", 1, 256),
    ("max-524288", "leaf", "underlay_routes", 20_480 + 8192, 82_000),
    ("max-524288", "leaf", "routes_if_one_tenant_has_all", 28_672 + 524_288, 82_000),
    ("multiplane-16384", "leaf", "routes_if_one_tenant_has_all", 96 + 64 + 2048, 82_000),
    ("b300-4096", "leaf", "routes_if_one_tenant_has_all", 96 + 64 + 4096, 82_000),
]


@pytest.mark.parametrize("name, role, what, used, limit", USED)
def test_rows(name, role, what, used, limit):
    row = table(example(name))[role, what]
    assert (row["used"], row["limit"], row["spare"]) == (used, limit, limit - used)
    assert row["source"]


@pytest.mark.parametrize("name", ["lab", "lab-3tier"])
def test_the_rows_of_a_role_stand_together(name):
    roles = [row["role"] for row in report.capacity(example(name))]
    assert roles == sorted(roles, key=["leaf", "spine", "super_spine"].index)


def test_two_tiers_have_no_super_spines():
    assert {role for role, _what in table(example("lab"))} == {"leaf", "spine"}


LOOPBACKS = {"routing": {"evpn": "loopbacks"}}


def test_sessions_between_loopbacks_count():
    """Leaf: 4 spines; spine: its leaves and 2 super-spines; super-spine: one spine of each pod."""
    fabric = build(**LOOPBACKS, tiers=3, capacity={"pods": 128, "sus_per_pod": 8})
    rows = table(fabric)
    found = {role: rows[role, "bgp_sessions"]["used"] for role in ("leaf", "spine", "super_spine")}
    assert found == {"leaf": 64 + 4, "spine": 128 + 64 + 2, "super_spine": 128 + 128}


def test_the_switches_have_the_sessions_that_the_report_counts():
    """As many as its configuration has neighbours."""
    fabric = build(
        **LOOPBACKS,
        tiers=3,
        switches={"usable_ports": 16},
        rails=2,
        capacity={"pods": 3, "sus_per_pod": 2, "slots_per_su": 3},
    )
    most: dict[str, int] = {}
    for switch in fabric.switches():
        made = bgp.bgp(Context(fabric, switch, fabric.slice(switch)))
        neighbors = made["vrf"]["default"]["router"]["bgp"]["neighbor"]
        most[switch.role] = max(most.get(switch.role, 0), len(neighbors))
    assert most == fabric.clos.sessions(evpn_on_loopbacks=True)


def test_more_sessions_than_a_switch_holds_are_refused():
    wide = {
        "switches": {"host_speed": "200G", "fabric_speed": "200G"},
        "capacity": {"sus_per_pod": 32, "slots_per_su": 128},
    }
    assert build(**wide)
    with pytest.raises(FabricError, match=r"a spine 512 BGP sessions, more than 256: use links"):
        build(**wide, **LOOPBACKS)


def test_older_releases_and_other_asics_have_a_narrower_multipath():
    old = build(release={"ra": "2.1", "cumulus": "5.14.0"}, accept_releases=["5.14"])
    other = build(switches={"model": "SN5640"})
    assert table(old)["leaf", "equal_paths"]["limit"] == 128
    assert table(other)["leaf", "equal_paths"]["limit"] == 128


def test_more_paths_than_the_release_has_are_refused():
    fabric = build(release={"ra": "2.1", "cumulus": "5.14.0"}, accept_releases=["5.14"])
    wide = dataclasses.replace(
        fabric.clos, leaf_up=dataclasses.replace(fabric.clos.leaf_up, count=129)
    )
    assert not list(rules._widths(fabric.description, fabric.clos))
    (breach,) = rules._widths(fabric.description, wide)
    assert breach.sentence.startswith(
        "129 equal paths exceed the 128-way multipath of Cumulus Linux"
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_facts_are_plain_data(name):
    made = report.facts(example(name))
    assert json.loads(json.dumps(made)) == made
    assert made["mtu"] == {"fabric": 9216, "host": 9166, "path": 9166}


def test_facts_count_what_is_built():
    made = report.facts(example("lab"))
    assert (made["nodes"], made["nodes_built"], made["gpus"]) == (8, 6, 16)
    assert made["pools"]["host_links"] == "172.16.0.0/12"


# As lines for a person


def summary(name, **result):
    return report.lines(
        {"facts": report.facts(example(name)), "files": 0, "files_changed": 0, **result}
    )


def test_the_fabric_and_its_capacity():
    first, *rest = summary("max-524288")
    assert first == (
        "max-524288: 524288 GPUs on 65536 nodes at capacity (65536 nodes built), 20480 switches "
        "(8192 leaves, 8192 spines, 4096 super-spines), profile octet-v4"
    )
    assert rest[0] == (
        "capacity, tightest first: leaf routes_if_one_tenant_has_all 552960 of 82000 (470960 too many), "
        "leaf cages 64 of 64, spine cages 64 of 64"
    )


def test_every_limit_is_in_the_table():
    found = report.capacity(example("lab"))
    head, *rows = csv.reader("".join(report.capacity_table(found)).splitlines())
    assert head == ["role", "what", "used", "limit", "spare", "source"]
    assert [row[:3] for row in rows[:2]] == [["leaf", "cages", "4"], ["leaf", "bgp_sessions", "4"]]
    assert len(rows) == len(found)
    assert all(row[5] for row in rows)


def test_every_file_counts():
    """The names of at most a hundred are returned, the number of all."""
    told = {"files": 300, "files_changed": 250}
    assert summary("lab", **told)[-1] == "300 files, 250 changed"
    assert summary("lab", files=1, files_changed=1)[-1] == "1 file, 1 changed"
    assert summary("lab", **told, check=True)[-1] == "300 files, 250 would be changed"
    assert summary("lab")[-1] == "no files were requested: -e spx_dest=FOLDER writes them"


def test_differences_beyond_those_returned():
    row = {"what": "asn", "place": "leaf-1 asn", "before": 1, "after": 2}
    made = summary("lab", renumbered=3, differences=5, changes=[row])
    assert made[-4:-1] == [
        "3 values of existing equipment would change, 5 differences in all",
        "asn of leaf-1 asn: 1 -> 2",
        "and 4 more: -e spx_report=FOLDER writes all of them to plan-changes.csv",
    ]


def test_profiles():
    takes = {"a": "38% of private IPv4: 172.16.0.0/12"}
    made = report.lines({"suggestions": {"b": ["It is too small."], "a": []}, "takes": takes})
    assert made == [
        "profile a: fits, 38% of private IPv4: 172.16.0.0/12",
        "profile b: does not fit: It is too small.",
    ]


def test_a_person_is_shown_the_first_differences():
    rows = [
        {"what": "asn", "place": f"leaf-{n}", "before": None, "after": n + 1} for n in range(99)
    ]
    said = report.changed(rows)
    assert (len(said), said[0]) == (report.MOST_CHANGES, "asn of leaf-0: nothing -> 1")


def test_a_rack_without_a_row_is_named(monkeypatch):
    """Its cables would have no length, and only a page of the hand-over would say so."""
    fabric = example("brownfield-256")
    assert not report.missing(fabric, ["wipe"], credentials=True)[1:]
    monkeypatch.setattr(fabric, "racks", [rack for rack in fabric.racks if rack.name != "N1"])
    said = report.missing(fabric, ["wipe"], credentials=True)
    assert said[-1] == "racks.csv of racks N1 (no length without it)"


def test_the_converged_fabric_has_its_own_rows():
    fabric = example("b300-1024-converged")
    made = table(fabric)
    assert (made["front_end_leaf", "cages"]["used"], made["front_end_leaf", "cages"]["limit"]) == (
        64,
        64,
    )
    assert made["front_end_leaf", "tenant_vrfs"]["used"] == 64
    assert made["converged_spine", "bgp_sessions"]["used"] == 66
    assert made["border_leaf", "equal_paths"]["used"] == 8
    assert report.facts(fabric)["converged"]["storage_leaf"] == 4
    assert "4 front-end leaves" in report.sizes(fabric)
    assert "converged" not in report.facts(example("lab"))


def test_the_lines_of_a_plan_count_the_other_networks():
    found = report.facts(example("lab-converged"))
    lines = report.lines({"facts": found, "files": 0, "files_changed": 0})
    assert (
        "other networks: 2 border leaves, 2 storage leaves, 2 front-end leaves, 2 converged spines"
        in lines
    )
