# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""host_network: a wrong option is one sentence, and nothing is asked of the host."""

from __future__ import annotations

import pytest

ROW = {
    "name": "rail1p1",
    "pci": "0000:1a:00.0",
    "address": "172.16.0.0",
    "length": 31,
    "gateway": "172.16.0.1",
    "mtu": 9166,
    "table": 1001,
}


@pytest.mark.parametrize(
    "change, words",
    [
        ({"pci": "card"}, "interfaces[0].pci: 'card' is not a PCI address such as 0000:1a:00.0."),
        ({"mtu": 100}, "interfaces[0].mtu: 100 is not between 1280 and 65535."),
        ({"speed": 1}, "interfaces[0]: 'speed' is not known; allowed are "),
    ],
)
def test_a_wrong_interface_is_one_sentence(target, change, words):
    result = target.run("host_network", interfaces=[{**ROW, **change}])
    assert result["failed"]
    assert result["msg"].startswith(words)
    assert target.calls == []


def test_a_host_without_iproute2_is_one_sentence(target):
    target.answer("ip", "RTNETLINK answers: no\n", 2)
    result = target.run("host_network", interfaces=[ROW], backend="networkd", check=True)
    assert result["failed"]
    assert result["msg"].startswith("ip ")
    assert "it failed: RTNETLINK answers: no" in result["msg"]
