# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ethtool for simulated ports: -i, -S, -a/-A, -g/-G, tunables and link settings."""

from __future__ import annotations

from typing import Any

from nicsim import faults, hardware, real
from nicsim.call import Call, ToolError, say
from nicsim.store import State

AUTO, AUTO_MS = 0xFFFF, 100
MINIMUM_MS, MAXIMUM_MS = 100, 8000
SPELLINGS = {
    "--driver": "-i",
    "--statistics": "-S",
    "--show-pause": "-a",
    "--pause": "-A",
    "--show-ring": "-g",
    "--set-ring": "-G",
}


def run(call: Call) -> int:
    """Answer for simulated ports; everything else goes to the real ethtool. A version is there without it too."""
    if call.argv == ["--version"]:
        print("ethtool version 6.1")
        return 0
    words = [SPELLINGS.get(word, word) for word in call.argv]
    option = words[0] if words and words[0].startswith("-") else ""
    rest = words[1:] if option else words
    handler = HANDLERS.get(option)
    if handler is None or not rest:
        return real.delegate(call)
    if option in ("-A", "-G", "--set-tunable"):
        call.wants_write()
    with call.state() as state:
        found = hardware.find_netdev(state, rest[0])
        if found is not None:
            return handler(state, found[0], found[1], rest[1:])
    call.write = False
    return real.delegate(call)


def _driver(_state: State, nic: Any, function: Any, _rest: list[str]) -> int:
    say(
        f"driver: mlx5_core\nversion: 26.01-0.8.8\nfirmware-version: {nic['firmware']['running']} "
        f"({nic['psid']})\nexpansion-rom-version:\nbus-info: {function['pci']}\n"
        "supports-statistics: yes\nsupports-test: yes\nsupports-eeprom-access: no\n"
        "supports-register-dump: no\nsupports-priv-flags: yes"
    )
    return 0


def _statistics(state: State, nic: Any, function: Any, _rest: list[str]) -> int:
    say("NIC statistics:")
    for name, value in counters(state, nic, function).items():
        say(f"     {name}: {value}")
    return 0


def counters(state: State, nic: Any, function: Any) -> dict[str, int]:
    """Port counters now. Priority pause counters exist only while PFC is on there."""
    values = function["counters"]
    if faults.active(state, "pause-storm", nic):
        values["tx_pause_storm_warning_events"] += 1
        values["tx_pause_storm_error_events"] += 1
    if faults.active(state, "stuck-queue", nic):
        values["rx_prio3_discards"] += 1000
        values["rx_prio3_pause_duration"] += 100000
        values["rx_discards_phy"] += 1000
    downs = hardware.carrier_downs(function) - function["carrier_base"]
    values["link_down_events_phy"] = max(values["link_down_events_phy"], downs)
    lossless = bool(function["runtime"]["pfc"][3])
    port = {k: v for k, v in values.items() if k.startswith(("rx_", "tx_", "link_", "module_"))}
    if not lossless:
        port = {k: v for k, v in port.items() if "prio3_pause" not in k}
    return port


def _show_pause(_state: State, _nic: Any, function: Any, rest: list[str]) -> int:
    runtime = function["runtime"]
    word = {0: "off", 1: "on"}
    say(f"Pause parameters for {hardware.netdev_name(function)}:\nAutonegotiate:\toff")
    say(f"RX:\t\t{word[runtime['pause_rx']]}\nTX:\t\t{word[runtime['pause_tx']]}\n")
    return 0


def _set_pairs(function: Any, rest: list[str], allowed: dict[str, str], numeric: bool) -> int:
    if not rest or len(rest) % 2:
        raise ToolError("ethtool: bad command line argument(s)", 1, "stderr")
    for key, value in zip(rest[::2], rest[1::2]):
        good = value.isdigit() if numeric else value in ("on", "off")
        if key not in allowed or not good:
            raise ToolError(f"ethtool: bad command line argument(s) {key} {value}", 1, "stderr")
        function["runtime"][allowed[key]] = int(value) if numeric else int(value == "on")
    return 0


def _pause(_state: State, _nic: Any, function: Any, rest: list[str]) -> int:
    return _set_pairs(
        function,
        [w for i, w in enumerate(rest) if not _autoneg(rest, i)],
        {"rx": "pause_rx", "tx": "pause_tx"},
        numeric=False,
    )


def _autoneg(rest: list[str], index: int) -> bool:
    return rest[index] == "autoneg" or (index > 0 and rest[index - 1] == "autoneg")


def _show_ring(_state: State, _nic: Any, function: Any, _rest: list[str]) -> int:
    runtime = function["runtime"]
    blocks = {
        "Pre-set maximums:": (8192, 8192),
        "Current hardware settings:": (runtime["ring_rx"], runtime["ring_tx"]),
    }
    say(f"Ring parameters for {hardware.netdev_name(function)}:")
    for title, (receive, send) in blocks.items():
        say(f"{title}\nRX:\t\t{receive}\nRX Mini:\tn/a\nRX Jumbo:\tn/a\nTX:\t\t{send}")
    return 0


def _ring(_state: State, _nic: Any, function: Any, rest: list[str]) -> int:
    if any(word.isdigit() and int(word) > 8192 for word in rest):
        raise ToolError("netlink error: requested ring size exceeds maximum", 1, "stderr")
    return _set_pairs(function, rest, {"rx": "ring_rx", "tx": "ring_tx"}, numeric=True)


def _get_tunable(_state: State, _nic: Any, function: Any, rest: list[str]) -> int:
    if rest != ["pfc-prevention-tout"]:
        raise ToolError("ethtool: bad command line argument(s)", 1, "stderr")
    say(f"pfc-prevention-tout: {function['runtime']['pfc_prevention_ms']}")
    return 0


def _set_tunable(_state: State, _nic: Any, function: Any, rest: list[str]) -> int:
    """Milliseconds; 0 disables; 65535 is `auto` and reads back as 100."""
    if len(rest) != 2 or rest[0] != "pfc-prevention-tout" or not rest[1].isdigit():
        raise ToolError("ethtool: bad command line argument(s)", 1, "stderr")
    value = int(rest[1])
    if value == AUTO:
        value = AUTO_MS
    elif value and not MINIMUM_MS <= value <= MAXIMUM_MS:
        raise ToolError("Cannot set tunable: Invalid argument", 1, "stderr")
    function["runtime"]["pfc_prevention_ms"] = value
    return 0


def _settings(_state: State, nic: Any, function: Any, rest: list[str]) -> int:
    up = hardware.link_up(nic, function)
    speed = f"{function['link']['speed_gbps'] * 1000}Mb/s" if up else "Unknown!"
    say(
        f"Settings for {hardware.netdev_name(function)}:\n\tSpeed: {speed}\n\tLanes: 4\n"
        f"\tDuplex: {'Full' if up else 'Unknown! (255)'}\n\tAuto-negotiation: on\n"
        f"\tLink detected: {'yes' if up else 'no'}"
    )
    return 0


HANDLERS = {
    "": _settings,
    "-i": _driver,
    "-S": _statistics,
    "-a": _show_pause,
    "-A": _pause,
    "-g": _show_ring,
    "-G": _ring,
    "--get-tunable": _get_tunable,
    "--set-tunable": _set_tunable,
}
