# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures: well formed, within their frame, telling what the plan says, and the documentation's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import draw
import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    exports,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output

from ..fabrics import EXAMPLES, ROOT, example

SVG = "{http://www.w3.org/2000/svg}"
IMAGES = ROOT / "docs" / "docsite" / "rst" / "images"


@pytest.mark.parametrize("kind", exports.PICTURES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_picture(name: str, kind: str) -> None:
    lines = exports.PICTURES[kind](example(name)).lines()
    root = ElementTree.fromstring("".join(lines))
    assert root.attrib["role"] == "img"
    assert root.find(f"{SVG}title").text == f"{name}: {kind}"
    assert root.find(f"{SVG}desc").text
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for shape in root.iter(f"{SVG}rect"):
        x, y = float(shape.attrib["x"]), float(shape.attrib["y"])
        assert x >= 0
        assert x + float(shape.attrib["width"]) <= width
        assert y + float(shape.attrib["height"]) <= height
    for words in root.iter(f"{SVG}text"):
        assert 0 < float(words.attrib["y"]) < height
    assert sum(map(len, lines)) < 150_000
    assert lines == exports.PICTURES[kind](example(name)).lines()


def boxes(root: ElementTree.Element) -> Iterator[tuple[float, float, float]]:
    """Left, right and lower edge of what is drawn on the ground: boxes, and cells of a path."""
    for shape in root.iter(f"{SVG}rect"):
        if shape.get("class") not in ("panel", "soft"):
            x, y, width, height = (float(shape.attrib[k]) for k in ("x", "y", "width", "height"))
            yield x, x + width, y + height
    for path in root.iter(f"{SVG}path"):
        for cell in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h", path.attrib["d"]):
            x, y, width, height = map(float, cell)
            yield x, x + width, y + height


@pytest.mark.parametrize("kind", exports.PICTURES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_no_half_is_empty(name: str, kind: str) -> None:
    """Check that the drawing covers most of the width, beside the labels on the left, down to the bottom."""
    root = ElementTree.fromstring("".join(exports.PICTURES[kind](example(name)).lines()))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    covered: set[int] = set()
    found = list(boxes(root))
    for left, right, _low in found:
        covered.update(range(int(left), int(right)))
    assert len(covered) / width >= 0.7
    assert max(low for _left, _right, low in found) / height >= 0.7


WORDS = [
    ("h200-2048", "topology", "2,048 GPUs · 256 nodes · 32 leaves · 16 spines · 1 plane · 8 rails"),
    ("lab", "topology", "16 GPUs · 8 nodes (6 built) · 4 leaves · 2 spines · 1 plane · 2 rails"),
    ("max-524288", "topology", "pod 128"),
    ("lab", "addresses", "172.18.1.4"),
    ("lab", "addresses", "is worker-su02-rack02-h03 port rail2p1: rail 2, SU 2, slot 3, NIC side"),
    ("h200-2048", "tenants", "acme: 128 nodes"),
    ("lab", "tenants", "not built: 2 nodes"),
    ("brownfield-256", "addresses", "host links from a table"),
]


@pytest.mark.parametrize("name, kind, words", WORDS)
def test_words(name: str, kind: str, words: str) -> None:
    text = "".join(exports.PICTURES[kind](example(name)).lines())
    assert words in " ".join(re.findall(r">([^<]+)<", text))


def test_every_cable_of_the_lab_is_drawn() -> None:
    """4 leaves to 2 spines, 8 node slots to 2 leaves, and the marked ones once more."""
    text = "".join(exports.PICTURES["topology"](example("lab")).lines())
    cables = "".join(re.findall(r'd="([^"]+)" class="cable"', text))
    assert cables.count("M") == 4 * 2 + 8 * 2


def test_export(tmp_path: Path) -> None:
    for changed in (3, 0):
        output = Output(str(tmp_path))
        exports.write(example("lab"), output, kinds=["pictures"])
        assert len(output.changed) == changed
    assert "pictures" in exports.DEFAULT


def test_pictures_of_the_documentation() -> None:
    drawn = dict(draw.pictures())
    assert sorted(drawn) == sorted(path.name for path in IMAGES.glob("*.svg"))
    for name, text in drawn.items():
        assert text == (IMAGES / name).read_text(encoding="utf-8"), f"run {IMAGES / 'draw.py'}"
