# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The NV parameters the simulated firmware knows: type, default, and when they are hidden."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Optional

Values = Mapping[str, int]

BOOL = {"False": 0, "True": 1}


def _always(dummy: Values) -> bool:
    return True


@dataclass(frozen=True)
class Parameter:
    """`names` maps an enumeration's alias to its number (None: a plain integer).

    `size` > 1 is an array. `devices` limits it to PCI device ids; `vpi` to boards that can
    speak InfiniBand; `shown` decides from the other values whether a query lists it.
    """

    name: str
    default: int = 0
    names: Optional[Mapping[str, int]] = None
    maximum: int = 0xFFFFFFFF
    size: int = 1
    devices: tuple[str, ...] = ()
    vpi: bool = False
    read_only: bool = False
    shown: Callable[[Values], bool] = _always


def _embedded(values: Values) -> bool:
    return values.get("INTERNAL_CPU_MODEL", 0) == 1


def _no_legacy_dcqcn(values: Values) -> bool:
    return values.get("ROCE_CC_LEGACY_DCQCN", 0) == 0


def _flex_default(values: Values) -> bool:
    return values.get("FLEX_PARSER_PROFILE_ENABLE", 0) in (0, 2)


BLUEFIELD = ("a2dc",)
LINK = {"IB": 1, "ETH": 2}
OFF_ON = {"ENABLED": 0, "DISABLED": 1}
OWNER = {"ECPF": 0, "EXT_HOST_PF": 1}
LLDP = {"OFF": 0, "MANDATORY": 1, "ALL": 2}

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("MEMIC_BAR_SIZE", maximum=16),
    Parameter("MEMIC_SIZE_LIMIT", 1, {"DISABLED": 0, "_256KB": 1}),
    Parameter("FLEX_PARSER_PROFILE_ENABLE", maximum=15),
    Parameter("INTERNAL_CPU_MODEL", 1, {"SEPARATED_HOST": 0, "EMBEDDED_CPU": 1}, devices=BLUEFIELD),
    Parameter("INTERNAL_CPU_PAGE_SUPPLIER", 0, OWNER, devices=BLUEFIELD, shown=_embedded),
    Parameter("INTERNAL_CPU_ESWITCH_MANAGER", 0, OWNER, devices=BLUEFIELD, shown=_embedded),
    Parameter("INTERNAL_CPU_IB_VPORT0", 0, OWNER, devices=BLUEFIELD, shown=_embedded),
    Parameter("INTERNAL_CPU_OFFLOAD_ENGINE", 0, OFF_ON, devices=BLUEFIELD, shown=_embedded),
    Parameter("INTERNAL_CPU_RSHIM", 0, OFF_ON, devices=BLUEFIELD, shown=_embedded),
    Parameter("INT_CPU_AUTO_SHUTDOWN", 0, BOOL, devices=BLUEFIELD),
    Parameter("ROCE_ADAPTIVE_ROUTING_EN", 0, BOOL),
    Parameter("USER_PROGRAMMABLE_CC", 0, BOOL, shown=_no_legacy_dcqcn),
    Parameter("ROCE_CC_LEGACY_DCQCN", 0, BOOL),
    Parameter("ROCE_CC_STEERING_EXT", 0, maximum=2),
    Parameter("ROCE_CC_RTT_TIMESTAMP_FORMAT", 1, maximum=1),
    Parameter(
        "TX_SCHEDULER_LOCALITY_MODE",
        0,
        {"DEVICE_DEFAULT": 0, "STATIC_MODE": 1, "ACCUMULATIVE": 2, "DISABLED": 3},
    ),
    Parameter("MULTIPATH_DSCP", 0, maximum=3, shown=_flex_default),
    Parameter("RDE_DISABLE", 0, BOOL),
    Parameter("VF_LOG_BAR_SIZE", 1, maximum=10),
    Parameter("SRIOV_EN", 0, BOOL),
    Parameter("NUM_OF_VFS", 0, maximum=127),
    Parameter("NUM_OF_PF", 1, maximum=16),
    Parameter("NUM_OF_PLANES_P1", 0, maximum=4),
    Parameter("NUM_OF_PLANES_P2", 0, maximum=4),
    Parameter("LAG_RESOURCE_ALLOCATION", 0, {"DEVICE_DEFAULT": 0, "ENABLED": 1}),
    Parameter("LOAD_BALANCE_MODE_P1", 0, {"DEVICE_DEFAULT": 0, "TRANSPORT": 2}),
    Parameter("MODULE_SPLIT_M0", 0, maximum=255, size=16),
    Parameter("LINK_TYPE_P1", 2, LINK, vpi=True),
    Parameter("LINK_TYPE_P2", 2, LINK, vpi=True, devices=("a2dc", "1021")),
    Parameter("KEEP_ETH_LINK_UP_P1", 1, BOOL),
    Parameter("ROCE_RTT_RESP_DSCP_P1", 0, maximum=63),
    Parameter("ROCE_RTT_RESP_DSCP_MODE_P1", 0, {"DEVICE_DEFAULT": 0, "FIXED_VALUE": 1}),
    Parameter("ROCE_CC_PRIO_MASK_P1", 255, maximum=255),
    Parameter("CNP_DSCP_P1", 48, maximum=63),
    Parameter("CNP_802P_PRIO_P1", 6, maximum=7),
    Parameter("LLDP_NB_DCBX_P1", 0, BOOL),
    Parameter("LLDP_NB_RX_MODE_P1", 2, LLDP),
    Parameter("LLDP_NB_TX_MODE_P1", 2, LLDP),
    Parameter("DCBX_IEEE_P1", 1, BOOL),
    Parameter("DCBX_CEE_P1", 1, BOOL),
    Parameter("DCBX_WILLING_P1", 1, BOOL),
    Parameter("PCI_ATOMIC_MODE", 0, maximum=4),
    Parameter("ATS_ENABLED", 0, BOOL),
    Parameter("PF_TOTAL_SF", 0, maximum=2048),
    Parameter("UEFI_HII_EN", 1, BOOL, read_only=True),
)
BY_NAME: dict[str, Parameter] = {parameter.name: parameter for parameter in PARAMETERS}

