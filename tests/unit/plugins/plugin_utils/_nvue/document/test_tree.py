# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import tree
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.paths import Globs
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError

LEAF = st.one_of(st.integers(0, 3), st.sampled_from(["on", "off", "1"]), st.just({}))
DOCS = st.recursive(
    LEAF, lambda below: st.dictionaries(st.sampled_from("abcd"), below, max_size=3), max_leaves=12
).filter(lambda value: isinstance(value, dict))


@pytest.mark.parametrize(
    "value, sentence",
    [
        (["a"], "config is ['a']; a mapping of NVUE keys is needed."),
        ({"a": {"b": True}}, "config/a/b is the boolean True; NVUE knows words only"),
        ({True: 1}, "config has the key True; quote it"),
        ({"a": object}, "config/a is of type type; NVUE holds words and numbers."),
    ],
)
def test_a_document_that_is_none_is_refused_with_its_place(value: object, sentence: str) -> None:
    with pytest.raises(RefusedError) as refused:
        tree.normalise(value)
    assert sentence in str(refused.value)


def test_keys_become_strings_and_none_stays() -> None:
    assert tree.normalise({10: {"a": None, "b": (1, "x")}}) == {"10": {"a": None, "b": [1, "x"]}}


class Tagged(int):
    """A number as ansible-core 2.19 hands it over."""


def test_only_plain_types_remain() -> None:
    found = tree.normalise({"a": Tagged(1), "b": type("Word", (str,), {})("x"), "c": 1.5})
    assert [type(value) for value in found.values()] == [int, str, float]


@pytest.mark.parametrize(
    "base, over, merged",
    [
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": {"x": 1}}, {"a": {"y": 2}}, {"a": {"x": 1, "y": 2}}),
        ({"a": {"x": 1, "y": 1}}, {"a": {"x": None}}, {"a": {"x": None, "y": 1}}),
        ({"a": 1}, {"a": {"x": 2}}, {"a": {"x": 2}}),
        ({"a": {"x": 1}}, {"a": 2}, {"a": 2}),
        ({"a": {"x": 1}}, {"a": {}}, {"a": {"x": 1}}),
    ],
)
def test_merge(base: tree.Doc, over: tree.Doc, merged: tree.Doc) -> None:
    assert tree.merge(base, over) == merged


@pytest.mark.parametrize(
    "before, after, changes",
    [
        ({"a": 9216}, {"a": "9216"}, []),
        ({"a": {}}, {"a": {}}, []),
        ({}, {"a": {}}, [(("a",), None, {})]),
        ({"a": {}}, {"a": {"x": 1}}, [(("a", "x"), None, 1)]),
        ({"a": {"x": 1}}, {"a": {}}, [(("a", "x"), 1, None)]),
        ({"a": {"x": 1}}, {}, [(("a", "x"), 1, None)]),
        ({"a": {"x": 1}}, {"a": 2}, [(("a",), None, 2), (("a", "x"), 1, None)]),
        ({"b": 1, "a": 1}, {"b": 2, "a": 2}, [(("a",), 1, 2), (("b",), 1, 2)]),
    ],
)
def test_diff(before: tree.Doc, after: tree.Doc, changes: list[object]) -> None:
    found = [(change.path, change.before, change.after) for change in tree.diff(before, after)]
    assert sorted(found, key=lambda change: change[0]) == changes


def patched(doc: tree.Doc, patch: tree.Doc) -> tree.Doc:
    """Return the document after a switch's patch: a null removes the place."""
    made = dict(doc)
    for key, value in patch.items():
        if value is None:
            made.pop(key, None)
            continue
        old = made.get(key)
        below = old if isinstance(old, dict) else {}
        made[key] = patched(below, value) if isinstance(value, dict) else value
    return made


@given(DOCS, DOCS)
def test_patches_lead_from_before_to_after(before: tree.Doc, after: tree.Doc) -> None:
    unsets, sets = tree.patches(before, after)
    reached = patched(patched(before, unsets), sets)
    assert tree.diff(reached, after) == []
    assert bool(unsets or sets) == bool(tree.diff(before, after))


@given(DOCS, DOCS)
def test_both_patches_in_one_body_say_the_same(before: tree.Doc, after: tree.Doc) -> None:
    unsets, sets = tree.patches(before, after)
    reached = patched(before, tree.merge(unsets, sets))
    assert tree.diff(reached, after) == []


@pytest.mark.parametrize(
    "globs, inside, outside",
    [
        (["a"], {"a": {"x": 1, "y": {"z": 2}}}, {"b": 3}),
        (["a/x"], {"a": {"x": 1}}, {"a": {"y": {"z": 2}}, "b": 3}),
        (["a/*/z"], {"a": {"y": {"z": 2}}}, {"a": {"x": 1, "y": {}}, "b": 3}),
        (["a/x/deeper"], {}, {"a": {"x": 1, "y": {"z": 2}}, "b": 3}),
        (["?"], {"a": {"x": 1, "y": {"z": 2}}, "b": 3}, {}),
    ],
)
def test_split(globs: list[str], inside: tree.Doc, outside: tree.Doc) -> None:
    doc = {"a": {"x": 1, "y": {"z": 2}}, "b": 3}
    assert tree.split(doc, Globs(globs)) == (inside, outside)


@given(DOCS, st.lists(st.sampled_from(["a", "a/b", "*/c", "b/*/d"]), min_size=1))
def test_split_loses_nothing(doc: tree.Doc, patterns: list[str]) -> None:
    inside, outside = tree.split(doc, Globs(patterns))
    assert tree.diff(tree.merge(outside, inside), doc) == []


@pytest.mark.parametrize(
    "globs, left",
    [
        ([], {"a": {"x": 1}, "b": {}}),
        (["a/x"], {"b": {}}),
        (["b/*"], {"a": {"x": 1}, "b": {}}),
        (["b"], {"a": {"x": 1}}),
    ],
)
def test_what_loses_all_it_holds_is_pruned(globs: list[str], left: tree.Doc) -> None:
    assert tree.prune({"a": {"x": 1}, "b": {}}, Globs(globs)) == left


def test_nothing_is_changed_in_place() -> None:
    base = {"a": {"x": 1}}
    tree.merge(base, {"a": {"x": 2}})
    tree.put(base, ("a", "y"), 3)
    tree.split(base, Globs(["a/x"]))
    assert base == {"a": {"x": 1}}
