# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small parts of the page."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
    page_parts,
)


def test_cards_escape_their_title_and_leave_out_what_is_empty() -> None:
    assert page_parts.card("a < b", "", "c & d", anchor="x") == (
        '<section class="card" id="x"><h2>a &lt; b</h2>c &amp; d</section>\n'
    )
    assert page_parts.card("a") == '<section class="card"><h2>a</h2></section>\n'


def test_a_state_is_a_sign_and_words() -> None:
    assert page_parts.sign("fail", "2 failed") == '<span class="state failed">✕ 2 failed</span>'
    assert page_parts.sign("pass", "ok") == '<span class="state pass">✓ ok</span>'