#: Values that are held for the whole NIC although they change its operating mode.
MODE_PARAMETERS = ("INTERNAL_CPU_MODEL", "INTERNAL_CPU_OFFLOAD_ENGINE")

_INDEXED = re.compile(r"^([A-Z][A-Z0-9_]*?)\[(\d+)(?:\.\.(\d+))?\]$")


def of_device(device_id: str, vpi: bool) -> list[Parameter]:
    """The parameters a board of this kind has, in the tool's order."""
    return [
        parameter
        for parameter in PARAMETERS
        if (not parameter.devices or device_id in parameter.devices) and (vpi or not parameter.vpi)
    ]


def defaults(device_id: str, vpi: bool) -> dict[str, int]:
    """Firmware defaults; arrays are stored element by element as `NAME[i]`."""
    values: dict[str, int] = {}
    for parameter in of_device(device_id, vpi):
        if parameter.size == 1:
            values[parameter.name] = parameter.default
        else:
            values.update(
                {f"{parameter.name}[{i}]": parameter.default for i in range(parameter.size)}
            )
    return values


def split_name(text: str) -> tuple[str, Optional[tuple[int, int]]]:
    """`A` -> (A, None); `A[2]` -> (A, (2, 2)); `A[0..7]` -> (A, (0, 7))."""
    match = _INDEXED.match(text)
    if not match:
        return text, None
    first = int(match.group(2))
    return match.group(1), (first, int(match.group(3) or first))


def listed(device_id: str, vpi: bool, values: Values) -> list[Parameter]:
    """Return the parameters of a full query, given these values."""
    return [parameter for parameter in of_device(device_id, vpi) if parameter.shown(values)]


def parse_value(parameter: Parameter, text: str) -> Optional[int]:
    """A number (decimal or 0x) or an alias in any case; None when it fits neither."""
    for alias, number in (parameter.names or {}).items():
        if alias.lower() == text.lower():
            return number
    try:
        number = int(text, 16) if text.lower().startswith("0x") else int(text, 10)
    except ValueError:
        return None
    if parameter.names is not None and number not in parameter.names.values():
        return None
    return number if 0 <= number <= parameter.maximum else None


def show_value(parameter: Parameter, number: int) -> str:
    """`True(1)`, `ETH(2)` or a plain integer."""
    for alias, value in (parameter.names or {}).items():
        if value == number:
            return f"{alias}({number})"
    return str(number)
