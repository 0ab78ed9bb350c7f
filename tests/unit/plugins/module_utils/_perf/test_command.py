# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A command of the site: how it is called, and what it has to print."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.command import (
    limit,
    measure,
    parse,
)

WORDS = [
    "my_test",
    "--to={peer}",
    "--port",
    "{port}",
    "-d",
    "{rdma}",
    "{gid_index}",
    "{traffic_class}",
    "{x}",
]
SENT = int(100e9 / 8 * 10)
"""Bytes of 100 Gb/s in ten seconds."""


def ready(machine, out="100 Gb/s\n", rc=0, err=""):
    machine.says = {"run": Result(rc, out, err)}
    machine.rises = {"tx_prio3_bytes": SENT}
    return machine.host()


def run(machine, a_job, host, **values):
    return measure(host, a_job(tool="command", command=WORDS, **values))


def test_words_are_replaced_and_no_shell_reads_them(machine, a_job):
    found = run(machine, a_job, ready(machine))
    assert machine.ran == [
        *("timeout", "-k", "5", "40", "my_test", "--to=172.16.0.2", "--port", "18515"),
        *("-d", "mlx5_0", "3", "96", "{x}"),
    ]
    assert (found["state"], found["gbps"], found["transport"]) == ("measured", 100.0, "roce")


@pytest.mark.parametrize(
    ("out", "gbps"),
    [
        ("starting\n391.2 Gb/s\n", 391.2),
        ("48.9 GB/s\n\n", 391.2),
        ("391.2Gbps", 391.2),
        ("9410 Mbits/sec", 9.41),
        ('{"gbps": 391.2}', 391.2),
        # The receiver's figure of iperf3 --json (github.com/esnet/iperf).
        (
            '{"start": {}, "end": {"sum_received": {"seconds": 10, "bits_per_second": 9410000000.0}}}',
            9.41,
        ),
    ],
)
def test_a_rate(out, gbps):
    assert parse(out)["gbps"] == pytest.approx(gbps)


def test_json_may_say_more():
    found = parse(
        json.dumps(
            {"latency": {"typical": 2, "p99": 3.5}, "memory": "gpu", "note": "x", "other": 1}
        )
    )
    assert found == {
        "gbps": None,
        "latency": {"typical": 2.0, "p99": 3.5},
        "transport": "",
        "memory": "gpu",
        "note": "x",
    }


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("", "its last line is nothing"),
        ("done\n", "its last line is 'done'; it has to be a number with a unit"),
        ("391.2\n", "its last line is '391.2'"),
        ("391.2 furlongs\n", "its last line is '391.2 furlongs'"),
        ("[1]", "its JSON is not an object"),
        ('{"gbps": true, "latency": {"typical": 1}}', "neither gbps nor latency"),
        ('{"gbps": "391"}', "neither gbps nor latency"),
        ('{"end": {"sum_received": {}}}', "neither gbps nor latency"),
    ],
)
def test_what_is_no_result(machine, a_job, out, words):
    with pytest.raises(NicError, match=words):
        parse(out)
    found = run(machine, a_job, ready(machine, out))
    assert (found["state"], found["gbps"]) == ("failed", None)
    assert words in found["sentence"]


@pytest.mark.parametrize(
    ("rc", "err", "state", "words"),
    [
        (
            127,
            "timeout: failed to run command",
            "not_run",
            "my_test is not installed on this host.",
        ),
        (1, "no route\n", "failed", "rail1p1: my_test failed: no route."),
        (124, "", "failed", "rail1p1: my_test did not end within its time limit."),
        (143, "", "failed", "rail1p1: my_test was killed (SIGTERM)."),
    ],
)
def test_a_command_that_fails(machine, a_job, rc, err, state, words):
    found = run(machine, a_job, ready(machine, "", rc, err))
    assert (found["state"], found["sentence"]) == (state, words)


@pytest.mark.parametrize(
    ("out", "rises", "words"),
    [
        ('{"gbps": 100, "transport": "tcp"}', SENT, "the command used tcp, not RoCE"),
        ("100 Gb/s", 0, "the traffic was not in priority 3"),
    ],
)
def test_the_class_is_proven_here_too(machine, a_job, out, rises, words):
    host = ready(machine, out)
    machine.rises = {"tx_prio3_bytes": rises}
    found = run(machine, a_job, host)
    assert (found["state"], found["gbps"]) == ("failed", None)
    assert words in found["sentence"]


def test_a_server_receives(machine, a_job):
    host = ready(machine)
    machine.rises = {"rx_prio3_bytes": SENT}
    assert run(machine, a_job, host, side="server")["state"] == "measured"


def test_without_a_class_its_own_word_counts(machine, a_job):
    host = ready(machine, '{"gbps": 9.4, "transport": "tcp"}')
    machine.rises = {}
    found = run(machine, a_job, host, priority=-1)
    assert (found["state"], found["gbps"], found["transport"]) == ("measured", 9.4, "tcp")


def test_without_a_class_neither_rdma_nor_ethtool_is_needed(machine, a_job):
    machine.put("sys/class/net/eth0/operstate", "up")
    said = {"ethtool": Result(127, "", "")}
    host = machine.host(lambda argv, _timeout: said.get(argv[0], Result(0, "9.4 Gb/s", "")))
    found = run(machine, a_job, host, interface="eth0", priority=-1)
    assert (found["state"], found["gbps"], found["counters"]) == ("measured", 9.4, {})


def test_no_command_and_no_port(machine, a_job):
    assert measure(machine.host(), a_job(tool="command"))["state"] == "not_run"
    found = run(machine, a_job, ready(machine), interface="rail9p1")
    assert (found["state"], found["sentence"][:8]) == ("failed", "rail9p1:")


@pytest.mark.parametrize(("side", "seconds"), [("client", 40), ("server", 100)])
def test_every_side_has_an_end(a_job, side, seconds):
    assert limit(a_job(side=side), 60) == seconds
