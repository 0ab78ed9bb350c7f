# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attempts of a host: whole packets and the counters around them, and attempts that must meet silence."""

from __future__ import annotations

import contextlib
import socket
import struct

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host import probe as probing
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.probe import probe
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import (
    MISSING,
    Host,
    Result,
)


def tries(row):
    return {"pings": [row], "attempts": [], "nics": []}


ROW = {"kind": "rail", "interface": "rail1p1", "source": "10.0.0.0", "to": "10.0.0.1", "size": 9138}


def test_a_packet_is_sent_whole_and_from_its_address():
    asked = []
    host = Host(run=lambda argv, _timeout: asked.append(" ".join(argv)) or Result(0, "", ""))
    found = probe(host, tries(ROW))
    del found["textfile"]  # that of the machine of the tests
    assert found == {"pings": [{**ROW, "ok": True, "reason": ""}], "findings": [], "attempts": []}
    (line,) = asked
    assert line.startswith("ping -c 3 ")
    assert line.endswith(" -M do -s 9138 -I 10.0.0.0 10.0.0.1")


@pytest.mark.parametrize(
    "said, reason",
    [
        ("From 10.0.0.1 icmp_seq=1 Frag needed and DF set (mtu = 1500)", "Frag needed"),
        ("ping: local error: message too long, mtu=1500", "message too long, mtu=1500"),
        ("ping: connect: Network is unreachable", "ping: connect: Network is unreachable"),
        ("3 packets transmitted, 0 received, 100% packet loss", ""),
    ],
)
def test_a_packet_that_is_lost_says_what_the_kernel_said(said, reason):
    host = Host(run=lambda _argv, _timeout: Result(1, said, ""))
    (row,) = probe(host, tries(ROW))["pings"]
    assert row["ok"] is False
    assert row["reason"].startswith(reason)
    assert bool(row["reason"]) is bool(reason)


def test_a_host_without_ping_is_one_sentence():
    host = Host(run=lambda _argv, _timeout: Result(MISSING, "", ""))
    assert "install the package iputils-ping" in probe(host, tries(ROW))["error"]


HERE = "127.0.0.1"
TRY = {
    "kind": "stranger",
    "interface": "rail1p1",
    "source": HERE,
    "to": HERE,
    "port": 0,
    "vni": 0,
    "whom": "somebody",
}


@pytest.fixture
def listening():
    with contextlib.closing(socket.create_server((HERE, 0), backlog=0)) as server:
        yield server


def free_port():
    with contextlib.closing(socket.create_server((HERE, 0))) as server:
        return server.getsockname()[1]


def test_who_listens_is_noticed(listening):
    assert probing.connection(HERE, HERE, listening.getsockname()[1]) == "connected"


def test_a_refusal_is_an_answer():
    assert probing.connection(HERE, HERE, free_port()) == "refused"


def test_nobody_answers(listening):
    """A full backlog drops the first packet of a connection, as an access list does."""
    with contextlib.ExitStack() as stack:
        for dummy in range(3):
            other = stack.enter_context(socket.socket())
            other.setblocking(False)
            other.connect_ex(listening.getsockname())
        found = probing.connection(HERE, HERE, listening.getsockname()[1], patience=0.2)
    assert found == ""


def test_from_an_address_that_the_host_lacks_nobody_answers():
    assert probing.connection("192.0.2.1", HERE, 22) == ""


@pytest.mark.parametrize(("rc", "answer"), [(0, "echo reply"), (1, "")])
def test_a_stranger(rc, answer):
    host = Host(run=lambda _argv, _timeout: Result(rc, "", ""))
    (row,) = probing.attempt_all(host, [TRY])
    assert row == {**TRY, "answer": answer}


@contextlib.contextmanager
def raw(monkeypatch, listener):
    """Raw sockets take root: an ordinary one stands for the listener."""
    monkeypatch.setattr(probing, "_listener", lambda _to: listener)
    yield


def udp(monkeypatch):
    taker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taker.bind((HERE, 0))
    taker.settimeout(1)
    monkeypatch.setattr(probing, "VXLAN", taker.getsockname()[1])
    return taker


def listener():
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((HERE, 0))
    return made


def test_a_forged_packet_that_nobody_answers(monkeypatch):
    with contextlib.closing(udp(monkeypatch)) as taker, raw(monkeypatch, listener()):
        assert probing.forged(HERE, HERE, 4000021, patience=0.2) == ""
        data = taker.recv(2048)
    assert data[:8] == struct.pack("!BBHI", 8, 0, 0, 4000021 << 8)
    assert data[8:14] == b"\xff" * 6


def test_a_forged_packet_that_reaches_the_stack(monkeypatch):
    monkeypatch.setattr(probing, "VXLAN", free_port())
    with raw(monkeypatch, listener()):
        assert probing.forged(HERE, HERE, 1, patience=0.2) == "refused"


def test_a_forged_packet_that_is_unpacked(monkeypatch):
    """The echo reply of the inner packet comes to the listener."""
    with contextlib.closing(udp(monkeypatch)):
        heard = listener()
        number = probing.os.getpid() & 0xFFFF ^ 7
        reply = b"\x45" + bytes(19) + struct.pack("!BBHHH", 0, 0, 0, number, 1)
        with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as switch:
            switch.sendto(reply, heard.getsockname())
        with raw(monkeypatch, heard):
            assert probing.forged(HERE, HERE, 7, patience=0.4) == "carried"


@pytest.mark.parametrize(
    ("source", "to", "ethertype", "length"),
    [("172.16.0.0", "172.16.0.1", "0800", 50), ("fd02::1", "fd02::2", "86dd", 70)],
)
def test_the_inner_packet_is_whole(source, to, ethertype, length):
    data = probing.packet(source, to, 4000021, 42)
    assert len(data) == length
    assert data[20:22].hex() == ethertype
    if ethertype == "0800":
        header, echo = data[22:42], data[42:]
        assert probing.checksum(header) == b"\0\0"
        assert probing.checksum(echo) == b"\0\0"
        assert socket.inet_ntoa(header[12:16]) == source
    else:
        header, echo = data[22:62], data[62:]
        pseudo = header[8:40] + struct.pack("!IHBB", 8, 0, 0, 58)
        assert probing.checksum(pseudo + echo) == b"\0\0"
    assert struct.unpack_from("!H", echo, 4) == (42,)
