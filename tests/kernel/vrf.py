# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of tenants on the rails, in a kernel that has VRFs. Standard library only.

The order holds documents of switches, hosts with address, gateway and tenant, and cables.
"""

from __future__ import annotations

import itertools
import time
from typing import Any

from kernel.machine import Machine, cables, eventually, say
from realiser import coverage

Plain = dict[str, Any]
Tries = list[tuple[str, str]]
CONVERGENCE = 40
"""Seconds until tenants reach their own; a guest on a busy machine took 15."""


def build(order: Plain) -> dict[str, Machine]:
    """Machines, cables, host addresses, and each switch's document realised."""
    coverage.sort({})
    known = {name: Machine(name) for name in (*order["switches"], *order["hosts"])}
    cables((known[a], b, known[c], d) for a, b, c, d in order["cables"])
    for name, row in order["hosts"].items():
        known[name].sh(
            f"ip link set {row['port']} mtu {row['mtu']} up\n"
            f"ip addr add {row['address']}/31 dev {row['port']}\n"
            f"ip route add default via {row['gateway']}"
        )
    for name, document in order["switches"].items():
        known[name].ask("route", daemons=["zebra", "bgpd"])
        put(known, order, name, document)
    return known


def put(known: dict[str, Machine], order: Plain, name: str, document: Plain) -> str:
    """Have a switch take a document; says how it makes VRFs."""
    mac = f"44:38:39:00:00:{1 + list(order['switches']).index(name):02x}"
    return str(known[name].ask("realise", document=document, mac=mac)["backend"])


def heard(known: dict[str, Machine], tries: Tries) -> Tries:
    """Return the (host, address) that answer; all hosts try at the same time."""
    rows = {name: [to for one, to in tries if one == name] for name, _to in tries}
    for name, goals in rows.items():
        known[name].send("reaching", tries=[("", to) for to in goals])
    said = {name: dict(zip(goals, known[name].receive())) for name, goals in rows.items()}
    return [(name, to) for name, to in tries if said[name][to]]


def reached(order: Plain, known: dict[str, Machine]) -> list[list[str]]:
    """The ordered pairs of hosts of which one hears the other."""
    owner = {row["address"]: name for name, row in order["hosts"].items()}
    pairs = itertools.permutations(order["hosts"], 2)
    tries = [(one, order["hosts"][two]["address"]) for one, two in pairs]
    return [[one, owner[to]] for one, to in heard(known, tries)]


def own(order: Plain) -> list[list[str]]:
    """The ordered pairs of one tenant."""
    slugs = {name: row["tenant"] for name, row in order["hosts"].items()}
    return [[a, b] for a, b in itertools.permutations(slugs, 2) if slugs[a] == slugs[b]]


def tell(order: Plain) -> Plain:
    """Everything that is asked, in order."""
    begun = time.monotonic()
    known = build(order)
    say(begun, "documents are realised")
    addresses = {name: row["address"] for name, row in order["hosts"].items()}
    pairs = own(order)
    tries = [(a, addresses[b]) for a, b in pairs]
    for name in order["switches"]:
        known[name].ask("mend", rests=False)
    converged = eventually(lambda: heard(known, tries) == tries, CONVERGENCE)
    say(begun, f"converged: {converged}")
    fits = order["path_mtu"] - 28
    one, two = pairs[0]
    answer = {
        "converged": converged is not None,
        "reached": reached(order, known),
        "underlay": heard(known, [(name, to) for name in addresses for to in order["underlay"]]),
        "whole": known[one].reaches(addresses[two], size=fits),
        "one_byte_more": known[one].reaches(addresses[two], size=fits + 1),
    }
    answer["backends"] = [put(known, order, *row) for row in order["leaked"].items()]
    wanted = order["leak"]
    eventually(lambda: known[wanted[0]].reaches(addresses[wanted[1]]), 15)
    answer["reached_when_leaked"] = reached(order, known)
    say(begun, "leaked")
    return answer
