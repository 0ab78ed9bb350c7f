# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which hosts are looked at, and what is asked of them."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.action import host_look


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"resting": "", "access": "managed"}, ""),
        (
            {"resting": "mainboard ordered", "access": "managed"},
            "out of service (mainboard ordered)",
        ),
        ({"resting": "", "access": "none"}, "h01 is rented to acme: it is not touched."),
        ({"resting": "", "access": "unknown"}, "is not touched"),
    ],
)
def test_a_host_that_is_rented_or_out_of_service_is_not_contacted(row, said):
    """Only a word that says managed is leave."""
    found = host_look._away({"name": "h01", "tenant": "acme", **row})
    assert said in found
    assert bool(found) is bool(said)
