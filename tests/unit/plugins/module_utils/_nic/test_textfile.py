# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The watchdog writes one file for node_exporter, as a whole, and only where somebody reads it."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic import textfile
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.watch import watch

from .one_card import desired, statistics

COUNTERS = "/sys/class/infiniband/mlx5_0/ports/1/hw_counters"


def readable(world):
    """The folder of the collector, which Debian's package makes."""
    world.put(f"{textfile.FILE.rpartition('/')[0]}/README", "")


def samples(world):
    text = (world.host().text(textfile.FILE) or "").splitlines()
    return dict(line.rsplit(" ", 1) for line in text if not line.startswith("#"))


def test_counters_and_state_of_a_host(world):
    readable(world)
    statistics(world, rx_prio3_pause=7, rx_prio3_bytes=9, rx_ucast_packets=5, tx_prio3_pause=-1)
    world.put(f"{COUNTERS}/roce_slow_restart", "3\n")
    world.put(f"{COUNTERS}/np_cnp_sent", "many\n")
    watch(world.host(), desired("report"))
    found = samples(world)
    assert found['spx_host_desired{what="settings"}'] == "0"
    assert found['spx_host_desired{what="algorithm"}'] == "1"
    assert "spx_host_heal_time_seconds" not in found
    assert int(found["spx_host_time_seconds"]) > 0
    ports = {name: value for name, value in found.items() if name.startswith("spx_nic_")}
    assert ports == {
        f'spx_nic_counter_total{{interface="rail1p1",counter="{name}"}}': value
        for name, value in (
            ("rx_prio3_pause", "7"),
            ("rx_prio3_bytes", "9"),
            ("roce_slow_restart", "3"),
        )
    }


def test_a_repair_is_told_until_the_next_boot(world):
    readable(world)
    statistics(world, rx_prio3_pause=0)
    assert watch(world.host(), desired("repair"))["repaired"]
    healed = samples(world)
    assert healed['spx_host_desired{what="settings"}'] == "1"
    assert watch(world.host(), desired("repair"))["repaired"] == []
    assert samples(world)["spx_host_heal_time_seconds"] == healed["spx_host_heal_time_seconds"]


def test_a_stopped_algorithm_is_told(world):
    readable(world)
    port = {"netdev": "rail1p1", "rdma": "mlx5_0"}
    wrong = {"congestion_control", "trust"}
    textfile.write(world.host(), [port], wrong, repaired=False, now=5, seconds=0.5)
    assert samples(world)['spx_host_desired{what="algorithm"}'] == "0"


def test_without_the_collector_nothing_is_written(world):
    statistics(world, rx_prio3_pause=0)
    watch(world.host(), desired("report"))
    assert not world.host().exists(textfile.FILE)


def test_a_file_that_cannot_be_written_is_an_error_of_the_look(world):
    readable(world)
    statistics(world, rx_prio3_pause=0)
    world.put(f"{textfile.FILE}/in-the-way", "")
    report = watch(world.host(), desired("report"))
    (error,) = report["errors"]
    assert error.startswith(f"{textfile.FILE}: it cannot be written: ")
    assert not report["healthy"]


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("spx_host_time_seconds 100\n", 30),
        ("# HELP spx_host_time_seconds T\nspx_host_time_seconds 160\n", 30),
        ("spx_host_time_seconds soon\n", -1),
        ("", -1),
        (None, None),
    ],
)
def test_the_age_of_the_file(world, text, age):
    if text is not None:
        readable(world)
        world.put(textfile.FILE, text)
    assert textfile.age(world.host(), 130.0) == age
