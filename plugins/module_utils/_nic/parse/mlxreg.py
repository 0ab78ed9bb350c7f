# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlxreg: the fields of an access register; names are matched exactly.

In a GET of ROCE_ACCL a select bit means "this field is supported", in a SET "apply this field".
"""

from __future__ import annotations

import re

ROW = re.compile(r"^\s*([A-Za-z0-9_\[\]]+)\s*\|\s*(0x[0-9a-fA-F]+|\d+)\s*$")

# Field of ROCE_ACCL -> its select bit (github.com/Mellanox/mstflint b9d9e84, register tables).
SELECTS: dict[str, str] = {
    "roce_adp_retrans_en": "roce_adp_retrans_field_select",
    "roce_tx_window_en": "roce_tx_window_field_select",
    "roce_slow_restart_en": "roce_slow_restart_field_select",
    "roce_slow_restart_idle_en": "roce_slow_restart_idle_field_select",
    "min_ack_timeout_limit_disabled": "min_ack_timeout_limit_disabled_field_select",
    "adaptive_routing_forced_en": "adaptive_routing_forced_en_field_select",
    "selective_repeat_forced_en": "selective_repeat_forced_en_field_select",
    "dc_half_handshake_en": "dc_half_handshake_en_field_select",
    "cc_per_plane_en": "cc_per_plane_en_field_select",
    "ack_dscp_force": "ack_dscp_force_field_select",
    "cc_burst_size": "cc_burst_size_select",
    "cc_probe_mp_mode": "cc_probe_mp_mode_field_select",
    "ifa2_turn_around_en": "ifa2_turn_around_select",
    "adp_retx_profile_id": "adp_retx_profile_select",
}


def parse_register(text: str) -> dict[str, int]:
    """Field -> value of the table of a GET; {} where there is none."""
    rows = (ROW.match(line) for line in text.splitlines())
    return {row.group(1): int(row.group(2), 0) for row in rows if row}


def assignments(values: dict[str, int]) -> str:
    """The argument of `--set`: `a=0x1,b=0x0`."""
    return ",".join(f"{name}=0x{value:x}" for name, value in values.items())
