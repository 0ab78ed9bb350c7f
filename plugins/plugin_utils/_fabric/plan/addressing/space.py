# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Use of the address space by a plan.

taken({"host links": "172.16.0.0/12", "vtep": "10.136.0.0/13", ...})  ->  ["10.136.0.0/13", "172.16.0.0/12"]
private_share(["10.0.0.0/8"])                                         ->  0.94
"""

from __future__ import annotations

import ipaddress
import math
import typing as t

PRIVATE = tuple(
    ipaddress.IPv4Network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
)
"""The private IPv4 addresses of RFC 1918."""


def taken(pools: t.Mapping[str, str]) -> list[str]:
    """The prefixes of all blocks, neighbours put together; IPv4 first."""
    four: list[ipaddress.IPv4Network] = []
    six: list[ipaddress.IPv6Network] = []
    for prefix in pools.values():
        network = ipaddress.ip_network(prefix)
        if isinstance(network, ipaddress.IPv4Network):
            four.append(network)
        else:
            six.append(network)
    return [
        str(network)
        for network in (*ipaddress.collapse_addresses(four), *ipaddress.collapse_addresses(six))
    ]


def words(prefixes: t.Sequence[str]) -> str:
    """`38% of private IPv4: 10.128.0.0/10 172.16.0.0/12`."""
    return f"{math.floor(100 * private_share(prefixes))}% of private IPv4: {' '.join(prefixes)}"


def private_share(prefixes: t.Iterable[str]) -> float:
    """The share of the addresses of RFC 1918 that disjoint prefixes take, from 0 to 1."""
    networks = [ipaddress.ip_network(prefix) for prefix in prefixes]
    used = sum(
        network.num_addresses
        for network in networks
        if isinstance(network, ipaddress.IPv4Network)
        and any(network.subnet_of(block) for block in PRIVATE)
    )
    return used / sum(block.num_addresses for block in PRIVATE)
