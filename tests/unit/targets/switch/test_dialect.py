# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Older documents mean the same as newer ones: both realise alike."""

from __future__ import annotations

from nvue_double import names, tree
from nvue_double.release import Release
from nvue_double.schema import load

OLDER = {
    "interface": {
        "lo": {"ip": {"address": {"10.254.1.1/32": {}}}},
        "swp1s0": {"ip": {"address": {"10.1.0.1/31": {}, "fd02::2/64": {}}, "vrf": "RED"}},
        "swp3-4": {"link": {"auto-negotiate": "on"}},
    },
    "evpn": {"enable": "on"},
    "nve": {"vxlan": {"enable": "on", "source": {"address": "10.254.1.1"}}},
    "router": {"bgp": {"enable": "on", "autonomous-system": 65001, "router-id": "10.254.1.1"}},
    "vrf": {
        "default": {
            "router": {
                "bgp": {
                    "enable": "on",
                    "neighbor": {
                        "swp3": {
                            "remote-as": 65100,
                            "type": "unnumbered",
                            "bfd": {"enable": "on", "detect-multiplier": 3},
                            "address-family": {"l2vpn-evpn": {"enable": "on"}},
                        }
                    },
                }
            }
        },
        "RED": {"evpn": {"enable": "on", "vni": {"5001": {}}}},
    },
}
NEWER = {
    "interface": {
        "lo": {"ipv4": {"address": {"10.254.1.1/32": {}}}},
        "swp1s0": {
            "vrf": "RED",
            "ipv4": {"address": {"10.1.0.1/31": {}}},
            "ipv6": {"address": {"fd02::2/64": {}}},
        },
        "swp3": {"link": {"auto-negotiate": "enabled"}},
        "swp4": {"link": {"auto-negotiate": "enabled"}},
    },
    "evpn": {"state": "enabled"},
    "nve": {"vxlan": {"state": "enabled", "source": {"address": "10.254.1.1"}}},
    "router": {
        "bgp": {"state": "enabled", "autonomous-system": 65001, "router-id": "10.254.1.1"},
        "bfd": {"state": "enabled", "profile": {"bfd-3": {"detect-multiplier": 3}}},
    },
    "vrf": {
        "default": {
            "router": {
                "bgp": {
                    "state": "enabled",
                    "neighbor": {
                        "swp3": {
                            "remote-as": 65100,
                            "type": "unnumbered",
                            "bfd": {"profile": "bfd-3"},
                            "address-family": {"l2vpn-evpn": {"state": "enabled"}},
                        }
                    },
                }
            }
        },
        "RED": {"evpn": {"state": "enabled", "vni": {"5001": {}}}},
    },
}


def test_an_older_document_is_understood_as_the_newer_one() -> None:
    older, newer = load(Release.parse("5.14.0")), load(Release.parse("5.16.1"))
    assert older.check(OLDER, [], patch=False) == []
    assert older.canonical(OLDER) == NEWER
    assert newer.check(NEWER, [], patch=False) == []
    assert newer.canonical(NEWER) == NEWER


def test_ranges_expand() -> None:
    assert names.expand("swp1-2s0-1") == ["swp1s0", "swp1s1", "swp2s0", "swp2s1"]
    assert names.expand("swp1,swp3-4") == ["swp1", "swp3", "swp4"]
    assert names.expand("vlan10,20-21") == ["vlan10", "vlan20", "vlan21"]
    assert names.expand("eth0") == ["eth0"]


def test_changes_of_two_are_merged() -> None:
    base = {"a": {"x": 1, "y": 2}, "b": 1}
    ours, theirs = {"a": {"x": 9, "y": 2}, "b": 1}, {"a": {"x": 1}, "b": 1, "c": 3}
    assert tree.rebase(base, ours, theirs) == ({"a": {"x": 9}, "b": 1, "c": 3}, [])
    assert tree.rebase({"b": 1}, {"b": 2}, {"b": 3}) == ({"b": 2}, ["b"])
