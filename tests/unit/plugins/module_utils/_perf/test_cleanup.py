# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host is held while ranks of a collective run there, and not for the time that they might have taken."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.state import load
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf import (
    cleanup,
    lease,
    process,
    serve,
)
from ansible_collections.spectrum_x.fabric.plugins.modules.measure import work

ALONE: dict = {
    "do": "serve",
    "jobs": [],
    "collectives": [],
    "rails": [],
    "patience": 0,
    "at": 0,
    "run": "A",
}


@pytest.fixture
def host(processes, monkeypatch):
    """A host on which a look follows the other at once."""
    monkeypatch.setattr(cleanup, "EVERY", 0.05)
    root = str(processes.folder)
    made = Host(root=root, sysfs=f"{root}/sys")
    yield made
    lease.release(made, "A")
    serve.end(made)


@pytest.fixture
def rank(host):
    """A process that a launcher of another host has started here."""
    mark = f"{serve._mark(host)}0123456789abcdef"
    made = subprocess.Popen(["sleep", "30"], env={**os.environ, process.MARK: mark})
    yield made
    made.kill()
    made.wait()


def keeps(host):
    return serve.runs(host, load(host, cleanup.NOTE))


def until(what, seconds=20.0):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    assert what()


def test_a_run_is_heard_while_ranks_of_another_host_run(host, rank):
    """Nobody asks for the run again: its controller was killed."""
    work(host, ALONE)
    first = load(host, lease.NOTE)
    until(lambda: load(host, lease.NOTE)["heard"] > first["heard"])
    assert load(host, lease.NOTE)["run"] == "A"


def test_a_host_is_not_held_for_the_time_that_a_collective_might_take(host):
    work(host, ALONE)
    found = load(host, lease.NOTE)
    assert found["until"] == found["heard"] + lease.HELD


def test_one_process_looks_for_all_rounds_of_a_run_and_ends_with_it(host, rank):
    work(host, ALONE)
    first = load(host, cleanup.NOTE)
    work(host, ALONE)
    assert load(host, cleanup.NOTE) == first
    lease.release(host, "A")
    until(lambda: not keeps(host))
    assert rank.poll() is None, "it looks, and ends nothing"


def test_who_names_no_run_keeps_nothing(host):
    work(host, {**ALONE, "run": ""})
    assert load(host, cleanup.NOTE) == {}
