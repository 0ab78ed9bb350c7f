# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small writer of SVG text: shapes in the order they are drawn, the same bytes for the same calls.

    svg = Svg("lab: topology", "2 spines above 4 leaves")
    svg.rect(10, 10, 80, 30, "box", tip="spine-p1-s01")
    svg.text(50, 30, "s01", "small middle")
    svg.height = 100
    "".join(svg.lines())

Every picture has a panel of its own, and panel and ink change together with the viewer's
colour scheme, so it can be read wherever it is put.
"""

from __future__ import annotations

import html

WIDTH, MARGIN = 1180, 24
# Okabe and Ito's palette, distinguished by people with any common colour vision (jfly.uni-koeln.de).
PALETTE = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7")

_LIGHT = {
    "panel": "#fcfcfd",
    "edge": "#c9ced6",
    "ink": "#1c2330",
    "quiet": "#5a6475",
    "box": "#e6eaf0",
    "soft": "#f1f3f6",
    "cable": "#9aa5b5",
    "mark": "#0072b2",
    "other": "#b84e00",
}
_DARK = {
    "panel": "#161b22",
    "edge": "#3b4452",
    "ink": "#e8ecf2",
    "quiet": "#a3adbd",
    "box": "#2b3442",
    "soft": "#1e2530",
    "cable": "#5e6b7e",
    "mark": "#56b4e9",
    "other": "#f0913f",
}


def _style(c: dict[str, str]) -> str:
    """The classes that shapes may have, in one scheme of colours."""
    return (
        f".panel{{fill:{c['panel']};stroke:{c['edge']}}}"
        f"text{{fill:{c['ink']}}}.quiet{{fill:{c['quiet']}}}"
        f".box{{fill:{c['box']};stroke:{c['quiet']}}}.soft{{fill:{c['soft']};stroke:{c['edge']}}}"
        f".unbuilt{{fill:none;stroke:{c['quiet']};stroke-dasharray:3 2}}"
        f".cable{{fill:none;stroke:{c['cable']};stroke-width:.5;stroke-opacity:.75}}"
        f".bundle{{fill:none;stroke:{c['cable']};stroke-width:3;stroke-opacity:.75}}"
        f".halo{{stroke:{c['soft']};stroke-width:5;paint-order:stroke}}"
        f".rule{{fill:none;stroke:{c['edge']}}}"
        f".marked{{fill:none;stroke:{c['mark']};stroke-width:1.4}}"
        f".other{{fill:none;stroke:{c['other']};stroke-width:1.4}}"
        f".markbox{{fill:{c['mark']};stroke:{c['mark']}}}"
        f".otherbox{{fill:{c['other']};stroke:{c['other']}}}"
        f".markink{{fill:{c['mark']}}}.otherink{{fill:{c['other']}}}.onmark{{fill:{c['panel']}}}"
        f".hatch{{fill:none;stroke:{c['quiet']}}}.faint{{fill:none;stroke:{c['edge']}}}"
    )


_SIZES = {"head": 19, "small": 11, "tiny": 9}
_TYPE = (
    "text{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif;font-size:13px}"
    + "".join(f".{name}{{font-size:{size}px}}" for name, size in _SIZES.items())
    + ".head{font-weight:600}"
    ".strong{font-weight:600}.middle{text-anchor:middle}.end{text-anchor:end}"
    ".mono{font-family:'DejaVu Sans Mono',ui-monospace,monospace}"
    ".black{fill:#12161d}.white{fill:#fff}"
)


def number(value: float) -> str:
    """A coordinate: at most two decimals, none where it is whole."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def width_of(words: str, css: str = "") -> float:
    """The room in pixels that a text takes at most, in DejaVu Sans, which is wide among its kind."""
    size = next((px for name, px in _SIZES.items() if name in css.split()), 13)
    ems = sum(1.0 if one.isupper() or one in "mw…" else 0.68 for one in words)
    return size * ems * (1.15 if "strong" in css or "head" in css else 1)


def some(count: int, most: int) -> list[int | None]:
    """The indices to draw of `count` things: all, or the first, None for a gap, and the last.

    >>> some(128, 4)
    [0, 1, None, 127]
    """
    if count <= most:
        return list(range(count))
    return [*range(most - 2), None, count - 1]


def per_row(slots: int, fit: int) -> int:
    """Nodes of a row: rows of one length where there is one that fills at least half of the room."""
    even = [n for n in range(min(fit, slots), fit // 2, -1) if slots % n == 0]
    return even[0] if even else min(fit, slots)


class Svg:
    """A picture of WIDTH by `height` pixels with a title and words below it.

    Screen readers get the words too, unless they have a `description` of their own.
    """

    height: float

    def __init__(self, title: str, words: str, description: str = "") -> None:
        self._title, self._description = title, description or words
        self._shapes: list[str] = []
        self.text(MARGIN, 38, title, "head")
        self.text(MARGIN, 60, words, "quiet")

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        css: str = "box",
        *,
        round_by: float = 2,
        fill: str | None = None,
        tip: str | None = None,
    ) -> None:
        """A rectangle; `fill` is a colour that both schemes share."""
        where = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
        own = f' style="fill:{fill}"' if fill else ""
        corner = f' rx="{number(round_by)}"' if round_by else ""
        self._add("rect", f'{where}{corner} class="{css}"{own}', tip)

    def path(
        self, points: str, css: str = "cable", *, fill: str | None = None, tip: str | None = None
    ) -> None:
        """A path of SVG commands."""
        own = f' style="fill:{fill}"' if fill else ""
        self._add("path", f'd="{points}" class="{css}"{own}', tip)

    def text(self, x: float, y: float, words: str, css: str = "") -> None:
        """A line of text whose base line is at `y`."""
        named = f' class="{css}"' if css else ""
        self._shapes.append(
            f'<text x="{number(x)}" y="{number(y)}"{named}>{html.escape(words, quote=False)}</text>'
        )

    def _add(self, tag: str, attributes: str, tip: str | None) -> None:
        inside = f"><title>{html.escape(tip, quote=False)}</title></{tag}>" if tip else "/>"
        self._shapes.append(f"<{tag} {attributes}{inside}")

    def lines(self) -> list[str]:
        """The file, line by line."""
        size = f'width="{WIDTH}" height="{number(self.height)}"'
        view = f'viewBox="0 0 {WIDTH} {number(self.height)}"'
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} role="img" '
            'aria-labelledby="title desc">',
            f'<title id="title">{html.escape(self._title, quote=False)}</title>',
            f'<desc id="desc">{html.escape(self._description, quote=False)}</desc>',
            f"<style>{_TYPE}{_style(_LIGHT)}",
            f"@media (prefers-color-scheme:dark){{{_style(_DARK)}}}</style>",
            f'<rect x=".5" y=".5" width="{WIDTH - 1}" '
            f'height="{number(self.height - 1)}" rx="8" class="panel"/>',
        ]
        return [line + "\n" for line in (*head, *self._shapes, "</svg>")]
