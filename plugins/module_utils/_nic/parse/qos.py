# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlnx_qos, cma_roce_tos, cma_roce_mode and traffic_class: the QoS state of a port. Unknown lines are skipped."""

from __future__ import annotations

import re
from typing import Optional

from ..records import PortQos

OWNERS = {"OS controlled": "os", "Firmware controlled": "fw"}


def parse_mlnx_qos(text: str) -> PortQos:
    """`mlnx_qos -i IF` as plain data.

    Keys, each only where printed: dcbx (os | fw), trust (dscp | pcp), dscp2prio {dscp: priority},
    pfc and prio2buffer (8 numbers, priority 0 first), buffer_size (8 bytes counts), cable_length,
    lldpad (True where the tool warns of it).
    """
    found: PortQos = {}
    mapping: dict[int, int] = {}
    for line in text.splitlines():
        _plain(found, line.strip())
        match = re.match(r"^\s*prio:(\d)\s+dscp:([\d,]+)", line)
        if match:
            entries = [int(d) for d in match.group(2).split(",") if d]
            mapping.update({dscp: int(match.group(1)) for dscp in entries})
    if mapping:
        found["dscp2prio"] = dict(sorted(mapping.items()))
    return found


def _plain(found: PortQos, line: str) -> None:
    key, _colon, value = (part.strip() for part in line.partition(":"))
    if key == "DCBX mode":
        found["dcbx"] = OWNERS.get(value, value)
    elif key == "Priority trust state":
        found["trust"] = value
    elif key == "Receive buffer size (bytes)":
        found["buffer_size"] = [int(n) for n in value.split(",") if n.isdecimal()][:8]
    elif key == "Cable len":
        found["cable_length"] = int(value) if value.isdecimal() else None
    elif "lldpad" in line.lower() and "running" in line.lower():
        found["lldpad"] = True
    else:
        _priorities(found, line.split())


def _priorities(found: PortQos, words: list[str]) -> None:
    if len(words) != 9 or not all(w.isdecimal() for w in words[1:]):
        return
    if words[0] == "enabled":
        found["pfc"] = [int(w) for w in words[1:]]
    elif words[0] == "buffer":
        found["prio2buffer"] = [int(w) for w in words[1:]]


def parse_tos(text: str) -> Optional[int]:
    """The number `cma_roce_tos` prints on a line of its own, None where it prints none."""
    numbers = [line.strip() for line in text.splitlines() if line.strip().isdecimal()]
    return int(numbers[-1]) if numbers else None


def parse_roce_mode(text: str) -> Optional[int]:
    """1 of `IB/RoCE v1`, 2 of `RoCE v2`, as `cma_roce_mode` prints them; None where it prints neither."""
    found = re.search(r"RoCE v([12])\s*$", text, re.MULTILINE)
    return int(found.group(1)) if found else None


def parse_traffic_class(text: str) -> int:
    """`Global tclass=96` of .../tc/1/traffic_class, or a bare number; 0 where it has neither."""
    match = re.search(r"Global tclass=(\d+)", text) or re.match(r"^\s*(\d+)\s*$", text)
    return int(match.group(1)) if match else 0


def parse_tunable(text: str) -> Optional[int]:
    """The number of `ethtool --get-tunable IF pfc-prevention-tout`."""
    match = re.search(r"pfc-prevention-tout:?\s+(\d+)", text)
    return int(match.group(1)) if match else None


def parse_statistics(text: str) -> dict[str, int]:
    """Counter -> value of `ethtool -S IF`."""
    pairs = re.findall(r"^[^\S\n]+([\w.\[\]-]+):[^\S\n]+(\d+)[^\S\n]*$", text, flags=re.MULTILINE)
    return {name: int(value) for name, value in pairs}
