# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Use of the address space by blocks."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import space


def test_neighbours_are_put_together_and_ipv4_comes_first():
    pools = {"links": "fd02::/16", "b": "10.136.0.0/13", "a": "10.128.0.0/13", "c": "172.16.0.0/12"}
    assert space.taken(pools) == ["10.128.0.0/12", "172.16.0.0/12", "fd02::/16"]


def test_the_share_counts_private_ipv4_only():
    assert space.private_share(["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]) == 1
    assert space.private_share(["100.64.0.0/10", "fd02::/16"]) == 0
    assert 0.058 < space.private_share(["172.16.0.0/12"]) < 0.059
