# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of distributions: every value is in a bar, and what is beyond the limit is seen."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
    histogram,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report.figures import (
    Figure,
)

LIMIT = ((380.0, "ours"),)


def figure(
    *values: float, kind: str = "bandwidth", limits: tuple[tuple[float, str], ...] = LIMIT
) -> Figure:
    return Figure(
        "pairs", "", kind, "leaf", "Gb/s", len(values), 0, 0, tuple(sorted(values)), limits
    )


def counts(text: str, css: str) -> int:
    """The values in the bars of a class."""
    root = ElementTree.fromstring(text)
    bars = [one for one in root.iter("rect") if one.get("class") == css]
    return sum(int(str(drawn.findtext("title")).split()[0].replace(",", "")) for drawn in bars)


def test_every_value_is_drawn() -> None:
    text = histogram.svg(figure(*range(300, 400), 391.5))
    assert [counts(text, css) for css in ("bad", "bar")] == [80, 21]
    assert "limit 380" in text


def test_one_among_thousands_is_seen() -> None:
    root = ElementTree.fromstring(histogram.svg(figure(188.0, *[391.0] * 9999)))
    bad = [one for one in root.iter("rect") if one.get("class") == "bad"]
    assert [float(str(one.get("height"))) for one in bad] == [4.0]


def test_a_high_latency_is_bad() -> None:
    text = histogram.svg(figure(2.0, 2.1, 9.0, kind="latency", limits=((8.0, "ours"),)))
    assert (counts(text, "bad"), counts(text, "bar")) == (1, 2)


@pytest.mark.parametrize("values", [(391.0,), (0.0,), (391.0, 391.0)])
def test_equal_values(values: tuple[float, ...]) -> None:
    text = histogram.svg(figure(*values, limits=()))
    assert counts(text, "bar") == len(values)
    xs = [float(x) for x in re.findall(r' x="([-0-9.]+)"', text)]
    assert all(0 <= x <= histogram.WIDTH for x in xs)


def test_nothing_measured_is_no_picture() -> None:
    assert histogram.svg(figure()) == ""
