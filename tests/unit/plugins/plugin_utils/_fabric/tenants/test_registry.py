# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The registry: who holds what, and every breach at once."""

from __future__ import annotations

import itertools
import shutil

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import schema
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.steps import STEPS
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

from .rows import ACME, refused


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


def test_takeover(registry):
    """Existing numbering replaces the computed one, key by key."""
    owner = registry(
        "tenants: [{id: 21, slug: acme, vrf: RED, l3vni: 5001, rd_id: 7, "
        "route_targets: {imports: ['65000:1', '65000:2'], exports: ['65000:2']}}]"
    ).owner("acme")
    assert (owner.vrf, owner.l3vni, owner.rd_id) == ("RED", 5001, 7)
    assert (owner.imports, owner.exports) == (("65000:1", "65000:2"), ("65000:2",))


@pytest.mark.parametrize("target", ["nowhere.yml", "tenants.yml"])
def test_a_link_to_nothing_is_no_fabric_without_tenants(tmp_path, target):
    """A fabric has no tenants where it has no such file; a link says that it has one."""
    model = shutil.copytree(INVENTORIES / "lab" / "model", tmp_path / "model")
    fabric, path = Fabric.load(str(model / "fabric.yml")), model / "tenants.yml"
    path.unlink(missing_ok=True)
    assert Registry.load(fabric).file.tenants == []
    path.symlink_to(model / target)
    with pytest.raises(FabricError, match=r"tenants\.yml (does not exist|cannot be read)"):
        Registry.load(fabric)
