# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The block `networks` is typed: sentences for what is not allowed."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)

from ..fabrics import NETWORKS, build

WRONG = [
    ({"front_end": {}}, "networks.front_end.host_speed: the key is missing"),
    ({"front_end": {"host_speed": "400G", "ports_per_node": 3}}, "use 1 or 2"),
    ({"front_end": {"host_speed": "400G", "attachment": "mlag"}}, "use 'bond' or 'routed'"),
    ({"front_end": {"host_speed": "400G", "oversubscription": 9}}, "use 8 or less"),
    (
        {"front_end": {"host_speed": "400G", "subnets": {"prefix": "fd00::/8"}}},
        "an IPv4 prefix such as",
    ),
    ({"spines": 1}, "use 2 or more"),
    (
        {"storage": {**NETWORKS["storage"], "arrays": [{"name": "a", "ports": ["0/1"]}]}},
        "use a one-based port of the first pair such as 1, or pair/port such as '2/1'",
    ),
    ({"boarder": {}}, "did you mean 'border'"),
]


@pytest.mark.parametrize("networks, sentence", WRONG)
def test_what_is_not_allowed(networks, sentence):
    with pytest.raises(FabricError) as caught:
        build(networks=networks)
    assert sentence in str(caught.value)


def test_what_nobody_states():
    net = build(networks=NETWORKS).description.networks
    assert (net.front_end.ports_per_node, net.front_end.attachment) == (2, "bond")
    assert (net.front_end.subnets.prefix, net.front_end.subnets.length) == ("10.208.0.0/13", 23)
    assert (net.storage.mode, net.storage.subnets.prefix) == ("per-tenant", "10.216.0.0/13")
    assert (net.border.pairs, net.border.external_ports, net.spines) == (1, 8, None)
