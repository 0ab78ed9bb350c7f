# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of prefixes in a DCIM, compared with the prefixes themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from dcim.rest import every
from dcim.servers import Server

Network = IPv4Network | IPv6Network


def misplaced(server: Server) -> dict[str, Any]:
    """List the prefixes that have another place; of a DCIM with one namespace."""
    rows = list(every(server, "ipam/prefixes"))
    beside: dict[Any, list[Network]] = defaultdict(list)
    for row in rows:
        beside[_space(row)].append(ip_network(row["prefix"]))
    said = {
        row["prefix"]: (_said(server.kind, row), _true(server.kind, row, beside)) for row in rows
    }
    return {prefix: (told, true) for prefix, (told, true) in said.items() if told != true}


def _space(row: Mapping[str, Any]) -> Any:
    """NetBox sees the prefixes of a VRF apart; Nautobot has none in the row."""
    return (row.get("vrf") or {}).get("id")


def _said(kind: str, row: Mapping[str, Any]) -> Any:
    if kind == "netbox":
        return row["_depth"], row["children"]
    return (row["parent"] or {}).get("prefix")


def _true(kind: str, row: Mapping[str, Any], beside: Mapping[Any, list[Network]]) -> Any:
    own = ip_network(row["prefix"])
    others = [each for each in beside[_space(row)] if each != own and each.version == own.version]
    around = [each for each in others if own.subnet_of(each)]  # type: ignore[arg-type]
    if kind == "netbox":
        return len(around), sum(each.subnet_of(own) for each in others)  # type: ignore[arg-type]
    return str(max(around, key=lambda each: each.prefixlen)) if around else None
