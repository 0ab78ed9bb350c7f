# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The edge router of a provider: plain FRR and iproute2, with a VRF for each customer, as providers have it."""

from __future__ import annotations

from collections.abc import Sequence

from kernel.networks.documents import BORDERS, OUTSIDE, PROVIDER_ASN, SECRETS, TENANTS, asn, link


def links() -> str:
    """A script: one link to each border leaf, on it a VLAN for each customer; a host behind the router."""
    lines = ["for port in p1 p2; do ip link set $port up; done"]
    for tenant, n in TENANTS.items():
        lines += [
            f"ip link add c{n} type vrf table {n}",
            f"ip link set c{n} up",
            f"ip addr add {OUTSIDE}/24 dev c{n}",
        ]
        for port, border in zip(("p1", "p2"), BORDERS):
            name = f"{port}.{3000 + n}"
            lines += [
                f"ip link add link {port} name {name} type vlan id {3000 + n}",
                f"ip link set {name} master c{n} up",
                f"ip addr add {link(border, tenant)[1]}/31 dev {name}",
            ]
    return "\n".join(lines)


def configuration() -> str:
    """FRR's configuration: a default and one prefix for each customer."""
    lines = ["bfd", "profile p", "transmit-interval 1000", "receive-interval 1000", "exit", "exit"]
    for tenant, n in TENANTS.items():
        lines += [
            f"router bgp {PROVIDER_ASN} vrf c{n}",
            "bgp router-id 198.51.100.1",
            "no bgp ebgp-requires-policy",
        ]
        lines += ["no bgp network import-check", "no bgp default ipv4-unicast"]
        for border in BORDERS:
            peer = link(border, tenant)[0]
            lines += [
                f"neighbor {peer} remote-as {asn(border)}",
                f"neighbor {peer} password {SECRETS[tenant]}",
                f"neighbor {peer} ttl-security hops 1",
                f"neighbor {peer} bfd",
                f"neighbor {peer} bfd profile p",
                f"neighbor {peer} timers connect 2",
            ]
        lines += ["address-family ipv4 unicast", "network 203.0.113.0/24"]
        for border in BORDERS:
            lines += [
                f"neighbor {link(border, tenant)[0]} {word}"
                for word in ("activate", "default-originate")
            ]
        lines += ["exit-address-family", "exit"]
    return "\n".join(lines) + "\n"


def announce(tenant: str, prefixes: Sequence[str], *, back: bool = False) -> str:
    """Lines by which the provider announces more to one customer, or takes it back."""
    word = "no network" if back else "network"
    body = [f"{word} {prefix}" for prefix in prefixes]
    head = [f"router bgp {PROVIDER_ASN} vrf c{TENANTS[tenant]}", "address-family ipv4 unicast"]
    return "\n".join([*head, *body, "exit-address-family", "exit"]) + "\n"
