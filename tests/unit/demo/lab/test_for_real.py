# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real lab of four devices in plain namespaces, on this machine's own files: about 15 s."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest

DEMO = pathlib.Path(__file__).resolve().parents[4] / "demo"
NAME = f"unit{os.getpid() % 100000}"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
    pytest.mark.skipif(not shutil.which("ip"), reason="iproute2 is not installed"),
]


def lab(*words, check=True):
    argv = [sys.executable, "-m", "lab", *words]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert not check or done.returncode == 0, done.stderr + done.stdout
    return done


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory, tiny):
    """Bring a lab up for all tests of this file; give the folder it writes to."""
    folder = tmp_path_factory.mktemp("lab")
    before = dict(os.environ)
    os.environ.update(
        PYTHONPATH=str(DEMO),
        SPX_LAB_DIR=str(folder / "labs"),
        SPX_LAB_CACHE=str(folder / "cache"),
        SPX_LAB_TARGETS=str(folder / "targets"),
    )
    for kind in ("switch", "host"):
        home = folder / "targets" / kind
        home.mkdir(parents=True)
        up = "for d in /sys/class/net/*; do ip link set ${d##*/} up; done\n"
        (home / "start.sh").write_text(up + LISTEN[kind], encoding="utf-8")
    (folder / "cabling.json").write_text(json.dumps(tiny), encoding="utf-8")
    try:
        lab(*UP, str(folder / "cabling.json"))
        yield folder
    finally:
        lab("down", NAME)
        os.environ.clear()
        os.environ.update(before)


UP = ["up", "--name", NAME, "--backend", "netns", "--rootfs", "host", "--cabling"]
SERVER = """\
exec python3 -c 'import socket
s = socket.create_server(("", {port}))
while True: s.accept()[0].close()'
"""
LISTEN = {"switch": SERVER.format(port=8765), "host": SERVER.format(port=22)}


def node(device, command):
    return lab("node", NAME, device, "--", "sh", "-c", command).stdout


def carrier(device, port):
    return "NO-CARRIER" not in node(device, f"ip -br link show {port}")


def becomes(wanted, measure):
    deadline = time.monotonic() + 10
    while measure() != wanted:
        assert time.monotonic() < deadline, f"did not become {wanted}"
        time.sleep(0.1)


def address(device, port, text):
    node(device, f"ip addr replace {text} dev {port}; ip link set {port} mtu 9166 up")


def probe(folder, *rows):
    (folder / "spec.json").write_text(json.dumps({"probes": list(rows)}), encoding="utf-8")
    words = ["ping-matrix", NAME, "--spec", str(folder / "spec.json"), "--timeout", "0.5"]
    done = lab(*words, check=False)
    return [row["state"] for row in json.loads(done.stdout)["results"]]


def test_a_second_up_finds_it_up(folder):
    assert "is up already" in lab(*UP, str(folder / "cabling.json")).stdout


def test_nothing_leaves(folder):
    lab("guard", NAME)
    refused = lab("exec", NAME, "--", "ip", "route", "get", "10.0.0.1", check=False)
    assert refused.returncode == 2
    assert "unreachable" in refused.stderr


def test_a_pulled_cable_takes_the_carrier_and_nothing_else(folder):
    address("leaf-1", "swp3s0", "10.0.0.1/31")
    lab("cable", NAME, "leaf-2:swp3s0", "down")
    becomes(False, lambda: carrier("leaf-1", "swp3s0"))
    becomes(False, lambda: carrier("leaf-2", "swp3s0"))
    assert carrier("leaf-1", "swp3s1")
    assert "10.0.0.1/31" in node("leaf-1", "ip addr show swp3s0")
    lab("cable", NAME, "leaf-2:swp3s0", "up")
    becomes(True, lambda: carrier("leaf-1", "swp3s0"))


def test_a_port_that_is_shut_is_seen_at_the_other_end(folder):
    node("leaf-1", "ip link set swp3s1 down")
    becomes(False, lambda: carrier("leaf-2", "swp3s1"))
    node("leaf-1", "ip link set swp3s1 up")
    becomes(True, lambda: carrier("leaf-2", "swp3s1"))


def test_packets_pass_up_to_the_mtu_and_to_nobody_else(folder):
    address("leaf-1", "swp1s0", "10.0.1.1/31")
    address("host-1", "rail1p1", "10.0.1.0/31")
    flow = {"from": "host-1", "to": "10.0.1.1", "df": True}
    states = probe(
        folder,
        {**flow, "size": 9138},
        {**flow, "size": 9139},
        {"from": "host-2", "to": "10.0.1.1"},
    )
    assert states == ["reached", "silent", "silent"]


@pytest.mark.large
def test_a_swap_exchanges_two_cables(folder):
    address("leaf-2", "swp1s0", "10.0.2.1/31")
    address("host-1", "rail1p1", "10.0.2.0/31")
    flow = {"from": "host-1", "to": "10.0.2.1"}
    assert probe(folder, flow) == ["silent"]
    lab("swap", NAME, "leaf-1:swp1s0", "leaf-2:swp1s0")
    becomes(["reached"], lambda: probe(folder, flow))
    lab("swap", NAME, "leaf-2:swp1s0", "leaf-1:swp1s0")
    assert probe(folder, flow) == ["silent"]


@pytest.mark.large
def test_a_timeline_shows_the_gap(folder):
    address("leaf-1", "swp1s0", "10.0.1.1/31")
    address("host-1", "rail1p1", "10.0.1.0/31")
    out = folder / "timeline.json"
    spec = folder / "timeline-spec.json"
    spec.write_text(json.dumps({"probes": [{"from": "host-1", "to": "10.0.1.1"}]}), "utf-8")
    lab("probe", NAME, "--spec", str(spec), "--out", str(out), "--background")
    time.sleep(1)
    lab("cable", NAME, "host-1:rail1p1", "down")
    time.sleep(1.5)
    lab("cable", NAME, "host-1:rail1p1", "up")
    time.sleep(2)
    lab("probe-stop", NAME)
    (flow,) = json.loads(out.read_text("utf-8"))["flows"]
    assert flow["runs"][0][0] == 1
    assert flow["runs"][-1][0] == 1
    assert flow["longest_gap"] > 1


def test_a_dead_device_leaves_its_neighbours_ports(folder):
    lab("kill", NAME, "leaf-1")
    becomes(False, lambda: carrier("leaf-2", "swp3s0"))
    refused = lab("node", NAME, "leaf-1", "--", "true", check=False)
    assert (refused.returncode, "does not run" in refused.stderr) == (1, True)
    lab("start", NAME, "leaf-1")
    becomes(True, lambda: carrier("leaf-2", "swp3s0"))


def test_a_reboot_forgets_addresses_and_keeps_files(folder):
    address("host-2", "rail1p1", "10.0.3.0/31")
    node("host-2", "touch /etc/kept /run/gone")
    lab("reboot", NAME, "host-2")
    assert "10.0.3.0" not in node("host-2", "ip addr")
    assert node("host-2", "ls -d /etc/kept /run/gone 2>&1 | grep -v ' '").split() == ["/etc/kept"]


def test_down_leaves_nothing(folder):
    lab("down", NAME)
    lab("down", NAME)
    spaces = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    assert f"spx-{NAME}-" not in spaces.stdout
    assert not (folder / "labs" / NAME).exists()
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        assert f"SPX_LAB={NAME}".encode() not in words
