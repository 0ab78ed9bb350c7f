# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The interfaces of a host: stable names, addresses, MTU, rail routes and policy rules.

    {name: rail1p1, card: 0000:18:00.0, pci: 0000:18:00.0, rail: 0, plane: 0,
     address: 172.16.0.0, length: 31, gateway: 172.16.0.1, mtu: 9166, table: 1001,
     routes: [{to: 172.16.0.0/15, metric: 100}, {to: 172.16.0.0/12, metric: 101}],
     peer: {device, port}}

Every rail knows the whole of its plane, so that rails reach each other; the metric makes one of
them the default. What leaves from a rail's own address is kept on that rail by its own table.
"""

from __future__ import annotations

import ipaddress
import typing as t

from ..model.errors import FabricError

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..fabric import Fabric

Plain = dict[str, t.Any]

METRIC = 100
"""The rail's own subnet; wider routes are dearer, by rail."""


def rows(fabric: Fabric, slice_: Mapping[str, t.Any], *, table_base: int) -> list[Plain]:
    """One entry for each port of the plan; FabricError without PCI addresses in the description."""
    stated = fabric.description.nics.pci
    if len(stated) < fabric.description.rails:
        raise FabricError.of(
            f"nics.pci: {len(stated)} PCI addresses are given for {fabric.description.rails} "
            "rails, and hosts cannot be configured without them: name each rail's NIC, such as "
            "0000:18:00.0."
        )
    return [_row(port, table=table_base + number) for number, port in enumerate(slice_["ports"], 1)]


def _row(port: Mapping[str, t.Any], *, table: int) -> Plain:
    return {
        "name": port["port"],
        "card": port["pci"],
        "pci": f"{port['pci'][:-1]}{port['plane']}",
        "rail": port["rail"],
        "plane": port["plane"],
        "address": port["address"],
        "length": port["length"],
        "gateway": port["gateway"],
        "mtu": port["mtu"],
        "table": table,
        "routes": [
            {"to": to, "metric": METRIC + (number and number + port["rail"])}
            for number, to in enumerate(port["routes"])
        ],
        "peer": {"device": port["peer"]["device"], "port": port["peer"]["port"]},
    }


def whole(found: Iterable[Mapping[str, t.Any]]) -> list[str]:
    """The prefixes that the fabric means on a host, none inside another."""
    nets = {
        ipaddress.ip_network(route["to"], strict=False)
        for row in found
        for route in (*row["routes"], {"to": f"{row['address']}/{row['length']}"})
    }
    kept = [net for net in nets if not any(net != other and _inside(net, other) for other in nets)]
    return [str(net) for net in sorted(kept, key=str)]


def _inside(net: t.Any, other: t.Any) -> bool:
    return net.version == other.version and bool(net.subnet_of(other))
