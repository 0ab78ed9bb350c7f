# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Carry loss of carrier from one end of each cable to the other.

Runs in the cables namespace, where every cable is a bridge with two ports. A port of the panel
has carrier while the device's port at its other half is up. When one of a pair loses it, this
process takes the other down, whose device then sees no carrier; and brings it back later.
Reads rtnetlink itself: one small process, asleep until the kernel reports a change.

    python -m lab.linkd FILE      notes there the ends of all cables without carrier, as a JSON list of "device:port"
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import select
import socket
import struct
import sys
from collections.abc import Iterable, Iterator

RTM_NEWLINK, RTM_GETLINK = 16, 18
NLM_F_REQUEST, NLM_F_DUMP = 1, 0x300
NLMSG_ERROR, NLMSG_DONE = 2, 3
RTMGRP_LINK = 1
IFLA_IFNAME, IFLA_MASTER, IFLA_IFALIAS, IFLA_GROUP = 3, 10, 20, 27
IFF_UP, IFF_LOWER_UP = 1, 1 << 16
HEADER = struct.Struct("=IHHII")
IFINFO = struct.Struct("=BxHiII")
SETTLE = 0.01
"""Seconds to gather further reports of one event before looking."""


@dataclasses.dataclass(frozen=True)
class Port:
    """One half of a cable as the panel sees it. `bridge` is the index of its cable's bridge, `end` what it is in."""

    index: int
    bridge: int
    up: bool
    carrier: bool
    pulled: bool = False
    end: str = ""


def decide(ports: Iterable[Port]) -> dict[int, bool]:
    """Return the ports to change: index -> up (True) or down (False)."""
    changes: dict[int, bool] = {}
    for pair in _cables(ports):
        if any(port.pulled for port in pair):
            continue
        for port in pair:
            others = [other for other in pair if other is not port]
            wanted = _wanted(port, others[0]) if others else False
            if wanted != port.up:
                changes[port.index] = wanted
    return changes


def dark(ports: Iterable[Port]) -> list[str]:
    """Return the ends of cables without carrier. The end at a dead device is gone, and the other one is listed."""
    return sorted(
        port.end
        for pair in _cables(ports)
        if len(pair) < 2 or not all(half.up and half.carrier for half in pair)
        for port in pair
        if port.end
    )


def _cables(ports: Iterable[Port]) -> Iterable[list[Port]]:
    """Return the halves of each cable."""
    cables: dict[int, list[Port]] = {}
    for port in ports:
        if port.bridge:
            cables.setdefault(port.bridge, []).append(port)
    return cables.values()


def _wanted(port: Port, other: Port) -> bool:
    """Return whether `port` is to be up, given the other end of its cable.

    Without carrier on both ends nothing is known, and both stay up to be watched.
    """
    if other.up and not other.carrier:
        return port.up and not port.carrier
    return True


def parse(data: bytes) -> Iterator[tuple[int, Port | None]]:
    """Yield (message type, port or None) of each netlink message; ports are named c<n>a, c<n>b."""
    at = 0
    while at + HEADER.size <= len(data):
        length, kind, *dummy = HEADER.unpack_from(data, at)
        if length < HEADER.size:
            return
        yield kind, _port(data[at + HEADER.size : at + length]) if kind == RTM_NEWLINK else None
        at += (length + 3) & ~3


def _port(body: bytes) -> Port | None:
    dummy, dummy, index, flags, dummy = IFINFO.unpack_from(body, 0)
    attributes = dict(_attributes(body[IFINFO.size :]))
    name = attributes.get(IFLA_IFNAME, b"").rstrip(b"\0")
    if not (name[:1] == b"c" and name[1:-1].isdigit() and name[-1:] in (b"a", b"b")):
        return None
    return Port(
        index=index,
        bridge=_number(attributes.get(IFLA_MASTER)),
        up=bool(flags & IFF_UP),
        carrier=bool(flags & IFF_LOWER_UP),
        pulled=bool(_number(attributes.get(IFLA_GROUP))),
        end=attributes.get(IFLA_IFALIAS, b"").rstrip(b"\0").decode(),
    )


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, at)
        if length < 4:
            return
        yield kind & 0x3FFF, data[at + 4 : at + length]
        at += (length + 3) & ~3


def _number(value: bytes | None) -> int:
    return struct.unpack("=I", value)[0] if value else 0


def _request(kind: int, flags: int, body: bytes) -> bytes:
    return HEADER.pack(HEADER.size + len(body), kind, NLM_F_REQUEST | flags, 0, 0) + body


def _ports(talk: socket.socket) -> list[Port]:
    """Return all cable halves, as the kernel has them now."""
    talk.send(_request(RTM_GETLINK, NLM_F_DUMP, IFINFO.pack(0, 0, 0, 0, 0)))
    found: list[Port] = []
    while True:
        for kind, port in parse(talk.recv(1 << 18)):
            if kind in (NLMSG_DONE, NLMSG_ERROR):
                return found
            if port is not None:
                found.append(port)


def _set(talk: socket.socket, index: int, up: bool) -> None:
    talk.send(_request(RTM_NEWLINK, 4, IFINFO.pack(0, 0, index, IFF_UP if up else 0, IFF_UP)))
    talk.recv(1 << 16)


def _open(groups: int) -> socket.socket:
    made = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
    made.bind((0, groups))
    return made


def main() -> None:
    """Watch until killed, or until the lab's namespace is only ours (its name is gone)."""
    file, noted = pathlib.Path(sys.argv[1]), None
    news, talk = _open(RTMGRP_LINK), _open(0)
    news.setblocking(False)
    while True:
        ports = _ports(talk)
        for index, up in decide(ports).items():
            _set(talk, index, up)
        if dark(ports) != noted:
            noted = dark(ports)
            _note(file, noted)
        select.select([news], [], [])
        select.select([], [], [], SETTLE)
        _drain(news)


def _note(file: pathlib.Path, ends: list[str]) -> None:
    """Write the file whole, or leave it as it is."""
    new = file.with_suffix(".new")
    new.write_text(json.dumps(ends), encoding="utf-8")
    new.replace(file)


def _drain(news: socket.socket) -> None:
    while True:
        try:
            news.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError as exc:
            # Reports were lost because too many came at once: the next look sees everything.
            if exc.errno != 105:
                raise


if __name__ == "__main__":
    os.nice(5)
    main()
