# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets that may not be fragmented, and the counters around them."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.probe import probe
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import (
    MISSING,
    Host,
    Result,
)


def tries(row):
    return {"pings": [row], "attempts": [], "nics": []}


ROW = {"kind": "rail", "interface": "rail1p1", "source": "10.0.0.0", "to": "10.0.0.1", "size": 9138}


def test_a_packet_is_sent_whole_and_from_its_address():
    asked = []
    host = Host(run=lambda argv, _timeout: asked.append(" ".join(argv)) or Result(0, "", ""))
    found = probe(host, tries(ROW))
    assert found == {"pings": [{**ROW, "ok": True, "reason": ""}], "findings": [], "attempts": []}
    (line,) = asked
    assert line.startswith("ping -c 3 ")
    assert line.endswith(" -M do -s 9138 -I 10.0.0.0 10.0.0.1")


@pytest.mark.parametrize(
    "said, reason",
    [
        ("From 10.0.0.1 icmp_seq=1 Frag needed and DF set (mtu = 1500)", "Frag needed"),
        ("ping: local error: message too long, mtu=1500", "message too long, mtu=1500"),
        ("ping: connect: Network is unreachable", "ping: connect: Network is unreachable"),
        ("3 packets transmitted, 0 received, 100% packet loss", ""),
    ],
)
def test_a_packet_that_is_lost_says_what_the_kernel_said(said, reason):
    host = Host(run=lambda _argv, _timeout: Result(1, said, ""))
    (row,) = probe(host, tries(ROW))["pings"]
    assert row["ok"] is False
    assert row["reason"].startswith(reason)
    assert bool(row["reason"]) is bool(reason)


def test_a_host_without_ping_is_one_sentence():
    host = Host(run=lambda _argv, _timeout: Result(MISSING, "", ""))
    assert "install the package iputils-ping" in probe(host, tries(ROW))["error"]


@pytest.mark.parametrize("size", [-1, 65508, "big"])
def test_a_size_that_no_packet_has_is_refused(size):
    host = Host(run=lambda _argv, _timeout: Result(0, "", ""))
    assert probe(host, tries({**ROW, "size": size}))["error"].startswith("pings.size: ")
