# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools that list devices: devlink, rdma and dcb (JSON), mst, mlxprivhost."""

from __future__ import annotations

import json
import re
from typing import Any, Optional

from ..records import Function


def loads(text: str) -> Any:
    """JSON or None: a tool that is old or refused prints something else."""
    try:
        return json.loads(text)
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


def rdma_links(text: str) -> list[dict[str, str]]:
    """{rdma, netdev} of each link of `rdma link -j`."""
    data = loads(text)
    return [
        {"rdma": str(link.get("ifname", "")), "netdev": str(link.get("netdev", ""))}
        for link in (data if isinstance(data, list) else [])
        if isinstance(link, dict)
    ]


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


def mst_status(text: str) -> list[Function]:
    """The PCI functions of `mst status -v`, with full PCI addresses and their first network devices."""
    pattern = (
        r"^\S+\s+/dev/mst/mt(\d+)_\S+\s+((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d)"
        r"\s*(.*)$"
    )
    matches = (re.match(pattern, line, flags=re.IGNORECASE) for line in text.splitlines())
    return [_mst_row(match) for match in matches if match]


def _mst_row(match: re.Match[str]) -> Function:
    words = match.group(3).split()
    nets = [n[4:] for w in words for n in w.split(",") if n.startswith("net-")]
    named = [w for w in words if not w.startswith("net-") and not re.match(r"^-?\d+$", w)]
    pci = match.group(2).lower()
    return {
        "pci": pci if pci.count(":") == 2 else f"0000:{pci}",
        "device": f"{int(match.group(1)):04x}",
        "netdev": nets[0] if nets else "",
        "rdma": named[0] if named and named[0] not in ("NA", "N/A") else "",
    }


def restricted(text: str) -> Optional[bool]:
    """Is the host barred from configuring the card? None where `mlxprivhost q` does not say."""
    match = re.search(r"^\s*level\s*:\s*(\w+)", text, flags=re.MULTILINE | re.IGNORECASE)
    return match.group(1).lower() == "restricted" if match else None


def cc_state(text: str) -> Optional[str]:
    """The last state a doca_spcx_cc log reports, lower case (`active`, `standby`, `error` ...)."""
    states = re.findall(r"PCC host status\s+(\w+)", text, flags=re.IGNORECASE)
    return states[-1].lower() if states else None


def reset_levels(text: str) -> dict[int, bool]:
    """Level -> supported, of `mlxfwreset q`."""
    block = re.split(r"^Reset-(?!levels)", text, maxsplit=1, flags=re.MULTILINE)[0]
    rows = re.findall(
        r"^\s*(\d):\s.*?-\s*(Not Supported|Supported)", block, flags=re.MULTILINE | re.IGNORECASE
    )
    return {int(level): said.lower() == "supported" for level, said in rows}
