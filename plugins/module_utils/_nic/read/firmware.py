# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which firmware is burned and running: one `devlink` for all cards, else `flint` per card."""

from __future__ import annotations

from ..parse.flint import parse_query
from ..parse.listings import devlink_info
from ..records import Flash
from ..tools import Host, failed
from .privilege import unanswered


def read_devlink(host: Host) -> dict[str, dict[str, str]]:
    """PCI address -> {psid, running, stored} of all cards that devlink knows."""
    return devlink_info(host.ask("devlink", "dev", "info", "-j").out)


def read_firmware(host: Host, pci: str, devlink: dict[str, dict[str, str]]) -> Flash:
    """{psid, running, burned, stored, source}: what works, is in the flash, loads with a reset.

    `stored` is what devlink reports, "" without a report. It counts as what is burned; where devlink leaves it
    out the flash is asked: nothing else shows a staged version.
    """
    known = devlink.get(pci, {})
    stored = known.get("stored", "")
    if stored and known.get("running") and known.get("psid"):
        return {
            "psid": known["psid"],
            "running": known["running"],
            "burned": stored,
            "stored": stored,
            "source": "devlink",
        }
    return {**read_flash(host, pci), "stored": stored}


def read_flash(host: Host, pci: str) -> Flash:
    """The same by `flint q`, the truth after a burn, which knows nothing of `stored`."""
    result = host.ask("flint", "-d", pci, "q")
    if failed(result):
        raise unanswered(host, pci, "flint", result)
    firmware = parse_query(result.out)
    return {
        "psid": firmware.psid,
        "running": firmware.running,
        "burned": firmware.burned,
        "stored": "",
        "source": "flint",
    }
