# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Histogram of a figure's values, with its limit drawn: an SVG in the style of the page."""

from __future__ import annotations

import typing as t

from ...._pages.svg import number as at
from . import figures

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from .figures import Figure

WIDTH, HEIGHT = 380, 124
BINS = 38
_LEFT, _RIGHT, _TOP, _BASE = 8, 372, 22, 100
_SMALLEST = 4
"""Pixels of a bar of one value: one slow port among thousands is seen."""


def svg(figure: Figure) -> str:
    """The picture; empty where nothing was measured."""
    if not figure.values:
        return ""
    limits = sorted({limit for limit, _source in figure.limits})
    scale = _Scale([*figure.values, *limits])
    bars, unit = _bars(figure, scale), figures.unit(figure.unit)
    lines = (_limit(limit, scale) for limit in sorted({limits[0], limits[-1]})) if limits else ()
    return (
        f'<svg class="histogram" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{_words(figure)}">'
        f'{"".join(bars)}<path class="axis" d="M{_LEFT} {_BASE}H{_RIGHT}"/>{"".join(lines)}'
        f'<text x="{_LEFT}" y="{_BASE + 17}">{figures.number(scale.low)}</text>'
        f'<text x="{_RIGHT}" y="{_BASE + 17}" class="end">{figures.number(scale.high)} {unit}</text></svg>\n'
    )


class _Scale:
    """Values to pixels. Equal values get some room."""

    def __init__(self, values: list[float]) -> None:
        self.low, self.high = min(values), max(values)
        room = (self.high - self.low) * 0.02 or abs(self.low) * 0.02 or 1
        self.low, self.high = self.low - room, self.high + room

    def share(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)

    def x(self, value: float) -> float:
        return _LEFT + self.share(value) * (_RIGHT - _LEFT)


def _bars(figure: Figure, scale: _Scale) -> Iterator[str]:
    """A bar for each bin that has values; those beyond the strictest limit are bad."""
    bins: dict[tuple[int, bool], int] = {}
    for value in figure.values:
        key = min(BINS - 1, int(scale.share(value) * BINS)), _breaks(figure, value)
        bins[key] = bins.get(key, 0) + 1
    most, width = max(bins.values()), (_RIGHT - _LEFT) / BINS
    for (number, bad), count in sorted(bins.items()):
        height = max(_SMALLEST, count / most * (_BASE - _TOP))
        yield (
            f'<rect x="{at(_LEFT + number * width)}" y="{at(_BASE - height)}" width="{at(width - 1)}" '
            f'height="{at(height)}" class="{"bad" if bad else "bar"}"><title>{count:,} measurements</title></rect>'
        )


def _breaks(figure: Figure, value: float) -> bool:
    """Check whether a value is beyond every limit; of several limits each holds for some of the tests."""
    limits = [limit for limit, _source in figure.limits]
    if not limits:
        return False
    return value > max(limits) if figure.less else value < min(limits)


def _limit(limit: float, scale: _Scale) -> str:
    x, right = at(scale.x(limit)), scale.share(limit) > 0.5
    side = ' class="end"' if right else ""
    words = at(scale.x(limit) + (-5 if right else 5))
    return (
        f'<path class="limit" d="M{x} 8V{_BASE}"/>'
        f'<text x="{words}" y="15"{side}>limit {figures.number(limit)}</text>'
    )


def _words(figure: Figure) -> str:
    """The picture for those who do not see it."""
    limits = ", ".join(f"limit {figures.number(limit)}" for limit, _source in figure.limits)
    return (
        f"{len(figure.values)} values from {figures.number(figure.values[0])} to "
        f"{figures.number(figure.values[-1])} {figures.unit(figure.unit)}, median {figures.number(figure.median)}"
        + (f", {limits}" if limits else "")
    )
