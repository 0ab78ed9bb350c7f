# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file that a host keeps: what its unit applies and its watchdog looks after."""

from __future__ import annotations

import typing as t

from .desired import SCHEMA

if t.TYPE_CHECKING:
    from collections.abc import Mapping

Plain = dict[str, t.Any]

# Part of a NIC's entry -> the role that has to be listed in `manage`.
ROLE_OF = {
    "firmware": "dpu_firmware",
    "nvconfig": "dpu_nvconfig",
    "required": "dpu_nvconfig",
    "qos": "dpu_qos",
    "roce": "dpu_congestion_control",
    "ports": "dpu_interfaces",
}


def state(
    wanted: Mapping[str, t.Any],
    watch: str = "repair",
    *,
    algorithm: bool = True,
    tolerate: bool = False,
    timeout: int = 60,
) -> Plain:
    """The file's content; parts of roles that the description does not manage are left out.

    Without `algorithm` the host does not start congestion control by itself yet; `timeout` are the
    seconds that it has to become active; with `tolerate` a running lldpad is reported, not refused.
    """
    return {
        "schema": SCHEMA,
        "agent": wanted["agent"],
        "ra": wanted["ra"],
        "watch": {"action": watch},
        "tolerate_conflicts": tolerate,
        "cc_timeout": timeout,
        "nics": [_managed(nic, wanted["manage"], algorithm=algorithm) for nic in wanted["nics"]],
    }


def _managed(nic: Mapping[str, t.Any], manage: list[str], *, algorithm: bool) -> Plain:
    made = {key: value for key, value in nic.items() if ROLE_OF.get(key, "") in ("", *manage)}
    if not algorithm and "roce" in made:
        made["roce"] = {key: value for key, value in made["roce"].items() if key != "cc"}
    return made
