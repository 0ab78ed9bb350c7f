# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lspci and setpci subsets, ipmitool's power cycle, and the rshim daemon."""

from __future__ import annotations

import re
import signal
from typing import Any

from nicsim import boot, faults, hardware, real
from nicsim.call import Call, ToolError, say


def lspci(call: Call) -> int:
    """`[-n|-nn] [-D] [-d 15b3:[DEV]] [-s BDF] [-v...]`: only the simulated devices."""
    letters = "".join(word[1:] for word in call.argv if re.fullmatch(r"-[nDvk]+", word))
    vendor, slot = _after(call.argv, "-d"), _after(call.argv, "-s")
    with call.state() as state:
        for nic, function in hardware.each(state):
            pci = function["pci"]
            if vendor and not _vendor_matches(vendor, nic["device_id"]):
                continue
            if slot and slot not in (pci, pci[5:], nic["slot"], nic["slot"][5:]):
                continue
            say(_lspci_line(nic, pci if "D" in letters else pci[5:], letters))
            if "v" in letters:
                say(_lspci_details(nic, function, letters.count("v")))
    return 0


def _after(argv: list[str], option: str) -> str:
    return argv[argv.index(option) + 1] if option in argv[:-1] else ""


def _vendor_matches(text: str, device: str) -> bool:
    vendor, _colon, number = text.lower().partition(":")
    return vendor in ("", "15b3") and number.partition(":")[0] in ("", device)


def _lspci_line(nic: Any, pci: str, letters: str) -> str:
    if letters.count("n") == 1:
        return f"{pci} 0200: 15b3:{nic['device_id']} (rev 01)"
    numbers = letters.count("n") >= 2
    kind = "Ethernet controller" + (" [0200]" if numbers else "")
    family = {
        "a2dc": "MT43244 BlueField-3 integrated ConnectX-7 network controller",
        "1023": "CX8 Family [ConnectX-8]",
        "1021": "MT2910 Family [ConnectX-7]",
    }
    name = f"Mellanox Technologies {family.get(nic['device_id'], nic['type'])}"
    return (
        f"{pci} {kind}: {name}" + (f" [15b3:{nic['device_id']}]" if numbers else "") + " (rev 01)"
    )


def _lspci_details(nic: Any, function: Any, level: int) -> str:
    lines = [f"\tSubsystem: Mellanox Technologies Device 0009\n\tNUMA node: {function['numa']}"]
    if level >= 2:
        lines += [
            "\tCapabilities: [60] Express (v2) Endpoint, MSI 00",
            f"\t\t\tMaxPayload 512 bytes, MaxReadReq {function['runtime']['mrrs']} bytes",
            "\t\tLnkSta:\tSpeed 32GT/s, Width x16",
            "\tCapabilities: [48] Vital Product Data",
            f"\t\tProduct Name: {nic['description']}\n\t\tRead-only fields:\n"
            f"\t\t\t[PN] Part number: {nic['part_number'].split('_')[0]}\n"
            f"\t\t\t[SN] Serial number: {nic['serial']}",
        ]
    lines.append(f"\tKernel driver in use: {function['driver']}\n")
    return "\n".join(lines)


def setpci(call: Call) -> int:
    """`-s BDF CAP_EXP+08.w[=V[:MASK]]`: the maximum read request size."""
    slot = _after(call.argv, "-s")
    operation = call.argv[-1] if call.argv else ""
    register, equals, text = operation.partition("=")
    with call.state() as state:
        found = hardware.find(state, slot)
        if found is None or register != "CAP_EXP+08.w":
            raise ToolError("setpci: Unknown register or device", 1, "stderr")
        runtime = found[1]["runtime"]
        word = 0x0930 | (runtime["mrrs"].bit_length() - 8) << 12
        if not equals:
            say(f"{word:04x}")
            return 0
        call.wants_write()
        value, _colon, mask = text.partition(":")
        bits = int(mask or "ffff", 16)
        word = (word & ~bits) | (int(value, 16) & bits)
        runtime["mrrs"] = 128 << ((word >> 12) & 7)
    return 0


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
