# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward and reverse zones, so that `dig -x` is a locate.

Reverse zones are cut at the prefixes of the plan: one file for each /16 (IPv4) or /48 (IPv6) in use.
An address that several planes carry (hardware balancing) has a PTR record for each place.
"""

from __future__ import annotations

import ipaddress
import typing as t

from . import rows
from .lists import dns_label
from .output import gathered

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..fabric import Fabric


def zones(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, Iterator[str]]]:
    """(path, chunks) of the forward zone and of every reverse zone, made in one pass."""
    return gathered(_lines(fabric, pods))


def _lines(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, str]]:
    domain = zone(fabric)
    forward = f"dns/{domain}.zone"
    yield forward, _head(domain, domain) + "ns A 127.0.0.1\n"
    begun: set[str] = set()
    for x in rows.addresses(fabric, pods):
        name = dns_label(x)
        yield forward, f"{name} {'AAAA' if ':' in x.address else 'A'} {x.address}\n"
        owner, origin = _reverse(x.address)
        file = f"dns/{origin}.zone"
        if origin not in begun:
            begun.add(origin)
            yield file, _head(origin, domain)
        yield file, f"{owner} PTR {name}.{domain}.\n"


def zone(fabric: Fabric) -> str:
    """The forward zone: the description's domain, else one under .example made of the name."""
    return fabric.description.management.domain or f"{fabric.description.name}.example"


def _head(origin: str, domain: str) -> str:
    return (
        f"$ORIGIN {origin}.\n$TTL 3600\n"
        f"@ SOA ns.{domain}. hostmaster.{domain}. (1 3600 600 86400 3600)\n@ NS ns.{domain}.\n"
    )


def _reverse(address: str) -> tuple[str, str]:
    """(owner within the zone, zone) of an address's PTR record."""
    if ":" in address:
        nibbles = ipaddress.ip_address(address).reverse_pointer.split(".")
        return ".".join(nibbles[:20]), ".".join(nibbles[20:])
    first, second, third, fourth = address.split(".")
    return f"{fourth}.{third}", f"{second}.{first}.in-addr.arpa"
