# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real iperf3 between two network namespaces: what it reports, and what is said where nothing passes."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from lab import throughput
from lab.errors import LabError
from lab.throughput import Path, measure, outcome

HERE, THERE = "10.99.0.0", "10.99.0.1"


@pytest.fixture(scope="module", name="path")
def _path():
    """Two namespaces, cabled."""
    if os.geteuid() != 0 or not shutil.which("iperf3"):
        pytest.skip("namespaces need root, and the test iperf3")
    one, other = (subprocess.Popen(["unshare", "--net", "sleep", "60"]) for _side in range(2))
    try:
        for line in (
            f"ip link add c0 netns {one.pid} type veth peer name c0 netns {other.pid}",
            *(f"nsenter -t {p.pid} -n ip link set c0 up" for p in (one, other)),
            f"nsenter -t {one.pid} -n ip addr add {HERE}/31 dev c0",
            f"nsenter -t {other.pid} -n ip addr add {THERE}/31 dev c0",
        ):
            _until_apart(one, other)
            subprocess.run(line.split(), check=True)
        yield Path(one.pid, HERE, other.pid, THERE)
    finally:
        for process in (one, other):
            process.kill()
            process.wait()


def _until_apart(*processes):
    """Wait until each process has left this one's network."""
    own = os.readlink("/proc/self/ns/net")
    while any(os.readlink(f"/proc/{p.pid}/ns/net") == own for p in processes):
        pass


def test_tcp_is_carried(path):
    found = measure(path)
    assert found["reached"]
    assert found["gbps"] > 0.1
    assert found["reason"] == ""


def test_a_server_that_is_not_reached_is_said_to_be(path, monkeypatch):
    monkeypatch.setattr(throughput, "CONNECT_MS", 200)
    block = ["nsenter", "-t", str(path.server), "-n", "ip", "route", "add", "blackhole", HERE]
    subprocess.run(block, check=True)
    try:
        found = measure(path)
    finally:
        subprocess.run([word.replace("add", "del") for word in block], check=True)
    assert (found["reached"], found["gbps"]) == (False, None)
    assert "unable to connect" in found["reason"]


def test_a_server_that_cannot_listen_is_an_error(path):
    with pytest.raises(LabError, match=r"does not listen at 10\.99\.0\.77 port 5201"):
        measure(Path(path.client, HERE, path.server, "10.99.0.77"))


def test_iperf3_may_be_missing(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(LabError, match="iperf3 is not here"):
        measure(Path(1, HERE, 1, THERE))


def test_a_document_of_iperf3():
    end = {"sum_sent": {"retransmits": 3}, "sum_received": {"bits_per_second": 2.5e9}}
    assert outcome({"end": end}) == {
        "schema": 1,
        "reached": True,
        "gbps": 2.5,
        "retransmits": 3,
        "reason": "",
    }
    assert not outcome({"end": {}, "error": "unable to connect to server"})["reached"]
