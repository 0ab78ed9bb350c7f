# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Printed pages: nothing from elsewhere, text that stays text, heads that are repeated."""

from __future__ import annotations

import base64
import hashlib
import re

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._pages import html

from .._fabric.export.handover.reading import Page


def test_text_stays_text():
    made = str(html.text("<b>")) + html.element("p", '"&') + html.link("a", "<", anchor='r 1"#')
    assert made == '&lt;b&gt;<p>&quot;&amp;</p><a href="a#r%201%22%23">&lt;</a>'
    assert html.text(html.element("p", "x")) == "<p>x</p>"


def test_a_page_asks_nothing_of_a_network():
    text = "".join(html.page("a <title>", [html.heading("Rack 1", "row A")], top="up"))
    assert text.startswith(html.BEGIN)
    assert "<title>a &lt;title&gt;</title>" in text
    assert not re.findall(r"https?://|src=|@import|url\(", text)
    style = re.search("<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in text


def test_paper_is_what_the_printer_has_and_heads_are_repeated():
    text = "".join(html.page("x", []))
    assert "@page { size: landscape;" in text, "A4 or Letter is the printer's choice"
    assert "thead { display: table-header-group; }" in text
    assert "break-before: page" in text


def test_a_table():
    rows = [("a", 1), html.span("over", 2, anchor="b"), ("c", html.lines(["d", "e"]))]
    text = html.heading("t", "") + "".join(
        html.table([("A", ""), ("B", "number")], rows, above="T")
    )
    assert Page(text).sections["t"] == [["T"], ["A", "B"], ["a", "1"], ["over"], ["c", "d\ne"]]


def test_facts_without_a_value_are_left_out():
    assert html.facts([("A", 1), ("B", "")]) == "<dl><dt>A</dt><dd>1</dd></dl>\n"
