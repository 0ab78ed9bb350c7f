# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The congestion control algorithm: which process serves a card and whether it is active."""

from __future__ import annotations

from ..parse.listings import cc_state
from ..records import Process
from ..state import load
from ..tools import Host

PROGRAM = "doca_spcx_cc"


def read_cc(host: Host) -> dict[str, Process]:
    """RDMA device -> {pid, started, unit, state, instances} of each algorithm that runs.

    state is `active` or what the log says (`standby`, `error`, ...), `unknown` without a log.
    """
    found: dict[str, Process] = {}
    for pid in (name for name in host.entries("/proc") if name.isdigit()):
        rdma = _serves(host.text(f"/proc/{pid}/cmdline") or "")
        if rdma and rdma in found:
            found[rdma]["instances"] += 1
        elif rdma:
            found[rdma] = _instance(host, rdma, pid)
    return found


def read_one(host: Host, rdma: str) -> Process:
    """The same for one device; {} where nothing runs."""
    return read_cc(host).get(rdma, {})


def _serves(cmdline: str) -> str:
    """The device of a command line, "" for another program; a script follows its interpreter."""
    words = cmdline.split("\0")
    if not any(word.rsplit("/", 1)[-1] == PROGRAM for word in words[:3]):
        return ""
    for n, word in enumerate(words):
        if word in ("-d", "--device") and n + 1 < len(words):
            return words[n + 1]
        if word.startswith("--device="):
            return word[9:]
    return ""


def _instance(host: Host, rdma: str, pid: str) -> Process:
    unit = _unit(host.text(f"/proc/{pid}/cgroup") or "")
    return {
        "pid": int(pid),
        "started": started(host.text(f"/proc/{pid}/stat") or ""),
        "unit": unit,
        "state": _state(host, rdma, pid, unit),
        "instances": 1,
    }


def started(stat: str) -> int:
    """Field 22 of /proc/PID/stat; the name in parentheses may hold spaces."""
    words = stat.rpartition(")")[2].split()
    return int(words[19]) if len(words) > 19 else 0


def _unit(cgroup: str) -> str:
    names = [part for line in cgroup.splitlines() for part in line.split("/")]
    units = [name for name in names if name.endswith(".service")]
    return units[-1] if units else ""


def _state(host: Host, rdma: str, pid: str, unit: str) -> str:
    note = load(host, f"cc-{rdma}")
    if str(note.get("pid")) == pid:
        return str(note.get("state", "unknown"))
    if not unit:
        return "unknown"
    log = host.ask("journalctl", "-u", unit, "-o", "cat", "-n", "200", "--no-pager").out
    return cc_state(log) or "unknown"
