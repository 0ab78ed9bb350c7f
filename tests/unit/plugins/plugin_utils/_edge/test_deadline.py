# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host that hangs is unreachable in a sentence of its own, and what was started for it is ended."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.action import host
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import deadline
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.action import (
    Action,
    documented,
)


@pytest.fixture
def alone(monkeypatch):
    """Nothing else that this process has started is ended."""
    monkeypatch.setattr(deadline, "_end_children", lambda: None)


@pytest.mark.parametrize(
    ("module", "options", "seconds"),
    [
        ("spectrum_x.fabric.host", {"wanted": {}}, 300),
        ("spectrum_x.fabric.host", {"do": "files"}, 600),
        ("spectrum_x.fabric.host", {"do": "links", "until": 180}, 240),
        ("spectrum_x.fabric.host", {"do": "network", "attempt": 120, "settle_timeout": 30}, 750),
        ("spectrum_x.fabric.measure", {"do": "pairs", "seconds": 40}, 940),
        ("spectrum_x.fabric.measure", {"do": "collect", "patience": 1260}, 2160),
        ("spectrum_x.fabric.nic", {"nics": [{}, {}], "qos": {}}, 1140),
        ("spectrum_x.fabric.nic", {"nics": [{}, {}], "firmware": {"brought": []}}, 5700),
        ("spectrum_x.fabric.nic", {"nics": [{}], "reset": {"timeout": "400"}}, 1700),
        ("spectrum_x.fabric.nic", {"nics": "x", "qos": None, "roce": "x"}, 960),
    ],
)
def test_each_kind_of_work_has_its_time(module, options, seconds):
    assert deadline.of_module(module, options)[1] == seconds


def test_each_word_that_runs_on_a_host_has_its_time():
    at_home = {"keep", "gate", "cards", "plan", "wait", "ready"}
    assert set(host.TAKES) - at_home == set(deadline.WORK) - {"measure"}
    assert set(host.TAKES) == set(documented("host")["do"]["choices"])


def test_what_hangs_is_unreachable(alone):
    with (
        pytest.raises(AnsibleConnectionFailure) as error,
        deadline.within(0.02, "h01", "a look at it"),
    ):
        time.sleep(5)
    assert str(error.value) == (
        "h01: a look at it did not end within 0.02 s: look for a process or disk that hangs there, then run again."
    )
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def tolerant():
    """Work that takes every error for one of its own."""
    for dummy in range(2):
        with contextlib.suppress(Exception):
            time.sleep(5)


def test_a_handler_of_errors_does_not_keep_it(alone):
    with pytest.raises(AnsibleConnectionFailure), deadline.within(0.02, "h01", "a look at it"):
        tolerant()


def test_what_ends_in_time_is_left_alone():
    with deadline.within(5, "h01", "a look at it"):
        pass
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_the_keyword_timeout_stays_in_charge(alone):
    def theirs(_number, _frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, theirs)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        with pytest.raises(TimeoutError), deadline.within(0.01, "h01", "a look at it"):
            time.sleep(5)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_what_was_started_is_ended():
    """In a process of its own, as a worker of Ansible is."""
    reader, writer = os.pipe()
    worker = os.fork()
    if not worker:
        child = subprocess.Popen(["sleep", "60"])
        try:
            with deadline.within(0.05, "h01", "a look at it"):
                child.wait()
        except AnsibleConnectionFailure:
            os.write(writer, str(child.wait(5)).encode())
        os._exit(0)
    os.waitpid(worker, 0)
    assert os.read(reader, 9).decode() == str(-signal.SIGTERM)


def test_what_a_module_on_a_local_connection_has_started_is_ended_too(tmp_path):
    """A shell starts the module, and the module a tool in a session of its own."""
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    worker = os.fork()
    if not worker:
        tool = f"import subprocess; subprocess.run(['sleep', '60'], pass_fds=({writer},), start_new_session=True)"
        shell = f'{sys.executable} -c "{tool}"; echo over > {tmp_path}/over'
        child = subprocess.Popen(shell, shell=True, pass_fds=(writer,))
        with (
            contextlib.suppress(AnsibleConnectionFailure),
            deadline.within(0.3, "h01", "a look at it"),
        ):
            child.wait()
        os._exit(0)
    os.close(writer)
    os.waitpid(worker, 0)
    ready, _none, _also_none = select.select([reader], [], [], 5)
    assert ready, "a process of the module still has the pipe"
    assert os.read(reader, 1) == b""
    assert not (tmp_path / "over").exists()


def test_an_action_whose_module_hangs_is_unreachable_and_tidies_nothing_up(alone, monkeypatch):
    monkeypatch.setitem(deadline.WORK, "look", ("a look at it", 0.02))
    monkeypatch.setattr(ActionBase, "_execute_module", lambda *_given, **_more: time.sleep(5))
    action = Action.__new__(Action)
    action._connection = SimpleNamespace(_shell=SimpleNamespace(tmpdir="/tmp/of-the-host"))
    with pytest.raises(
        AnsibleConnectionFailure, match=r"h01: a look at it did not end within 0\.02"
    ):
        action._execute_module(
            "spectrum_x.fabric.host", {}, task_vars={"inventory_hostname": "h01"}
        )
    assert action._connection._shell.tmpdir is None
