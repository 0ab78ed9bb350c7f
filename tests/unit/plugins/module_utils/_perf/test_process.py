# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Start of programs."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.process import (
    LONGEST,
    bounded,
    installed,
    pinned,
    run,
    words,
)


def test_a_program_ends_without_its_parent():
    assert bounded(["x", "y"], 40.5) == ["timeout", "-k", "5", "40", "x", "y"]


@pytest.mark.parametrize(
    ("programs", "numa", "before"),
    [
        (["numactl", "taskset"], 1, ["numactl", "--cpunodebind=1", "--membind=1"]),
        (["taskset"], 1, ["taskset", "-c", "32-63"]),
        ([], 1, []),
        (["numactl"], None, []),
        (["taskset"], 0, []),
    ],
)
def test_it_runs_on_the_node_of_its_card(machine, programs, numa, before):
    machine.put("sys/devices/system/node/node1/cpulist", "32-63")
    for name in programs:
        machine.program(f"/usr/bin/{name}")
    assert pinned(machine.host(), ["x"], numa) == [*before, "x"]


def test_a_program_is_found_by_path_or_by_its_place(machine):
    machine.program("/opt/nccl-tests/alltoall_perf")
    assert installed(machine.host(), "/opt/nccl-tests/alltoall_perf")
    assert not installed(machine.host(), "alltoall_perf")


def test_its_words_are_one_bounded_line():
    assert words(Result(1, "", "one\n\x1b[2Jtwo\n")) == "\\x1b[2Jtwo"
    assert len(words(Result(1, "", "x" * 5000))) == LONGEST


@pytest.mark.parametrize(
    ("rc", "seconds", "kills", "force"),
    [
        (0, 9, (0, 1), ""),
        (1, 9, (0, 0), ""),
        (124, 9, (0, 0), "did not end within its time limit"),
        (137, 9, (4, 4), "was killed (SIGKILL)"),
        (-9, 9, (4, 5), "was killed (SIGKILL): the kernel of this host was out of memory"),
        (143, 9, (0, 0), "was killed (SIGTERM)"),
        (
            137,
            0,
            (0, 0),
            "did not end within its time limit",
        ),  # timeout kills what ignores its first signal
        (-11, 9, (0, 0), ""),
    ],
)
def test_a_kill_is_told_from_the_time_limit(machine, rc, seconds, kills, force):
    machine.put("proc/vmstat", f"pgpgin 7\noom_kill {kills[0]}")

    def ended(_argv, _timeout):
        machine.put("proc/vmstat", f"pgpgin 7\noom_kill {kills[1]}")
        return Result(rc, "", "")

    assert run(machine.host(ended), ["x"], seconds).force == force
