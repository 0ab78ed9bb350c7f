# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlnx_qos: trust state, PFC, DSCP map, buffers, ETS of one interface."""

from __future__ import annotations

from typing import Any

from nicsim import dcb, faults, hardware
from nicsim.call import Call, ToolError, say

VALUES = {
    "-i": "interface",
    "--interface": "interface",
    "-f": "pfc",
    "--pfc": "pfc",
    "-F": "specific_pfc",
    "--specific_pfc": "specific_pfc",
    "-P": "get_pfc",
    "--get_pfc": "get_pfc",
    "-p": "prio_tc",
    "--prio_tc": "prio_tc",
    "-s": "tsa",
    "--tsa": "tsa",
    "-t": "tcbw",
    "--tcbw": "tcbw",
    "-r": "ratelimit",
    "--ratelimit": "ratelimit",
    "-d": "dcbx",
    "--dcbx": "dcbx",
    "--trust": "trust",
    "--dscp2prio": "dscp2prio",
    "--cable_len": "cable_len",
    "--prio2buffer": "prio2buffer",
    "--buffer_size": "buffer_size",
}
WRITES = set(VALUES.values()) - {"interface", "get_pfc"}
USAGE = "Usage: mlnx_qos -i <interface> [options]\n"
LLDPAD = "****** WARNING: lldpad service is running and may overwrite your settings ******\n"


def run(call: Call) -> int:
    """Apply the options in the tool's order, then print the whole state."""
    options = _options(call.argv)
    if "interface" not in options:
        raise ToolError(f"Interface name is required\n{USAGE}")
    if any(name in options for name in WRITES) and options.get("dcbx") != ["get"]:
        call.wants_write()
    with call.state() as state:
        if faults.active(state, "lldpad"):
            say(LLDPAD)
        name = options["interface"][-1]
        found = hardware.find_netdev(state, name)
        if found is None:
            raise ToolError(f"Netdevice {name} does not exist")
        nic, function = found
        silent = faults.active(state, "pfc-silent", nic)
        runtime = function["runtime"]
        if faults.active(state, "dcbx-firmware", nic):
            runtime["dcbx"], runtime["pfc"] = "fw", [0] * 8
        _dcbx(runtime, options)
        if _pfc(runtime, options, silent=silent):
            return 0
        _dscp2prio(runtime, options, by_file=faults.active(state, "trust-file", nic))
        _trust(runtime, options, broken=faults.active(state, "trust-fails", nic))
        _buffers(runtime, options)
        _ets(runtime, options)
        _print(runtime, all_classes="all" in options)
    return 0


def _options(argv: list[str]) -> dict[str, list[str]]:
    """Every option with all its values; short ones may be glued (`-iens3`)."""
    found: dict[str, list[str]] = {}
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        head, equals, tail = word.partition("=")
        if word in ("-a",):
            found["all"] = ["1"]
        elif word in VALUES:
            if not rest:
                raise ToolError(
                    f"{USAGE}\nmlnx_qos: error: {word} option requires 1 argument", 2, "stderr"
                )
            found.setdefault(VALUES[word], []).append(rest.pop(0))
        elif equals and head.startswith("--") and head in VALUES:
            found.setdefault(VALUES[head], []).append(tail)
        elif len(word) > 2 and word[:2] in VALUES and not word.startswith("--"):
            found.setdefault(VALUES[word[:2]], []).append(word[2:])
        elif word.startswith("-"):
            raise ToolError(f"{USAGE}\nmlnx_qos: error: no such option: {word}", 2, "stderr")
        else:
            raise ToolError(f"Bad arguments\n{USAGE}")
    return found


def _numbers(text: str, what: str, low: int, high: int) -> list[int]:
    """Exactly eight numbers in a range, or the tool's complaint."""
    parts = text.split(",")
    if len(parts) > 8:
        raise ToolError(f"Too many items for {what}")
    numbers = []
    for part in parts:
        if not part.lstrip("-").isdigit() or not low <= int(part) <= high:
            raise ToolError(f"Bad value for {what}: {part} is not in the range {low}..{high}")
        numbers.append(int(part))
    if len(numbers) != 8:
        raise ToolError(f"{what.lower()} list must have 8 items")
    return numbers


def _dcbx(runtime: dict[str, Any], options: dict[str, list[str]]) -> None:
    wanted = options.get("dcbx", ["get"])[-1]
    if wanted not in ("os", "fw", "get"):
        raise ToolError("Invalid dcbx mode command. Refer to the help.")
    if wanted != "get":
        runtime["dcbx"] = wanted


def _pfc(runtime: dict[str, Any], options: dict[str, list[str]], *, silent: bool) -> bool:
    """Cable length and the three PFC options; True when the call ends here."""
    if "cable_len" in options:
        text = options["cable_len"][-1]
        if not text.isdigit() or int(text) > 0xFFFF:
            raise ToolError(f"Bad value for cable_len: {text}")
        runtime["cable_len"] = int(text)
    if "get_pfc" in options:
        index = options["get_pfc"][-1]
        if index not in list("01234567"):
            raise ToolError("pfc index must be in range of 0-7")
        say(str(runtime["pfc"][int(index)]))
        return True
    if "specific_pfc" in options:
        parts = options["specific_pfc"][-1].split(",")
        if len(parts) != 8:
            raise ToolError("pfc list must have 8 items")
        for priority, part in enumerate(parts):
            if part not in ("0", "1", "x"):
                raise ToolError(f"Bad value for 'PFC': {part}")
            if part != "x" and not silent:
                runtime["pfc"][priority] = int(part)
        return True
    if "pfc" in options:
        wanted = _numbers(options["pfc"][-1], "PFC", 0, 1)
        if not silent:
            runtime["pfc"] = wanted
    return False


