# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rails are read once a run only where the look at them showed nothing to do."""

from __future__ import annotations

import pytest

from .role_variables import rendered

SEEN = {
    "files": [],
    "commands": [],
    "drift": [],
    "absent": [],
    "renames_in_use": [],
    "changed": False,
}


@pytest.mark.parametrize("found", ["files", "commands", "drift", "absent", "renames_in_use"])
def test_whatever_was_found_is_looked_at_again(found):
    seen = {**SEEN, found: ["something"]}
    assert rendered("dpu_interfaces", "__dpu_interfaces_settled", dpu_interfaces_seen=seen) is False


@pytest.mark.parametrize("seen, settled", [({}, False), (SEEN, True)])
def test_who_has_not_looked_knows_nothing(seen, settled):
    found = rendered("dpu_interfaces", "__dpu_interfaces_settled", dpu_interfaces_seen=seen)
    assert found is settled
