# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ports that are wanted, and what the host shows of them."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.interfaces import (
    LiveState,
    by_hop,
    gid_index,
    interfaces_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.network import (
    differences,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.module_utils._host.conftest import (
    WANTED,
)

from .ports import gid_table, rails


@pytest.mark.parametrize(
    "change, words",
    [
        ({"name": "rail 1"}, "is not an interface name"),
        ({"pci": "18"}, "is not a PCI address"),
        ({"address": "x"}, "is not an address"),
        ({"mtu": 99}, "99 is not between 1280 and 65535"),
        ({"routes": [{"to": "x"}]}, "is not a prefix"),
        ({"colour": 1}, "'colour' is not known"),
        (
            {"address": None},
            r"interfaces\[0\].length: 31 needs an address, and the port has none",
        ),
    ],
)
def test_wrong_options_are_one_sentence(change, words):
    with pytest.raises(NicError, match=words):
        interfaces_from([{**WANTED, **change}])


def seen(wanted, *routes):
    links = {
        one.name: {
            "flags": ["UP"],
            "mtu": one.mtu,
            "addr_info": [{"local": one.address, "prefixlen": one.length}],
        }
        for one in wanted
    }
    return LiveState(links, by_hop(routes), (), {one.pci: one.name for one in wanted})


def test_a_route_that_the_kernel_merged_lacks_the_others_metric():
    wanted = rails()
    hops = [{"gateway": one.gateway, "dev": one.name, "weight": 1} for one in wanted]
    merged = {"dst": "fd02::/32", "metric": 100, "nexthops": hops}
    assert differences(seen(wanted, merged), wanted) == {
        "rail2p1": ["rail2p1: it lacks the route fd02::/32 in table main, metric 101."]
    }
    apart = [
        {"dst": "fd02::/32", "metric": 100 + n, "dev": one.name, "gateway": one.gateway}
        for n, one in enumerate(wanted)
    ]
    assert differences(seen(wanted, *apart), wanted) == {}


def test_the_index_of_an_address_is_the_first_of_its_version(machine):
    gid_table(machine)
    assert gid_index(machine.host(), "mlx5_0", "rail1p1", "172.16.0.0") == 3
    assert gid_index(machine.host(), "mlx5_0", "rail1p1", "172.16.0.2") is None
