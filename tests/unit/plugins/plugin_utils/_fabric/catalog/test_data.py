# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ids of a catalog that a person names."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import wanted


@pytest.mark.parametrize(
    "asked, answer",
    [
        ([], True),
        (["switch.bgp.session"], True),
        (["host", "switch.bgp"], True),
        (["switch.*.session"], True),
        (["switch.b"], False),
        (["switch.bgp.session.more"], False),
        (["SWITCH"], False),
    ],
)
def test_ids_by_name_glob_or_first_words(asked, answer):
    assert wanted("switch.bgp.session", asked) is answer
