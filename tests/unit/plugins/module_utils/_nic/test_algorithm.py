# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runner of the algorithm of congestion control."""

from __future__ import annotations

import json
import os

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.agent import starts_algorithm
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.algorithm import (
    run_algorithm,
    share,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import (
    Host,
)

from .one_card import NIC, program, second_card


@pytest.mark.parametrize(
    "devices, cpus, dealt",
    [
        (["a", "b"], [2, 3], {"a": [2], "b": [3]}),
        (["a", "b", "c"], [2, 3], {"a": [2], "b": [3], "c": [2]}),
        (["a", "b"], [2, 3, 4], {"a": [2, 4], "b": [3]}),
        (["a"], [], {}),
        ([], [2], {}),
    ],
)
def test_processors_are_dealt_out_in_turn(devices, cpus, dealt):
    assert share(devices, cpus) == dealt


def test_each_algorithm_is_pinned_to_its_own(world, command, monkeypatch, tmp_path):
    second_card(world)
    content = {"schema": 1, "nics": [NIC, {"pci": "2a:00.0"}]}
    world.put("/etc/spectrum-x/desired.json", json.dumps(content))
    pinned = []
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cpus: pinned.append((pid, cpus)))
    path = program(tmp_path, "Active", 0.1)
    for device in ("mlx5_0", "mlx5_1"):
        argv = ("--device", device, "--cpus", "2,3", "--program", path, "--timeout", "10")
        assert command("cc", *argv) == 4
    assert pinned == [(0, {2}), (0, {3})]
    assert command("cc", "--device", "mlx5_0", "--cpus", "two") == 3


def test_what_runs_is_moved(world, command, monkeypatch):
    pinned = []
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cpus: pinned.append((pid, cpus)))
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1: {0, 1}}[pid])
    world.algorithm()
    for thread in (4711, 4712):
        world.put(f"/proc/4711/task/{thread}/comm", "x")
    assert command("pin", "--cpus", "5,6") == 0
    assert pinned == [(4711, {5, 6}), (4712, {5, 6})]
    assert command("pin") == 0
    assert pinned[-1] == (4712, {0, 1})


def test_the_state_on_the_host_tells_whether_it_starts_the_algorithm(world):
    assert not starts_algorithm(world.host())
    roce = {**NIC["roce"], "cc": {"unit": "spx-cc@{rdma}.service"}}
    for part, starts in ((NIC["roce"], False), (roce, True)):
        content = {"schema": 1, "nics": [{**NIC, "roce": part}]}
        world.put("/etc/spectrum-x/desired.json", json.dumps(content))
        assert starts_algorithm(world.host()) is starts


def test_the_runner_notes_the_state_and_ends_with_the_program(tmp_path, capfd):
    status = run_algorithm(
        Host(root=str(tmp_path)), "mlx5_0", program=program(tmp_path, "Active", 0.3), timeout=10
    )
    assert status == 4
    note = json.loads((tmp_path / "run/spectrum-x/cc-mlx5_0.json").read_text())
    assert note["state"] == "ended"
    assert "Starting DOCA PCC" in capfd.readouterr().out


def test_the_runner_gives_up_on_standby(tmp_path):
    with pytest.raises(NicError, match=r"doca_spcx_cc was not active within 0\.6 s"):
        run_algorithm(
            Host(root=str(tmp_path)),
            "mlx5_0",
            program=program(tmp_path, "Standby", 30),
            timeout=0.6,
        )


def test_the_runner_refuses_a_second_instance(world):
    world.algorithm()
    with pytest.raises(
        NicError, match=r"already serves this device as process 4711 \(spx-cc@mlx5_0"
    ):
        run_algorithm(world.host(), "mlx5_0")


def test_the_runner_names_a_missing_program(tmp_path):
    with pytest.raises(NicError, match="install the DOCA package doca-spcx-cc"):
        run_algorithm(Host(root=str(tmp_path)), "mlx5_0", program=str(tmp_path / "none"))
