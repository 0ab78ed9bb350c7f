# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attempts of a host for `validate`: pings that may not be fragmented, and packets that must not arrive.

Two looks at the counters are around the pings. What must not be achieved are pings, connections and a
forged VXLAN packet: each such attempt gets its `answer`, "" for silence, else what came back. Any answer
counts, a refusal too: it shows that the packet reached a device that should not have seen it. Nothing is
written.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import struct
import time
from collections.abc import Callable, Iterable, Iterator

from .._nic import textfile
from .._nic.apply import Finding
from .._nic.desired import Nic, nics_from
from .._nic.errors import NicError
from .._nic.gather import cards_for
from .._nic.parse.qos import parse_statistics
from .._nic.tools import MISSING, Host, Result, side_by_side
from .._nic.watch import judge
from .gpudirect import read_gpudirect
from .records import Attempt, AttemptResult, Attempts, Ping, PingResult, ProbeResult

TRIES = 3
REASONS = (
    r"Cannot assign requested address",
    r"message too long[^\n]*",
    r"Frag needed[^\n]*",
    r"Destination [^\n]*",
    r"(?:^|(?<=\n))[^\n]*nreachable",
)
"""Words of a router or of the kernel where a ping is lost."""


def probe(host: Host, tries: Attempts) -> ProbeResult:
    """Run the attempts: {pings: [{..., ok, reason}], attempts: [{..., answer}], findings of the counters}.

    `tries` are {pings, attempts, nics}; {error} where they cannot be made. With NICs there is `gpudirect` too.
    """
    try:
        nics = nics_from(tries["nics"])
        found = _pinged(host, tries["pings"], nics)
        found["textfile"] = textfile.age(host, time.time())
        if nics:
            found["gpudirect"] = read_gpudirect(host, [nic.pci for nic in nics])
        return {**found, "attempts": attempt_all(host, tries["attempts"])}
    except NicError as exc:
        return {"error": str(exc)}


def _pinged(host: Host, pings: Iterable[Ping], nics: Iterable[Nic]) -> ProbeResult:
    """{pings: [{..., ok, reason}], findings: [{check, target, expected, found, sentence}]}."""
    cards = cards_for(host, nics)
    ports = [(port, nic) for card, nic in cards for port in card["ports"] if port["netdev"]]
    before = {port["netdev"]: _statistics(host, port["netdev"]) for port, _nic in ports}
    answers = side_by_side(lambda row: _answer(host, row), list(pings))
    findings = [
        finding.plain()
        for port, nic in ports
        for finding in _judged(host, port["netdev"], before[port["netdev"]], nic)
    ]
    return {"pings": answers, "findings": findings}


def _judged(host: Host, netdev: str, before: dict[str, int], nic: Nic) -> list[Finding]:
    """Counters that could not be read prove nothing."""
    now = _statistics(host, netdev)
    if now:
        return judge(netdev, before, now, nic)
    sentence = f"{netdev}: ethtool shows no counters: install ethtool, or check the driver."
    return [Finding("counters", netdev, "readable", "nothing", sentence)]


def _statistics(host: Host, netdev: str) -> dict[str, int]:
    return parse_statistics(host.ask("ethtool", "-S", netdev).out)


def _answer(host: Host, row: Ping) -> PingResult:
    said = ping(host, row, TRIES, "-M", "do", "-s", str(row["size"]), timeout=15)
    return {**row, "ok": said.rc == 0, "reason": "" if said.rc == 0 else _reason(said.text)}


def _reason(text: str) -> str:
    """Return the reason that a router or the kernel gave, "" for silence."""
    found = (re.search(pattern, text, re.IGNORECASE) for pattern in REASONS)
    return next((match.group(0).strip() for match in found if match), "")


# What must not be achieved

PATIENCE = 1.0
"""Seconds to wait for an answer; attempts of one host run side by side."""
VXLAN = 4789
ECHO, ECHO_REPLY, ECHO6, ECHO6_REPLY = 8, 0, 128, 129


def attempt_all(host: Host, attempts: Iterable[Attempt]) -> list[AttemptResult]:
    """Each attempt with its `answer`, in order."""
    return side_by_side(lambda row: _attempt(host, row), list(attempts))


def _attempt(host: Host, row: Attempt) -> AttemptResult:
    tried: dict[str, Callable[[], str]] = {
        "stranger": lambda: "" if ping(host, row, 2, timeout=10).rc else "echo reply",
        "tcp": lambda: connection(row["source"], row["to"], row["port"]),
        "vxlan": lambda: forged(row["source"], row["to"], row["vni"]),
    }
    return {**row, "answer": tried[row["kind"]]()}


