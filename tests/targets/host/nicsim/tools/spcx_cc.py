# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""doca_spcx_cc: the congestion-control process, one per RDMA device, in the foreground."""

from __future__ import annotations

import os
import signal
import time
from typing import Any, Optional

from nicsim import faults, hardware, lifecycle
from nicsim.call import Call, ToolError, say
from nicsim.store import State
from nicsim.tools import _mft

VALUES = {
    "-d": "device",
    "--device": "device",
    "--threads": "threads",
    "--wait-time": "wait",
    "-w": "wait",
    "--probe-packet-format": "probe",
    "-p": "probe",
}
FLAGS = {"-h": "help", "--help": "help", "-v": "version", "--version": "version"}
FAILURE = "Error: Failed to create DOCA PCC: {}"


class _Stop(Exception):
    """SIGINT or SIGTERM arrived."""


def _raise_stop(_signal: int, _frame: Any) -> None:
    raise _Stop


def run(call: Call) -> int:
    """Start, become active after a while, run until told to stop or until the NIC restarts."""
    options, words = _mft.read_options(call.argv, VALUES, FLAGS)
    if "help" in options:
        say(
            "Usage: doca_spcx_cc [DOCA Flags] [Program Flags]\n\nProgram Flags:\n"
            "  -d, --device <IB device names>\n  -w, --wait-time <time>\n  --threads <list>\n"
            "  --probe-packet-format <number>"
        )
        return 0
    if "device" not in options or words:
        raise ToolError("Error: mandatory parameter --device is missing")
    call.wants_write()
    say("Info: Welcome to DOCA Programable Congestion Control (PCC) application")
    say("Info: Starting DOCA PCC")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _raise_stop)
    try:
        with call.state() as state:
            boot = state["boot"]["id"]
            delay, never, active = _load(state, options["device"])
        return _serve(call, options["device"], boot, delay, never, active)
    except _Stop:
        _unload(call, options["device"])
        say("Info: Stopping DOCA PCC")
        return 0


def alive(process: Optional[dict[str, Any]]) -> bool:
    """Check whether the recorded process still runs."""
    if not process:
        return False
    try:
        os.kill(process["pid"], 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _load(state: State, name: str) -> Any:
    """Check the device and load the algorithm: its parameters start at their defaults."""
    found = hardware.find_rdma(state, name)
    if found is None:
        raise ToolError(FAILURE.format(f"device {name} not found"))
    nic, function = found
    if hardware.mode(nic) == "dpu" or nic["nv"]["current"].get("USER_PROGRAMMABLE_CC") != 1:
        raise ToolError(
            FAILURE.format(
                "programmable congestion control is not supported or not enabled on the device"
            )
        )
    runtime = function["runtime"]
    if alive(runtime["cc"]):
        raise ToolError(
            FAILURE.format(f"device {name} is in use by process {runtime['cc']['pid']}")
        )
    if faults.active(state, "cc-crashes", nic):
        raise ToolError(FAILURE.format("DOCA Driver call failure"))
    fresh = lifecycle.fresh_ppcc()
    for slot in ("0", "1"):
        runtime["ppcc"][slot] = fresh[slot]
    runtime["cc"] = {"pid": os.getpid(), "status": "Standby"}
    slow = faults.find(state, "cc-slow", nic)
    delay = float(slow["value"] or 10) if slow else float(state["host"]["cc_delay"])
    return delay, faults.active(state, "cc-never-active", nic), state["host"]["cc_active_text"]


def _serve(call: Call, name: str, boot: str, delay: float, never: bool, active: str) -> int:
    say("Info: PCC host status Standby")
    time.sleep(delay)
    if not never:
        with call.state() as state:
            _nic, function = _mft.device(state, name)
            if function["runtime"]["cc"] is None or state["boot"]["id"] != boot:
                return _deactivated()
            function["runtime"]["cc"]["status"] = "Active"
        say(f"Info: PCC host status {active}")
    say("Info: Waiting on DOCA PCC")
    while True:
        signal.pause()


def _deactivated() -> int:
    say("Info: PCC host status Deactivated")
    return 1


def _unload(call: Call, name: str) -> None:
    with call.state() as state:
        found = hardware.find_rdma(state, name)
        process = found[1]["runtime"]["cc"] if found else None
        if found and process and process["pid"] == os.getpid():
            found[1]["runtime"]["cc"] = None
