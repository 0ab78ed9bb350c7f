# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages that are printed: one file each, with its style inside, and nothing from elsewhere.

Each section begins a page of paper; the heads of tables are repeated on every page.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import pathlib
import typing as t
import urllib.parse

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

BEGIN = '<!doctype html>\n<html lang="en" data-made-by="spectrum_x.fabric handover">'
"""Beginning of every page, by which an old one is recognised."""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(value: object) -> Html:
    """Anything as HTML."""
    return value if isinstance(value, Html) else Html(html.escape(str(value)))


def element(name: str, content: object, css: str = "") -> Html:
    """`<name class="css">content</name>`."""
    own = f' class="{css}"' if css else ""
    return Html(f"<{name}{own}>{text(content)}</{name}>")


def lines(values: Iterable[object], css: str = "line") -> Html:
    """Each value on a line of its own."""
    return Html("".join(element("span", value, css) for value in values))


def link(target: str, words: object, *, anchor: str = "") -> Html:
    """A link to a file beside this one, or to a part of it."""
    where = f"{target}#{urllib.parse.quote(anchor)}" if anchor else target
    return Html(f'<a href="{html.escape(where)}">{text(words)}</a>')


def table(
    head: Sequence[tuple[str, str]], body: Iterable[Sequence[object] | Html], *, above: str = ""
) -> Iterator[str]:
    """A table of (title, class) columns; a row that is HTML is taken as it is.

    `above` is a line over the titles that is repeated with them on every page of paper.
    """
    over = f'<tr><th colspan="{len(head)}" class="over">{text(above)}</th></tr>' if above else ""
    yield f"<table><thead>{over}<tr>"
    yield "".join(element("th", title, css) for title, css in head)
    yield "</tr></thead><tbody>\n"
    for row in body:
        cells = "".join(element("td", cell, css) for cell, (_title, css) in zip(row, head))
        yield row if isinstance(row, Html) else f"<tr>{cells}</tr>\n"
    yield "</tbody></table>\n"


def span(words: object, columns: int, *, anchor: str = "") -> Html:
    """A row that heads those below it."""
    own = f' id="{html.escape(anchor)}"' if anchor else ""
    return Html(f'<tr class="device"{own}><td colspan="{columns}">{text(words)}</td></tr>\n')


def facts(pairs: Iterable[tuple[str, object]]) -> Html:
    """A list of names and values; those without a value are left out."""
    rows = (element("dt", name) + element("dd", value) for name, value in pairs if value != "")
    return Html(f"<dl>{''.join(rows)}</dl>\n")


def heading(title: object, aside: object, *, anchor: str = "") -> Html:
    """The head of a section, with words at its right."""
    own = f' id="{html.escape(anchor)}"' if anchor else ""
    return Html(f"<header{own}>{element('h2', title)}{element('p', aside)}</header>\n")


def page(title: str, body: Iterable[str], *, top: str = "", more: str = "") -> Iterator[str]:
    """A whole page; `top` are links that are not printed, `more` is style of its own.

    The policy allows its style, and no request.
    """
    style = _style() + more
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    yield (
        f'{BEGIN}<head><meta charset="utf-8">'
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{digest}'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{style}</style></head><body><main>\n"
    )
    if top:
        yield element("nav", Html(top)) + "\n"
    yield from body
    yield "</main></body></html>\n"


@functools.cache
def _style() -> str:
    return pathlib.Path(__file__).with_name("paper.css").read_text(encoding="utf-8")
