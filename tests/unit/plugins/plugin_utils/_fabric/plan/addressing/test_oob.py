# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Out-of-band addresses: one for each unit, in the segment of its port, and each leads back."""

from __future__ import annotations

import re

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import codec
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing.oob import (
    units_of,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.locate import (
    address_of,
    sentence,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged_cabling import (
    FarEnd,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.oob import (
    ACCESS,
    LEAF,
)

from ..topology.test_oob import FABRICS, made


def accesses(fabric):
    """(leaf, port, device or name, unit, address) of everything behind access ports."""
    for leaf in (switch for switch in fabric.oob.switches() if switch.role == LEAF):
        for port in fabric.oob.ports(leaf):
            end = fabric.oob.peer(leaf, port) if port.kind == ACCESS else None
            if isinstance(end, FarEnd):
                yield leaf, port, end.name, end.kind, fabric.addresses.behind(leaf, port, end.kind)
            elif end:
                for unit in units_of(end[1].unit):
                    yield leaf, port, end[0], unit, fabric.addresses.behind(leaf, port, unit)


@pytest.mark.parametrize("name", FABRICS)
def test_address_and_leaf_port_device_unit_lead_to_each_other(name):
    fabric = made(name)
    numbers, taken = fabric.addresses.oob, {}
    for leaf, port, device, unit, address in accesses(fabric):
        assert taken.setdefault(address, (device, unit)) == (device, unit), "one address, one unit"
        segment = numbers.segment_of(leaf, port, unit)
        assert segment in numbers.segments(leaf)
        east_west = unit == "eth0" and device.role not in fabric.oob.roles
        last = segment.network + (1 << 32 - segment.length) - 1
        assert east_west or segment.network < address < last
        assert address != segment.gateway
        assert not segment.pool or not segment.pool[0] <= address <= segment.pool[1]
        (place,) = fabric.locate(codec.text(address, 4))
        assert address_of(fabric, place) == codec.text(address, 4)
        assert place["device"] == fabric.name(leaf if isinstance(device, str) else device)
        end = (
            (place["device"], place["port"])
            if isinstance(device, str)
            else (place["peer_device"], place["peer_port"])
        )
        assert end == (fabric.name(leaf), fabric.port_name(leaf, port))
    assert taken


@pytest.mark.parametrize("name", FABRICS)
def test_each_segment_has_its_gateway_and_overlaps_no_other(name):
    fabric = made(name)
    numbers, taken = fabric.addresses.oob, set()
    for leaf in (switch for switch in fabric.oob.switches() if switch.role == LEAF):
        for segment in numbers.segments(leaf):
            (place,) = fabric.locate(codec.text(segment.gateway, 4))
            assert place["kind"] == "oob_gateway"
            assert address_of(fabric, place) == codec.text(segment.gateway, 4)
            assert segment.network % (1 << 32 - segment.length) == 0
            span = (segment.network, segment.length)
            assert span not in taken
            taken.add(span)


def test_a_leaf_has_one_as_number_and_spines_share_theirs():
    fabric = made("spines")
    found = {switch: fabric.addresses.asn(switch) for switch in fabric.oob.switches()}
    leaves = [asn for switch, asn in found.items() if switch.role == LEAF]
    assert len(set(leaves)) == len(leaves)
    assert len(set(found.values())) == len(leaves) + 1
    assert fabric.addresses.converged_with(leaves[1]).index == 1


@pytest.mark.parametrize("text", ["10.224.8.1", "10.224.0.64", "10.224.9.191", "10.224.8.70"])
def test_an_address_that_nothing_has_is_said_so(text):
    with pytest.raises(NotInFabric, match=f"{text} belongs to no place"):
        made("spines").locate(text)


@pytest.mark.parametrize(
    "text, words",
    [
        ("pdu-a", "10.224.11.130 is out-of-band equipment at oob-leaf-002 port swp40 .* <-> pdu-a"),
        ("48:b0:2d:00:00:01", "is out-of-band equipment at oob-leaf-001 port"),
        (
            "worker-su01-rack01-h02:bmc",
            "10.176.0.10 is the end of an out-of-band cable, on worker-su01-rack01-h02",
        ),
        ("oob-leaf-001:swp2", "<-> worker-su01-rack01-h01 port bmc 10.176.0.2"),
        ("leaf-p1-su001-r1:eth0", "<-> oob-leaf-001 port"),
        ("10.176.0.14", "host oob address of worker-su01-rack01-h02 port dpu2"),
    ],
)
def test_locate_says_where_the_cable_goes(text, words):
    assert re.search(words, sentence(made("").locate(text)[0]))
