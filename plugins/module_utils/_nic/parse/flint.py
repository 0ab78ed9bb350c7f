# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""flint and mlxfwmanager: which firmware is burned, which one runs, for which board (PSID)."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ..records import Flash


def parse_query(text: str) -> Flash:
    """The versions of `flint q`, which knows nothing of `stored`; the running line is only printed where it differs."""
    found = re.findall(r"^([A-Z][A-Za-z ]*(?:\(Running\))?):(.*)$", text, re.MULTILINE)
    fields: dict[str, str] = {name: value.strip(" \t") for name, value in found}
    burned = fields.get("FW Version", "")
    return {
        "psid": fields.get("PSID", ""),
        "running": fields.get("FW Version(Running)", burned),
        "burned": burned,
        "stored": "",
        "source": "flint",
    }


def offered(text: str, psid: str) -> str:
    """The firmware that `mlxfwmanager --query-format XML` has for a board; "" or `N/A` for none."""
    start, end = text.find("<Devices"), text.rfind(">") + 1
    try:
        devices = ElementTree.fromstring(text[start:end]).iter("Device") if start >= 0 else ()
    except ElementTree.ParseError:
        return ""
    rows = (one.find("Versions/FW") for one in devices if one.get("psid") == psid)
    return next((row.get("available", "") for row in rows if row is not None), "")
