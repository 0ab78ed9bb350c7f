# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets of a host to a switch itself."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose


def test_the_control_list_lets_icmp_in_and_nothing_else(load):
    document = compose.document(load(), "leaf-p1-su001-r1")
    for name, icmp in (("spx-control", "icmp"), ("spx-control-v6", "icmpv6")):
        rules = document["acl"][name]["rule"]
        ordered = [rules[number] for number in sorted(rules, key=int)]
        assert [row["action"] for row in ordered] == [{"permit": {}}, {"deny": {}}]
        assert ordered[0]["match"] == {"ip": {"protocol": icmp}}
    assert "acl" not in compose.document(load(), "spine-p1-s01")
