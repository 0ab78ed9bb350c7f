# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Place of the earlier plan, and its form."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import exports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report import (
    earlier_plan,
    plan_difference,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
    INVENTORIES,
    build,
    example,
)

from ..changes import CHANGES, TWO_TIERS, changes, described


def exported(old, new, folder, *kinds):
    exports.write(old, Output(str(folder)), kinds=kinds)
    return changes(earlier_plan.find(str(folder), new), new)


def as_set(rows, *, without=()):
    return {tuple(row.values()) for row in rows if row["what"] not in without}


@pytest.fixture(scope="module")
def old():
    return build(**TWO_TIERS, absent=["su03/h04"])


@pytest.mark.parametrize("case", CHANGES)
def test_the_exports_of_a_plan_tell_what_its_description_tells(case, old, tmp_path):
    """Slices all but blocks and VNIs, which only a description knows; lists all but ASNs and the fabric's name."""
    new = build(**{**TWO_TIERS, "absent": ["su03/h04"], **CHANGES[case]})
    expected = described(old, new)
    assert expected
    blocks = {
        tuple(r.values()) for r in expected if r["place"].startswith("block ") or r["what"] == "vni"
    }
    assert as_set(exported(old, new, tmp_path / "a", "slices")) == as_set(expected) - blocks
    if case != "another site":
        listed = exported(old, new, tmp_path / "b", "links", "addresses")
        fabric = {tuple(r.values()) for r in expected if r["place"] == "fabric"}
        assert as_set(listed) == as_set(expected, without=("asn",)) - blocks - fabric


def test_a_device_whose_name_and_address_stay_is_found_by_either(tmp_path):
    """The lists know no places: a renamed device is found by its management address."""
    old = build(**TWO_TIERS)
    new = build(**TWO_TIERS, naming={"node": "gpu-{su}-{slot}"})
    rows = exported(old, new, tmp_path, "links", "addresses")
    assert {row["what"] for row in rows} == {"name"}
    assert all(plan_difference.renumbers(row) for row in rows)


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
        assert earlier_plan.find(str(path), fabric).pools
    exports.write(fabric, Output(str(tmp_path / "all")), kinds=["links", "addresses", "slices"])
    assert next(earlier_plan.find(str(tmp_path / "all"), fabric).devices()).values["asn"]


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
        changes(earlier_plan.find(str(tmp_path), fabric), fabric)
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
        (lists, "links.csv line 1: no column 'a_device' or 'a_port'"),
        (tmp_path / "gone", "does not exist"),
    ):
        with pytest.raises(FabricError, match=part):
            changes(earlier_plan.find(str(path), fabric), fabric)