def ping(host: Host, row: Attempt | Ping, count: int, *more: str, timeout: float) -> Result:
    """The answer to packets of an interface; NicError without the tool."""
    argv = ("ping", "-c", str(count), "-i", "0.2", "-W", "1", *more)
    said = host.ask(*argv, "-I", row["source"], row["to"], timeout=timeout)
    if said.rc == MISSING:
        raise NicError("ping is not installed; install the package iputils-ping.")
    return said


def connection(source: str, to: str, port: int, *, patience: float = PATIENCE) -> str:
    """Try a TCP connection: "connected", "refused", or "" without an answer.

    A host that lacks the address gets no answer either: the check of its interfaces says so, and
    the pings to its leaf that silence here says nothing.
    """
    with contextlib.closing(socket.socket(_family(to), socket.SOCK_STREAM)) as tried:
        tried.settimeout(patience)
        try:
            tried.bind((source, 0))
            tried.connect((to, port))
        except ConnectionRefusedError:
            return "refused"
        except OSError:
            return ""
    return "connected"


def forged(source: str, to: str, vni: int, *, patience: float = PATIENCE) -> str:
    """Send a VXLAN packet to an address that must not accept any from here, and return the answer.

    "refused": it reached the switch's own stack; "carried": it was unpacked, and the inner packet,
    an echo request from `source` to `to`, was answered.
    """
    number = os.getpid() & 0xFFFF ^ vni & 0xFFFF
    try:
        listening = _listener(to)
    except PermissionError as exc:
        raise NicError("attempts: a forged packet needs root: set become: true.") from exc
    with (
        contextlib.closing(listening),
        contextlib.closing(socket.socket(_family(to), socket.SOCK_DGRAM)) as outer,
    ):
        outer.settimeout(patience / 4)
        with contextlib.suppress(OSError):
            outer.bind((source, 0))
            outer.connect((to, VXLAN))
        for dummy in range(2):
            try:
                outer.send(packet(source, to, vni, number))
                outer.recv(1)
            except ConnectionRefusedError:
                return "refused"
            except OSError:
                pass
        listening.settimeout(0.05)
        return "carried" if number in _replies(listening, to, patience / 2) else ""


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def _listener(to: str) -> socket.socket:
    protocol = socket.IPPROTO_ICMPV6 if ":" in to else socket.IPPROTO_ICMP
    return socket.socket(_family(to), socket.SOCK_RAW, protocol)


def _replies(listening: socket.socket, sender: str, seconds: float) -> Iterator[int]:
    """Identifiers of the echo replies from an address; IPv4's raw sockets show the header too."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            data, address = listening.recvfrom(2048)
        except socket.timeout:
            continue
        body = data if ":" in sender else data[(data[0] & 0x0F) * 4 :]
        kind = ECHO6_REPLY if ":" in sender else ECHO_REPLY
        if address[0] == sender and len(body) >= 8 and body[0] == kind:
            yield struct.unpack_from("!H", body, 4)[0]


# The forged packet


def packet(source: str, to: str, vni: int, number: int) -> bytes:
    """A VXLAN header of `vni`, then a broadcast frame with an echo request from `source` to `to`."""
    family = _family(to)
    ends = socket.inet_pton(family, source) + socket.inet_pton(family, to)
    frame = b"\xff" * 6 + b"\x02\x00\x00\x00\x00\x01"
    if family == socket.AF_INET6:
        echo = _echo(ECHO6, number, ends + struct.pack("!IHBB", 8, 0, 0, socket.IPPROTO_ICMPV6))
        header = struct.pack("!IHBB", 6 << 28, len(echo), socket.IPPROTO_ICMPV6, 64) + ends
        inner = frame + b"\x86\xdd" + header + echo
    else:
        echo = _echo(ECHO, number, b"")
        bare = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(echo), 0, 0, 64, 1, 0) + ends
        inner = frame + b"\x08\x00" + bare[:10] + checksum(bare) + bare[12:] + echo
    return struct.pack("!BBHI", 0x08, 0, 0, vni << 8) + inner


def _echo(kind: int, number: int, pseudo: bytes) -> bytes:
    """An echo request without payload, its checksum over `pseudo` (IPv6's pseudo header) as well."""
    body = struct.pack("!BBHHH", kind, 0, 0, number, 1)
    return body[:2] + checksum(pseudo + body) + body[4:]


def checksum(data: bytes) -> bytes:
    """The Internet checksum of an even number of bytes.

    >>> checksum(bytes.fromhex("08000000002a0001")).hex()
    'f7d4'
    """
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return struct.pack("!H", ~total & 0xFFFF)
