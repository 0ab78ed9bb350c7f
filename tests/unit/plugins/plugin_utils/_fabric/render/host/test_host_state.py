# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State of one host in a run."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.host_state import (
    HostCase,
)

from .looks import GIVEN, case, found

WANTED = {"name": "h01", "manage": ["dpu_doca"], "nics": [{"device": "a2dc"}]}


@pytest.mark.parametrize(
    ("reason", "waits", "said"),
    [
        (
            "DOCA-Host 3.3.0 replaces the inbox driver",
            True,
            "DOCA-Host 3.3.0 replaces the inbox driver",
        ),
        ("", True, "the installed driver is not loaded yet"),
        ("", False, ""),
    ],
)
def test_a_driver_is_replaced_or_loaded(reason, waits, said):
    made = HostCase(WANTED, found(system={"driver_waits": waits}), GIVEN)
    vars(made)["doca"] = {"reason": reason}
    assert made.driver == said


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("cut_off", [False, True])
def test_an_installation_that_was_cut_off_is_done_again(asked, cut_off):
    look = found(system={"system_waits": cut_off})
    assert HostCase(WANTED, look, {**GIVEN, "force": asked}).force is (asked or cut_off)


def test_a_device_id_that_yaml_read_as_a_number_is_a_text():
    assert case(WANTED, files={1023: None, "a2dc": {"image": "/x"}}).files == {
        "1023": {},
        "a2dc": {"image": "/x"},
    }
