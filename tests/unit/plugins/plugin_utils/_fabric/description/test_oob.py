# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the block oob refuses by itself, and how it writes a MAC address."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    FEW,
    OOB,
    build,
)


def test_a_mac_address_is_kept_in_one_spelling():
    oob = build(oob=OOB, capacity=FEW).description.oob
    assert [extra.mac for extra in oob.extras] == ["48:b0:2d:00:00:01", None, "48:b0:2d:00:00:02"]


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"uplinks": "converged"}, "oob.uplinks"),
        ({"uplinks": "core"}, "oob.uplinks"),
        ({"outside": ["mgmt-a"]}, "oob.outside"),
        ({"controllers": []}, "oob.controllers"),
        ({"leaves": 1}, "oob.leaves"),
        ({"extras": [{"name": "x", "kind": "toaster"}]}, "oob.extras"),
        ({"extras": [{"name": "x", "kind": "pdu", "mac": "12"}]}, "a MAC address such as"),
        ({"prefix": "10.224.0.1/16"}, "an IPv4 prefix such as"),
        ({"vlan": 7}, "oob.vlan"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(changes, sentence):
    with pytest.raises(FabricError, match=sentence):
        build(oob={**OOB, **changes}, capacity=FEW)
