# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data that leaves the site: shapes, words of the device, and placeholders."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance.anonymous import (
    Anonymous,
)


@pytest.mark.parametrize(
    "found, left",
    [
        ({"swp1": {"address": "10.1.2.3/31"}}, {"swp1": {"address": "198.18.0.1/31"}}),
        ({"address": "fd00:7::1/127"}, {"address": "2001:db8::1/127"}),
        ({"mac": "44:38:39:00:00:17"}, {"mac": "02:00:00:00:00:01"}),
        ({"serial-number": "MT2314X00042"}, {"serial-number": "text-1"}),
        ({"serial-number": "231400042"}, {"serial-number": "text-1"}),
        ({"state": "Idle (Admin)"}, {"state": "Idle (Admin)"}),
        ({"description": "row seven"}, {"description": "text-1"}),
        (
            {"model": "SN5600", "build": "Cumulus Linux 5.16.1"},
            {"model": "SN5600", "build": "Cumulus Linux 5.16.1"},
        ),
        ({"vrf": {"payroll": {}, "default": {}}}, {"vrf": {"name-1": {}, "default": {}}}),
        ({"remote-as": 4200012345, "in-pkts": 17}, {"remote-as": 65000, "in-pkts": 17}),
        (
            {"effective-ber": "1.5E-254", "speed": "400G"},
            {"effective-ber": "1.5E-254", "speed": "400G"},
        ),
        ({"chassis": {"system-name": "mars-leaf-7"}}, {"chassis": {"system-name": "name-1"}}),
        ({"state": "mars-leaf-7"}, {"state": "name-1"}),
        (
            {"oper": True, "none": None, "list": ["swp1", "secret"]},
            {"oper": True, "none": None, "list": ["swp1", "text-1"]},
        ),
        (
            {"router-id": "0.0.0.0", "prefix": "0.0.0.0/0"},
            {"router-id": "0.0.0.0", "prefix": "0.0.0.0/0"},
        ),
    ],
)
def test_data(found, left):
    assert Anonymous({"mars-leaf-7"}).data(found) == left


def test_a_thing_has_one_placeholder_everywhere():
    hide = Anonymous(())
    assert hide.data({"a": "10.0.0.1", "b": ["10.0.0.1", "10.0.0.2"]}) == {
        "a": "198.18.0.1",
        "b": ["198.18.0.1", "198.18.0.2"],
    }


def test_the_output_of_a_tool():
    hide = Anonymous({"mars-node-1"})
    said = (
        "Device #1: 0000:1a:00.0 on mars-node-1\n"
        "Base GUID: b8ce:f603:004a:1b2c MAC b8:ce:f6:4a:1b:2c fw 28.43.1014\n"
    )
    made = hide.text(said)
    assert made == (
        "Device #1: 0000:1a:00.0 on name-1\nBase GUID: 0000:0000:0000:0001 MAC 02:00:00:00:00:01 fw 28.43.1014\n"
    )


def test_what_is_left_of_the_site_is_found():
    hide = Anonymous({"mars-leaf-7"})
    hide.text("10.0.0.1")
    assert hide.leaks("198.18.0.1 and 0.0.0.0") == []
    assert hide.leaks("Mars-Leaf-7 at 10.0.0.1") == ["10.0.0.1", "Mars-Leaf-7"]
