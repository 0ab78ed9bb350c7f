# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ipmitool's power cycle, the rshim daemon, reboot and openibd."""

from __future__ import annotations

import signal

from nicsim import boot, faults, real
from nicsim.call import Call, ToolError, say


def ipmitool(call: Call) -> int:
    """`chassis power cycle` is a cold boot of the host; `status` answers."""
    words = [word for word in call.argv if not word.startswith("-")]
    tail = words[-3:] if len(words) >= 3 else words
    if tail[-2:] == ["power", "status"]:
        say("Chassis Power is on")
        return 0
    if tail[-2:] == ["power", "cycle"]:
        call.wants_write()
        say("Chassis Power Control: Cycle")
        boot.reboot(cold=True)
        return 0
    raise ToolError(f"Invalid command: {' '.join(words)}", 1, "stderr")


def rshim(call: Call) -> int:
    """The user-space rshim daemon: takes every free BlueField, keeps running with -f."""
    force = "-F" in call.argv or "--force" in call.argv
    call.wants_write()
    with call.state() as state:
        state["host"]["rshim_running"] = True
        refused = False
        for nic in state["nics"]:
            if nic["device_id"] != "a2dc":
                continue
            if faults.active(state, "rshim-bmc", nic) and not force:
                nic["rshim"]["owner"] = "bmc"
                refused = True
                say(f"rshim {nic['functions'][0]['pci']}: another backend already attached")
                continue
            nic["rshim"]["owner"] = "host"
    if refused:
        say("rshim: waiting for the other backend to let go")
    if "-f" in call.argv or "--foreground" in call.argv:
        _wait_and_release(call)
    return 0


def _wait_and_release(call: Call) -> None:
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.pause()
    with call.state() as state:
        state["host"]["rshim_running"] = False
        for nic in state["nics"]:
            if nic["rshim"]["owner"] == "host":
                nic["rshim"]["owner"] = "none"


def reboot(call: Call) -> int:
    """reboot and shutdown: the simulated host restarts, the container stays."""
    if call.tool == "shutdown" and "-r" not in call.argv and "--reboot" not in call.argv:
        return real.delegate(call)
    call.wants_write()
    boot.reboot(cold=False, background=True)
    return 0


def openibd(call: Call) -> int:
    """`restart` reloads the driver: volatile settings are gone, NV settings stay."""
    command = call.argv[0] if call.argv else ""
    if command in ("restart", "force-restart", "start"):
        call.wants_write()
        boot.reload_driver()
        say(
            "Unloading HCA driver:                                      [  OK  ]\n"
            "Loading HCA driver and Access Layer:                       [  OK  ]"
        )
        return 0
    if command == "status":
        say("\n  HCA driver loaded\n")
        return 0
    raise ToolError("Usage: openibd {start|stop|restart|status}")
