# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaking between storage VRFs."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    compose,
    converged_leaks,
)

from . import converged_fabric as made


def policy(load, rows=None, **more):
    rows = made.shared_vrfs() if rows is None else rows
    return converged_leaks.policy(made.context(load, made.STORAGE, networks=rows, **more), rows)


def vrfs(load, **more):
    ctx = made.context(load, made.STORAGE, networks=made.shared_vrfs(), **more)
    return compose.render(ctx, ["tenants"])["vrf"]


def family(document, name):
    return document[name]["router"]["bgp"]["address-family"]["ipv4-unicast"]


def test_without_leaks_there_is_nothing(load):
    assert policy(load, made.storage_vrfs()) == {}


def test_a_hub_imports_its_spokes_and_a_spoke_the_hub(load):
    doc = vrfs(load)
    assert family(doc, "s4-storage")["route-import"] == {
        "from-vrf": {
            "state": "enabled",
            "list": {"s21-acme": {}, "s22-beta": {}},
            "route-map": "spx-tenant-s4-storage-leak",
        }
    }
    assert family(doc, "s21-acme")["route-import"]["from-vrf"]["list"] == {"s4-storage": {}}


def test_what_was_leaked_is_taken_by_nobody_else(load):
    """A tagged route is denied first; then only the prefixes of the VRF it is taken from pass, and get the tag."""
    made_ = policy(load)
    assert made_["community-list"] == {
        "spx-tenant-leaked": {"rule": {"10": {"action": "permit", "community": {"64512:11": {}}}}}
    }
    assert made_["route-map"]["spx-tenant-s21-acme-leak"]["rule"] == {
        "10": {"action": {"deny": {}}, "match": {"community-list": "spx-tenant-leaked"}},
        "20": {
            "action": {"permit": {}},
            "match": {"type": "ipv4", "ip-prefix-list": "spx-tenant-s21-acme-leak"},
            "set": {"community": {"64512:11": {}}},
        },
        "65000": {"action": {"deny": {}}},
    }
    prefixes = made_["prefix-list"]["spx-tenant-s21-acme-leak"]["rule"]
    assert [list(rule["match"]) for rule in prefixes.values()] == [["10.216.2.0/24"]]


def test_what_the_hub_took_stays_out_of_evpn_by_its_tag(load):
    doc = family(vrfs(load), "s4-storage")
    assert doc["route-export"]["to-evpn"] == {
        "state": "enabled",
        "route-map": "spx-tenant-s4-storage-kept",
    }
    rules = policy(load)["route-map"]["spx-tenant-s4-storage-kept"]["rule"]
    assert rules == {
        "10": {"action": {"deny": {}}, "match": {"community-list": "spx-tenant-leaked"}},
        "20": {"action": {"permit": {}}},
    }


def test_a_spoke_sends_the_prefixes_of_the_hub_to_its_other_leaves(load):
    """A leaf with nodes and without arrays leaks nothing, and has the way to the arrays by EVPN."""
    rules = policy(load)["route-map"]["spx-tenant-s21-acme-kept"]["rule"]
    first = min(rules, key=int)
    assert rules[first] == {
        "action": {"permit": {}},
        "match": {"type": "ipv4", "ip-prefix-list": "spx-tenant-s21-acme-leak"},
    }
    assert rules["10"]["action"] == {"deny": {}}


def test_newer_releases_leave_them_out_by_themselves(load):
    newer = {"releases": ["5.19.0"]}
    assert family(vrfs(load, **newer), "s21-acme")["route-export"]["to-evpn"] == {
        "state": "enabled",
        "skip-evpn-imported": "enabled",
    }
    assert set(policy(load, **newer)["route-map"]) == {
        "spx-tenant-s4-storage-leak",
        "spx-tenant-s21-acme-leak",
        "spx-tenant-s22-beta-leak",
    }


def test_one_older_switch_keeps_the_tag(load):
    mixed = {"releases": ["5.19.0", "5.18"]}
    assert "skip-evpn-imported" not in str(vrfs(load, **mixed))


def test_refused_of_old_releases(load):
    with pytest.raises(FabricError, match=r"which Cumulus Linux supports from 5\.14"):
        policy(load, releases=["5.13.0"])


def test_overlapping_prefixes_are_refused(load):
    rows = made.shared_vrfs()
    rows[1]["segments"][0]["subnet"] = "10.216.0.0/16"
    with pytest.raises(FabricError) as caught:
        policy(load, rows)
    assert "overlaps" in str(caught.value)
    assert "s21-acme" in str(caught.value)


def test_a_vrf_that_is_not_there_is_refused(load):
    with pytest.raises(FabricError) as caught:
        policy(load, made.shared_vrfs()[:2])
    assert "which is not on this leaf" in str(caught.value)
