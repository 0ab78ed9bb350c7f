# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlnx_qos, cma_roce_mode, cma_roce_tos and ethtool."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.parse import (
    qos,
)

QOS = """DCBX mode: OS controlled
Priority trust state: dscp
dscp2prio mapping:
\tprio:0 dscp:07,06,05,04,03,02,01,00,
\tprio:3 dscp:31,30,29,28,27,26,25,24,
\tprio:6 dscp:55,54,53,52,51,50,49,48,
Receive buffer size (bytes): 19872,243072,0,0,0,0,0,0,max_buffer_size=2069280
Cable len: 7
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0
\tbuffer      0   0   0   1   0   0   0   0
tc: 0 ratelimit: unlimited, tsa: vendor
\t priority:  1
tc: 1 ratelimit: unlimited, tsa: ets, bw: 40%
\t priority:  0
"""


def test_mlnx_qos():
    found = qos.parse_mlnx_qos(QOS)
    assert found["dscp2prio"][26] == 3
    assert found["dscp2prio"][0] == 0
    assert len(found.pop("dscp2prio")) == 24
    assert found == {
        "dcbx": "os",
        "trust": "dscp",
        "buffer_size": [19872, 243072, 0, 0, 0, 0, 0, 0],
        "cable_length": 7,
        "pfc": [0, 0, 0, 1, 0, 0, 0, 0],
        "prio2buffer": [0, 0, 0, 1, 0, 0, 0, 0],
    }


def test_mlnx_qos_pcp_firmware_controlled_no_buffers():
    text = "DCBX mode: Firmware controlled\nPriority trust state: pcp\nPFC configuration:\n"
    assert qos.parse_mlnx_qos(text) == {"dcbx": "fw", "trust": "pcp"}


@pytest.mark.parametrize("text, number", [("96\n", 96), ("", None), ("-E- no device\n", None)])
def test_cma_roce_tos(text, number):
    assert qos.parse_tos(text) == number


@pytest.mark.parametrize(
    "text, number",
    [("RoCE v2\n", 2), ("IB/RoCE v1\n", 1), ("", None), ("Failed to create configuration\n", None)],
)
def test_cma_roce_mode(text, number):
    assert qos.parse_roce_mode(text) == number


@pytest.mark.parametrize(
    "text, number",
    [("Global tclass=96\n", 96), ("Global tclass=106\nsrc=..", 106), ("96\n", 96), ("", 0)],
)
def test_traffic_class(text, number):
    assert qos.parse_traffic_class(text) == number


def test_ethtool():
    assert qos.parse_tunable("pfc-prevention-tout: 65535\n") == 65535
    assert qos.parse_statistics("NIC statistics:\n     rx_prio3_pause: 12\n     tx[0]: 1\n") == {
        "rx_prio3_pause": 12,
        "tx[0]": 1,
    }
