# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlxreg: ROCE_ACCL, PPCC, PIPG, MGIR and PAOS, with the field-select semantics.

In an answer a `*_field_select` bit says that the firmware knows the field; in a SET it says
that the field is to be applied. A SET without -w reads first and overlays, so a value given
alone is applied where the answer's select bit is 1 and silently ignored where it is 0.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from nicsim import faults, hardware, lifecycle
from nicsim.call import Call, ToolError, say
from nicsim.store import State
from nicsim.tools import _mft

VALUES = {
    "-d": "device",
    "--device": "device",
    "--reg_name": "name",
    "--reg_id": "id",
    "--reg_len": "len",
    "-i": "indexes",
    "--indexes": "indexes",
    "-s": "set",
    "--set": "set",
    "-o": "op",
    "--op": "op",
    "--show_reg": "show",
}
FLAGS = {
    "-g": "get",
    "--get": "get",
    "-y": "yes",
    "--yes": "yes",
    "-w": "overwrite",
    "--overwrite": "overwrite",
    "--show_regs": "list",
}

#: Select bit -> the value fields it governs, in the register's order.
SELECTS: dict[str, list[str]] = {
    "roce_adp_retrans_field_select": ["roce_adp_retrans_en"],
    "roce_tx_window_field_select": ["roce_tx_window_en"],
    "roce_slow_restart_field_select": ["roce_slow_restart_en"],
    "roce_slow_restart_idle_field_select": ["roce_slow_restart_idle_en"],
    "min_ack_timeout_limit_disabled_field_select": ["min_ack_timeout_limit_disabled"],
    "adaptive_routing_forced_en_field_select": ["adaptive_routing_forced_en"],
    "selective_repeat_forced_en_field_select": ["selective_repeat_forced_en"],
    "dc_half_handshake_en_field_select": ["dc_half_handshake_en"],
    "cc_per_plane_en_field_select": ["cc_per_plane_en"],
    "ack_dscp_force_field_select": ["ack_dscp_force", "ack_dscp"],
    "cc_burst_size_select": ["cc_burst_size"],
    "cc_probe_mp_mode_field_select": ["cc_probe_mp_mode"],
    "ifa2_turn_around_select": ["ifa2_turn_around_en"],
    "adp_retx_profile_select": ["adp_retx_profile_id", "adp_retx_base_timeout_min"],
}
#: Fields that older firmware (before xx.46) does not have.
RECENT = {
    "cc_per_plane_en_field_select",
    "ack_dscp_force_field_select",
    "cc_burst_size_select",
    "cc_probe_mp_mode_field_select",
    "ifa2_turn_around_select",
    "adp_retx_profile_select",
}
PPCC_INDEXES = ("local_port", "pnat", "lp_msb", "algo_slot", "algo_param_index")
PIPG_INDEXES = ("local_port", "lp_msb", "ipg_cap_index")
REGISTERS = ("MGIR", "PAOS", "PIPG", "PPCC", "ROCE_ACCL")
PAOS_ID = 0x5006


def run(call: Call) -> int:
    """Get or set one register of one device."""
    options, words = _mft.read_options(call.argv, VALUES, FLAGS)
    if words:
        raise ToolError(f"-E- Unrecognized argument: {words[0]}")
    if "list" in options:
        say("Available Access Registers\n" + "=" * 26 + "\n" + "\n".join(REGISTERS))
        return 0
    if "device" not in options:
        raise ToolError("-E- Device is not specified")
    if "set" in options:
        call.wants_write()
    with call.state() as state:
        nic, function = _mft.device(state, options["device"])
        if "id" in options:
            return _by_id(state, nic, function, options)
        name = options.get("name", "")
        if name not in REGISTERS:
            raise ToolError(
                f"-E- Failed to find register: {name}"
                if name
                else "-E- Register name or id is not specified"
            )
        if ("get" in options) == ("set" in options):
            raise ToolError("-E- Specify either --get or --set")
        return HANDLERS[name](state, nic, function, options)


def pairs(text: str) -> dict[str, int]:
    """`a=0x1,b=2` -> numbers; a malformed part is the tool's error."""
    found: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        try:
            found[key.strip()] = int(value, 0)
        except ValueError:
            equals = ""
        if not equals:
            raise ToolError(f"-E- Failed to parse: {part}")
    return found


def _table(fields: dict[str, int]) -> None:
    line = "=" * 60
    say(f"{'Field Name':<47}| Data\n{line}")
    for name, value in fields.items():
        say(f"{name:<47}| 0x{value & 0xFFFFFFFF:08x}")
    say(line)


def _show(fields: dict[str, int]) -> int:
    say("Sending access register...\n")
    _table(fields)
    return 0


