# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Equipment out of service, which may be down."""

from __future__ import annotations

import pytest

LEAF, SPINE = "leaf-p1-su001-r1", "spine-p1-s01"


@pytest.mark.parametrize("entry", [{"device": "spine-p1-s02"}, {"device": LEAF, "port": "swp4s0"}])
def test_what_is_out_of_service_may_be_down(healthy, entry):
    row = {"since": "2026-11-01", "reason": "optic", **entry}
    switch = healthy(out_of_service=[row])
    for port in ("swp4s0", "swp4s1") if "port" not in entry else ("swp4s0",):
        switch.neighbors[port]["state"] = "idle"
        switch.interfaces[port]["link"]["oper-status"] = "down"
        del switch.lldp[port]
    assert switch.failures() == []


@pytest.mark.parametrize("until, fails", [("2026-11-21", 0), ("2026-11-20", 1)])
def test_out_of_service_ends(healthy, until, fails):
    row = {"device": LEAF, "port": "swp4s0", "since": "2026-11-01", "until": until, "reason": "x"}
    assert len(healthy(out_of_service=[row]).failures("switch.out_of_service")) == fails
