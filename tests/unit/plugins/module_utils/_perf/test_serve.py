# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real processes that measure, wait, end by themselves, and are found again."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf import process, serve
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.task import slug

TABLE = r"""printf ' #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n'
printf ' 65536      100              0.00               391.50             0.7\n'"""
# Counters that rise all the time, faster than anything that is measured here.
COUNTERS = """n=$(date +%s%N)000
printf "NIC statistics:\\n     tx_prio3_bytes: $n\\n     rx_prio3_bytes: $n\\n\""""


def tool(run: str) -> str:
    """A program of sh that answers --help, and else does what `run` says."""
    return f'[ "$1" = --help ] && exit 0\n{run}'


@pytest.fixture
def host(processes, scripts):
    """A host whose tools are scripts; whatever a test leaves is ended."""
    scripts("ethtool", COUNTERS)
    scripts("ib_write_bw", tool(TABLE))
    root = str(processes.folder)
    made = Host(root=root, sysfs=f"{root}/sys")
    yield made
    serve.end(made)


def until(what, seconds=20.0):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    assert what()


def test_a_measurement_is_made_in_a_process_of_its_own(host, a_job):
    (task,) = tasks = [a_job()]
    serve.begin_all(host, tasks)
    (found,) = serve.outcomes(host, tasks, lambda _task: 20)
    assert (found["state"], found["gbps"], found["id"]) == ("measured", 391.5, "pairs/r1/a>b")
    assert serve.outcome(host, task, 0) == found


def test_what_was_not_started_is_not_run(host, a_job):
    assert serve.outcome(host, a_job(), 20)["sentence"] == "it was not started on this host."


def test_they_run_side_by_side(host, scripts, a_job):
    """Each waits until all four have begun."""
    folder = f"{host.root}/begun"
    os.mkdir(folder)
    meet = f'touch {folder}/$$\nwhile [ "$(ls {folder} | wc -l)" -lt 4 ]; do sleep 0.05; done'
    scripts("ib_write_bw", tool(f"{meet}\n{TABLE}"))
    tasks = [a_job(id=f"{n}", port=18515 + n) for n in range(4)]
    serve.begin_all(host, tasks)
    found = serve.outcomes(host, tasks, lambda _task: 20)
    assert [row["state"] for row in found] == ["measured"] * 4


