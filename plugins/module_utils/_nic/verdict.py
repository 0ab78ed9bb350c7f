# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison of an earlier gathering with the wanted state, without running anything.

Per section one word, the worst over all cards, so that a play can leave out a module:

    current   nothing to do
    staged    waits for a reset (nvconfig, firmware) or for maintenance (roce)
    differs   the module would write
    blocked   the module would refuse; run it to hear why
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Callable, Union

from .desired import Cc, Nic, Qos
from .discover import card_of
from .errors import NicError
from .firmware import MATCHES, state_of
from .gather import serves_cc
from .plan.base import Plan, joined
from .plan.nvconfig import check_required, skipped, states
from .plan.qos import LLDPAD, plan_qos
from .plan.roce import plan_ppcc, plan_registers
from .records import Card, PortRecord

Judge = Callable[[Card, Nic], Union[str, Iterable[Plan]]]

CURRENT, STAGED, DIFFERS, BLOCKED = "current", "staged", "differs", "blocked"
COST = (CURRENT, STAGED, DIFFERS, BLOCKED)


def verdict(records: Iterable[Card], nics: Iterable[Nic]) -> dict[str, str]:
    """{nvconfig, firmware, qos, roce} -> a word; for records with all default sections."""
    by_card = {card_of(record["pci"]): record for record in records}
    pairs = [(by_card[card_of(nic.pci)], nic) for nic in nics]
    judges: dict[str, Judge] = {
        "nvconfig": _nvconfig,
        "firmware": _firmware,
        "qos": functools.partial(_runtime, ["qos"]),
        "roce": functools.partial(_runtime, ["roce", "cc"]),
    }
    return {
        name: max((_safe(judge, *pair) for pair in pairs), key=COST.index, default=CURRENT)
        for name, judge in judges.items()
    }


def _safe(judge: Judge, record: Card, nic: Nic) -> str:
    try:
        found = judge(record, nic)
        if isinstance(found, str):
            return found
        plan = joined(found)
    except (NicError, KeyError):  # a section that was not gathered cannot be judged
        return BLOCKED
    return DIFFERS if plan.steps else STAGED if plan.deferred else CURRENT


def _nvconfig(record: Card, nic: Nic) -> str:
    if not nic.nvconfig:
        return CURRENT
    check_required(nic.pci, skipped(record["nvconfig"], nic.nvconfig), nic.required)
    rows = states(record["nvconfig"], nic.nvconfig).values()
    return max((row["state"] for row in rows), key=COST.index, default=CURRENT)


def _firmware(record: Card, nic: Nic) -> str:
    if nic.firmware is None:
        return CURRENT
    if nic.firmware.force:
        return DIFFERS
    state = state_of(record["firmware"], nic.firmware.version)
    return CURRENT if state == MATCHES else state


def _runtime(parts: Iterable[str], record: Card, nic: Nic) -> Iterator[Plan]:
    for n, port in enumerate(record["ports"]):
        plans = port_plans(nic, first=n == 0)
        yield from (plans[part](port) for part in parts if part in plans)


def port_plans(nic: Nic, *, first: bool) -> dict[str, Callable[[PortRecord], Plan]]:
    """{qos, roce, cc} -> what a card's (first) port needs of it, of what is wanted of that port.

    NicError where the modules would refuse, KeyError for a part that was not gathered.
    """
    qos, roce = nic.qos, nic.roce
    plans: dict[str, Callable[[PortRecord], Plan]] = {}
    if qos:
        plans["qos"] = lambda port: _qos(port, qos)
    if roce:
        plans["roce"] = lambda port: plan_registers(port, port["roce"], roce, first=first)
    if roce and roce.cc and serves_cc(nic, first=first):
        cc = roce.cc
        plans["cc"] = lambda port: _cc(port, cc)
    return plans


def _qos(port: PortRecord, wanted: Qos) -> Plan:
    if port["qos"].get("lldpad"):
        raise NicError(f"{port['netdev']}: {LLDPAD}")
    return plan_qos(port, port["qos"], wanted)


def _cc(port: PortRecord, wanted: Cc) -> Plan:
    """The algorithm is active, its parameters as the host's note or the card has them."""
    if not port.get("rdma"):
        raise NicError(
            f"{port.get('netdev') or port['pci']}: it has no RDMA device for congestion control: "
            "check that the driver is bound to the card."
        )
    state = (port.get("cc") or {}).get("state", "not running")
    if wanted.run and state != "active":
        raise NicError(f"{port['rdma']}: congestion control is {state}: see its unit's log.")
    return plan_ppcc(port, port.get("ppcc") or {}, wanted)
