# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a description would change, whether the plan before is told by a description or by its exports."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import compare, earlier
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import everything
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
    INVENTORIES,
    build,
    example,
)

TWO_TIERS = {
    "capacity": {"sus_per_pod": 3, "slots_per_su": 4},
    "switches": {"usable_ports": 32},
    "rails": 2,
}
THREE_TIERS = {
    **TWO_TIERS,
    "tiers": 3,
    "capacity": {"pods": 2, "sus_per_pod": 1, "slots_per_su": 4},
}
SHAPES = {"two tiers": TWO_TIERS, "three tiers": THREE_TIERS}
ABSENT = {"two tiers": ["su03", "su01/h02"], "three tiers": ["pod02", "pod01/su01/h04"]}


def changes(old, new):
    return list(compare.against(old, new))


def described(old, new):
    return changes(earlier.Described(old), new)


def exported(old, new, folder, *kinds):
    everything.write(old, Output(str(folder)), kinds=kinds)
    return changes(earlier.find(str(folder), new), new)


def as_set(rows, *, without=()):
    return {tuple(row.values()) for row in rows if row["what"] not in without}


@pytest.mark.parametrize("shape", SHAPES)
def test_growth_and_removal_renumber_nothing(shape):
    small, whole = build(**SHAPES[shape], absent=ABSENT[shape]), build(**SHAPES[shape])
    for old, new, sides in ((small, whole, (None, "built")), (whole, small, ("built", None))):
        rows = described(old, new)
        assert not any(compare.renumbers(row) for row in rows)
        moved = {row["place"] for row in rows if row["what"] == "device"}
        gone = {whole.name(d) for d in whole.devices() if not small.present(d)}
        assert moved == gone
        assert {(r["before"], r["after"]) for r in rows if r["what"] == "device"} == {sides}


CHANGES = {
    "raised capacity": {"capacity": {"sus_per_pod": 3, "slots_per_su": 8}},
    "another profile": {"addressing": {"profile": "dense-v4"}},
    "other names": {"naming": {"leaf": "tor-p{plane}-{pod}-{su}-{rail}"}},
    "another name": {"name": "other"},
    "another site": {
        "site": 1,
        "addressing": {
            "profile": "nvidia-guide-v6",
            "pools": {"loopback": "100.96.0.0/13", "vtep": "100.104.0.0/13"},
        },
    },
    "numbered links": {"addressing": {"profile": "octet-v4", "inter_switch": "numbered-31"}},
    "swapped cage": {
        "swapped_ports": [{"device": "leaf-p1-su001-r1", "ports": ["swp1s0", "swp2s1"]}]
    },
    "growth": {"absent": []},
}


@pytest.fixture(scope="module")
def old():
    return build(**TWO_TIERS, absent=["su03/h04"])


@pytest.mark.parametrize("case", CHANGES)
def test_the_exports_of_a_plan_tell_what_its_description_tells(case, old, tmp_path):
    """Slices all but the blocks, which only a description knows; lists all but ASNs and the fabric's name."""
    new = build(**{**TWO_TIERS, "absent": ["su03/h04"], **CHANGES[case]})
    expected = described(old, new)
    assert expected
    blocks = {tuple(r.values()) for r in expected if r["place"].startswith("block ")}
    assert as_set(exported(old, new, tmp_path / "a", "slices")) == as_set(expected) - blocks
    if case != "another site":
        listed = exported(old, new, tmp_path / "b", "links", "addresses")
        fabric = {tuple(r.values()) for r in expected if r["place"] == "fabric"}
        assert as_set(listed) == as_set(expected, without=("asn",)) - blocks - fabric


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
    assert all(compare.renumbers(row) for row in rows)


def test_cables_that_move_to_other_cages_are_told_and_touch_what_stands(old):
    """Raising the capacity gives a leaf more host ports, so that its uplinks begin further on."""
    new = build(**{**TWO_TIERS, "absent": ["su03/h04"], **CHANGES["raised capacity"]})
    leaf = [row for row in described(old, new) if row["place"].startswith("leaf-p1-su001-r1:")]
    pulled = [row["place"].partition(":")[2] for row in leaf if row["after"] == "no cable"]
    plugged = [row["place"].partition(":")[2] for row in leaf if row["before"] is None]
    assert pulled == ["swp3s0", "swp3s1", "swp4s0", "swp4s1"]
    assert plugged == [f"swp{cage}s{sub}" for cage in range(5, 9) for sub in (0, 1)]
    assert all(compare.renumbers(row) for row in leaf if row["before"] is not None)


