# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that an answer must have to be data."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.shapes import (
    configuration,
    difference,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    UnfitError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import decode

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    "found, good",
    [({}, True), ([], True), (None, True), ([{"op": "add"}], True), ("x", False), (3, False)],
)
def test_a_difference_has_three_forms(found: object, good: bool) -> None:
    reply = Reply(200, JSON, json.dumps(found).encode())
    if good:
        assert decode(reply, "GET /x", difference) == found
    else:
        with pytest.raises(UnfitError, match="a mapping, a list or null was expected"):
            decode(reply, "GET /x", difference)


@pytest.mark.parametrize(
    "doc, said",
    [
        ({}, ""),
        ({"vrf": {"default": {"router": {"bgp": {"neighbor": {"swp1": {}}}}}}}, ""),
        ({"vrf": {"default": {"router": {"bgp": {"neighbor": {"swp1": "x"}}}}}}, "names"),
        ({"vrf": {"default": {"router": {"bgp": {"neighbor": ["swp1"]}}}}}, "at neighbor"),
        ({"vrf": {"default": {"router": 3}}}, "at router"),
        ({"vrf": {"default": "x"}}, "names"),
        ({"vrf": "x"}, "at vrf"),
        ({"interface": ["swp1"]}, "at interface"),
        ({"interface": {"swp1": None}}, "names"),
    ],
)
def test_the_shape_of_a_configuration(doc: object, said: str) -> None:
    reply = Reply(200, JSON, json.dumps(doc).encode())
    if not said:
        assert decode(reply, "GET /", configuration) == doc
    else:
        with pytest.raises(UnfitError, match=f"{said}.* was expected"):
            decode(reply, "GET /", configuration)
