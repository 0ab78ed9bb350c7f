# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The daemons of FRR, on the lines that vtysh uses: a process of vtysh costs a guest a second, and each line more.

A command ends with a zero byte; an answer ends with three of them and the code, which is 0 for success.
"""

from __future__ import annotations

import itertools
import operator
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path

FOLDER = Path("/run/frr")
SECONDS = 30
OWNERS = {
    "bgpd": ("router bgp", "bgp ", "route-map ", "ip prefix-list ", "ipv6 prefix-list "),
    "zebra": ("vrf ", "interface ", "evpn "),
    "bfdd": ("bfd",),
    "staticd": ("ip route ", "ipv6 route "),
}
"""The daemon of each line at the top, with or without "no"; static routes of a VRF are in the context of the VRF."""
OPENING = ("router bgp", "route-map ", "vrf ", "interface ", "bfd")
INNER = ("address-family ", "profile ")


def shown(command: str, daemon: str = "") -> str:
    """Return the answer of a daemon, by default the responsible one, to a command that shows or clears."""
    owner = daemon or ("bgpd" if command.split()[1] == "bgp" else "zebra")
    *_first, (_code, text) = _said(owner, ["enable", command])
    return text


def configured(daemon: str, lines: list[str]) -> list[str]:
    """Configure a daemon; returns what it says of the lines that it refused."""
    orders = ["enable", "configure terminal", *lines]
    try:
        answers = list(_said(daemon, orders))
    except OSError as exc:
        return [f"{daemon}: {exc}"]
    return [
        f"{daemon}: '{line}': {' '.join(text.split()) or code}"
        for line, (code, text) in zip(orders, answers)
        if code
    ]


def shared(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Divide lines among daemons, in their order: each context goes whole to the daemon that it belongs to.

    >>> list(shared(["router bgp 1", "address-family ipv4 unicast", "exit-address-family", "exit", "bfd", "exit"]))
    [('bgpd', ['router bgp 1', 'address-family ipv4 unicast', 'exit', 'exit']), ('bfdd', ['bfd', 'exit'])]
    """
    parts = (part for block in _blocks(lines) for part in _owned(block))
    for daemon, some in itertools.groupby(parts, key=operator.itemgetter(0)):
        yield daemon, [line for _daemon, own in some for line in own]


def _owned(block: list[str]) -> Iterator[tuple[str, list[str]]]:
    head = block[0].removeprefix("no ")
    (owner,) = (name for name, heads in OWNERS.items() if head.startswith(heads))
    routes = [
        line for line in block[1:-1] if line.removeprefix("no ").startswith(OWNERS["staticd"])
    ]
    if head.startswith("vrf ") and routes:
        yield "staticd", [block[0], *routes, block[-1]]
        block = [line for line in block if line not in routes]
    yield owner, block


def _blocks(lines: Iterable[str]) -> Iterator[list[str]]:
    """Each context with all that is in it, and each line outside of one."""
    block: list[str] = []
    depth = 0
    for line in lines:
        if line.startswith("exit"):
            depth -= 1
            block.append("exit")
        else:
            depth += _opens(line, block, depth)
            block.append(line)
        if not depth:
            yield block
            block = []


def _opens(line: str, block: list[str], depth: int) -> bool:
    if not depth:
        return line.startswith(OPENING)
    return line.startswith(INNER) or (line.startswith("vni ") and block[0].startswith("router bgp"))


def _said(daemon: str, commands: list[str]) -> Iterator[tuple[int, str]]:
    """(code, text) of each command."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(SECONDS)
        line.connect(str(FOLDER / f"{daemon}.vty"))
        heard = b""
        for command in commands:
            line.sendall(command.encode() + b"\0")
            while b"\0\0\0" not in heard[:-1]:
                part = line.recv(1 << 16)
                if not part:
                    raise OSError(f"it ended its answer to '{command}'")
                heard += part
            text, _zeros, rest = heard.partition(b"\0\0\0")
            yield rest[0], text.decode()
            heard = rest[1:]
