# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import socket
import struct

import pytest
from lab import echo
from lab.errors import LabError

V4, V6 = socket.AF_INET, socket.AF_INET6
IP4 = bytes([0x45]) + bytes(19)


def reply(request, kind):
    return bytes([kind]) + request[1:]


@pytest.mark.parametrize("family, kind, head", [(V4, 0, IP4), (V6, 129, b"")])
@pytest.mark.parametrize("size", [8, 56, 9138])
def test_an_answer_is_known_again(family, kind, head, size):
    request = echo.packet(family, 7, 65537, size)
    assert len(request) == 8 + size
    assert echo.parse(family, head + reply(request, kind)) == echo.Answer(7, 1)


def test_requests_and_strangers_are_no_answers():
    request = echo.packet(V4, 7, 1, 56)
    assert echo.parse(V4, IP4 + request) is None
    stranger = reply(request, 0).replace(echo.COOKIE, bytes(len(echo.COOKIE)))
    assert echo.parse(V4, IP4 + stranger) is None


def test_the_checksum_makes_the_sum_all_ones():
    request = echo.packet(V4, 7, 1, 57)
    assert echo.checksum(request) == 0


@pytest.mark.parametrize(
    "family, head, reason",
    [
        (
            V4,
            IP4 + struct.pack("!BBHHH", 3, 4, 0, 0, 1500) + IP4,
            "too long for a link of MTU 1500",
        ),
        (V4, IP4 + struct.pack("!BBHHH", 3, 13, 0, 0, 0) + IP4, "unreachable (code 13)"),
        (V6, struct.pack("!BBHI", 2, 0, 0, 9166) + bytes(40), "too long for a link of MTU 9166"),
        (V6, struct.pack("!BBHI", 1, 1, 0, 0) + bytes(40), "unreachable (1)"),
    ],
)
def test_a_routers_word(family, head, reason):
    request = echo.packet(family, 9, 3, 56)[:28]
    assert echo.parse(family, head + request) == echo.Answer(9, 3, reason)


def test_reads_a_spec():
    rows = [
        {"from": "a", "to": "10.0.0.1", "size": 9138, "df": True},
        {"from": "b", "to": "fd02::1"},
    ]
    first, second = echo.read({"probes": rows})
    assert (first.identity, first.size, first.df, first.family) == ("a to 10.0.0.1", 9138, True, V4)
    assert (second.size, second.expect, second.family) == (56, "reached", V6)


@pytest.mark.parametrize(
    "document, sentence",
    [
        ({}, "the spec has no probes"),
        ({"probes": [{"from": "a", "to": "10.0.0.1", "speed": 1}]}, "probe key 'speed' is none of"),
        ({"probes": [{"from": "a", "to": "host"}]}, "to must be an IP address"),
        ({"probes": [{"from": "a"}]}, "to must be an IP address"),
        ({"probes": [{"from": "a", "to": "10.0.0.1", "size": 1}]}, "size is outside 8-65000"),
        (
            {"probes": [{"from": "a", "to": "10.0.0.1", "expect": "no"}]},
            "neither reached nor silent",
        ),
    ],
)
def test_mistakes_are_named(document, sentence):
    with pytest.raises(LabError) as caught:
        echo.read(document)
    assert sentence in str(caught.value)
