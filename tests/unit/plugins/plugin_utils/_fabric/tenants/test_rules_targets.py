# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Route targets: numbers that join two tenants, and declared leaks."""

from __future__ import annotations

import itertools

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import routes
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

from .rows import refused


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
        imports = {*one.imported(range(lab.clos.rails)), *routes.leaks(found, one)}
        assert declared or not imports & {*other.exported(range(lab.clos.rails))}


def test_what_is_declared_may_be_imported(registry):
    """With leaking on, both ends may import each other's route targets, and still not export them."""
    imports = stating(["1:1", "64512:4000004"], ["1:1"], shared=["storage"])
    assert registry(yaml.safe_dump({"leaking": True, "tenants": [imports]})).owner("globex")
    exports = stating(["64512:4000004"], shared=["storage"])
    (sentence,) = refused(registry, yaml.safe_dump({"leaking": True, "tenants": [exports]}))
    assert sentence.endswith("which would join the two: use a route target of its own.")


def test_numbers_given_twice_are_told_once(registry):
    """Check that results of an id or an L3VNI given twice are not reported as route targets again."""
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
    """Check that values of eight bytes are accepted."""
    text = yaml.safe_dump({"tenants": [stating([target])]})
    assert registry(text).owner("globex").exports == (target,)
