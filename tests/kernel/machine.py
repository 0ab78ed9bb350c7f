# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines of the lab: each a process in namespaces of its own that does what it is asked. Standard library only.

A guest computes every instruction, and a Python that starts there takes a second: so a machine is a fork of the
story, which has everything loaded, and a switch starts its daemons itself instead of by start.sh.
"""

from __future__ import annotations

import contextlib
import ctypes
import ipaddress
import itertools
import json
import os
import pathlib
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from realiser import Realiser, kernel, vty
from realiser.daemons import Frr
from realiser.document import Refused
from realiser.shell import CommandError

NEW = 0x00020000 | 0x40000000 | 0x04000000 | 0x08000000
"""Namespaces of mounts, network, host name and interprocess communication."""
PRIVATE = 0x4000 | 0x40000
PROCESSES = 0x20000000
"""A namespace of processes, for a story: what it started ends with it."""
GROUPS = pathlib.Path("/sys/fs/cgroup")
"""Folder in which `ip vrf exec` notes the VRF of a process: machines without groups of their own would share VRFs of
one name."""
SIZE, ANSWER_SECONDS = 56, 1
MTU_DISCOVER, ALWAYS = 10, 2
"""IP_MTU_DISCOVER and IP_PMTUDISC_DO, which Python does not name."""
PLAIN = re.compile(r"ip [\w./:+ -]+")
"""A call of ip(8) without anything that is the shell's."""
OWN = ("/run", "/etc/frr", "/var/tmp")
CAUGHT = (RuntimeError, OSError, subprocess.SubprocessError, ValueError, LookupError)
LIBC = ctypes.CDLL(None, use_errno=True)

Plain = dict[str, Any]


class Failed(RuntimeError):
    """A machine could not do what it was asked; the text is its own words."""


class Machine:
    """A machine, as the story sees it: `send` an order, `receive` its answer, or `ask`, which is both."""

    def __init__(self, name: str) -> None:
        self.name = name
        mine, its = socket.socketpair()
        self.pid = os.fork()
        if not self.pid:
            mine.close()
            _live(name, its)
        its.close()
        self._answers = mine.makefile("r", encoding="utf-8")
        self._orders = mine.makefile("w", encoding="utf-8")
        self.receive()

    def send(self, verb: str, **order: Any) -> None:
        """Have something begun."""
        self._orders.write(json.dumps({"verb": verb, **order}) + "\n")
        self._orders.flush()

    def receive(self) -> Any:
        """The answer to the oldest order that has none yet."""
        answer = json.loads(self._answers.readline() or '{"failed": "it has ended"}')
        if "failed" in answer:
            raise Failed(f"{self.name}: {answer['failed']}")
        return answer["said"]

    def ask(self, verb: str, **order: Any) -> Any:
        """Have something done."""
        self.send(verb, **order)
        return self.receive()

    def sh(self, script: str, *, check: bool = True) -> str:
        """Run a script and return its output; Failed where it ends with another code than 0 and `check` is set."""
        return str(self.ask("sh", script=script, check=check))

    def reaches(self, address: str, *, vrf: str = "", size: int = SIZE) -> bool:
        """Check whether an address answers one echo request, in one piece, within a second."""
        return bool(self.ask("reach", address=address, vrf=vrf, size=size))

    def shows(self, command: str) -> Any:
        """Return FRR's answer to a show command in JSON."""
        return self.ask("show", command=command) or {}


def cables(rows: Iterable[tuple[Machine, str, Machine, str]]) -> None:
    """Lay cables, as pairs of virtual Ethernet devices."""
    lines = [
        f"link add {port} mtu 9216 netns {one.pid} type veth peer name {other} mtu 9216 netns {two.pid}"
        for one, port, two, other in rows
    ]
    subprocess.run(["ip", "-batch", "-"], input="\n".join(lines) + "\n", text=True, check=True)


def _live(name: str, line: socket.socket) -> None:
    """Be a machine until the story ends."""
    try:
        _become(name)
        orders, answers = line.makefile("r", encoding="utf-8"), line.makefile("w", encoding="utf-8")
        life = Life(name)
        answers.write('{"said": true}\n')
        answers.flush()
        for text in orders:
            order = json.loads(text)
            try:
                answer = {"said": getattr(life, order.pop("verb"))(**order)}
            except CAUGHT as exc:
                answer = {"failed": f"{exc} {traceback.format_exc(limit=-3)}"}
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
    finally:
        os._exit(0)


