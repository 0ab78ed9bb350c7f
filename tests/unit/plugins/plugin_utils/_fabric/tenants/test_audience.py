# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The audience of work on switches, by the registry."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import audience
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

TEXT = """
tenants:
  - {id: 21, slug: acme, nodes: [su01/h01, su02/h01]}
  - {id: 22, slug: globex, nodes: [su01/h02]}
moving:
  worker-su02-rack01-h02: {from: globex, to: quarantine, step: shut}
"""


@pytest.fixture(scope="module")
def registry():
    return Registry.parse(example("lab"), TEXT)


@pytest.mark.parametrize(
    "names, found",
    [
        (["leaf-p1-su001-r2"], [("acme", 1, [2]), ("globex", 1, [2]), ("quarantine", 1, [2])]),
        (
            ["leaf-p1-su001-r1", "leaf-p1-su001-r2"],
            [("acme", 1, [1, 2]), ("globex", 1, [1, 2]), ("quarantine", 1, [1, 2])],
        ),
        (["spine-p1-s01"], [("acme", 2, [1, 2]), ("globex", 2, [1, 2]), ("quarantine", 2, [1, 2])]),
        ([], []),
    ],
)
def test_tenants_come_with_their_nodes_and_rails(registry, names, found):
    made = audience.audience(registry, names)
    assert [(one.tenant, len(one.nodes), one.rails) for one in made] == found


def test_leaves_of_other_networks_have_no_rails():
    registry = Registry.parse(
        example("lab-converged"), "tenants: [{id: 21, slug: acme, nodes: [su01/h01]}]"
    )
    (acme, _rest) = audience.audience(registry, ["storage-leaf-001-1"])
    assert (acme.tenant, acme.nodes, acme.rails) == ("acme", ["worker-su01-rack01-h01"], [])
    spine = registry.fabric.device("converged-spine-s01")
    assert len(audience.nodes_of(registry, spine)) == 6, "all that is behind it"


def test_a_node_that_moves_counts_as_rented(registry):
    leaf = registry.fabric.device("leaf-p1-su002-r1")
    name = registry.fabric.name
    assert [name(n) for n in audience.moving(registry, leaf)] == ["worker-su02-rack01-h02"]
    assert len(audience.rented(registry, leaf)) == 2
    assert not audience.vacant(registry, leaf)
    assert audience.vacant(Registry.parse(registry.fabric, "tenants: []"), leaf)
