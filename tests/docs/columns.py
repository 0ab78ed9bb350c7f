# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The columns of a site's tables and the keys of a waiver, in words; `test_allowed.py` asks their readers."""

from __future__ import annotations

import typing as t

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import results
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import (
    devices,
    racks,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology import uplinks


class Column(t.NamedTuple):
    """A column or key: what it may hold, whether it is needed, its meaning, one good value and a bad one."""

    name: str
    allowed: str
    needed: bool
    meaning: str
    good: str
    bad: str = ""


_LINE = (
    f"one line of at most {devices.MOST_CHARACTERS} printable characters, a letter or digit first"
)
_ADDRESS = "IPv4 address such as 192.0.2.1"
_RACK = f"name of 1 to {racks.MOST_CHARACTERS} printable characters, a letter or digit first"

TABLES: dict[str, tuple[Column, ...]] = {
    "devices.csv": (
        Column(
            "place",
            "place of a node, or name of a switch in the plan",
            True,
            "The device that the row is about.",
            "su01/h01",
        ),
        Column(
            "name",
            "host name of at most 63 letters, digits and hyphens",
            False,
            "Its own name instead of the plan's.",
            "gpu-0107",
            "gpu_0107",
        ),
        Column(
            "serial",
            _LINE,
            False,
            "Its serial number; decides whether a switch is the one that is meant.",
            "MT2417XT1001",
            "=1",
        ),
        Column(
            "mac",
            "MAC address such as 00:00:5e:00:53:01",
            False,
            "MAC address of its management port.",
            "00:00:5e:00:53:01",
            "00:00:5e",
        ),
        Column(
            "management",
            f"{_ADDRESS}, or one of IPv6, with a prefix length as in 192.0.2.1/24 if need be",
            False,
            "Its out-of-band address.",
            "192.0.2.1/24",
            "192.0.2.0/24",
        ),
        Column(
            "rack", _LINE, False, "Rack that it is in.", "R12", "x" * (devices.MOST_CHARACTERS + 1)
        ),
        Column("unit", _LINE, False, "Its unit in the rack.", "40", "-1"),
        Column(
            "asn",
            "whole number, 1 to 4294967295",
            False,
            "AS number of a switch.",
            "4200001001",
            "0",
        ),
        Column(
            "loopback", _ADDRESS, False, "Address of its loopback.", "192.0.2.9", "192.0.2.0/24"
        ),
        Column("vtep", _ADDRESS, False, "Address of its VXLAN tunnels.", "192.0.2.10", "leaf"),
    ),
    "racks.csv": (
        Column("rack", _RACK, True, "Name of the rack.", "G01", "=1"),
        Column("row", _RACK, True, "Row that it is in.", "A", "-"),
        Column(
            "position",
            f"whole number, 1 to {racks.MOST_POSITION}",
            True,
            "Its position in the row; 1 is the same end of every row.",
            "1",
            "0",
        ),
        Column(
            "units",
            f"whole number, 1 to {racks.MOST_UNITS}",
            False,
            "Its height in units; ``cabling.rack_units`` by default.",
            "48",
            str(racks.MOST_UNITS + 1),
        ),
        Column(
            "kw",
            "kilowatts, such as 17.5",
            False,
            "Power that it may take; see cabling.power.",
            "17.5",
            "much",
        ),
    ),
    "links.csv": (
        Column(
            "place",
            "place of a node and port of a NIC, such as su01/h01/rail1p1",
            True,
            "The link.",
            "su01/h01/rail1p1",
            "su01",
        ),
        Column(
            "host",
            "address such as 10.40.0.1/31; the length is 31, or 127 for IPv6, by default",
            True,
            "Address of the NIC port.",
            "10.40.0.1/31",
            "10.40.0",
        ),
        Column(
            "leaf",
            "address of the same prefix",
            True,
            "Address of the port of the leaf.",
            "10.40.0.0/31",
            "10.40.0.1/31",
        ),
    ),
    "uplinks.csv": (
        Column("lower", "name of a switch", True, "Switch of the lower tier.", "leaf-p1-su001-r1"),
        Column("lower_port", "a port such as swp17s0", True, "Its port.", "swp3s0"),
        Column("upper", "name of a switch", True, "Switch of the tier above.", "spine-p1-s01"),
        Column("upper_port", "a port such as swp1s0", True, "Its port.", "swp1s0"),
    ),
    "waivers.yml": (
        Column(
            "check",
            "id of a check, level or id of a performance test, or a glob",
            True,
            "What may fail.",
            "link.*",
        ),
        Column(
            "device",
            "name of a device, or a glob",
            False,
            "Where; every device by default.",
            "spine-*",
        ),
        Column(
            "port",
            "name of a port, or a glob",
            False,
            "At which port; every port by default.",
            "swp1s0",
        ),
        Column(
            "until",
            "a day such as 2026-12-31",
            True,
            "Last day of the waiver; then the check fails again.",
            "2026-12-31",
            "2026-13-31",
        ),
        Column("reason", "text", True, "Why; reports quote it.", "optic ordered"),
    ),
}
COLUMNS: dict[str, tuple[str, ...]] = {
    "devices.csv": devices.COLUMNS,
    "racks.csv": racks.COLUMNS,
    "links.csv": ("place", "host", "leaf"),
    "uplinks.csv": uplinks.COLUMNS,
    "waivers.yml": results.KEYS,
}
"""Columns that the readers know."""