def _send(state: State, nic: hardware.Nic) -> None:
    """The moment a register goes to the firmware; some cards refuse."""
    if faults.restricted(state, nic):
        raise ToolError("-E- Failed to send access register: Operation not permitted")
    if faults.active(state, "mlxreg-fails", nic):
        raise ToolError("-E- Failed to send access register: ME_REG_ACCESS_BAD_PARAM")


def _ask(options: dict[str, str], name: str, fields: dict[str, int]) -> None:
    say(f"You are about to send access register: {name} with the following data:")
    _table(fields)
    say("\nDo you want to continue ? (y/n) [n] : ", end="")
    sys.stdout.flush()
    if "yes" in options:
        say("y")
    elif sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ToolError("-E- Aborted by user.")
    say(" Sending access register...\n")


def _known(given: dict[str, int], fields: dict[str, int], name: str) -> None:
    for key in given:
        if key not in fields:
            raise ToolError(f"-E- Failed to find field: {key} in register: {name}")


# ------------------------------------------------------------------------------- ROCE_ACCL


def select_bits(state: State, nic: hardware.Nic) -> dict[str, int]:
    """Return the fields that this firmware, in its running configuration, allows to set."""
    recent = lifecycle.version_key(nic["firmware"]["running"])[1] >= 46
    bits = {name: int(name not in RECENT or recent) for name in SELECTS}
    routing = nic["nv"]["current"]["ROCE_ADAPTIVE_ROUTING_EN"] == 1
    if not routing or faults.active(state, "ar-unsupported", nic):
        bits["adaptive_routing_forced_en_field_select"] = 0
    if not hardware.planes(nic):
        bits["cc_per_plane_en_field_select"] = 0
    return bits


def _roce_accl(
    state: State, nic: hardware.Nic, function: hardware.Function, options: dict[str, str]
) -> int:
    values = function["runtime"]["roce_accl"]
    bits = select_bits(state, nic)
    read = {**bits, **values}
    if "get" in options:
        return _show(read)
    given = pairs(options["set"])
    _known(given, read, "ROCE_ACCL")
    base = dict.fromkeys(read, 0) if "overwrite" in options else read
    sent = {**base, **given}
    _ask(options, "ROCE_ACCL", sent)
    _send(state, nic)
    for select, fields in SELECTS.items():
        if sent[select] and bits[select]:
            for field in fields:
                values[field] = sent[field]
    return 0


# ------------------------------------------------------------------------------------ PPCC


def _indexes(options: dict[str, str], names: Any, register: str) -> dict[str, int]:
    given = pairs(options.get("indexes", ""))
    for key in given:
        if key not in names:
            raise ToolError(f"-E- Failed to find index: {key} in register: {register}")
    missing = [name for name in names if name not in given]
    if missing:
        raise ToolError(f"-E- Missing index: {missing[0]} for register: {register}")
    return given


def _ppcc(
    state: State, nic: hardware.Nic, function: hardware.Function, options: dict[str, str]
) -> int:
    place = _indexes(options, PPCC_INDEXES, "PPCC")
    slot = hardware.rdma_owner(nic, function)["runtime"]["ppcc"].get(str(place["algo_slot"]))
    if slot is None or place["local_port"] != 1:
        raise ToolError("-E- Failed to send access register: ME_REG_ACCESS_BAD_PARAM")
    rest = {
        "cmd_type": 0,
        "trace_en": 0,
        "counter_en": slot["counter_en"],
        "sl_bitmask": 0,
        "value": 0,
    }
    if "get" in options:
        command = pairs(options.get("op", "")).get("cmd_type", 0)
        rest.update(cmd_type=command, value=_ppcc_read(slot, place, command))
        return _show({**place, **rest})
    given = pairs(options["set"])
    _known(given, rest, "PPCC")
    if "overwrite" in options:
        rest = dict.fromkeys(rest, 0)
    rest.update(given)
    _ask(options, "PPCC", {**place, **rest})
    _send(state, nic)
    _ppcc_write(slot, place, rest)
    return 0


def _ppcc_read(slot: dict[str, Any], place: dict[str, int], command: int) -> int:
    if command in (6, 7):
        return int(slot["params"].get(str(place["algo_param_index"]), 0))
    return {3: slot["enabled"], 4: len(slot["params"])}.get(command, 0)


def _ppcc_write(slot: dict[str, Any], place: dict[str, int], sent: dict[str, int]) -> None:
    """1 enables, 2 disables (both carry counter_en), 8 sets a parameter."""
    command = sent["cmd_type"]
    index = str(place["algo_param_index"])
    if command in (1, 2):
        slot["enabled"] = int(command == 1)
        slot["counter_en"] = sent["counter_en"]
    elif command == 8 and index in slot["params"]:
        slot["params"][index] = sent["value"]
    else:
        raise ToolError("-E- Failed to send access register: ME_REG_ACCESS_BAD_PARAM")


