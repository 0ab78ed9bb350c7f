# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports that need settings which only an RDMA device has."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import DEFAULT_MAP, Qos
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.plan.base import differences
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.plan.qos import plan_qos

WANTED = Qos(trust="pcp", tos=96, traffic_class=96)
DONE = {"trust": "pcp", "tos": 96, "roce_mode": 2, "traffic_class": 96}


@pytest.mark.parametrize(
    "pci, rdma, found, missing",
    [
        ("0000:18:00.0", "mlx5_0", DONE, ""),
        ("0000:18:00.0", "", {"trust": "pcp"}, "the port has no RDMA device"),
        # With hwplb all functions of a card share the first one's RDMA device.
        ("0000:18:00.1", "", {"trust": "pcp"}, ""),
        ("0000:18:00.3", "", {"trust": "pcp"}, ""),
        (
            "0000:18:00.1",
            "mlx5_1",
            {"trust": "pcp", "tos": 96, "roce_mode": 2},
            "it is the inbox ",
        ),
    ],
)
def test_tos_and_traffic_class_are_asked_of_what_has_an_rdma_device(pci, rdma, found, missing):
    plan = plan_qos({"pci": pci, "netdev": "rail1p1", "rdma": rdma}, found, WANTED)
    assert plan.steps == ()
    assert [missing in text for text in plan.missing] == ([True] if missing else [])


def test_a_port_without_an_rdma_device_gets_the_rest():
    port = {"pci": "0000:18:00.1", "netdev": "rail1p2", "rdma": ""}
    plan = plan_qos(port, {"trust": "dscp"}, WANTED)
    assert [step.setting for step in plan.steps] == ["trust"]


def test_a_flushed_map_shows_every_entry_that_changes_and_no_other():
    """All entries are on priority 0, as something else left them; 48 is wanted on 5."""
    wanted = {**DEFAULT_MAP, 48: 5}
    port = {"pci": "0000:18:00.0", "netdev": "rail1p1", "rdma": ""}
    found = {"trust": "dscp", "dscp2prio": {str(dscp): 0 for dscp in DEFAULT_MAP}}
    plan = plan_qos(port, found, Qos(trust="dscp", dscp2prio=wanted))
    assert [step.argv[3] for step in plan.steps][:2] == ["--dscp2prio=flush", "--trust=dscp"]
    changed = {dscp: priority for dscp, priority in wanted.items() if priority != 0}
    assert differences(plan.steps) == {
        "before": {"rail1p1": {"dscp2prio": dict.fromkeys(changed, 0)}},
        "after": {"rail1p1": {"dscp2prio": changed}},
    }
