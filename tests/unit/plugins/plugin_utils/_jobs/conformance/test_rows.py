# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of a check, and how many have each verdict."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance import rows


def test_a_row_differs_where_something_was_found():
    assert rows.row("answer", "release")["verdict"] == rows.EXPECTED
    assert rows.row("answer", "release", ["no release"])["verdict"] == rows.DIFFERS


def test_counts_name_every_verdict():
    made = rows.counts([rows.row("answer", "release"), rows.row("answer", "ports", ["x"])])
    assert made == {"as expected": 1, "differs": 1, "not seen": 0, "not asked": 0}
