# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ICMP echo from many devices at once, out of one process.

A socket belongs for ever to the network namespace in which it was made. So one process enters
each device's namespace once, makes its sockets there, and from then on sends and listens for all
of them: thousands of probes cost no process of their own, and share one clock.
"""

from __future__ import annotations

import ctypes
import dataclasses
import errno
import ipaddress
import os
import pathlib
import selectors
import socket
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lab.errors import LabError

CLONE_NEWNET = 0x40000000
COOKIE = b"spx-lab\0"
PMTUDISC_PROBE, PMTUDISC_DONT = 3, 0
IP_MTU_DISCOVER, IPV6_MTU_DISCOVER, IPV6_DONTFRAG = 10, 23, 62
ICMP_FILTER, ICMP6_FILTER = 1, 1
ECHO_REPLY, UNREACHABLE, ECHO = 0, 3, 8
ECHO6, ECHO6_REPLY, UNREACHABLE6, TOO_BIG6 = 128, 129, 1, 2
FRAGMENTATION_NEEDED = 4
DEFAULT_SIZE = 56
RECEIVE_BUFFER = 1 << 20


@dataclasses.dataclass(frozen=True)
class Probe:
    """One flow of echo requests.

    `size` is the payload, as `ping -s` counts it: 28 (IPv4) or 48 (IPv6) bytes less than the
    packet. `netns` names a namespace inside the device (a tenant's VRF), `netdev` a device to
    bind to (a VRF of the kernel), `source` the address to send from.
    """

    identity: str
    device: str
    target: str
    size: int = DEFAULT_SIZE
    df: bool = False
    source: str = ""
    netdev: str = ""
    netns: str = ""
    expect: str = "reached"

    @property
    def family(self) -> int:
        """AF_INET or AF_INET6, by the target."""
        six = ipaddress.ip_address(self.target).version == 6
        return int(socket.AF_INET6 if six else socket.AF_INET)

    @property
    def way(self) -> tuple[Any, ...]:
        """Key of probes that share a socket."""
        return (self.device, self.netns, self.family, self.source, self.netdev, self.df)


def read(document: Any) -> list[Probe]:
    """Turn ``{"probes": [{"from": .., "to": .., ...}]}`` into probes; LabError names mistakes."""
    rows = document.get("probes") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not rows:
        raise LabError("the spec has no probes; it needs a list of objects with from and to")
    probes = [_probe(row) for row in rows]
    if len(probes) > 0xFFFF:
        raise LabError(f"the spec has {len(probes)} probes; at most 65535 fit one run")
    return probes


def _probe(row: Any) -> Probe:
    known = ("id", "from", "to", "size", "df", "source", "netdev", "netns", "expect")
    unknown = [key for key in row if key not in known] if isinstance(row, dict) else [row]
    if unknown:
        raise LabError(f"probe key {unknown[0]!r} is none of {', '.join(known)}")
    if row.get("expect", "reached") not in ("reached", "silent"):
        raise LabError(f"probe {row}: expect is neither reached nor silent")
    try:
        ipaddress.ip_address(row["to"])
        size = int(row.get("size", DEFAULT_SIZE))
    except (KeyError, ValueError) as exc:
        raise LabError(f"probe {row}: to must be an IP address and size a number") from exc
    if not len(COOKIE) <= size <= 65000:
        raise LabError(f"probe {row}: size is outside {len(COOKIE)}-65000")
    texts = {key: str(row.get(key, "")) for key in ("source", "netdev", "netns")}
    name = str(row.get("id") or f"{row.get('from')} to {row['to']}")
    return Probe(
        identity=name,
        device=str(row.get("from", "")),
        target=row["to"],
        size=size,
        df=bool(row.get("df", False)),
        expect=row.get("expect", "reached"),
        **texts,
    )


def packet(family: int, number: int, sequence: int, size: int) -> bytes:
    """Return an echo request; the kernel adds ICMPv6's checksum itself."""
    kind = ECHO if family == socket.AF_INET else ECHO6
    payload = COOKIE + bytes(size - len(COOKIE))
    head = struct.pack("!BBHHH", kind, 0, 0, number, sequence & 0xFFFF)
    if family == socket.AF_INET6:
        return head + payload
    check = checksum(head + payload)
    return struct.pack("!BBHHH", kind, 0, check, number, sequence & 0xFFFF) + payload


def checksum(data: bytes) -> int:
    """Return the internet checksum (RFC 1071)."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data[: len(data) & ~1]))
    total += data[-1] << 8 if len(data) & 1 else 0
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


@dataclasses.dataclass(frozen=True)
class Answer:
    """Answer to a probe: a reply (no reason), or a router's reason against one."""

    number: int
    sequence: int
    reason: str = ""


def parse(family: int, data: bytes) -> Answer | None:
    """Read what a raw ICMP socket received; None when it answers none of our probes."""
    if family == socket.AF_INET:
        data = data[(data[0] & 15) * 4 :]
    if len(data) < 8:
        return None
    kind, code, dummy, number, sequence = struct.unpack_from("!BBHHH", data)
    if kind == (ECHO_REPLY if family == socket.AF_INET else ECHO6_REPLY):
        ours = data[8 : 8 + len(COOKIE)] == COOKIE
        return Answer(number, sequence) if ours else None
    inner = data[8:]
    if family == socket.AF_INET and kind == UNREACHABLE and len(inner) >= 28:
        dummy, dummy, dummy, number, sequence = struct.unpack_from(
            "!BBHHH", inner, (inner[0] & 15) * 4
        )
        too_long = f"too long for a link of MTU {struct.unpack_from('!H', data, 6)[0]}"
        reason = too_long if code == FRAGMENTATION_NEEDED else f"unreachable (code {code})"
        return Answer(number, sequence, reason)
    if family == socket.AF_INET6 and kind in (UNREACHABLE6, TOO_BIG6) and len(inner) >= 48:
        dummy, dummy, dummy, number, sequence = struct.unpack_from("!BBHHH", inner, 40)
        too_long = f"too long for a link of MTU {struct.unpack_from('!I', data, 4)[0]}"
        return Answer(number, sequence, too_long if kind == TOO_BIG6 else f"unreachable ({code})")
    return None


class Senders:
    """The sockets of a set of probes. `pid_of` gives the first process of a device by name."""

    def __init__(self, probes: list[Probe], pid_of: Callable[[str], int]) -> None:
        self._probes = probes
        self._pid_of = pid_of
        self._selector = selectors.DefaultSelector()
        self._sockets: dict[tuple[Any, ...], socket.socket] = {}
        pids: dict[str, int] = {}
        for probe in probes:
            if probe.device not in pids:
                pids[probe.device] = pid_of(probe.device)
            if probe.way not in self._sockets:
                self._open(probe, pids[probe.device])

    def send(self, number: int, sequence: int) -> str:
        """Send one request of probe `number`; return why not when it cannot be sent."""
        probe = self._probes[number]
        way = self._sockets.get(probe.way)
        if way is None:
            return "the device does not run"
        data = packet(probe.family, number, sequence, probe.size)
        try:
            way.sendto(data, (probe.target, 0))
        except OSError as exc:
            if exc.errno == errno.EMSGSIZE:
                return "too long for the first link"
            return exc.strerror or str(exc)
        return ""

    def answers(self, seconds: float) -> Iterator[Answer]:
        """Yield what has arrived; wait at most `seconds` for the first."""
        for key, dummy in self._selector.select(max(seconds, 0)):
            way = key.fileobj
            assert isinstance(way, socket.socket)
            while True:
                try:
                    data, sender = way.recvfrom(65535)
                except OSError:
                    break
                answer = parse(way.family, data)
                if answer is not None and self._fits(answer, key.data, sender[0]):
                    yield answer

    def reopen(self, device: str) -> None:
        """Make the sockets of a device again: it was restarted, in a namespace of its own."""
        try:
            pid = self._pid_of(device)
        except LabError:
            return
        for probe in self._probes:
            if probe.device == device:
                old = self._sockets.pop(probe.way, None)
                if old is not None:
                    self._selector.unregister(old)
                    old.close()
        for probe in self._probes:
            if probe.device == device and probe.way not in self._sockets:
                self._open(probe, pid)

    def _fits(self, answer: Answer, way: tuple[Any, ...], sender: str) -> bool:
        if answer.number >= len(self._probes):
            return False
        probe = self._probes[answer.number]
        # An error comes from a router on the way; an echo from nobody but the target counts.
        return probe.way == way and (bool(answer.reason) or _same_address(sender, probe.target))

    def _open(self, probe: Probe, pid: int) -> None:
        inner = pathlib.Path(f"/proc/{pid}/root/run/netns") / probe.netns
        place = inner if probe.netns else pathlib.Path(f"/proc/{pid}/ns/net")
        try:
            made = _within(place, lambda: _raw_socket(probe))
        except OSError as exc:
            words = exc.strerror or str(exc)
            raise LabError(
                f"probe {probe.identity!r} cannot start on {probe.device}: {words}"
            ) from exc
        self._sockets[probe.way] = made
        self._selector.register(made, selectors.EVENT_READ, probe.way)


def _raw_socket(probe: Probe) -> socket.socket:
    six = probe.family == socket.AF_INET6
    protocol = socket.IPPROTO_ICMPV6 if six else socket.IPPROTO_ICMP
    made = socket.socket(probe.family, socket.SOCK_RAW, protocol)
    made.setblocking(False)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
    discover = PMTUDISC_PROBE if probe.df else PMTUDISC_DONT
    if six:
        passed = {ECHO6_REPLY, UNREACHABLE6, TOO_BIG6}
        words = [0xFFFFFFFF] * 8
        for kind in passed:
            words[kind >> 5] &= ~(1 << (kind & 31))
        made.setsockopt(socket.IPPROTO_ICMPV6, ICMP6_FILTER, struct.pack("=8I", *words))
        made.setsockopt(socket.IPPROTO_IPV6, IPV6_MTU_DISCOVER, discover)
        made.setsockopt(socket.IPPROTO_IPV6, IPV6_DONTFRAG, int(probe.df))
    else:
        mask = 0xFFFFFFFF & ~(1 << ECHO_REPLY | 1 << UNREACHABLE)
        made.setsockopt(socket.IPPROTO_RAW, ICMP_FILTER, struct.pack("=I", mask))
        made.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, discover)
    if probe.netdev:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, probe.netdev.encode() + b"\0")
    if probe.source:
        made.bind((probe.source, 0))
    return made


def _within(place: pathlib.Path, make: Callable[[], socket.socket]) -> socket.socket:
    """Call `make` in another network namespace and come back."""
    library = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(place, os.O_RDONLY)
    try:
        if library.setns(there, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        try:
            return make()
        finally:
            library.setns(home, CLONE_NEWNET)
    finally:
        os.close(home)
        os.close(there)


def _same_address(one: str, other: str) -> bool:
    return ipaddress.ip_address(one.partition("%")[0]) == ipaddress.ip_address(other)


def as_row(probe: Probe) -> Mapping[str, Any]:
    """Return a probe as it is written in results."""
    row: dict[str, Any] = {"id": probe.identity, "from": probe.device, "to": probe.target}
    row |= {"size": probe.size, "df": probe.df, "expect": probe.expect}
    extra = {"source": probe.source, "netdev": probe.netdev, "netns": probe.netns}
    return row | {key: value for key, value in extra.items() if value}
