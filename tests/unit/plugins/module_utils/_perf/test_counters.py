# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters of a port around a run."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.counters import (
    difference,
    of_port,
    read,
    unproven,
    unreadable,
)


def test_counters_of_the_port_and_of_the_hardware(machine):
    machine.counters |= {"rx0_packets": 9, "rx_packets": 9, "link_down_events_phy": 1}
    base = "sys/class/infiniband/mlx5_0/ports/1/hw_counters"
    machine.put(f"{base}/out_of_sequence", "7")
    machine.put(f"{base}/lifespan", "10")
    assert read(machine.host(), ["rail1p1"], ["mlx5_0"]) == {
        "tx_prio3_bytes": 1000,
        "rx_prio3_bytes": 5000,
        "link_down_events_phy": 1,
        "out_of_sequence": 7,
    }


def test_planes_are_added_up(machine):
    assert read(machine.host(), ["rail1p1", "rail1p2"])["tx_prio3_bytes"] == 2000


def test_without_ethtool_nothing_can_be_proven(machine):
    assert unreadable(machine.host()) == ""
    host = machine.host(lambda _argv, _timeout: Result(127, "", ""))
    assert unreadable(host) == "ethtool is not installed on this host; install the package ethtool."


# Names as in the counters document of mlx5 (Linux kernel, Documentation/networking/.../mellanox/mlx5/counters.rst).
@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("rx_prio3_buf_discard", True),
        ("tx_pause_storm_warning_events", True),
        ("rx_symbol_err_phy", True),
        ("outbound_pci_stalled_wr", True),
        ("rx_out_of_buffer", True),
        ("tx0_dropped", False),
        ("ch1_events", False),
        ("rx_csum_complete", False),
    ],
)
def test_which_counters_are_of_the_port(name, ours):
    assert of_port(name) is ours


def test_a_difference_has_what_rose_and_what_is_asked_about():
    before = {
        "tx_prio3_bytes": 10,
        "rx_prio3_discards": 4,
        "rx_prio5_bytes": 1,
        "out_of_sequence": 9,
    }
    now = {
        "tx_prio3_bytes": 30,
        "rx_prio3_discards": 4,
        "rx_prio5_bytes": 1,
        "out_of_sequence": 2,
        "new": 1,
    }
    assert difference(before, now, priority=3) == {"tx_prio3_bytes": 20, "rx_prio3_discards": 0}


@pytest.mark.parametrize(
    ("change", "moved", "words"),
    [
        ({"tx_prio3_bytes": 1000}, {"sent": 1000}, ""),
        ({"tx_prio3_bytes": 901}, {"sent": 1000}, ""),
        (
            {"tx_prio3_bytes": 899},
            {"sent": 1000},
            "moved 1000 bytes, and tx_prio3_bytes rose by 899",
        ),
        ({"tx_prio3_bytes": 9000}, {"received": 1000}, "no counter rx_prio3_bytes"),
        ({"rx_prio3_bytes": 0}, {"received": 1000}, "the traffic was not in priority 3"),
        ({}, {}, ""),
    ],
)
def test_the_class_is_proven_by_bytes(change, moved, words):
    said = unproven(change, priority=3, **moved)
    assert words in said
    assert bool(said) is bool(words)
