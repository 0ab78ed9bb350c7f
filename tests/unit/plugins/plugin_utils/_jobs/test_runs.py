# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of runs: asked of real processes."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import runs

RUN = """
import os, sys, time
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import runs
worker = os.fork()
if worker:
    print(runs.this(), worker, flush=True)
time.sleep(60)
"""


@pytest.fixture
def run():
    """(its name, its process, its worker's process) of a run that has forked."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", RUN], stdout=subprocess.PIPE, text=True, env=environment
    ) as main:
        name, worker = main.stdout.readline().split()
        yield name, main.pid, int(worker)
        for process in (main.pid, int(worker)):
            end(process)


def end(process):
    """End a process that may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def test_a_run_is_not_at_work_beside_itself():
    machine, process, number = runs.this().split("/")
    assert socket.gethostname().startswith(machine)
    assert int(process) > 1
    assert len(number) == 8
    assert not runs.at_work(runs.this())


def test_a_run_is_at_work_until_its_last_worker_has_ended(run):
    """Whoever killed ansible-playbook has not ended the hook that a worker waits for."""
    name, main, worker = run
    assert runs.at_work(name, patience=0)
    os.kill(main, signal.SIGKILL)
    assert runs.at_work(name, patience=0.5)
    os.kill(worker, signal.SIGKILL)
    begun = time.monotonic()
    assert not runs.at_work(name, patience=10)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("name", ["", "a/b/c", "bastion/1/21", "x" * 300, "nul\0/1/2"])
def test_of_others_nothing_is_known(name):
    assert not runs.at_work(name, patience=0)
