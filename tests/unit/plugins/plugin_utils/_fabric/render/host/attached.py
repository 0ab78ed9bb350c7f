# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports of a node's slice on the front end and storage."""

from __future__ import annotations

FRONT, STORAGE = "front-end", "storage"
SHORT = {FRONT: "front", STORAGE: "stor"}
BUS = {FRONT: "01", STORAGE: "02"}
ROLE = {FRONT: "front_end_leaf", STORAGE: "storage_leaf"}


def ports(network, *, bond=True, six=False, **more):
    """Two ports of a network."""
    short, role = SHORT[network], ROLE[network]
    leaf = role.replace("_", "-")
    return [
        {
            "port": f"{short}{n + 1}",
            "network": network,
            "index": n,
            "pci": f"0000:{BUS[network]}:00.{n}",
            "mtu": 9166,
            "peer": {"device": f"{leaf}-001-{n + 1}", "port": "swp1", "role": role},
            **({"bond": short, "system": f"44:38:39:ff:{BUS[network]}:00"} if bond else {}),
            **({} if bond else address(network, n, six=six)),
            **more,
        }
        for n in range(2)
    ]


def address(network, n, *, six=False):
    """A routed port leads anywhere on the front end, and to the arrays on storage."""
    base = 4 * n + (2 if network == STORAGE else 0)
    before, length = ("fd04::", 127) if six else ("10.192.0.", 31)
    arrays, anywhere = ("2001:db8:a::/48", "::/0") if six else ("10.216.0.0/13", "0.0.0.0/0")
    return {
        "address": f"{before}{2 * base}",
        "gateway": f"{before}{2 * base + 1}",
        "length": length,
        "routes": [anywhere if network == FRONT else arrays],
    }
