# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures as a browser draws them: no caption meets another or leaves the frame."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.exports import (
    PICTURES,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._pages.svg import WIDTH, width_of
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
ODD = ("by-rail", "v6", "top-of-rack", "numbered", "custom")


@pytest.mark.parametrize("name", [*EXAMPLES, *ODD])
def test_pictures(visit: Callable[..., Page], tmp_path: Path, name: str) -> None:
    page = None
    for kind, draw in PICTURES.items():
        svg = draw(FABRICS[name]())
        path = tmp_path / f"{kind}.svg"
        path.write_text("".join(svg.lines()))
        page = page or visit(path)
        page.go(path.as_uri())
        captions_are_apart(json.loads(page.eval(TEXTS)), svg.height)


def captions_are_apart(texts: list[list[Any]], height: float) -> None:
    """The boxes of all texts, each with each; and the estimate by which they were placed."""
    for words, css, left, top, right, bottom in texts:
        assert min(left, top, WIDTH - right, height - bottom) >= 0, words
        if "mono" not in css:
            assert right - left <= width_of(words, css), words
    for one, two in itertools.combinations(texts, 2):
        apart = one[4] <= two[2] or two[4] <= one[2] or one[5] <= two[3] or two[5] <= one[3]
        assert apart, (one, two)
