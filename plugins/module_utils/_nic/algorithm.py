# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs doca_spcx_cc for one RDMA device under systemd: ready when it is active, never before.

The state of the log is noted below /run/spectrum-x, so that no other reader has to search the
journal. systemd learns of it through its notify socket (Type=notify).
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence

from .desired import DesiredState, Nic
from .discover import discover
from .errors import NicError
from .gather import cards_for, serves_cc
from .parse.listings import cc_state
from .read.cc import read_cc, read_one
from .state import save
from .tools import Host

PROGRAM = "/opt/mellanox/doca/tools/doca_spcx_cc"


def run_algorithm(
    host: Host,
    rdma: str,
    *,
    program: str = PROGRAM,
    cpus: Iterable[int] = (),
    timeout: float = 60,
) -> int:
    """Serve one device until the program ends; its exit status. NicError when it cannot start.

    `timeout` is in seconds; a program that is not active by then is stopped.
    """
    other = read_one(host, rdma)
    if other:
        raise NicError(
            f"{rdma}: doca_spcx_cc already serves this device as process {other['pid']} "
            f"({other['unit'] or 'no unit'}); stop that one first."
        )
    _pin(rdma, set(cpus))
    process = _start(program, rdma)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    active = threading.Event()
    reader = threading.Thread(target=_follow, args=(host, rdma, process, active), daemon=True)
    reader.start()
    if not _became_active(process, active, timeout):
        process.terminate()
        process.wait(timeout=10)
        raise NicError(
            f"{rdma}: doca_spcx_cc was not active within {timeout:g} s; check "
            "USER_PROGRAMMABLE_CC (mlxconfig, current value) and the log above."
        )
    status = process.wait()
    _note(host, rdma, process, "ended")
    return status


def share(devices: Sequence[str], cpus: Sequence[int]) -> dict[str, list[int]]:
    """Distribute the processors among the devices in turn, again from the first when they run out."""
    if not cpus or not devices:
        return {}
    return {
        rdma: list(cpus[n :: len(devices)]) or [cpus[n % len(cpus)]]
        for n, rdma in enumerate(devices)
    }


def serving(host: Host, desired: DesiredState | None = None) -> list[str]:
    """The RDMA devices that an algorithm serves, in the order of their cards; of all without a state."""
    nics = desired.nics if desired else ()
    cards = cards_for(host, nics) if nics else [(card, Nic(card["pci"])) for card in discover(host)]
    return [
        port["rdma"]
        for card, nic in cards
        for n, port in enumerate(card["ports"])
        if port["rdma"] and serves_cc(nic, first=n == 0)
    ]


def pin_running(host: Host, dealt: dict[str, list[int]]) -> None:
    """Move the algorithms that run, with all their threads; {} gives them what systemd itself has."""
    anywhere = os.sched_getaffinity(1)
    for rdma, process in read_cc(host).items():
        for thread in host.entries(f"/proc/{process['pid']}/task"):
            _pin(rdma, set(dealt.get(rdma, anywhere)), int(thread))


def _pin(rdma: str, cpus: set[int], process: int = 0) -> None:
    """The program inherits the processors of this process: one of them per NIC is its cost."""
    if not cpus:
        return
    try:
        os.sched_setaffinity(process, cpus)
    except ProcessLookupError:
        return  # it ended meanwhile
    except OSError as exc:
        raise NicError(
            f"{rdma}: the host has no processors {sorted(cpus)} to pin doca_spcx_cc to "
            f"({exc.strerror}); correct dpu_agent_processors and run the playbook dpus."
        ) from exc


def _start(program: str, rdma: str) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            [program, "--device", rdma],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
            errors="replace",
        )
    except OSError as exc:
        raise NicError(
            f"{program}: {exc.strerror}; install the DOCA package doca-spcx-cc on this host."
        ) from exc


def _follow(host: Host, rdma: str, process: subprocess.Popen[str], active: threading.Event) -> None:
    for line in process.stdout or ():
        sys.stdout.write(line)
        sys.stdout.flush()
        state = cc_state(line)
        if state:
            _note(host, rdma, process, state)
        if state == "active" and not active.is_set():
            notify("READY=1")
            active.set()


def _note(host: Host, rdma: str, process: subprocess.Popen[str], state: str) -> None:
    """For all other readers; without the note they search the journal, so a full /run stops none of them."""
    try:
        save(host, f"cc-{rdma}", {"pid": process.pid, "state": state})
    except NicError as exc:
        sys.stdout.write(f"{exc}\n")


def _became_active(process: subprocess.Popen[str], active: threading.Event, timeout: float) -> bool:
    waited = 0.0
    while waited < timeout:
        if active.wait(0.2):
            return True
        if process.poll() is not None:
            return active.is_set()
        waited += 0.2
    return False


def notify(message: str) -> None:
    """Notify systemd; without a notify socket nothing happens."""
    name = os.environ.get("NOTIFY_SOCKET", "")
    if not name:
        return
    address = "\0" + name[1:] if name.startswith("@") else name
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.connect(address)
        channel.sendall(message.encode())
