# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of the other networks: every leaf that is drawn has a line to every spine that is drawn."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import exports
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

from ..tenants.converged_lab import laboratory

SVG = "{http://www.w3.org/2000/svg}"
LARGE = {
    "capacity": {"sus_per_pod": 16, "slots_per_su": 64},
    "rails": 4,
    "networks": {"front_end": {"host_speed": "400G"}},
}


def drawn(fabric, kind="networks"):
    return ElementTree.fromstring("".join(exports.pictures_of(fabric)[kind](fabric).lines()))


@pytest.mark.parametrize(
    "fabric",
    [
        lambda: example("lab-converged"),
        lambda: example("b300-1024-converged"),
        lambda: build(**LARGE),
    ],
)
def test_what_is_drawn_is_in_the_frame_and_joined(fabric):
    fabric = fabric()
    root = drawn(fabric)
    boxes = [rect for rect in root.iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None]
    names = [rect.find(f"{SVG}title").text for rect in boxes]
    assert len(set(names)) == len(names)
    roles = [fabric.known(name).role for name in names]
    spines = roles.count("converged_spine")
    assert 2 <= spines <= 8
    lines = [path for path in root.iter(f"{SVG}path") if path.attrib["class"] == "cable"]
    assert len(lines) == spines * (len(names) - spines)
    for rect in boxes:
        assert float(rect.attrib["x"]) >= 0
        assert float(rect.attrib["x"]) + float(rect.attrib["width"]) <= float(root.attrib["width"])


def test_a_core_is_two_switches_with_lines_to_what_is_cabled_to_each():
    """Nodes of both networks and the arrays have two lines, each of the two providers has one."""
    root = drawn(laboratory(core=True))
    names = [title.text for title in root.iter(f"{SVG}title")]
    assert names[1:] == ["converged-core-1", "converged-core-2"]
    classes = [path.attrib["class"] for path in root.iter(f"{SVG}path")]
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert classes.count("bundle") == texts.count("2 links") == 1
    both = texts.count("8 nodes") + len({"vast-1", "nfs-1"} & set(texts))
    assert (both, classes.count("cable")) == (4, 2 * both + len({"isp-a", "isp-b"} & set(texts)))


def test_a_pair_names_what_is_cabled_to_it():
    texts = [text.text for text in drawn(example("lab-converged")).iter(f"{SVG}text")]
    assert {"8 nodes", "vast-1", "nfs-1", "isp-a (leaf 1)", "isp-b (leaf 2)"} <= set(texts)


PAIRS = {
    # nodes and arrays have two lines down, providers one; each leaf has one to every spine
    "front-end": ({"su01/h01", "bond front", "swp1s0"}, 8, 0),
    "storage": ({"su02/h04", "bond stor", "vast-1", "bonds", "nfs-1", "array"}, 8 + 2, 0),
    "border": ({"isp-a", "isp-b", "external", "swp1s0"}, 0, 2),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_each_network_has_a_picture_of_its_first_pair(kind):
    words, both, alone = PAIRS[kind]
    root = drawn(example("lab-converged"), kind)
    assert words <= {text.text for text in root.iter(f"{SVG}text")}
    lines = [path for path in root.iter(f"{SVG}path") if path.attrib["class"] == "cable"]
    assert len(lines) == 2 * 2 + 2 * both + alone
    for rect in root.iter(f"{SVG}rect"):
        assert float(rect.attrib["x"]) + float(rect.attrib["width"]) <= float(root.attrib["width"])


def test_a_routed_network_says_so():
    texts = {
        x.text for x in drawn(laboratory(front_end={"attachment": "routed"}), "front-end").iter()
    }
    assert "a link each" in texts
    assert set(exports.pictures_of(laboratory(core=True))) == {*exports.PICTURES, "networks"}


def test_a_fabric_without_other_networks_has_no_such_picture():
    assert set(exports.pictures_of(example("lab"))) == set(exports.PICTURES)
