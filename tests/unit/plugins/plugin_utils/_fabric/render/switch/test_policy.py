# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Route maps of the underlay."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose

from . import converged_fabric as made


def default_vrf(document):
    return document["vrf"]["default"]["router"]["bgp"]


@pytest.mark.parametrize(
    "name, device, weight",
    [
        ("lab", "leaf-p1-su001-r1", "multipaths"),
        ("lab", "spine-p1-s01", "cumulative"),
        ("lab-3tier", "spine-p1-pod01-s01", "cumulative"),
        ("lab-3tier", "super-spine-p1-g01-s01", "cumulative"),
    ],
)
def test_weights_leave_with_every_group(load, name, device, weight):
    document = compose.document(load(name), device)
    maps = document["router"]["policy"]["route-map"]
    for group in default_vrf(document)["peer-group"].values():
        name = group["address-family"]["ipv4-unicast"]["policy"]["outbound"]["route-map"]
        assert maps[name]["rule"]["10"]["set"] == {"ext-community-bw": weight}


def test_only_loopbacks_enter_bgp(load):
    document = compose.document(load(), "leaf-p1-su001-r1")
    family = default_vrf(document)["address-family"]["ipv4-unicast"]
    name = family["redistribute"]["connected"]["route-map"]
    rules = document["router"]["policy"]["route-map"][name]["rule"]
    assert [row["match"] for row in rules.values()] == [{"type": "ipv4", "interface": "lo"}]


@pytest.mark.parametrize("switch", made.ALL, ids=lambda switch: switch.role)
def test_weights_of_the_converged_fabric(load, switch):
    maps = compose.render(made.context(load, switch), ["policy"])["router"]["policy"]["route-map"]
    way = "cumulative" if switch == made.SPINE else "origin"
    assert set(maps) == {"spx-fabric-loopbacks", f"spx-fabric-{way}"}
