# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small parts of the page of a run. Whatever is not HTML already is escaped."""

from __future__ import annotations

import typing as t

from ...._pages.html import Html, element, text
from ..plan.records import FAIL
from .figures import SIGNS

if t.TYPE_CHECKING:
    from collections.abc import Iterable


def card(title: str, *body: object, css: str = "card", anchor: str = "") -> Html:
    """A part of the page with a title."""
    own = f' id="{anchor}"' if anchor else ""
    inside = element("h2", title) + "".join(text(part) for part in body if part)
    return Html(f'<section class="{css}"{own}>{inside}</section>\n')


def facts(pairs: Iterable[tuple[str, object]]) -> Html:
    """Names with their values; those without a value are left out."""
    rows = (element("dt", name) + element("dd", value) for name, value in pairs if value != "")
    return element("dl", Html("".join(f"<div>{row}</div>" for row in rows)))


def scroll(label: str, body: str) -> Html:
    """A long part that scrolls within the page."""
    name = text(label)
    return Html(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{name}">{body}</div>\n'
    )


def sign(state: str, words: object) -> Html:
    """A state as a sign and words."""
    return element(
        "span", f"{SIGNS[state]} {words}", f"state {'failed' if state == FAIL else state}"
    )
