# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which firmware is burned and running: one `devlink` for all cards, else `flint` per card."""

from __future__ import annotations

from typing import Any

from ..parse.flint import parse_query
from ..parse.listings import devlink_info
from ..tools import Host, failed
from .privilege import unanswered


def read_devlink(host: Host) -> dict[str, dict[str, str]]:
    """PCI address -> {psid, running, stored, serial} of all cards that devlink knows."""
    return devlink_info(host.ask("devlink", "dev", "info", "-j").out)


def read_firmware(
    host: Host, pci: str, devlink: dict[str, dict[str, str]] | None = None
) -> dict[str, Any]:
    """{psid, running, burned, source}; the flash is read again where devlink says nothing."""
    known = (devlink or {}).get(pci, {})
    if known.get("running") and known.get("psid"):
        return {
            "psid": known["psid"],
            "running": known["running"],
            "burned": known.get("stored") or known["running"],
            "source": "devlink",
        }
    return read_flash(host, pci)


def read_flash(host: Host, pci: str) -> dict[str, Any]:
    """The same by `flint q`, the truth after a burn."""
    result = host.ask("flint", "-d", pci, "q")
    if failed(result):
        raise unanswered(host, pci, "flint", result)
    firmware = parse_query(result.out)
    return {
        "psid": firmware.psid,
        "running": firmware.running,
        "burned": firmware.burned,
        "source": "flint",
    }
