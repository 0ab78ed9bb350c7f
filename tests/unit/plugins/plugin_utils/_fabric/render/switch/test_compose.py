# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The document as a whole: features, ownership, and what it shares with nobody."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import tree

from . import converged_fabric as made

EXAMPLES = ("lab", "lab-3tier", "b300-4096")


def one_of_each_role(fabric):
    return {switch.role: switch for switch in fabric.switches()}.values()


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_two_features_say_the_same_place(load, name):
    fabric = load(name)
    for switch in one_of_each_role(fabric):
        ctx = compose.context(fabric, switch)
        parts = [compose.render(ctx, [feature.name]) for feature in compose.FEATURES]
        seen: dict[tuple[str, ...], object] = {}
        for part in parts:
            for path, value in tree.leaves(part):
                assert seen.get(path, value) == value, path
                seen[path] = value
        assert seen == dict(tree.leaves(compose.render(ctx)))


@pytest.mark.parametrize("switch", made.ALL, ids=lambda switch: switch.role)
def test_nor_do_two_features_of_a_converged_switch(load, switch):
    ctx = made.context(load, switch)
    parts = [compose.render(ctx, [feature.name]) for feature in compose.FEATURES]
    leaves = [leaf for part in parts for leaf in tree.leaves(part)]
    assert dict(leaves) == dict(tree.leaves(compose.render(ctx)))
    assert len({path for path, _value in leaves if path[-1] != "type"}) == len(
        [path for path, _value in leaves if path[-1] != "type"]
    )
    for path, value in leaves:
        assert value == {} or (isinstance(value, str | int) and not isinstance(value, bool)), path


def test_a_document_shares_no_mapping_with_the_next(load):
    fabric = load()
    first = compose.document(fabric, "leaf-p1-su001-r1")
    before = copy.deepcopy(first)
    second = compose.document(fabric, "leaf-p1-su001-r1")

    def spoil(doc):
        for value in list(doc.values()):
            if isinstance(value, dict):
                spoil(value)
        doc["spoiled"] = True

    spoil(second)
    assert first == before
    assert compose.document(fabric, "leaf-p1-su001-r1") == before


def test_within_a_document_no_mapping_stands_twice(load):
    seen: set[int] = set()

    def walk(doc):
        assert id(doc) not in seen
        seen.add(id(doc))
        for value in doc.values():
            if isinstance(value, dict):
                walk(value)

    walk(compose.document(load(), "leaf-p1-su001-r1"))


def test_leaves_hold_words_and_numbers_only(load):
    for _path, value in tree.leaves(compose.document(load("lab-3tier"), "spine-p1-pod01-s01")):
        assert value == {} or (isinstance(value, str | int) and not isinstance(value, bool))


def test_features_by_name_and_by_role(load):
    fabric = load()
    assert set(compose.document(fabric, "spine-p1-s01", ["roce"])) == {"qos", "interface"}
    assert compose.document(fabric, "spine-p1-s01", ["roce"]) == compose.document(
        fabric, "spine-p1-s01", ["switch_roce"]
    )


@pytest.mark.parametrize(
    "device, features, words",
    [
        (
            "leaf-p1-su001-r1",
            ["rocee"],
            "'rocee' is not a feature of a switch, did you mean 'roce'",
        ),
        ("worker-su01-rack01-h01", None, "'worker-su01-rack01-h01' is a node: name a switch."),
        ("leaf-p9-su001-r1", None, "'leaf-p9-su001-r1' is not a device of fabric lab"),
    ],
)
def test_refused(load, device, features, words):
    with pytest.raises(FabricError) as caught:
        compose.document(load(), device, features)
    assert words in str(caught.value)
