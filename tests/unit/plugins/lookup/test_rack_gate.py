# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who counts as one on which congestion control did not begin: who tried, and failed or was lost since."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.lookup import rack_gate

NOTED = "dpu_congestion_control_failed"


@pytest.mark.parametrize(
    ("noted", "there", "failed"),
    [
        ({NOTED: "no CC"}, True, True),
        ({NOTED: ""}, False, True),
        ({NOTED: ""}, True, False),
        ({}, False, False),  # lost before anybody began
    ],
)
def test_who_did_not_begin(noted, there, failed):
    stated = {
        "hostvars": {"h01": {"dpu_state_look": {}, **noted}},
        "ansible_play_hosts": ["h01"] if there else [],
    }
    assert rack_gate._seen(stated, "h01").failed is failed
