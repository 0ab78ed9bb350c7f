# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names from coordinates and back, NVIDIA's by default."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    NicPort,
    Node,
    Switch,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged_cabling import (
    NetPort,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
    build,
    example,
)

NAMES = [
    ("lab", Switch("leaf", 0, 0, 3), "leaf-p1-su002-r2"),
    ("lab", Switch("spine", 0, 0, 1), "spine-p1-s02"),
    ("lab-converged", Switch("border_leaf", 0, 0, 1), "border-leaf-01-2"),
    ("lab-converged", Switch("storage_leaf", 0, 0, 0), "storage-leaf-001-1"),
    ("lab-converged", Switch("front_end_leaf", 0, 0, 1), "front-end-leaf-001-2"),
    ("lab-converged", Switch("converged_spine", 0, 0, 1), "converged-spine-s02"),
    ("lab", Node(0, 1, 2), "worker-su02-rack02-h03"),
    ("lab-3tier", Switch("leaf", 0, 1, 1), "leaf-p1-pod02-su001-r2"),
    ("lab-3tier", Switch("super_spine", 0, 1, 0), "super-spine-p1-g02-s01"),
    ("lab-3tier", Node(1, 0, 1), "worker-pod02-su01-rack01-h02"),
    ("b300-4096", Switch("leaf", 1, 0, 63), "leaf-p2-su008-r8"),
    ("multiplane-16384", Switch("leaf", 2, 0, 9), "leaf-p1-su010-r3"),
    ("multiplane-16384", Switch("spine", 2, 0, 0), "spine-r3-s01"),
    ("max-524288", Switch("leaf", 0, 16, 43), "leaf-p1-pod017-su006-r4"),
    ("max-524288", Node(127, 7, 63), "worker-pod128-su08-rack16-h64"),
]


@pytest.mark.parametrize("fabric, device, name", NAMES)
def test_nvidia_names(fabric, device, name):
    fabric = example(fabric)
    assert fabric.names.name(device) == name
    assert fabric.names.device(name) == device


@pytest.mark.parametrize("name", EXAMPLES)
def test_names_are_unique_and_lead_back(name):
    """All devices, at capacity."""
    fabric = example(name)
    seen = set()
    for device in [*fabric.cabling.switches(), *fabric.cabling.nodes()]:
        text = fabric.names.name(device)
        assert fabric.names.device(text) == device
        seen.add(text)
    assert len(seen) == sum(fabric.clos.switches().values()) + fabric.clos.nodes


@pytest.mark.parametrize(
    "name",
    [
        "leaf-p1-su003-r1",
        "leaf-p2-su001-r1",
        "leaf-p1-su1-r1",
        "leaf-p1-su0001-r1",
        "leaf-p1-su000-r1",
        "leaf-p1-pod01-su001-r1",
        "worker-su01-rack02-h01",
        "spine-p1-s00",
        "Leaf-p1-su001-r1",
        " leaf-p1-su001-r1",
        "",
    ],
)
def test_other_texts_are_no_names(name):
    """Not even another rack of an existing slot, or other widths of a number."""
    assert example("lab").device(name) is None


@pytest.mark.parametrize(
    "name, port, text",
    [
        ("lab", NicPort(1, 0), "rail2p1"),
        ("b300-4096", NicPort(7, 1), "rail8p2"),
        ("multiplane-16384", NicPort(4, 4), "rail5p1"),
    ],
)
def test_host_interfaces(name, port, text):
    names = example(name).names
    assert names.nic(port) == text
    assert names.nic_port(text) == port


@pytest.mark.parametrize("text", ["rail3p1", "rail1p2", "rail0p1", "rail01p1", "eth0", "rail1p1 "])
def test_other_host_interfaces(text):
    assert example("lab").names.nic_port(text) is None


def test_own_templates():
    fabric = build(
        naming={
            "leaf": "dc7-l{su}-{rail}",
            "spine": "dc7-s{index}",
            "node": "GPU{su:02}x{slot:03}",
        }
    )
    assert fabric.name(Switch("leaf", 0, 0, 9)) == "dc7-l2-2"
    assert fabric.name(Switch("spine", 0, 0, 15)) == "dc7-s16"
    assert fabric.device("GPU04x064") == Node(0, 3, 63)


def test_a_field_may_stand_twice():
    fabric = build(naming={"spine": "s{index:03}.row{index:03}"})
    assert fabric.device("s004.row004") == Switch("spine", 0, 0, 3)
    assert fabric.device("s004.row005") is None


def test_widths_grow_with_the_capacity():
    """So that names sort, and one text has one meaning."""
    assert build(naming={"node": "n{su}-{slot}"}).name(Node(0, 0, 0)) == "n1-01"


REFUSED = [
    ({"leaf": "leaf-{su}"}, "naming.leaf: 'leaf-1' does not show its place"),
    ({"leaf": "x{su}-{rail:02}", "node": "x{su}-{slot}"}, "of role"),
    ({"node": "{su}_{slot}"}, "naming.node: '1_01' is not a host name"),
    ({"node": "-{su}-{slot}"}, "'-1-01' is not a host name"),
    ({"node": "n" * 60 + "{su}-{slot}"}, "use at most 63"),
    ({"node": "n{su"}, "is not a template"),
    ({"node": "n{rail}"}, "'{rail}' is not a field: use {pod}, {rack}, {slot}, {su}"),
    ({"spine": "s{su}{index}"}, "'{su}' is not a field"),
    ({"node": "n{su!r}-{slot}"}, "'{su}' is not a field"),
    ({"node": "n{su:>9}-{slot}"}, "'{su:>9}' is not a field"),
    ({"node": "n{}"}, "'{}' is not a field"),
]


@pytest.mark.parametrize("naming, part", REFUSED)
def test_refused_templates(naming, part):
    with pytest.raises(FabricError) as caught:
        build(naming=naming)
    assert part in str(caught.value)
    assert str(caught.value).startswith("fabric.yml, naming.")


def test_templates_that_meet_in_the_middle_only():
    """Leaf a1{su}-{rail} and spine a{index}-... share no corner but a name."""
    with pytest.raises(FabricError, match="is a name of role"):
        build(
            capacity={"sus_per_pod": 16},
            naming={"leaf": "a{su:03}{rail}", "node": "a{su:02}{slot:02}"},
        )


def test_other_networks_have_templates_of_their_own():
    naming = {"front_end_leaf": "fe{pair:02}{member}", "converged_spine": "core{index}"}
    fabric = build(networks={"front_end": {"host_speed": "400G"}}, naming=naming)
    leaf, spine = Switch("front_end_leaf", 0, 1, 0), Switch("converged_spine", 0, 0, 1)
    assert (fabric.names.name(leaf), fabric.names.name(spine)) == ("fe021", "core2")
    assert fabric.names.device("fe021") == leaf
    assert fabric.names.device("core9") is None
    assert fabric.names.pair(leaf) == "fe02"


def test_a_template_of_a_pair_needs_its_member():
    with pytest.raises(FabricError, match=r"naming.front_end_leaf: 'fe1' does not show its place"):
        build(networks={"front_end": {"host_speed": "400G"}}, naming={"front_end_leaf": "fe{pair}"})


def test_interfaces_of_nodes_on_other_networks():
    names = example("lab-converged").names
    port = names.net_port("stor2")
    assert port == NetPort("storage", 1)
    assert names.net(port) == "stor2"
    assert names.net_port("front3") is None
    assert example("lab").names.net_port("front1") is None
