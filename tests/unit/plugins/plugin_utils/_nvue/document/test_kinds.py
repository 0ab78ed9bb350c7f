# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import kinds

VALUES = [
    (["int", 1, 4094], [1, 4094], [0, 4095, "1", True, 1.0, None]),
    (["int", None, None], [-5, 10**12], ["1", False]),
    (["number", 0, 1.5], [0, 1, 1.5], [2, "1", True]),
    (["enum", "on", "off"], ["on", "off"], ["ON", "", True, 1, []]),
    (["string", 1, 3], ["a", "abc"], ["", "abcd", 1, None]),
    (["string", 0, None, "^swp"], ["swp1"], ["eth0", 5]),
    (["secret", 0, None], ["x"], [1]),
    (["ipv4"], ["10.0.0.1"], ["10.0.0.1/32", "fd00::1", 167772161]),
    (["ipv6"], ["fd00::1"], ["10.0.0.1"]),
    (["ipv4-prefix"], ["10.0.0.0/8"], ["10.0.0.1", "10.0.0.1/8"]),
    (["ipv6-prefix"], ["fd00::/8"], ["fd00::1"]),
    (["list", ["enum", "local", "radius"]], [[], ["local", "radius"]], ["local", ["ldap"], {}]),
]
KEYS = [
    ("int 0..7", ["0", "7"], ["8", "-1", "07", "a", ""]),
    ("enum 1x|2x", ["1x"], ["3x", "1X"]),
    ("ip or enum evpn", ["10.0.0.1", "fd00::1", "evpn"], ["10.0.0.1/24", "bgp"]),
    ("prefix", ["10.0.0.0/8", "10.0.0.1/8", "fd00::/8"], ["10.0.0.1", "x/8"]),
    ("prefix4", ["10.0.0.1/31"], ["fd00::1/127"]),
    (
        "iface-range",
        ["swp1", "swp1-4", "swp1s0-3", "vlan10_l3", "swp1,swp2"],
        ["1swp", "swp 1", ""],
    ),
    ("vlan-range", ["10", "10-20,30"], ["a", "10-"]),
    ("vrf", ["default", "t21-acme"], ["0abc", "a" * 16]),
    ("any", ["/etc/x y"], [""]),
]


@pytest.mark.parametrize("kind, right, wrong", VALUES)
def test_a_value(kind, right, wrong) -> None:
    test = kinds.value_test(kind)
    assert all(map(test, right))
    assert not any(map(test, wrong))


@pytest.mark.parametrize("kind, right, wrong", KEYS)
def test_a_key(kind, right, wrong) -> None:
    test = kinds.key_test(kind)
    assert all(map(test, right))
    assert not any(map(test, wrong))


def test_the_words_of_a_kind() -> None:
    assert kinds.value_words(["int", 552, 9216]) == "int 552 to 9216"
    assert kinds.value_words(["int", None, None]) == "int"
    assert kinds.value_words(["map"]) == "an object"
    assert kinds.value_words(["enum", *"abcdefghij"]) == "a, b, c, d, e, f, g, h, …"