def _become(name: str) -> None:
    """Leave the namespaces of the story, and have what a machine must not share."""
    _call(LIBC.unshare(NEW))
    _call(LIBC.mount(b"none", b"/", None, PRIVATE, None))
    _call(LIBC.mount(b"sysfs", b"/sys", b"sysfs", 0, None))
    _call(LIBC.mount(b"cgroup2", bytes(GROUPS), b"cgroup2", 0, None))
    (GROUPS / f"spx-{name}").mkdir(exist_ok=True)
    (GROUPS / f"spx-{name}" / "cgroup.procs").write_text("0", encoding="ascii")
    for folder in OWN:
        _call(LIBC.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, None))
    socket.sethostname(name)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def _call(code: int) -> None:
    if code:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Life:
    """Requests to a machine, on its own side."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._realiser: Realiser | None = None
        self._watching: dict[str, tuple[pathlib.Path, subprocess.Popen[bytes]]] = {}

    def sh(self, *, script: str, check: bool) -> str:
        """Run a script."""
        done = subprocess.run(
            ["sh", "-ec", batched(script)], capture_output=True, text=True, timeout=60, check=False
        )
        if check and done.returncode:
            raise Failed(
                f"{script}: {done.stderr.strip() or done.stdout.strip() or done.returncode}"
            )
        return done.stdout

    def route(self, *, daemons: list[str]) -> bool:
        """Start daemons of FRR, zebra first."""
        kernel.sysctl("", kernel.FORWARDING)
        for folder in ("/run/frr", "/etc/frr"):
            os.makedirs(folder, exist_ok=True)
            subprocess.run(["chown", "-R", "frr:frr", folder], check=True)
        pathlib.Path("/etc/frr/vtysh.conf").touch()
        for some in (daemons[:1], daemons[1:]):
            starts = [_start(daemon) for daemon in some]
            if any(start.wait(60) for start in starts):
                raise Failed("a daemon of FRR did not start")
        return True

    def realise(self, *, document: Plain, mac: str) -> Plain:
        """Have a document realised, and say what was not."""
        if self._realiser is None:
            self._realiser = Realiser("kernel", RuntimeError, mac=mac)
            self._realiser.mender.rests = True
        try:
            self._realiser.realise(document)
        except (Refused, CommandError) as exc:
            raise Failed(str(exc)) from exc
        return self._realiser.report()

    def mend(self, *, rests: bool) -> bool:
        """Have FRR given back what it forgets, or not for now."""
        if self._realiser:
            self._realiser.mender.rests = rests
        return True

    def mended(self) -> list[str]:
        """List the settings that FRR lost and that were restored."""
        return self._realiser.report()["mended"] if self._realiser else []

    def operational(self, *, path: list[str]) -> Any:
        """Return the answer that the API of the switch would give."""
        return self._realiser.operational(path) if self._realiser else None

    def reach(self, *, address: str, vrf: str, size: int) -> bool:
        """Check whether an address answers one echo request."""
        return echoes([(vrf, address)], size)[0]

    def reaching(self, *, tries: list[tuple[str, str]]) -> list[bool]:
        """Check which (VRF, address) answer one echo request, all at the same time."""
        return echoes(tries, SIZE)

    def stream(self, *, addresses: list[str], seconds: float, every: float) -> Plain:
        """Echo requests to several addresses for a while: the numbers of those that stayed without answer."""
        words = ["ping", "-n", "-i", str(every), "-c", str(round(seconds / every)), "-W", "1"]
        sent = {
            to: subprocess.Popen([*words, to], stdout=subprocess.PIPE, text=True)
            for to in addresses
        }
        every_number = range(1, round(seconds / every) + 1)
        lost = {}
        for to, process in sent.items():
            said = process.communicate(timeout=60)[0].splitlines()
            heard = {int(line.split("icmp_seq=")[1].split()[0]) for line in said if "time=" in line}
            lost[to] = [number for number in every_number if number not in heard]
        return lost

    def watch(self, *, pairs: list[tuple[str, str]]) -> bool:
        """Begin to send echo requests from addresses of the machine to others, ten a second each."""
        self._watching = {}
        for source, to in pairs:
            file = pathlib.Path(f"/var/tmp/watch-{to}")
            with file.open("wb") as out:
                words = ["ping", "-n", "-D", "-i", "0.1", "-I", source, to]
                self._watching[to] = (file, subprocess.Popen(words, stdout=out, stderr=out))
        return True

    def watched(self) -> dict[str, list[float]]:
        """Return the times of the answers of each of the others, by the clock."""
        found = {}
        for to, (file, process) in self._watching.items():
            process.send_signal(signal.SIGINT)
            process.wait(20)
            lines = file.read_text(encoding="utf-8").splitlines()
            found[to] = [float(line[1 : line.index("]")]) for line in lines if " time=" in line]
        return found

    def ports(self, *, names: list[str], state: str) -> bool:
        """Pull cables of ports, or plug them; no names: all, which is what neighbours see of a dead machine."""
        chosen = names or [
            name for name in os.listdir("/sys/class/net") if name.startswith(("swp", "p"))
        ]
        for name in chosen:
            if "." not in name:
                subprocess.run(["ip", "link", "set", name, state], check=True)
        return True

    def show(self, *, command: str) -> Any:
        """Return FRR's answer in JSON; nothing where there is none."""
        return Frr().ask(command)

    def trace(self, *, pattern: str) -> int:
        """Count the lines of kernel and FRR that match a pattern: devices, routes, filters, configuration."""
        text = self.sh(script="ip -o link; ip route show table all; nft list ruleset", check=True)
        text += "".join(vty.shown("show running-config", one) for one in ("zebra", "bgpd"))
        text += vty.shown("show bgp l2vpn evpn")
        return sum(re.search(pattern, line) is not None for line in text.splitlines())

    def configure(self, *, text: str) -> bool:
        """Give FRR a configuration that was written for it."""
        lines = text.splitlines()
        if refused := [
            words for who, own in vty.shared(lines) for words in vty.configured(who, own)
        ]:
            raise Failed("; ".join(refused))
        return True


