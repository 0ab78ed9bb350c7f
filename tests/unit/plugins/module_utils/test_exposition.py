# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples are what Prometheus reads, whatever is in a label."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils import _exposition


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        ({}, "m 1\n"),
        ({"a": "x", "b": "", "c": None, "d": 0}, 'm{a="x",d="0"} 1\n'),
        ({"a": 'say "no"\\\nor'}, 'm{a="say \\"no\\"\\\\\\nor"} 1\n'),
    ],
)
def test_labels_are_escaped(labels, text):
    assert _exposition.line("m", labels, 1) == text


def test_a_metric_says_its_kind_and_meaning():
    assert _exposition.head("m", "gauge", "A thing.") == "# HELP m A thing.\n# TYPE m gauge\n"