def test_a_device_whose_name_and_address_stay_is_found_by_either(tmp_path):
    """The lists know no places: a renamed device is found by its management address."""
    old = build(**TWO_TIERS)
    new = build(**TWO_TIERS, naming={"node": "gpu-{su}-{slot}"})
    rows = exported(old, new, tmp_path, "links", "addresses")
    assert {row["what"] for row in rows} == {"name"}
    assert all(compare.renumbers(row) for row in rows)


@pytest.mark.parametrize(
    "name", [name for name in EXAMPLES if name not in ("multiplane-16384", "max-524288")]
)
@pytest.mark.parametrize("kinds", [("slices",), ("links", "addresses")])
def test_an_example_does_not_differ_from_its_exports(name, kinds, tmp_path):
    assert exported(example(name), example(name), tmp_path, *kinds) == []


def test_where_the_earlier_plan_is(tmp_path):
    fabric = example("lab")
    inventory = INVENTORIES / "lab"
    for path in (inventory, inventory / "model" / "fabric.yml"):
        assert isinstance(earlier.find(str(path), fabric), earlier.Described)
    everything.write(fabric, Output(str(tmp_path / "all")), kinds=["links", "addresses", "slices"])
    assert isinstance(earlier.find(str(tmp_path / "all"), fabric), earlier.Sliced)


def test_the_whole_list_is_a_table(old):
    new = build(**{**TWO_TIERS, "absent": ["su03/h04"], **CHANGES["another profile"]})
    found = compare.Differences(most=10)
    rows = found.watch(compare.against(earlier.Described(old), new))
    table = list(csv.DictReader(io.StringIO("".join(compare.lines(rows)))))
    assert len(table) == found.renumbered + found.others > 10
    assert len(found.rows) == 10
    assert all(compare.renumbers(row) for row in found.rows)


def write_slice(folder, text):
    (folder / "slices").mkdir()
    (folder / "slices" / "a.json").write_text(text, encoding="utf-8")


LEAF = example("lab").slice("leaf-p1-su001-r1")
NO_SLICES = [
    ("", "is not the slice of a device"),
    ("[]", "is not the slice of a device"),
    ("{}", "is not the slice of a device"),
    ("[" * 100_000, "is not the slice of a device"),
    (json.dumps({**LEAF, "schema": 2}), "has schema 2 and this collection writes 1"),
    (json.dumps({**LEAF, "role": "router"}), "is not the slice of a device"),
    (json.dumps({**LEAF, "pod": "1"}), "is not the slice of a device"),
    (json.dumps({**LEAF, "pod": -1}), "is not the slice of a device"),
    (json.dumps({**LEAF, "ports": [{"port": "swp1"}]}), "is not the slice of a device"),
    (json.dumps({**LEAF, "ports": None}), "is not the slice of a device"),
]


@pytest.mark.parametrize("text, part", NO_SLICES)
def test_files_that_are_no_slices(tmp_path, text, part):
    write_slice(tmp_path, text)
    fabric = example("lab")
    with pytest.raises(FabricError, match=part) as caught:
        changes(earlier.find(str(tmp_path), fabric), fabric)
    assert len(caught.value.sentences) == 1
    assert str(tmp_path) in str(caught.value)


def test_folders_that_are_no_export(tmp_path):
    fabric = example("lab")
    empty, both, bare, lists = (tmp_path / name for name in ("empty", "both", "bare", "lists"))
    for folder in (empty, both / "model", both / "slices", bare / "slices", lists):
        folder.mkdir(parents=True)
    (both / "model" / "fabric.yml").write_text("")
    (lists / "links.csv").write_text("kind,plane\nhost,1\n")
    (lists / "addresses.csv").write_text("address,length,kind,device\n")
    for path, part in (
        (empty, "holds neither a description"),
        (both, "holds a description and an export: name "),
        (bare, "holds no slice"),
        (lists, "links.csv line 2 does not have the columns a_device"),
        (tmp_path / "gone", "does not exist"),
    ):
        with pytest.raises(FabricError, match=part):
            changes(earlier.find(str(path), fabric), fabric)