def _dscp2prio(runtime: dict[str, Any], options: dict[str, list[str]], *, by_file: bool) -> None:
    """Where trust is a file of the driver, flush and del do nothing and end well."""
    if "dscp2prio" in options and "trust" in options:
        raise ToolError("trust and dscp2prio commands cannot be used at the same time.")
    for text in options.get("dscp2prio", []):
        if text == "flush":
            if not by_file:
                dcb.trust_pcp(runtime)
            continue
        action, *numbers = text.split(",")
        good = len(numbers) == 2 and all(number.isdigit() for number in numbers)
        if action not in ("set", "del") or not good or int(numbers[0]) > 63 or int(numbers[1]) > 7:
            raise ToolError("Invalid dscp2prio command. Refer to the help.")
        dscp, priority = int(numbers[0]), int(numbers[1])
        if action == "set":
            runtime["dscp2prio"][str(dscp)] = priority
        elif not by_file and not dcb.delete_entry(runtime, dscp, priority):
            raise ToolError("dscp2prio command failed")


def _trust(runtime: dict[str, Any], options: dict[str, list[str]], *, broken: bool) -> None:
    if "trust" not in options:
        return
    wanted = options["trust"][-1]
    if wanted not in ("dscp", "pcp"):
        raise ToolError("Invalid trust state command. Refer to the help.")
    if broken:
        raise ToolError("Priority trust state is not supported on your system")
    if wanted == "dscp":
        dcb.trust_dscp(runtime)
    else:
        dcb.trust_pcp(runtime)


def _buffers(runtime: dict[str, Any], options: dict[str, list[str]]) -> None:
    if "prio2buffer" in options:
        runtime["prio2buffer"] = _numbers(options["prio2buffer"][-1], "prio2buffer", 0, 7)
    if "buffer_size" in options:
        sizes = _numbers(options["buffer_size"][-1], "buffer_size", 0, dcb.TOTAL_BUFFER)
        if sum(sizes) > dcb.TOTAL_BUFFER:
            raise ToolError("Buffers commands error")
        runtime["buffer_size"] = sizes


def _ets(runtime: dict[str, Any], options: dict[str, list[str]]) -> None:
    if "ratelimit" in options:
        runtime["ratelimit_gbps"] = _numbers(options["ratelimit"][-1], "ratelimit", 0, 1000000)
    if "tsa" in options:
        kinds = options["tsa"][-1].split(",")
        if len(kinds) != 8 or set(kinds) - {"strict", "ets", "vendor"}:
            raise ToolError("tsa list must have 8 items")
        runtime["tsa"] = kinds
    if "tcbw" in options:
        shares = _numbers(options["tcbw"][-1], "ETS BW", 0, 100)
        for kind, share in zip(runtime["tsa"], shares):
            if kind != "ets" and share:
                raise ToolError("ETS BW for a strict/vendor TC must be 0")
        runtime["tc_bw"] = shares
    if "prio_tc" in options:
        runtime["prio_tc"] = _numbers(options["prio_tc"][-1], "UP => TC mapping", 0, 7)


def _print(runtime: dict[str, Any], *, all_classes: bool) -> None:
    owner = "OS" if runtime["dcbx"] == "os" else "Firmware"
    say(f"DCBX mode: {owner} controlled\nPriority trust state: {dcb.trust(runtime)}")
    if dcb.trust(runtime) == "dscp":
        say("dscp2prio mapping:")
        for line in _map_lines(runtime):
            say(line)
    sizes = ",".join(str(size) for size in dcb.buffer_size(runtime))
    say(f"Receive buffer size (bytes): {sizes},max_buffer_size={dcb.TOTAL_BUFFER}")
    say(f"Cable len: {runtime['cable_len']}\nPFC configuration:")
    say("\tpriority    0   1   2   3   4   5   6   7")
    say("\tenabled     " + "".join(f"{bit}   " for bit in runtime["pfc"]))
    say("\tbuffer      " + "".join(f"{buffer}   " for buffer in dcb.prio2buffer(runtime)))
    for traffic_class in range(8):
        members = [p for p, tc in enumerate(runtime["prio_tc"]) if tc == traffic_class]
        if members or all_classes:
            _print_class(runtime, traffic_class, members)


def _map_lines(runtime: dict[str, Any]) -> list[str]:
    """Eight entries (24 characters) a line; priorities without entries are left out."""
    lines = []
    for priority in range(8):
        text = "".join(f"{dscp:02d}," for dscp, p in dcb.entries(runtime) if p == priority)
        for start in range(0, len(text), 24):
            lines.append(f"\tprio:{priority} dscp:{text[start : start + 24]}")
    return lines


def _print_class(runtime: dict[str, Any], traffic_class: int, members: list[int]) -> None:
    limit = runtime["ratelimit_gbps"][traffic_class]
    rate = f"{float(limit):.1f} Gbps" if limit else "unlimited"
    kind = runtime["tsa"][traffic_class]
    share = f", bw: {runtime['tc_bw'][traffic_class]}%" if kind == "ets" else ""
    say(f"tc: {traffic_class} ratelimit: {rate}, tsa: {kind}{share}")
    for priority in members:
        say(f"\t priority:  {priority}")
