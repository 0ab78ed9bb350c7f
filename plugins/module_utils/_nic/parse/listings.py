# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools that list devices: devlink and dcb (JSON), mlxprivhost, mlxfwreset."""

from __future__ import annotations

import re
from typing import Any, Optional

from ... import _json


def loads(text: str) -> Any:
    """JSON or None: a tool that is old or refused prints something else."""
    try:
        return _json.parse(text)
    except ValueError:
        return None


def devlink_info(text: str) -> dict[str, dict[str, str]]:
    """PCI address -> {psid, running, stored} of `devlink dev info -j`."""
    data = loads(text)
    devices = data.get("info", {}) if isinstance(data, dict) else {}
    return {
        handle.split("/", 1)[1]: _devlink_entry(entry)
        for handle, entry in devices.items()
        if handle.startswith("pci/") and isinstance(entry, dict)
    }


def _devlink_entry(entry: dict[str, Any]) -> dict[str, str]:
    versions = entry.get("versions", {})
    running = versions.get("running", {})
    stored = versions.get("stored", {})
    return {
        "psid": str(versions.get("fixed", {}).get("fw.psid", "")),
        "running": str(running.get("fw.version", running.get("fw", ""))),
        "stored": str(stored.get("fw.version", stored.get("fw", ""))),
    }


def dcb_pfc(text: str) -> Optional[list[int]]:
    """Eight 0/1, priority 0 first, of `dcb -j pfc show dev IF`."""
    data = loads(text)
    enabled = data.get("prio_pfc") if isinstance(data, dict) else None
    return [int(bool(on)) for on in enabled] if isinstance(enabled, list) else None


def dcb_dscp(text: str) -> Optional[dict[int, int]]:
    """{dscp: priority} of `dcb -j app show dev IF`; entries mean that DSCP is trusted."""
    data = loads(text)
    if not isinstance(data, dict):
        return None
    return {int(dscp): int(prio) for dscp, prio in data.get("dscp_prio", [])}


def restricted(text: str) -> Optional[bool]:
    """Is the host barred from configuring the card? None where `mlxprivhost q` does not say."""
    match = re.search(
        r"^[^\S\n]*level[^\S\n]*:[^\S\n]*(\w+)", text, flags=re.MULTILINE | re.IGNORECASE
    )
    return match.group(1).lower() == "restricted" if match else None


def cc_state(text: str) -> Optional[str]:
    """The last state a doca_spcx_cc log reports, lower case (`active`, `standby`, `error` ...)."""
    states = re.findall(r"PCC host status\s+(\w+)", text, flags=re.IGNORECASE)
    return states[-1].lower() if states else None


def reset_levels(text: str) -> dict[int, bool]:
    """Level -> supported, of `mlxfwreset q`."""
    block = re.split(r"^Reset-(?!levels)", text, maxsplit=1, flags=re.MULTILINE)[0]
    rows = re.findall(
        r"^[^\S\n]*(\d):[^\S\n].*?-[^\S\n]*(Not Supported|Supported)",
        block,
        flags=re.MULTILINE | re.IGNORECASE,
    )
    return {int(level): said.lower() == "supported" for level, said in rows}
