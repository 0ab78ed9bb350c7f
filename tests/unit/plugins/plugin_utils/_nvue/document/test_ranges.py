# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.ranges import (
    expand,
    members,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError


@pytest.mark.parametrize(
    "key, found",
    [
        ("swp1-3", ["swp1", "swp2", "swp3"]),
        ("swp1-2s0-1", ["swp1s0", "swp1s1", "swp2s0", "swp2s1"]),
        ("swp7s0-3", ["swp7s0", "swp7s1", "swp7s2", "swp7s3"]),
        ("swp1,swp3-4", ["swp1", "swp3", "swp4"]),
        ("swp12", ["swp12"]),
        ("t21-33", ["t21-33"]),
        ("10.0.0.0/31", ["10.0.0.0/31"]),
        ("leaf1-2", ["leaf1-2"]),
    ],
)
def test_members(key: str, found: list[str]) -> None:
    assert members(key) == found


def test_a_whole_switch() -> None:
    assert len(members("swp1-64s0-1")) == 128


def test_vlans_count_only_below_vlan() -> None:
    doc = {"bridge": {"domain": {"br_default": {"vlan": {"10-12": {}}}}}, "x": {"10-12": {}}}
    wide = expand(doc)
    assert wide["bridge"]["domain"]["br_default"]["vlan"] == {"10": {}, "11": {}, "12": {}}
    assert wide["x"] == {"10-12": {}}


def test_what_is_said_of_one_port_holds_over_what_is_said_of_the_range() -> None:
    doc = {"interface": {"swp2": {"mtu": 1500}, "swp1-3": {"mtu": 9216, "type": "swp"}}}
    assert expand(doc)["interface"] == {
        "swp1": {"mtu": 9216, "type": "swp"},
        "swp2": {"mtu": 1500, "type": "swp"},
        "swp3": {"mtu": 9216, "type": "swp"},
    }


def test_names_of_tenants_are_no_ranges() -> None:
    doc = {"vrf": {"t21-33": {"router": {"bgp": {"neighbor": {"swp1-2": {}}}}}}}
    assert expand(doc) == {
        "vrf": {"t21-33": {"router": {"bgp": {"neighbor": {"swp1": {}, "swp2": {}}}}}}
    }


def test_members_are_not_shared_when_one_differs() -> None:
    wide = expand({"interface": {"swp1-2": {"link": {"mtu": 1}}, "swp1": {"link": {"fec": "rs"}}}})
    assert wide["interface"]["swp2"] == {"link": {"mtu": 1}}


@pytest.mark.parametrize("key, why", [("swp4-1", "runs backwards"), ("swp1-99999", "more than")])
def test_nonsense_is_refused(key: str, why: str) -> None:
    with pytest.raises(RefusedError, match=why):
        expand({"interface": {key: {}}})
