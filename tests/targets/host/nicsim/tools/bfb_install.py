# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""bfb-install: push a bundle through rshim and follow the installer's log.

The exit status says nothing about the outcome: 0 after CRITICAL ERROR too, and there is no
time limit. The log is copied to /tmp/bfb-install-rshimN.log. In NIC mode the functions lose their driver, and
with it their devices, until the end: a script that is killed leaves them without.
"""

from __future__ import annotations

import os
import time
from typing import Any

from nicsim import faults, hardware, images, paths, views
from nicsim.call import Call, ToolError, say
from nicsim.store import State
from nicsim.tools import _mft, flint

VALUES = {
    "-b": "bfb",
    "--bfb": "bfb",
    "-r": "rshim",
    "--rshim": "rshim",
    "-c": "config",
    "--config": "config",
    "-f": "rootfs",
    "--rootfs": "rootfs",
    "-m": "mode",
    "--remote-mode": "mode",
    "-p": "pldm",
    "--pldm": "pldm",
    "-a": "apply",
    "--apply-lfwp": "apply",
}
FLAGS = {
    "-k": "keep",
    "--keep-log": "keep",
    "-R": "reverse",
    "--reverse-nc": "reverse",
    "-d": "runtime",
    "--deferred": "runtime",
    "-u": "runtime",
    "--runtime": "runtime",
    "-v": "verbose",
    "--verbose": "verbose",
    "-h": "help",
    "--help": "help",
}
STEP = float(os.environ.get("NICSIM_BFB_STEP", "0.05"))


def run(call: Call) -> int:
    """Check, push, follow the log until one of the end texts."""
    options, words = _mft.read_options(call.argv, VALUES, FLAGS)
    if "help" in options or words or "rshim" not in options:
        raise ToolError(
            "Usage: bfb-install [options]\n  -b, --bfb <bfb_file>\n"
            "  -r, --rshim [<ip>:<port>:]rshim<N>\n  -c, --config <config_file>",
            0 if "help" in options else 1,
        )
    if "bfb" not in options:
        raise ToolError("Error: Need to provide either bfb or rootfs file.")
    call.wants_write()
    bundle = images.read(
        options["bfb"], images.BUNDLE, f"Error: {options['bfb']} is not a valid BFB file"
    )
    say("Checking if local host has root access...")
    say("Checking if rshim driver is running locally...")
    with call.state() as state:
        nic = _open_rshim(state, options["rshim"])
        plan = _plan(state, nic, bundle, options)
        _announce(nic, options)
    return _follow(call, options, plan)


def _open_rshim(state: State, name: str) -> hardware.Nic:
    for nic in state["nics"]:
        named = f"rshim{nic['rshim']['index']}" == name
        if named and nic["device_id"] == "a2dc" and views.rshim_visible(state, nic):
            return nic
    raise ToolError(f"Error: rshim driver not found at /dev/{name}")


def _plan(
    state: State, nic: hardware.Nic, bundle: dict[str, Any], options: dict[str, str]
) -> dict[str, Any]:
    """Decide before the push what the log will say and what will be installed."""
    fault = next(
        (
            name
            for name in ("bfb-critical", "bfb-hangs", "bfb-hangs-after-success")
            if faults.active(state, name, nic)
        ),
        "",
    )
    return {
        "pci": nic["functions"][0]["pci"],
        "fault": fault,
        "nic_mode": hardware.mode(nic) == "nic",
        "burn_fails": flint.stop_on_fault(state, nic) != "",
        "psid_known": faults.psid(state, nic) in bundle["psids"],
        "same": nic["firmware"]["burned"] == bundle["nic_fw"],
        "bundle": bundle,
        "runtime": "runtime" in options,
    }


def _announce(nic: hardware.Nic, options: dict[str, str]) -> None:
    if hardware.mode(nic) == "nic":
        say(f"/dev/{options['rshim']} ({nic['slot']}.0) is in NIC mode")
        for function in nic["functions"]:
            say(f"Unbinding pf{function['index']} ({function['pci']})")
            function["unbound"] = True
    say("Pushing bfb + cfg" if "config" in options else "Pushing bfb")
    say("Warn: 'pv' command not found. Continue without showing BFB progress.")
    say("Collecting BlueField booting status. Press Ctrl+C to stop…")


def log_lines(plan: dict[str, Any]) -> list[str]:
    """The installer's lines as the rshim log shows them (INFO bare, ERR and WARN marked)."""
    version = plan["bundle"]["nic_fw"]
    if plan["fault"] == "bfb-critical":
        return ["PSC BL1 START", "BL2 START", "CRITICAL ERROR: ASSERT EXCEPTION"]
    if plan["fault"] == "bfb-hangs":
        return ["PSC BL1 START", "BL2 START", "BL31 START"]
    lines = [
        "PSC BL1 START",
        "BL2 START",
        "UEFI START",
        "Ubuntu installation started",
        "Updating NIC firmware...",
    ]
    if plan["burn_fails"] or not plan["psid_known"]:
        lines.append("ERR NIC firmware update failed")
    elif plan["same"]:
        lines.append(
            "Installed NIC Firmware is the same as provided. Skipping NIC Firmware update."
        )
    else:
        lines.append(f"NIC firmware update done: {version}")
    if plan["nic_mode"]:
        lines += [
            "Run mlxfwreset or system-level reset to load new NIC firmware",
            "WARN Skipping BMC components upgrade.",
            "In Enhanced NIC mode",
        ]
    else:
        lines += [
            "Updating BMC firmware",
            "Updating CEC firmware",
            "NIC Firmware reset is not supported. Host power cycle is required",
            "Ubuntu installation completed",
            "Rebooting...",
            "DPU is ready",
            "Linux up",
        ]
    return lines


def _mark(text: str) -> str:
    for word in ("ERR", "WARN"):
        if text.startswith(word + " "):
            return f" {word}[MISC]: {text[len(word) + 1 :]}"
    return f" INFO[MISC]: {text}"


def _follow(call: Call, options: dict[str, str], plan: dict[str, Any]) -> int:
    log = paths.tmp_folder() / f"bfb-install-{options['rshim']}.log"
    lines = log_lines(plan)
    with log.open("w", encoding="utf-8") as handle:
        for text in lines:
            marked = _mark(text)
            handle.write(marked + "\n")
            handle.flush()
            say(marked)
            time.sleep(STEP)
    with call.state() as state:
        nic, _ready = _finish(state, plan, lines)
    if plan["fault"] in ("bfb-hangs", "bfb-hangs-after-success"):
        flint.hang()
    if plan["nic_mode"]:
        with call.state() as state:
            nic, _function = _mft.device(state, plan["pci"])
            for function in nic["functions"]:
                say(f"Binding pf{function['index']} ({function['pci']})")
                function["unbound"] = False
    return 0


def _finish(state: State, plan: dict[str, Any], lines: list[str]) -> tuple[hardware.Nic, bool]:
    """Install what the log said was installed; a bundle's firmware waits for a power cycle."""
    nic, _function = _mft.device(state, plan["pci"])
    nic["rshim"]["log"] = [_mark(text) for text in lines]
    done = f"NIC firmware update done: {plan['bundle']['nic_fw']}" in lines
    if done:
        nic["firmware"]["burned"] = plan["bundle"]["nic_fw"]
        nic["firmware"]["needs_power_cycle"] = True
    if not plan["nic_mode"] and not plan["fault"] and "dpu" in plan["bundle"]:
        state["host"]["dpu"] = dict(plan["bundle"]["dpu"])
    return nic, done
