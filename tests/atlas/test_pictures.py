# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures as a browser draws them: no caption meets another, and no half of one is empty."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.everything import (
    PICTURES,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.svg import (
    WIDTH,
    width_of,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
)

from .browser import Page
from .test_agreement import FABRICS

TEXTS = """
JSON.stringify([...document.querySelectorAll("text")].map((one) => {
  const { x, y, width, height } = one.getBBox();
  return [one.textContent, one.getAttribute("class") || "", x, y, x + width, y + height];
}))
"""
COLUMNS = """
(() => {
  const shapes = [...document.querySelectorAll("rect:not(.panel):not(.soft), path")];
  for (const one of shapes) one.style.pointerEvents = "all";
  const { width, height } = document.documentElement.viewBox.baseVal;
  const drawn = (x, y) => document.elementsFromPoint(x, y).some((one) => shapes.includes(one));
  let columns = 0;
  for (let x = 2; x < width; x += 4) {
    for (let y = 70; y < height; y += 4) if (drawn(x, y)) { columns += 4; break; }
  }
  const bottom = Math.max(...shapes.map((one) => one.getBBox()).map((box) => box.y + box.height));
  return JSON.stringify([columns / width, height - bottom]);
})()
"""


KINDS = [
    (name, kind) for name in FABRICS for kind in PICTURES if name in EXAMPLES or kind != "tenants"
]


@pytest.mark.parametrize("name, kind", KINDS)
def test_picture(visit: Callable[..., Page], tmp_path: Path, name: str, kind: str) -> None:
    svg = PICTURES[kind](FABRICS[name]())
    path = tmp_path / "picture.svg"
    path.write_text("".join(svg.lines()))
    page = visit(path)
    size = {"width": WIDTH, "height": int(svg.height) + 1, "deviceScaleFactor": 1}
    page.call("Emulation.setDeviceMetricsOverride", mobile=False, **size)
    captions_are_apart(json.loads(page.eval(TEXTS)), svg.height)
    columns, below = json.loads(page.eval(COLUMNS))
    assert columns >= 0.7  # of the width; labels take 15% on the left
    assert below <= 50


def captions_are_apart(texts: list[list[Any]], height: float) -> None:
    """The boxes of all texts, each with each; and the estimate by which they were placed."""
    for words, css, left, top, right, bottom in texts:
        assert min(left, top, WIDTH - right, height - bottom) >= 0, words
        if "mono" not in css:
            assert right - left <= width_of(words, css), words
    for one, two in itertools.combinations(texts, 2):
        apart = one[4] <= two[2] or two[4] <= one[2] or one[5] <= two[3] or two[5] <= one[3]
        assert apart, (one, two)