# ------------------------------------------------------------------------------ PIPG and PAOS


def settle_ipg(function: hardware.Function) -> None:
    """The gap takes effect once the link went down and up after it was written."""
    runtime = function["runtime"]
    written = runtime["ipg_written_at"]
    if written is not None and hardware.carrier_downs(function) > written:
        runtime["ipg_oper"], runtime["ipg_written_at"] = runtime["ipg"], None


def _pipg(
    state: State, nic: hardware.Nic, function: hardware.Function, options: dict[str, str]
) -> int:
    place = _indexes(options, PIPG_INDEXES, "PIPG")
    settle_ipg(function)
    runtime = function["runtime"]
    fields = {
        "ipg": runtime["ipg"],
        "ipg_oper": runtime["ipg_oper"],
        "ipg_max_cap": 0x3F,
        "ipg_min_cap": 0,
        "ipg_res_cap": 1,
    }
    if "get" in options:
        return _show({**place, **fields})
    given = pairs(options["set"])
    _known(given, fields, "PIPG")
    fields.update(given)
    _ask(options, "PIPG", {**place, **fields})
    _send(state, nic)
    if not 0 <= fields["ipg"] <= 0x3F:
        raise ToolError("-E- Failed to send access register: ME_REG_ACCESS_BAD_PARAM")
    runtime["ipg"] = fields["ipg"]
    # Without a link there is nothing to bring down: the next link has the gap from its beginning.
    linked = hardware.link_up(nic, function)
    runtime["ipg_written_at"] = hardware.carrier_downs(function) if linked else -1
    return 0


RAW_FIELD = re.compile(r"^0x([0-9a-fA-F]+)\.(\d+):(\d+)=(\S+)$")


def _by_id(
    state: State, nic: hardware.Nic, function: hardware.Function, options: dict[str, str]
) -> int:
    """A raw register: only PAOS (port administrative state) is simulated."""
    if int(options["id"], 0) != PAOS_ID or "set" not in options or "len" not in options:
        raise ToolError("-E- Failed to send access register: ME_REG_ACCESS_REG_NOT_SUPP")
    fields: dict[str, int] = {}
    for part in options["set"].split(","):
        match = RAW_FIELD.match(part)
        if not match:
            raise ToolError(f"-E- Failed to parse: {part}")
        fields[f"{int(match.group(1), 16)}.{match.group(2)}"] = int(match.group(4), 0)
    _ask(options, "0x5006", {})
    _send(state, nic)
    _set_port(function, fields.get("0.8", 0))
    return 0


def _set_port(function: hardware.Function, wanted: int) -> None:
    runtime = function["runtime"]
    if wanted == 2:
        hardware.set_link(function, False)
        function["link"]["up"] = False
        if runtime["ipg_written_at"] is not None:
            runtime["ipg_written_at"] = -1
    elif wanted == 1:
        hardware.set_link(function, True)
        function["link"]["up"] = True
        settle_ipg(function)


def _paos(
    state: State, nic: hardware.Nic, function: hardware.Function, options: dict[str, str]
) -> int:
    place = _indexes(options, ("local_port", "lp_msb"), "PAOS")
    up = hardware.link_up(nic, function)
    admin = 1 if function["link"]["up"] else 2
    fields = {"admin_status": admin, "oper_status": 1 if up else 2, "ase": 0, "ee": 0}
    if "get" in options:
        return _show({**place, **fields})
    given = pairs(options["set"])
    _known(given, fields, "PAOS")
    _ask(options, "PAOS", {**place, **fields, **given})
    _send(state, nic)
    if given.get("ase"):
        _set_port(function, given.get("admin_status", 0))
    return 0


def _mgir(
    _state: State, nic: hardware.Nic, _function: hardware.Function, options: dict[str, str]
) -> int:
    if "set" in options:
        raise ToolError("-E- Failed to send access register: ME_REG_ACCESS_METHOD_NOT_SUPP")
    major, minor, sub = lifecycle.version_key(nic["firmware"]["running"])
    return _show(
        {
            "device_id": int(nic["device_id"], 16),
            "ga": 0,
            "ga_valid": 0,
            "extended_major": major,
            "extended_minor": minor,
            "extended_sub_minor": sub,
        }
    )


HANDLERS = {"ROCE_ACCL": _roce_accl, "PPCC": _ppcc, "PIPG": _pipg, "PAOS": _paos, "MGIR": _mgir}
