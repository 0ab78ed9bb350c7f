# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wishes of a switch's roles, together and each."""

from __future__ import annotations

import functools

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.switch import (
    wanted as edge_wanted,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch.wish import ROLES
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.paths import Globs
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import (
    leaves,
    merge,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

EXAMPLES = sorted(INVENTORIES.glob("*/model/fabric.yml"))
LAB = next(path for path in EXAMPLES if path.parts[-3] == "lab")


def wanted(fabric, device, roles=(), **variables):
    return edge_wanted(fabric, device, variables, lambda value: value, roles=roles)


def some(fabric):
    """One switch of each role."""
    first = {}
    for device in fabric.switches():
        first.setdefault(device.role, device)
    return [fabric.name(device) for device in first.values()]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parts[-3])
def test_roles_never_set_the_same_place_and_together_make_the_whole(path):
    fabric = Fabric.load(str(path))
    for device in some(fabric):
        found = wanted(fabric, device, roles=ROLES)
        parts = found.parts()
        each = [{place for place, _value in leaves(part["config"])} for part in parts.values()]
        assert sum(map(len, each)) == len(set().union(*each))
        whole = found.wish()
        assert {place for place, _value in leaves(whole.config)} == set().union(*each)
        assert functools.reduce(merge, found.features().values()) == whole.config
        assert set(whole.owns) == {glob for part in parts.values() for glob in part["owns"]}


def test_variables_of_a_role_reach_its_document_alone():
    fabric = Fabric.load(str(LAB))
    device = some(fabric)[0]
    site = {"switch_base_banner": {"pre-login": "Authorised access only"}}
    config = wanted(fabric, device, roles=["switch_base"], **site).wish().config
    assert config["system"]["message"]["pre-login"] == "Authorised access only"
    other = wanted(fabric, device, roles=["switch_underlay"], **site).wish()
    assert not Globs(other.owns).covers(("system", "message"))


def test_without_roles_those_of_manage_are_meant(tmp_path):
    content = yaml.safe_load(LAB.read_text())
    path = tmp_path / "fabric.yml"
    for manage, roles in (
        (["switch_roce", "switch_base"], ("switch_base", "switch_roce")),
        ([], ROLES),
    ):
        path.write_text(yaml.safe_dump({**content, "manage": manage, "name": f"lab{len(manage)}"}))
        fabric = Fabric.load(str(path))
        found = wanted(fabric, some(fabric)[0])
        assert found.roles == roles
        assert found.unlisted == [role for role in roles if role not in manage]


def test_a_run_that_names_nodes_changes_their_places_alone():
    fabric = Fabric.load(str(LAB))
    leaf = next(fabric.name(d) for d in fabric.switches() if d.role == "leaf")
    node = fabric.name(next(fabric.nodes()))
    role = ["switch_tenants"]
    whole = wanted(fabric, leaf, roles=role).parts()["switch_tenants"]
    some_of = wanted(fabric, leaf, roles=role, switch_tenants_nodes=[node]).parts()
    assert set(some_of["switch_tenants"]["config"]["interface"]) < set(whole["config"]["interface"])
