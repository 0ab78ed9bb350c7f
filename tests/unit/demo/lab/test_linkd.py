# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import struct

import pytest
from lab import linkd
from lab.linkd import Port

UP, NO_CARRIER, DOWN = (True, True), (True, False), (False, False)


def pair(first, second, **more):
    return [
        Port(1, 9, up=first[0], carrier=first[1], **more),
        Port(2, 9, up=second[0], carrier=second[1]),
    ]


@pytest.mark.parametrize(
    "first, second, changes",
    [
        (UP, UP, {}),
        (UP, NO_CARRIER, {1: False}),
        (NO_CARRIER, UP, {2: False}),
        (NO_CARRIER, NO_CARRIER, {}),
        (DOWN, NO_CARRIER, {}),
        (DOWN, UP, {1: True}),
        (DOWN, DOWN, {1: True, 2: True}),
    ],
)
def test_loss_of_carrier_goes_to_the_other_end(first, second, changes):
    assert linkd.decide(pair(first, second)) == changes


def test_the_other_end_of_a_dead_device_goes_down():
    assert linkd.decide([Port(1, 9, up=True, carrier=True)]) == {1: False}


def test_a_pulled_cable_is_left_alone():
    assert linkd.decide(pair(DOWN, DOWN, pulled=True)) == {}


def test_cables_do_not_touch_each_other():
    other = [Port(3, 10, up=True, carrier=True), Port(4, 10, up=True, carrier=True)]
    assert linkd.decide(pair(UP, NO_CARRIER) + other) == {1: False}


@pytest.mark.parametrize(
    ("first", "second", "dark"),
    [
        (UP, UP, []),
        (UP, NO_CARRIER, ["leaf:swp1", "node:rail1p1"]),
        (DOWN, NO_CARRIER, ["leaf:swp1", "node:rail1p1"]),
        (DOWN, UP, ["leaf:swp1", "node:rail1p1"]),
        (DOWN, None, ["leaf:swp1"]),
        (UP, None, ["leaf:swp1"]),
    ],
)
def test_both_ends_of_a_cable_without_carrier_are_dark(first, second, dark):
    ports = [Port(3, 10, *UP, end="leaf:swp2"), Port(4, 10, *UP, end="node:rail2p1")]
    ports.append(Port(1, 9, *first, end="leaf:swp1"))
    if second:
        ports.append(Port(2, 9, *second, end="node:rail1p1"))
    assert linkd.dark(ports) == dark


def settles(device_one, device_two):
    """Play the panel and the kernel until nothing changes; return what the two devices see."""
    panel = {1: True, 2: True}
    for dummy in range(10):
        ports = [
            Port(1, 9, up=panel[1], carrier=panel[1] and device_one),
            Port(2, 9, up=panel[2], carrier=panel[2] and device_two),
        ]
        changes = linkd.decide(ports)
        if not changes:
            return panel[1] and device_one, panel[2] and device_two
        panel.update(changes)
    raise AssertionError("never settles")


@pytest.mark.parametrize("one", [True, False])
@pytest.mark.parametrize("two", [True, False])
def test_carrier_only_when_both_ends_are_up(one, two):
    assert settles(one, two) == (one and two, one and two)


def message(name, *, index=5, flags=0, **attributes):
    values = [(linkd.IFLA_IFNAME, name + b"\0")]
    values += [
        (getattr(linkd, key), n if isinstance(n, bytes) else struct.pack("=I", n))
        for key, n in attributes.items()
    ]
    body = linkd.IFINFO.pack(0, 0, index, flags, 0)
    for kind, value in values:
        body += struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)
    return linkd.HEADER.pack(linkd.HEADER.size + len(body), linkd.RTM_NEWLINK, 0, 0, 0) + body


def test_reads_what_the_kernel_reports():
    flags = linkd.IFF_UP | linkd.IFF_LOWER_UP
    alias = b"leaf-p1-su001-r1:swp3s0\0"
    data = message(b"c12b", flags=flags, IFLA_MASTER=7, IFLA_IFALIAS=alias, IFLA_GROUP=1)
    data += message(b"w12")
    end = "leaf-p1-su001-r1:swp3s0"
    assert list(linkd.parse(data)) == [
        (linkd.RTM_NEWLINK, Port(5, 7, up=True, carrier=True, pulled=True, end=end)),
        (linkd.RTM_NEWLINK, None),
    ]
