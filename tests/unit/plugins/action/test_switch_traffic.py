# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a switch counts as drained, and the sentence when it does not."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.action.switch_traffic import too_much


@pytest.mark.parametrize(
    "rates, allowed",
    [({"swp1": 20.0}, 20), ({"swp1": 1e9}, None), ({"swp1": 0.0, "swp2": 3.5}, 20)],
)
def test_drained(rates, allowed):
    assert too_much(rates, allowed) == {}


def test_traffic_that_stays_is_named_worst_first():
    rates = {"swp1": 21.0, "swp2": 5000.4, "swp3": 1.0, "swp4": 30.0, "swp5": 40.0}
    assert too_much(rates, 20) == {
        "failed": True,
        "msg": "Traffic still passes: swp2 5000, swp5 40, swp4 30 and 1 more packets a second, allowed "
        "are 20; do not begin to work, find out who sends it.",
    }
