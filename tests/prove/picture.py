# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A timeline as a picture: a bar for each flow, filled while probes are answered, and marks of steps."""

from __future__ import annotations

import dataclasses
import html
import typing as t

RIGHT, TOP, ROW, BARS = 20, 64, 26, 780
LETTER = 6.4  # pixels of a letter, about
INK, PALE, FULL = "#1f2933", "#d5dce3", "#3b7a57"
STYLE = f"font: 12px sans-serif; fill: {INK}"


@dataclasses.dataclass(frozen=True)
class Canvas:
    """Places of a drawing: `left` of the bars, pixels for each second, height of all bars."""

    left: int
    scale: float
    bottom: int

    def x(self, seconds: float) -> float:
        """The place of a moment."""
        return self.left + seconds * self.scale


def timeline(
    document: dict[str, t.Any], *, title: str, marks: t.Sequence[tuple[float, str]] = ()
) -> str:
    """An SVG of what `lab probe` wrote; `marks` are (seconds after its start, words)."""
    flows, seconds = document["flows"], max(document["seconds"], 0.01)
    left = 20 + int(LETTER * max(len(str(flow["id"])) for flow in flows))
    canvas = Canvas(left, BARS / seconds, TOP + ROW * len(flows))
    width, height = left + BARS + RIGHT, canvas.bottom + 30 + 14 * len(marks)
    every = f"{seconds:.1f} s, a probe every {document['interval'] * 1000:.0f} ms"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        _text(left, 20, title, weight="bold"),
        _text(left, 38, f"{every}; dark: answered, pale: silent"),
    ]
    for number, flow in enumerate(flows):
        parts += _row(flow, TOP + ROW * number, canvas)
    parts += _axis(seconds, canvas)
    for number, (at, words) in enumerate(marks):
        parts += _mark(
            canvas.x(at), canvas.bottom + 34 + 14 * number, f"{at:.1f} s {words}", canvas
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _text(x: float, y: float, words: str, *, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" '
        f'style="{STYLE}">{html.escape(words)}</text>'
    )


def _row(flow: dict[str, t.Any], y: int, canvas: Canvas) -> list[str]:
    """The flow's name, a pale bar, and what was answered on it."""
    strip = f'y="{y}" height="{ROW - 8}"'
    parts = [
        _text(canvas.left - 8, y + 14, str(flow["id"]), anchor="end"),
        f'<rect x="{canvas.left}" {strip} width="{BARS}" fill="{PALE}"/>',
    ]
    at, each = 0, BARS / max(1, flow["sent"])
    for state, count in flow["runs"]:
        if state:
            place = f'x="{canvas.left + at * each:.1f}" width="{max(0.5, count * each):.1f}"'
            parts.append(f'<rect {place} {strip} fill="{FULL}"/>')
        at += count
    return parts


def _axis(seconds: float, canvas: Canvas) -> list[str]:
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if seconds / step <= 12)
    return [
        _text(canvas.x(at), canvas.bottom + 12, f"{at} s", anchor="middle")
        for at in range(0, int(seconds) + 1, step)
    ]


def _mark(x: float, y: int, words: str, canvas: Canvas) -> list[str]:
    """A thin line down from the bars to the words."""
    side, by = ("end", -4) if x > canvas.left + BARS / 2 else ("start", 4)
    line = f'<path d="M{x:.1f} {TOP - 6}V{y}" stroke="{INK}" stroke-width="0.6" opacity="0.5"/>'
    return [line, _text(x + by, y, words, anchor=side)]
