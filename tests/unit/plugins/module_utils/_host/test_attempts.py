# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attempts of a host over loopback: who answers is noticed, silence is silence."""

from __future__ import annotations

import contextlib
import socket
import struct

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host import attempts
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result

HERE = "127.0.0.1"
ROW = {
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
    assert attempts.connection(HERE, HERE, listening.getsockname()[1]) == "connected"


def test_a_refusal_is_an_answer():
    assert attempts.connection(HERE, HERE, free_port()) == "refused"


def test_nobody_answers(listening):
    """A full backlog drops the first packet of a connection, as an access list does."""
    with contextlib.ExitStack() as stack:
        for dummy in range(3):
            other = stack.enter_context(socket.socket())
            other.setblocking(False)
            other.connect_ex(listening.getsockname())
        found = attempts.connection(HERE, HERE, listening.getsockname()[1], patience=0.2)
    assert found == ""


def test_from_an_address_that_the_host_lacks_nobody_answers():
    assert attempts.connection("192.0.2.1", HERE, 22) == ""


@pytest.mark.parametrize(("rc", "answer"), [(0, "echo reply"), (1, "")])
def test_a_stranger(rc, answer):
    host = Host(run=lambda _argv, _timeout: Result(rc, "", ""))
    (row,) = attempts.attempt_all(host, [ROW])
    assert row == {**ROW, "answer": answer}


def test_an_unknown_kind_is_refused():
    with pytest.raises(NicError, match="'dns' is none of stranger, tcp, vxlan"):
        attempts.attempt_all(Host(), [{**ROW, "kind": "dns"}])


@contextlib.contextmanager
def raw(monkeypatch, listener):
    """Raw sockets take root: an ordinary one stands for the listener."""
    monkeypatch.setattr(attempts, "_listener", lambda _to: listener)
    yield


def udp(monkeypatch):
    taker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taker.bind((HERE, 0))
    taker.settimeout(1)
    monkeypatch.setattr(attempts, "VXLAN", taker.getsockname()[1])
    return taker


def listener():
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((HERE, 0))
    return made


def test_a_forged_packet_that_nobody_answers(monkeypatch):
    with contextlib.closing(udp(monkeypatch)) as taker, raw(monkeypatch, listener()):
        assert attempts.forged(HERE, HERE, 4000021, patience=0.2) == ""
        data = taker.recv(2048)
    assert data[:8] == struct.pack("!BBHI", 8, 0, 0, 4000021 << 8)
    assert data[8:14] == b"\xff" * 6


def test_a_forged_packet_that_reaches_the_stack(monkeypatch):
    monkeypatch.setattr(attempts, "VXLAN", free_port())
    with raw(monkeypatch, listener()):
        assert attempts.forged(HERE, HERE, 1, patience=0.2) == "refused"


def test_a_forged_packet_that_is_unpacked(monkeypatch):
    """The echo reply of the inner packet comes to the listener."""
    with contextlib.closing(udp(monkeypatch)):
        heard = listener()
        number = attempts.os.getpid() & 0xFFFF ^ 7
        reply = b"\x45" + bytes(19) + struct.pack("!BBHHH", 0, 0, 0, number, 1)
        with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as switch:
            switch.sendto(reply, heard.getsockname())
        with raw(monkeypatch, heard):
            assert attempts.forged(HERE, HERE, 7, patience=0.4) == "carried"


@pytest.mark.parametrize(
    ("source", "to", "ethertype", "length"),
    [("172.16.0.0", "172.16.0.1", "0800", 50), ("fd02::1", "fd02::2", "86dd", 70)],
)
def test_the_inner_packet_is_whole(source, to, ethertype, length):
    data = attempts.packet(source, to, 4000021, 42)
    assert len(data) == length
    assert data[20:22].hex() == ethertype
    if ethertype == "0800":
        header, echo = data[22:42], data[42:]
        assert attempts.checksum(header) == b"\0\0"
        assert attempts.checksum(echo) == b"\0\0"
        assert socket.inet_ntoa(header[12:16]) == source
    else:
        header, echo = data[22:62], data[62:]
        pseudo = header[8:40] + struct.pack("!IHBB", 8, 0, 0, 58)
        assert attempts.checksum(pseudo + echo) == b"\0\0"
    assert struct.unpack_from("!H", echo, 4) == (42,)
