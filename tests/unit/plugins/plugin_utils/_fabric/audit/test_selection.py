# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A choice of places means devices, with the leaves that chosen nodes meet."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import selection
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

LEAVES_1 = {"leaf-p1-su001-r1", "leaf-p1-su001-r2"}


@pytest.mark.parametrize(
    "text, switches, nodes",
    [
        ("spine-p1-s01", {"spine-p1-s01"}, 0),
        ("worker-su01-rack01-h01", LEAVES_1, 1),
        ("su01/h02", LEAVES_1, 1),
        ("su01", LEAVES_1, 3),
        ("pod01", LEAVES_1 | {"leaf-p1-su002-r1", "leaf-p1-su002-r2"}, 6),
    ],
)
def test_devices(healthy, text, switches, nodes):
    found = selection.devices(healthy().ctx.fabric, [text])
    assert {name for name in found if not name.startswith("worker")} == switches
    assert len(found - switches) == nodes


@pytest.mark.parametrize(
    "word, why",
    [
        ("moon", "spx_where: 'moon' is not a device, place or tenant of lab: name one"),
        ("leaf-p1-su001-r9", "of lab, did you mean 'leaf-p1-su001-r.': name one"),
        ("su99", "spx_where: 'su99' is outside the capacity .su 99, and there are 1 to 2."),
    ],
)
def test_what_is_nothing_is_refused(healthy, word, why):
    with pytest.raises(FabricError, match=why):
        selection.devices(healthy().ctx.fabric, [word])


@pytest.mark.parametrize(
    "text, nodes",
    [("acme", 1), ("quarantine", 5), ("rest", 0), ("su01", 3), ("su01/h02", 1)],
)
def test_a_registry_adds_tenants_and_hides_no_place(healthy, text, nodes):
    fabric = healthy().ctx.fabric
    registry = Registry.parse(fabric, "tenants: [{id: 21, slug: acme, nodes: [su01/h01]}]")
    found = selection.devices(fabric, [text], registry)
    assert len([name for name in found if name.startswith("worker")]) == nodes


def test_a_word_without_end_is_shown_in_part(healthy):
    with pytest.raises(FabricError, match="is not a device") as refused:
        selection.devices(healthy().ctx.fabric, ["x" * 100_000])
    assert len(str(refused.value)) < 300


def test_what_is_nothing_is_refused_beside_a_registry(healthy):
    fabric = healthy().ctx.fabric
    with pytest.raises(FabricError, match="'moon' is not a device, place or tenant"):
        selection.devices(fabric, ["moon"], Registry.parse(fabric, "tenants: []"))


def test_several_words_mean_all_of_them(healthy):
    fabric = healthy().ctx.fabric
    one, other = (selection.devices(fabric, [word]) for word in ("su01/h02", "spine-p1-s01"))
    assert selection.devices(fabric, ["su01/h02", "spine-p1-s01"]) == one | other


def test_words_that_mean_more_nodes_than_a_fabric_has_are_not_listed(healthy):
    with pytest.raises(FabricError, match="spx_where: more than "):
        selection.devices(healthy().ctx.fabric, ["*/*/*"] * 9999)


@pytest.mark.parametrize("word", ["pod01", "1", "pod[01]", "*"])
def test_pods(healthy, word):
    fabric = healthy().ctx.fabric
    assert selection.pods(fabric, [word, word], Registry.parse(fabric, "tenants: []")) == [0]


@pytest.mark.parametrize(
    "word, said",
    [
        ("su01", "spx_where: 'su01' is no whole pod: playbook plan writes pods, such as pod01"),
        ("spine-p1-s01", "'spine-p1-s01' is no whole pod"),
        ("rest", "'rest' is no whole pod"),
        ("pod02", "'pod02' is outside the capacity"),
    ],
)
def test_what_is_no_whole_pod_is_refused(healthy, word, said):
    fabric = healthy().ctx.fabric
    with pytest.raises(FabricError, match=said):
        selection.pods(fabric, [word], Registry.parse(fabric, "tenants: []"))
