# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces that distinguish a host: serial numbers, MAC addresses, addresses, and neighbours by LLDP.

Nothing is judged here. A tenant that was root there can have changed each of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import _json
from .._json import Doc
from .._nic.discover import PCI
from .._nic.errors import NicError
from .._nic.tools import Host
from .interfaces import links
from .records import LinkRow, Traces

SERIALS = ("product_serial", "chassis_serial", "board_serial")
"""Serial numbers of the machine below /sys/class/dmi/id."""
NO_MAC = "00:00:00:00:00:00"
"""Address of the loopback interface."""
LLDP_SECONDS = 10.0


def traces(host: Host) -> Traces:
    """Read the traces of a host; only `error` where its addresses cannot be read."""
    on_pci = {name for pci in host.entries(PCI) for name in host.entries(f"{PCI}/{pci}/net")}
    try:
        rows = links(host)
    except NicError as exc:
        return {"error": str(exc)}
    serials = (host.text(f"/sys/class/dmi/id/{name}") for name in SERIALS)
    own_rows = [row for row in rows if row.get("ifname") in on_pci]
    own = [one for row in own_rows for one in row.get("addr_info", ())]
    return {
        "error": "",
        "serials": sorted({serial for serial in serials if serial}),
        "macs": sorted({mac.lower() for row in rows for mac in _macs(row)}),
        "ports": sorted(
            (str(row["ifname"]), mac.lower()) for row in own_rows for mac in _macs(row)
        ),
        "addresses": sorted({one["local"] for one in own if "local" in one}),
        "heard": sorted(set(_heard(host))),
    }


def _macs(row: LinkRow) -> list[str]:
    """Return the address of an interface, and the one that it has outside of its bond."""
    found = (row.get("address", ""), row.get("permaddr", ""))
    return [mac for mac in found if mac and mac != NO_MAC]


def _heard(host: Host) -> Iterator[tuple[str, str]]:
    """Yield (system, port) of each neighbour that lldpd hears; none where it does not run."""
    answer = host.ask("lldpctl", "-f", "json0", timeout=LLDP_SECONDS)
    try:
        found = _json.parse(answer.out) if answer.rc == 0 else {}
    except ValueError:
        return
    for top in _rows(found, "lldp"):
        for interface in _rows(top, "interface"):
            systems = [_value(one, "name") for one in _rows(interface, "chassis")]
            ports = [_value(one, "id") for one in _rows(interface, "port")]
            yield from ((system, port) for system, port in zip(systems, ports) if system and port)


def _rows(found: object, key: str) -> list[Doc]:
    """Return the records below a key, as `json0` has them in lists."""
    below = found.get(key) if isinstance(found, dict) else None
    return [row for row in below if isinstance(row, dict)] if isinstance(below, list) else []


def _value(found: object, key: str) -> str:
    return next((str(row.get("value") or "") for row in _rows(found, key)), "")