def echoes(tries: Sequence[tuple[str, str]], size: int) -> list[bool]:
    """Try one echo request of so many bytes to each (VRF, address), within a second, and return the answers.

    A process of ping(8) for each would take a guest longer than the answers do.
    """
    lines: dict[tuple[str, bool], socket.socket] = {}
    wanted = [ipaddress.ip_address(to) for _vrf, to in tries]
    heard: set[int] = set()
    for number, (vrf, to) in enumerate(tries):
        six = ":" in to
        if (vrf, six) not in lines:
            lines[vrf, six] = _line(vrf, six=six)
        with contextlib.suppress(OSError):
            lines[vrf, six].sendto(_request(number, size, six=six), (to, 0))
    deadline = time.monotonic() + ANSWER_SECONDS
    while len(heard) < len(tries) and (left := deadline - time.monotonic()) > 0:
        for line in select.select(list(lines.values()), [], [], left)[0]:
            data, where = line.recvfrom(1 << 16)
            number = _answered(data, six=line.family == socket.AF_INET6)
            if number is not None and wanted[number] == ipaddress.ip_address(where[0]):
                heard.add(number)
    for line in lines.values():
        line.close()
    return [number in heard for number in range(len(tries))]


def _line(vrf: str, *, six: bool) -> socket.socket:
    """A socket for echo requests from a VRF, which are never cut in pieces."""
    if six:
        line = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
    else:
        line = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        line.setsockopt(socket.IPPROTO_IP, MTU_DISCOVER, ALWAYS)
    if vrf:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, vrf.encode())
    return line


def _request(number: int, size: int, *, six: bool) -> bytes:
    """An echo request with the number of a try; the kernel computes the checksum of ICMPv6 alone."""
    kind, who = 128 if six else 8, os.getpid() & 0xFFFF
    total = (kind << 8) + who + number
    checksum = 0 if six else ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
    return struct.pack("!BBHHH", kind, 0, checksum, who, number) + bytes(size)


def _answered(data: bytes, *, six: bool) -> int | None:
    """The number of the try that a packet answers; None where it answers none of this process."""
    begin = 0 if six else (data[0] & 15) * 4
    kind, _code, _sum, who, number = struct.unpack_from("!BBHHH", data, begin)
    return number if (kind, who) == (129 if six else 0, os.getpid() & 0xFFFF) else None


def batched(script: str) -> str:
    """The script with calls of ip(8) that follow one another as one call, as each takes a guest long."""
    made = []
    for plain, lines in itertools.groupby(script.splitlines(), key=_plain):
        rows = list(lines)
        if plain and len(rows) > 1:
            rows = ["ip -batch - <<'.'", *(row.removeprefix("ip ") for row in rows), "."]
        made += rows
    return "\n".join(made)


def _plain(line: str) -> bool:
    return PLAIN.fullmatch(line) is not None


def alone(name: str, tell: Callable[[Any], Plain], order: Any) -> None:
    """Tell a story and print its answer; everything that it started ends with it."""
    if not (runner := os.fork()):
        _call(LIBC.unshare(PROCESSES | NEW))
        if not (first := os.fork()):
            _call(LIBC.mount(b"none", b"/", None, PRIVATE, None))
            _call(LIBC.mount(b"proc", b"/proc", b"proc", 0, None))
            try:
                print("ANSWER", name, json.dumps(tell(order)), flush=True)
            finally:  # others are told their stories, whatever it was
                if sys.exc_info()[0]:
                    traceback.print_exc(file=sys.stdout)
                sys.stdout.flush()
                os._exit(0)
        os.waitpid(first, 0)
        os._exit(0)
    os.waitpid(runner, 0)


def say(begun: float, words: str) -> None:
    """A line for whoever looks at a story that does not end."""
    print(f"{time.monotonic() - begun:.1f} s: {words}", flush=True)


def _start(daemon: str) -> subprocess.Popen[bytes]:
    words = [f"/usr/lib/frr/{daemon}", "-d", "-F", "datacenter", "-A", "127.0.0.1", "-P", "0"]
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def eventually(check: Any, seconds: float) -> float | None:
    """Seconds until `check()` became true; None where it did not in time."""
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        if check():
            return round(time.monotonic() - begun, 1)
        with contextlib.suppress(InterruptedError):
            select.select([], [], [], 0.1)
    return None
