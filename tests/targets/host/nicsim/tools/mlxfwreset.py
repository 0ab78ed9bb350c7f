# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlxfwreset: query, reset and status."""

from __future__ import annotations

import json
from typing import Any

from nicsim import faults, hardware, lifecycle, nvdb
from nicsim.call import Call, ToolError, say
from nicsim.store import State
from nicsim.tools import _mft

VALUES = {
    "-d": "device",
    "--device": "device",
    "-l": "level",
    "--level": "level",
    "-t": "type",
    "--type": "type",
    "--sync": "sync",
    "--method": "method",
    "-m": "method",
}
FLAGS = {
    "-y": "yes",
    "--yes": "yes",
    "--json": "json",
    "-s": "skip_driver",
    "--skip_driver": "skip_driver",
}

LEVELS = {
    0: 'Driver, PCI link, network link will remain up ("live-Patch")',
    1: 'Only ARM side will not remain up ("Immediate reset").',
    3: "Driver restart and PCI reset",
    4: "Warm Reboot",
}
TYPES = {
    0: "Full chip reset",
    1: "Phy-less reset (keep network port active during reset)",
    2: "NIC only reset (for SoC devices)",
    3: "ARM only reset",
    4: "ARM OS shut down",
}
SYNC = {0: "Tool is the owner", 1: "Driver is the owner", 2: "FW is the owner"}


def run(call: Call) -> int:
    """Dispatch on the command word."""
    options, words = _mft.read_options(call.argv, VALUES, FLAGS)
    words = [word for word in words if not _flag_after_command(word, words, options)]
    if "device" not in options:
        raise ToolError("-E- argument -d/--device is required", 2, "stderr")
    command = words[0] if words else ""
    if command in ("q", "query"):
        return query(call, options)
    if command in ("s", "status"):
        return status(call, options)
    if command in ("r", "reset"):
        call.wants_write()
        return reset(call, options)
    raise ToolError(f"-E- invalid command: {command or 'none'}", 2, "stderr")


def _flag_after_command(word: str, words: list[str], options: dict[str, str]) -> bool:
    """Options may follow the command word; take them out of the words."""
    if word in FLAGS:
        options[FLAGS[word]] = "1"
        return True
    position = words.index(word)
    if word in VALUES and position + 1 < len(words):
        options[VALUES[word]] = words[position + 1]
        return True
    return position > 0 and words[position - 1] in VALUES


def _open(state: State, token: str) -> tuple[hardware.Nic, hardware.Function]:
    if token.startswith("/dev/fwctl/"):
        raise ToolError("-E- mlxfwreset is not supported for fwctl devices")
    nic, function = _mft.device(state, token)
    if hardware.mode(nic) == "dpu":
        raise ToolError("-E- Failed to reset device: the device is in DPU mode")
    return nic, function


def supported(state: State, nic: hardware.Nic) -> dict[int, bool]:
    """Return the levels that would work now."""
    if faults.active(state, "fwreset-unsupported", nic):
        return dict.fromkeys(LEVELS, False)
    return {0: False, 1: False, 3: True, 4: True}


def query(call: Call, options: dict[str, str]) -> int:
    """Three blocks of `N: text -Supported (default)`."""
    with call.state() as state:
        nic, _function = _open(state, options["device"])
        levels = supported(state, nic)
    default = 3 if levels[3] else None
    say("Reset-levels:")
    for level, text in LEVELS.items():
        _line(level, text, levels[level], level == default)
    say("\nReset-types (relevant only for reset-levels 1,3,4):")
    for number, text in TYPES.items():
        _line(number, text, number == 0 and any(levels.values()), number == 0)
    say("\nReset-sync (relevant only for reset-level 3):")
    bluefield = nic["device_id"] == "a2dc"
    for number, text in SYNC.items():
        works = levels[3] and (number == 1 if bluefield else number in (0, 1))
        _line(number, text, works, works and number == (1 if bluefield else 0))
    return 0


