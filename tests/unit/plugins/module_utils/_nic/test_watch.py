# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool on the host: verify, apply, watch, its command line, and the runner of the algorithm."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.probe import probe
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic import apply as on_host
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic import cli
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.algorithm import (
    run_algorithm,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import (
    from_json,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import (
    Host,
    Result,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.watch import judge, watch

from .one_card import NIC, REPAIRING, desired, statistics


def test_the_state_says_that_lldpad_may_run(world):
    """It is a finding at each look, and hinders nothing."""
    statistics(world, rx_prio3_pause=0)
    world.put("/proc/812/comm", "lldpad\n")
    (refused,) = {
        said for said in on_host.apply(world.host(), desired()).errors if "lldpad" in said
    }
    assert refused.startswith("lldpad runs on this host")
    state = replace(desired(), tolerate_conflicts=True)
    assert not on_host.apply(world.host(), state).errors
    assert world.card.trust == "dscp"
    report = watch(world.host(), state)
    assert [row["check"] for row in report["findings"]] == ["conflict"]
    assert report["findings"][0]["sentence"].startswith("rail1p1: lldpad runs on this host")


def test_the_state_says_how_long_the_algorithm_may_take(world, command, monkeypatch):
    given = []
    monkeypatch.setattr(cli, "run_algorithm", lambda *_a, timeout, **_k: given.append(timeout) or 0)
    content = {"schema": 1, "nics": [NIC], "cc_timeout": 90}
    world.put("/etc/spectrum-x/desired.json", json.dumps(content))
    command("cc", "--device", "mlx5_0")
    command("cc", "--device", "mlx5_0", "--timeout", "5")
    world.put("/etc/spectrum-x/desired.json", "{")
    command("cc", "--device", "mlx5_0")
    assert given == [90, 5, 60]
    cc = {**NIC["roce"], "cc": {"unit": "spx-cc@{rdma}.service"}}
    state = replace(desired(roce=cc), cc_timeout=90)
    world.card.do_systemctl = lambda _argv: Result(0, "", "")
    (late,) = on_host.apply(world.host(), state).errors
    assert "did not become active within 90 s" in late


def test_watch_repairs_or_reports(world):
    statistics(world, rx_prio3_pause=0)
    report = watch(world.host(), desired("report"))
    assert not report["healthy"]
    assert report["repaired"] == []
    assert world.card.writes == []
    report = watch(world.host(), desired("repair"))
    assert report["healthy"], report
    assert len(report["repaired"]) == 4
    assert not any("PIPG" in call for call in world.card.writes)
    again = watch(world.host(), desired("repair"))
    quiet = {"healthy": True, "findings": [], "repaired": [], "errors": [], "drained": False}
    assert again == quiet


def test_the_watchdog_of_a_drained_host_only_reports(world, command, capsys):
    """Whoever works on it may reset cards; its unit sets them again all the same."""
    world.put("/etc/spectrum-x/drained", "by playbook dpus\n")
    world.put("/etc/spectrum-x/desired.json", json.dumps({**REPAIRING, "nics": [NIC]}))
    assert command("watch") == 2
    said = capsys.readouterr().out
    assert "rail1p1: trust is pcp, expected dscp." in said
    assert "/etc/spectrum-x/drained is there: a playbook works on this host, nothing is rep" in said
    assert world.card.writes == []
    assert command("apply") == 0
    assert world.card.trust == "dscp"


def test_a_look_that_is_stopped_has_told_what_it_saw(world):
    statistics(world, rx_prio3_pause=0)
    told = []

    def stopped(argv):
        raise KeyboardInterrupt(argv[0])

    real = world.card.run
    world.card.run = lambda argv, limit: (
        stopped(argv) if "--trust=dscp" in argv else real(argv, limit)
    )
    with pytest.raises(KeyboardInterrupt):
        watch(world.host(), desired(), told.append)
    assert "rail1p1: trust is pcp, expected dscp." in told


@pytest.mark.parametrize(
    "name, text, check",
    [("operstate", "down", "link"), ("mtu", "1500", "mtu")],
)
def test_watch_sees_the_link(world, name, text, check):
    statistics(world, rx_prio3_pause=0)
    watch(world.host(), desired())
    world.put(f"/sys/class/net/rail1p1/{name}", f"{text}\n")
    (finding,) = watch(world.host(), desired())["findings"]
    assert finding["check"] == check


def test_watch_compares_two_looks(world):
    statistics(world, rx_prio3_pause=0, tx_pause_storm_error_events=3)
    assert watch(world.host(), desired())["healthy"]
    statistics(world, rx_prio3_pause=0, tx_pause_storm_error_events=4)
    (finding,) = watch(world.host(), desired())["findings"]
    assert finding["sentence"].startswith("rail1p1: pause storm: the NIC stopped sending pause")
    assert watch(world.host(), desired())["healthy"]


@pytest.mark.parametrize(
    "before, now, checks",
    [
        ({}, {"rx_prio3_pause": 1}, []),
        (
            {"rx_prio3_packets": 5, "tx_prio3_pause": 1},
            {"rx_prio3_packets": 5, "tx_prio3_pause": 9, "rx_prio3_pause": 0},
            ["stuck_queue"],
        ),
        (
            {"rx_prio3_packets": 5, "rx_prio3_discards": 1},
            {"rx_prio3_packets": 6, "rx_prio3_discards": 9, "rx_prio3_pause": 0},
            [],
        ),
        ({"link_down_events_phy": 7}, {"link_down_events_phy": 1, "rx_prio3_pause": 0}, []),
        ({}, {"rx_prio3_packets": 6}, ["pfc_counters"]),
    ],
)
def test_counters(before, now, checks):
    nic = desired().nics[0]
    assert [f.check for f in judge("rail1p1", before, now, nic)] == checks


def test_a_run_that_cannot_be_written_stops_neither_the_watchdog_nor_the_algorithm(world, tmp_path):
    """A file where the folder of notes should be; a full disk fails in the same place."""
    world.put("/run/spectrum-x", "")
    report = watch(
        world.host(), from_json({"schema": 1, "watch": {"action": "repair"}, "nics": [NIC]})
    )
    assert world.card.trust == "dscp"
    assert "note" in {found["check"] for found in report["findings"]}
    program = tmp_path / "doca_spcx_cc"
    program.write_text("#!/bin/sh\necho 'PCC host status Active'\nsleep 1\n")
    program.chmod(0o755)
    host = Host(root=str(world.root))
    assert run_algorithm(host, "mlx5_0", program=str(program), timeout=5) == 0


def test_counters_that_could_not_be_read_are_a_finding(world):
    assert not hasattr(world.card, "do_ethtool")
    nic = {**NIC, "ports": [{"netdev": "rail1p1", "mtu": 9166}]}
    (found,) = probe(world.host(), {"nics": [nic], "pings": [], "attempts": []})["findings"]
    assert "rail1p1: ethtool shows no counters: install ethtool" in found["sentence"]