def test_the_starter_is_not_held(host, scripts, a_job):
    """Ansible's connection ends when all that hold its streams have let go of them."""
    scripts("ib_write_bw", tool("sleep 60"))
    code = (
        "import json, sys\n"
        f"from {serve.__name__} import begin\n"
        f"from {Host.__module__} import Host\n"
        f"begin(Host(root={host.root!r}, sysfs={host.sysfs!r}), json.loads(sys.argv[1]))\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    argv = [sys.executable, "-c", code, json.dumps(a_job())]
    subprocess.run(argv, env=env, capture_output=True, timeout=10, check=True)
    assert serve.outcome(host, a_job(), 0)["sentence"].startswith(
        "rail1p1: ib_write_bw did not finish"
    )


def test_a_server_that_is_collected_too_early_is_ended(host, scripts, a_job):
    scripts("ib_write_bw", tool("sleep 60"))
    task = a_job(side="server")
    serve.begin(host, task)
    until(lambda: processes_of(host, "sleep"))
    found = serve.outcome(host, task, 0)
    assert found["sentence"].endswith("no client from 172.16.0.2 has finished.")
    assert not processes_of(host)


def processes_of(host, name=""):
    return [left for left in serve._all_marked(host) if left.name.startswith(name)]


def test_stop_ends_what_a_killed_run_left(host, scripts, a_job, monkeypatch):
    """Its watcher and its connection are gone; a program that ignores the request to end is killed."""
    monkeypatch.setattr(process, "LAST_WORDS", 0.2)
    begun = Path(host.root) / "begun"
    scripts("ib_write_bw", tool(f"trap '' TERM\ntouch {begun}\nwhile :; do sleep 0.1; done"))
    serve.begin(host, a_job())
    until(begun.exists)
    note = serve.load(host, slug(a_job()), serve.NOTES)
    os.kill(note["pid"], signal.SIGKILL)
    said = serve.end(host)
    assert any(words.startswith("timeout (process ") for words in said)
    assert not processes_of(host)
    assert host.entries(serve.NOTES) == []
    assert serve.end(host) == []


def test_nothing_else_is_ever_ended(host, scripts, a_job):
    """A number that another process has now is known by its start time, another mark by its folder."""
    env = {**os.environ, process.MARK: "/elsewhere/run/spectrum-x/measure/" + slug(a_job())}
    with subprocess.Popen(["sleep", "60"], env=env) as other:
        serve.save(host, slug(a_job()), {"pid": other.pid, "started": 1, "id": "x"}, serve.NOTES)
        try:
            assert serve.end(host) == []
            assert other.poll() is None
        finally:
            other.kill()


def test_one_task_is_ended_and_its_neighbour_runs_on(host, scripts, a_job):
    scripts("ib_write_bw", tool("sleep 60"))
    first, second = a_job(id="a"), a_job(id="b")
    serve.begin_all(host, [first, second])
    until(lambda: len(processes_of(host, "sleep")) == 2)
    serve.end(host, [first])
    assert {left.slug for left in processes_of(host)} == {slug(second)}


def test_a_task_that_is_begun_again_replaces_the_earlier_one(host, scripts, a_job):
    scripts("ib_write_bw", tool("sleep 60"))
    serve.begin_all(host, [a_job()])
    until(lambda: processes_of(host, "sleep"))
    scripts("ib_write_bw", tool(TABLE))
    serve.begin_all(host, [a_job()])
    assert serve.outcome(host, a_job(), 20)["state"] == "measured"
    assert not processes_of(host)


def test_a_watcher_that_is_gone_leaves_no_result(host, a_job):
    serve.save(host, slug(a_job()), {"pid": 2**22, "started": 5, "id": "x"}, serve.NOTES)
    found = serve.outcome(host, a_job(), 20)
    assert (found["state"], found["sentence"]) == (
        "failed",
        "the process that measured has ended without a result; run it again.",
    )


def test_check_mode_starts_and_ends_nothing(processes, a_job):
    host = processes.host(check=True)
    serve.begin_all(host, [a_job()])
    (found,) = serve.outcomes(host, [a_job()], lambda _task: 20)
    assert (found["state"], found["sentence"]) == ("not_run", "nothing runs in check mode.")
    assert serve.started_as(host, a_job())["sentence"] == ""
    assert not (processes.folder / "run").exists()


def test_hosts_begin_together(host, a_job):
    at = time.time() + 0.2
    serve.begin(host, a_job(), at=at)
    assert serve.outcome(host, a_job(), 20)["state"] == "measured"
    assert time.time() >= at


def test_a_beginning_far_ahead_is_refused(host, a_job):
    with pytest.raises(NicError, match=r"at is [0-9]+ s ahead; at most 600 s are allowed"):
        serve.begin(host, a_job(), at=time.time() + 5000)


def test_a_server_is_ready_when_it_listens_and_ended_when_nobody_comes(host, scripts, a_job):
    listening = (
        "import socket, time\nmade = socket.create_server(('127.0.0.1', 18599))\ntime.sleep(60)\n"
    )
    scripts("ib_write_bw", tool(f'exec {sys.executable} -c "{listening}"'))
    task = a_job(side="server", port=18599)
    serve.begin_all(host, [task])
    assert serve.started_as(host, task) == {"id": "pairs/r1/a>b", "side": "server", "sentence": ""}
    assert serve.listens(host, 18599)
    found = serve.outcome(host, task, 20, at=time.time() - serve.ALONE - 1)
    assert found["sentence"].endswith("no client from 172.16.0.2 has finished.")
    assert not serve.listens(host, 18599)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("echo 'no device' >&2; exit 1", "rail1p1: ib_write_bw failed: no device."),
        ("sleep 60", "ib_write_bw does not listen on port 18515 after 0.2 s."),
    ],
)
def test_a_server_that_does_not_listen_says_why(host, scripts, a_job, monkeypatch, run, words):
    monkeypatch.setattr(serve, "READY", 0.2 if "60" in run else 5)
    scripts("ib_write_bw", tool(run))
    task = a_job(side="server")
    serve.begin_all(host, [task])
    assert serve.ready(host, task) == words


def test_a_client_is_not_waited_for(host, a_job):
    assert serve.ready(host, a_job()) == ""


def test_a_port_that_is_taken_is_refused_before_anything_starts(host, a_job):
    with socket.create_server(("127.0.0.1", 0)) as other:
        tasks = [a_job(), a_job(side="server", port=other.getsockname()[1])]
        with pytest.raises(NicError, match="another process of this host listens on port"):
            serve.begin_all(host, tasks)
    assert serve.outcome(host, a_job(), 0)["state"] == "not_run"


def test_a_port_is_read_from_both_tables(machine):
    head = "  sl  local_address rem_address   st tx_queue rx_queue\n"
    machine.put("proc/net/tcp", head + "   0: 0100007F:4853 00000000:0000 01 00000000:00000000")
    machine.put(
        "proc/net/tcp6", head + f"   0: {'0' * 32}:4854 {'0' * 32}:0000 0A 00000000:00000000"
    )
    found = [serve.listens(machine.host(), port) for port in (0x4853, 0x4854)]
    assert found == [False, True]


def test_every_measurement_has_an_end(a_job):
    assert serve.whole(a_job(side="server"), 60) == 110
