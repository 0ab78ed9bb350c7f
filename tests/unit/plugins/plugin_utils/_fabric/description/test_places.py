# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places as people write them."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
    key_of,
    key_path,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.places import (
    RACKS,
    expand,
    text_of,
)

ONE_POD, PODS = (1, 4, 8), (3, 4, 8)
PLACES = [
    ("pod02", PODS, [(1,)]),
    ("pod02/su03", PODS, [(1, 2)]),
    ("pod02/su03/h04", PODS, [(1, 2, 3)]),
    ("su03", ONE_POD, [(0, 2)]),
    ("su03/h04", ONE_POD, [(0, 2, 3)]),
    ("03/04", ONE_POD, [(0, 2, 3)]),
    ("2/3/4", PODS, [(1, 2, 3)]),
    ("pod01/su03/h04", ONE_POD, [(0, 2, 3)]),
    ("su01/[02-04]", ONE_POD, [(0, 0, 1), (0, 0, 2), (0, 0, 3)]),
    ("su01/h[2,5-6]", ONE_POD, [(0, 0, 1), (0, 0, 4), (0, 0, 5)]),
    ("*/*/h08", PODS, [(p, s, 7) for p in range(3) for s in range(4)]),
    ("su[1-2]/h1", ONE_POD, [(0, 0, 0), (0, 1, 0)]),
]


@pytest.mark.parametrize("text, limits, places", PLACES)
def test_expand(text, limits, places):
    assert expand(text, limits=limits) == places


def test_racks_are_places_where_they_are_asked_for():
    assert expand("pod02/su03/rack[01,04]", limits=PODS, kinds=RACKS) == [(1, 2, 0), (1, 2, 3)]
    with pytest.raises(FabricError, match="'rack' is where 'h' is expected"):
        expand("su01/rack02", limits=ONE_POD)
    with pytest.raises(FabricError, match=r"outside the capacity \(rack 09"):
        expand("su01/rack09", limits=ONE_POD, kinds=RACKS)


@pytest.mark.parametrize("place", [(0,), (1, 2), (1, 2, 3), (2, 3, 7)])
def test_text_is_the_inverse(place):
    assert expand(text_of(place), limits=PODS) == [place]


def test_text_of_one_pod():
    assert text_of((0, 2, 3), pods=1) == "su03/h04"
    assert expand("su03/h04", limits=ONE_POD) == [(0, 2, 3)]


@pytest.mark.parametrize(
    "text",
    ["", "h04", "su03", "pod01/h04", "su03/h04/x", "[1-", "pod-1", "a/b", "pod01/su01/[3-1]"]
    + [f"pod01/su01/{many}" for many in ("h" + "1" * 5000, "[1-" + "1" * 5000 + "]", "[1-2-3]")],
)
def test_what_is_no_place(text):
    with pytest.raises(FabricError, match="is not a place"):
        expand(text, limits=PODS)


@pytest.mark.parametrize(
    "text", ["pod04", "pod01/su05", "pod01/su01/h09", "pod00", "pod01/su01/[1-9]"]
)
def test_outside_the_capacity(text):
    with pytest.raises(FabricError, match="is outside the capacity"):
        expand(text, limits=PODS)


@pytest.mark.parametrize("key", [("absent", 2), ("a", "b", 0, "c"), ("name",)])
def test_key_paths(key):
    assert key_of(key_path(key)) == key
