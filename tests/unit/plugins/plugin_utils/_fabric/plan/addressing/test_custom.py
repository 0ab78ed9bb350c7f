# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bit layout of the site's own."""

from __future__ import annotations

import copy
import ipaddress

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing.codec import (
    text,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    NicPort,
    Node,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    TWO_PLANES,
    build,
)

CUSTOM = {
    "base": "10.64.0.0/12",
    "link_length": 31,
    "fields": [
        {"name": "pad", "width": 1, "value": 1},
        {"name": "rail", "width": 3},
        {"name": "su", "width": 8, "max": 199},
        {"name": "slot", "width": 7},
        {"name": "side", "width": 1, "values": {"host": 1, "leaf": 0}},
    ],
}


def custom(**changes):
    """A custom layout with changes: fields by number, or whole keys."""
    made = copy.deepcopy(CUSTOM)
    for key, value in changes.items():
        if key.startswith("f"):
            made["fields"][int(key[1:])].update(value)
        else:
            made[key] = value
    return {"profile": "custom", "custom": made}


def test_custom_layout():
    fabric = build(addressing=custom())
    host, leaf = fabric.addresses.link(Node(0, 3, 7), NicPort(5, 0))
    assert text(host, 4) == "10.77.3.15"
    assert text(leaf, 4) == "10.77.3.14"
    (place,) = fabric.locate("10.77.3.14")
    assert (place["side"], place["prefix"], place["peer_address"]) == (
        "leaf",
        "10.77.3.14/31",
        "10.77.3.15",
    )


def test_custom_layout_of_slash_30():
    fabric = build(
        addressing=custom(
            base="10.64.0.0/11",
            link_length=30,
            f4={"width": 2, "values": {"host": 2, "leaf": 1}},
        )
    )
    port = fabric.slice(Node(0, 3, 7))["ports"][5]
    (place,) = fabric.locate(port["address"])
    network = ipaddress.ip_network(place["prefix"])
    assert network.prefixlen == 30
    assert [ipaddress.ip_address(port[key]) for key in ("gateway", "address")] == list(
        network.hosts()
    )


ORDERS = [
    # leading fields, planes, routes of rail 3 in the last plane
    (["rail"], {}, ["10.70.0.0/15", "10.64.0.0/12"]),
    (["plane", "rail"], TWO_PLANES, ["10.75.0.0/16", "10.72.0.0/13"]),
    (["rail", "plane"], TWO_PLANES, ["10.71.0.0/16"]),
]


@pytest.mark.parametrize("leading, planes, routes", ORDERS)
def test_routes_of_a_custom_layout_stay_inside_a_plane(leading, planes, routes):
    widths = {"plane": 1, "rail": 3}
    fields = [{"name": name, "width": widths[name]} for name in leading]
    fields += [
        {"name": "su", "width": 5},
        {"name": "slot", "width": 7},
        {"name": "side", "width": 1},
    ]
    free = 20 - sum(field["width"] for field in fields)
    fields[-3]["width"] += free
    made = {"base": "10.64.0.0/12", "link_length": 31, "fields": fields}
    fabric = build(planes=planes, addressing={"profile": "custom", "custom": made})
    assert fabric.addresses.routes(Node(0, 0, 0), NicPort(3, fabric.clos.planes - 1)) == routes


WRONG_CUSTOM = [
    (custom(f2={"name": "rail"}), "fields[2]: 'rail' is already in fields[1]"),
    (custom(f2={"max": 256}), "fields[2].max: 256 does not fit 8 bits: use 0 to 255"),
    (custom(f0={"value": 2}), "fields[0].value: 2 does not fit 1 bits: use 0 to 1"),
    (custom(f4={"values": {"host": 1}}), "fields[4].values: one side has no code"),
    (custom(f4={"values": {"host": 1, "leaf": 1}}), "have the same code"),
    (custom(f4={"values": {"host": 2, "leaf": 1}}), "a code does not fit 1 bits"),
    (custom(f1={"values": {"host": 1, "leaf": 0}}), "only the field side is coded"),
    (custom(link_length=30), "link_length: /30 does not end before the side alone"),
    (custom(link_length=32), "link_length: /32 does not end before the side alone"),
    (custom(link_length=8), "is not a prefix length of a link inside 10.64.0.0/12"),
    (custom(link_length=64), "is not a prefix length of a link inside 10.64.0.0/12"),
    (custom(base="10.64.0.0/16"), "addressing.custom.base: its fields need 20 bits"),
    (custom(base="10.64.0.0/9"), "is not a prefix"),
    (
        custom(f2={"max": 2}),
        "su 3 does not fit the 8-bit su field of custom (max 2): widen the field",
    ),
    (custom(f3={"name": "pad"}), "custom has no slot field and 64 slots need one"),
    ({"profile": "custom"}, "addressing.custom: the key is missing"),
]


@pytest.mark.parametrize("addressing, part", WRONG_CUSTOM)
def test_wrong_custom_layouts(addressing, part):
    with pytest.raises(FabricError) as caught:
        build(addressing=addressing)
    assert part in str(caught.value)
    assert str(caught.value).startswith("fabric.yml, addressing.")