def _line(number: int, text: str, works: bool, default: bool) -> None:
    word = "Supported" if works else "Not Supported"
    say(f"{number}: {text:<62}-{word:<14}{'(default)' if default and works else ''}".rstrip())


def status(call: Call, options: dict[str, str]) -> int:
    """Print the pending changes; `--json` for machines."""
    with call.state() as state:
        nic, _function = _open(state, options["device"])
    firmware = nic["firmware"]
    pending = [
        _pending(nic, name)
        for name in sorted(nic["nv"]["next"])
        if nic["nv"]["next"][name] != nic["nv"]["current"][name]
    ]
    stale = firmware["burned"] != firmware["running"]
    reasons = ["Pending FW image"] if stale else []
    reasons += ["Pending NVCONFIG parameters"] if pending else []
    report: dict[str, Any] = {
        "device": options["device"],
        "pending_fw_version": firmware["burned"] if stale else "N/A (FW is up to date)",
        "running_fw_version": firmware["running"],
        "pending_nvconfig_parameters": pending or "N/A (No pending NVCONFIG parameters)",
        "reset_needed": bool(reasons),
        "description_action": "Driver restart and PCI reset" if reasons else "N/A",
        "command_required": f"mlxfwreset -d {options['device']} reset" if reasons else "N/A",
        "reasons": reasons,
    }
    if "json" in options:
        say(json.dumps(report, indent=4))
    else:
        for key, value in report.items():
            say(f"{key}: {value}")
    return 0


def _pending(nic: hardware.Nic, name: str) -> dict[str, str]:
    parameter = nvdb.BY_NAME[nvdb.split_name(name)[0]]
    return {
        "name": name,
        **{
            key: nvdb.show_value(parameter, nic["nv"][column][name])
            for key, column in (
                ("default", "default"),
                ("current", "current"),
                ("next_boot", "next"),
            )
        },
    }


def reset(call: Call, options: dict[str, str]) -> int:
    """Reset the NIC; level 4 reboots the host."""
    level = _level(options)
    with call.state() as state:
        nic, function = _open(state, options["device"])
        levels = supported(state, nic)
        level = level if level is not None else 3
        if not levels.get(level, False):
            raise ToolError(f"-E- Reset-level {level} is not supported on this device.")
        if faults.restricted(state, nic):
            raise ToolError("-E- Firmware reset failed, the host is restricted.")
        if options.get("sync") == "0" and nic["device_id"] == "a2dc":
            raise ToolError("-E- Sync 0 flow is not supported by BlueField2 and BlueField3")
        _confirm(options, function, level)
        if faults.active(state, "fwreset-fails", nic):
            say("-E- Firmware reset failed, retry operation or reboot machine.")
            return 1
        if level != 4:
            _reset_chip(state, nic)
    if level == 4:
        from nicsim import boot

        say("-I- Sending reboot command to machine          -Done")
        boot.reboot(cold=False)
    say("-I- FW was loaded successfully.")
    return 0


def _level(options: dict[str, str]) -> Any:
    if "level" not in options:
        return None
    if not options["level"].isdigit() or int(options["level"]) not in LEVELS:
        raise ToolError(f"-E- argument -l/--level: invalid choice: {options['level']}", 2)
    return int(options["level"])


def _confirm(options: dict[str, str], function: hardware.Function, level: int) -> None:
    say(f"The reset level for device, {function['pci']} is:\n\n{level}: {LEVELS[level]}")
    say("Continue with reset?[y/N] ", end="")
    if "yes" not in options:
        raise ToolError("\n-E- Aborted by user")
    say("y")
    say("-I- Sending Reset Command To Fw             -Done")


def _reset_chip(state: State, nic: hardware.Nic) -> None:
    from nicsim import boot

    boot.kill_congestion_control(state, nic)
    lifecycle.restart_nic(state, nic, tool=True)
    if faults.active(state, "reset-loses-mode", nic) and nic["device_id"] == "a2dc":
        nic["nv"]["current"]["INTERNAL_CPU_OFFLOAD_ENGINE"] = 0
    boot.announce(state, nic)
