# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose address a rail has, and which files of a site count."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.addresses import (
    sentences,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

OURS = ["dpu_interfaces"]


@pytest.fixture(scope="module")
def parts():
    fabric = example("lab")
    registry = Registry.parse(fabric, "tenants: [{id: 22, slug: globex, nodes: [su01/h02]}]\n")
    first, second = (fabric.slice(Node(0, 0, slot))["ports"][0] for slot in (0, 1))
    return fabric, registry, first, second


def record(port, file, *addresses):
    planned = f"{port['address']}/31"
    key = "Name=x" if file else ""
    return {
        "name": port["port"],
        "planned": planned,
        "file": file,
        "key": key,
        "addresses": [*addresses],
    }


def test_the_node_and_its_tenant_are_named(parts):
    fabric, registry, first, second = parts
    address = f"{second['address']}/31"
    (says,) = sentences(fabric, registry, [record(first, "/x", address)], manage=OURS)
    name = fabric.name(Node(0, 0, 1))
    assert f"gives it {address} ({name}, globex), expected {first['address']}/31" in says
    (says,) = sentences(fabric, registry, [record(first, "", "192.0.2.9/24")], manage=OURS)
    assert says.startswith(f"{first['port']}: it has the address 192.0.2.9/24, expected ")
    (says,) = sentences(fabric, registry, [record(first, "", "nonsense")], manage=OURS)
    assert "nonsense" in says


def test_a_site_that_keeps_its_rails_itself_may_have_files_that_give_the_planned_address(parts):
    fabric, registry, first, second = parts
    rows = [record(first, "/x", f"{first['address']}/31"), record(first, "/y")]
    assert sentences(fabric, registry, rows, manage=[]) == []
    assert len(sentences(fabric, registry, rows, manage=OURS)) == 2
    rows = [record(first, "/x", f"{second['address']}/31")]
    assert len(sentences(fabric, registry, rows, manage=[])) == 1
