# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""flint and mlxfwmanager: which firmware is burned, which one runs, for which board (PSID)."""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.etree import ElementTree


class Firmware(NamedTuple):
    """`burned` is in the flash, `running` on the chip; they differ until a reset."""

    burned: str
    running: str
    psid: str


def parse_fields(text: str) -> dict[str, str]:
    """`flint q` as a dictionary; a continued value (ROM lines) is joined with `; `."""
    fields: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        match = re.match(r"^([A-Z][A-Za-z ]*(?:\(Running\))?):\s*(.*)$", line)
        if match:
            last = match.group(1).strip()
            fields[last] = match.group(2).strip()
        elif last and line.startswith(" ") and line.strip():
            fields[last] += f"; {line.strip()}"
    return fields


def parse_query(text: str) -> Firmware:
    """The versions of `flint q`; the running line is only printed where it differs."""
    fields = parse_fields(text)
    burned = fields.get("FW Version", "")
    return Firmware(burned, fields.get("FW Version(Running)", burned), fields.get("PSID", ""))


class Managed(NamedTuple):
    """A device of `mlxfwmanager`; `available` is "" or `N/A` where no image fits."""

    pci: str
    psid: str
    current: str
    available: str
    status: str


def parse_manager(text: str) -> list[Managed]:
    """The devices of `mlxfwmanager`, plain text or `--query-format XML`."""
    start = text.find("<Devices")
    return _from_xml(text[start:]) if start >= 0 else _from_text(text)


def _from_xml(text: str) -> list[Managed]:
    try:
        root = ElementTree.fromstring(text[: text.rfind(">") + 1])
    except ElementTree.ParseError:
        return []
    return [
        Managed(
            device.get("pciName", ""),
            device.get("psid", ""),
            _attribute(device, "current"),
            _attribute(device, "available"),
            (device.findtext("Status") or "").strip(),
        )
        for device in root.iter("Device")
    ]


def _attribute(device: ElementTree.Element, name: str) -> str:
    found = device.find("Versions/FW")
    return found.get(name, "") if found is not None else ""


def _from_text(text: str) -> list[Managed]:
    blocks = re.split(r"^Device #\d+:", text, flags=re.MULTILINE)[1:]
    return [_block(block) for block in blocks]


def _block(text: str) -> Managed:
    fields = dict(re.findall(r"^\s{2}([A-Z][A-Za-z ]*?):\s+(.+?)\s*$", text, flags=re.MULTILINE))
    row = re.search(r"^\s+FW\s+(\S+)\s*(\S*)", text, flags=re.MULTILINE)
    return Managed(
        fields.get("PCI Device Name", ""),
        fields.get("PSID", ""),
        row.group(1) if row else "",
        row.group(2) if row else "",
        fields.get("Status", ""),
    )
