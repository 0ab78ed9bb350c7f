# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Racks from the front."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.elevation import (
    Box,
    draw,
    overlaps,
)

SVG = "{http://www.w3.org/2000/svg}"


def test_every_role_has_a_colour():
    for role in ("converged-spine", "converged-core", "front-end-leaf", "leaf"):
        assert role in draw("R", 4, [Box("a", role, "", 1, 2)])


def test_units_count_from_below_and_a_box_fills_its_own():
    root = ET.fromstring(draw("R<1>", 4, [Box("a&b", "leaf", "SN1", 2, 2)]))
    texts = {text.text: float(text.get("y")) for text in root.iter(f"{SVG}text")}
    assert texts["1"] > texts["2"] > texts["3"] > texts["4"]
    frame, box = list(root.iter(f"{SVG}rect"))
    step = texts["1"] - texts["2"]
    assert float(frame.get("height")) == 4 * step
    assert float(box.get("height")) == 2 * step - 1
    assert float(box.get("y")) < texts["3"] < texts["2"] < float(box.get("y")) + 2 * step
    assert {"a&b", "leaf  SN1"} < set(texts)
    assert root.get("aria-label") == "Front of rack R<1>, 4 units"


def test_a_height_that_is_not_known_is_dashed():
    dashed = [
        draw("R", 4, [Box("a", "node", "", 1, height)]).count("dasharray") for height in (0, 1)
    ]
    assert dashed == [1, 0]


@pytest.mark.parametrize(
    "boxes, sentences",
    [
        ([("a", 1, 2), ("b", 3, 1)], []),
        ([("a", 1, 2), ("b", 2, 1)], ["b and a are both in unit 2."]),
        ([("a", 4, 2)], ["a reaches above unit 4, the highest."]),
        ([("a", 3, 0), ("b", 3, 0)], ["b and a are both in unit 3."]),
    ],
)
def test_what_cannot_be_is_said(boxes, sentences):
    made = [Box(name, "node", "", unit, height) for name, unit, height in boxes]
    assert overlaps(made, 4) == sentences
