# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State of the wanted NICs of a host, as plain data, read by few processes.

A record per wanted card, as of `discover`, with mode, mode_next, psid, firmware {running, burned, stored,
source}, nvconfig {NAME: {default, current, next, read_only}}, and per port qos, roce and cc. Only what
is wanted of a port is read: qos is {} where none is wanted. A part of a port that cannot be read is
absent, and its sentence is in `errors`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypedDict, cast

from .desired import Nic
from .discover import BLUEFIELDS, MODELS, card_of, discover, without_driver
from .errors import NicError
from .plan.nvconfig import arrays_of, flat, mode_of
from .plan.roce import planners
from .read.card import MODE, MODEL, read_devlink, read_firmware, read_nvconfig
from .read.cc import read_cc
from .read.qos import LLDPAD_PROGRAM, read_qos
from .read.roce import read_ppcc, read_roce
from .records import Card, NvPart, PortRecord, Process
from .tools import Host, runs, side_by_side

SECTIONS = ("firmware", "nvconfig", "qos", "roce", "cc")


class SharedAnswers(TypedDict):
    """Answers that one look gives for all cards."""

    devlink: dict[str, dict[str, str]]
    cc: dict[str, Process]
    lldpad: bool


def gather(host: Host, nics: Iterable[Nic], sections: Iterable[str] = SECTIONS) -> list[Card]:
    """The records of the wanted cards, which are read side by side."""
    chosen = set(sections)
    cards = cards_for(host, nics)
    shared: SharedAnswers = {
        "devlink": read_devlink(host) if "firmware" in chosen else {},
        "cc": read_cc(host) if "cc" in chosen else {},
        "lldpad": runs(host, LLDPAD_PROGRAM) if "qos" in chosen else False,
    }
    return side_by_side(lambda pair: _complete(host, *pair, chosen, shared), cards)


def lost_drivers(records: Iterable[Card]) -> Iterator[str]:
    """A sentence for each function that no driver has."""
    for record in records:
        for port in record["ports"]:
            if "driver" in port.get("errors", {}):
                yield port["errors"]["driver"]


def cards_for(host: Host, nics: Iterable[Nic]) -> list[tuple[Card, Nic]]:
    """Each NIC with the card that the host shows at its address now; NicError where there is none."""
    wanted = list(nics)
    by_card = {card_of(card["pci"]): card for card in (discover(host) if wanted else ())}
    return [(_card_for(by_card, nic), nic) for nic in wanted]


def _card_for(by_card: dict[str, Card], nic: Nic) -> Card:
    card = by_card.get(card_of(nic.pci))
    if card is None:
        there = ", ".join(sorted(c["pci"] for c in by_card.values())) or "none at all"
        raise NicError(f"{nic.pci}: there is no NIC at this address; found: {there}.")
    if nic.device and card["device"] != nic.device:
        raise NicError(
            f"{nic.pci}: it is device {card['device']} ({card['model']}), the plan says "
            f"{nic.device} ({MODELS.get(nic.device, 'unknown')}); correct the address or the model."
        )
    return card


def _complete(host: Host, card: Card, nic: Nic, chosen: set[str], shared: SharedAnswers) -> Card:
    record: Card = {**card, "mode": "unknown", "mode_next": "unknown"}
    if "firmware" in chosen:
        record["firmware"] = read_firmware(host, card["pci"], shared["devlink"])
        record["psid"] = record["firmware"]["psid"]
    if "nvconfig" in chosen:
        record |= cast("Card", nv_part(host, card, nic))
    record["ports"] = [
        _port(host, port, nic, chosen, shared, first=n == 0) for n, port in enumerate(card["ports"])
    ]
    return record


def nv_part(host: Host, card: Card, nic: Nic) -> NvPart:
    """{nvconfig, mode, mode_next}; only the wanted names where some are wanted."""
    wanted = nic.nvconfig
    found = read_nvconfig(host, card["pci"], arrays_of(wanted))
    now, then = mode_of(card["device"] in BLUEFIELDS, found)
    if wanted:
        kept = {*flat(wanted), MODE, MODEL}
        found = {name: row for name, row in found.items() if name in kept}
    return {"nvconfig": found, "mode": now, "mode_next": then}


def _port(
    host: Host, port: PortRecord, nic: Nic, chosen: set[str], shared: SharedAnswers, *, first: bool
) -> PortRecord:
    record: PortRecord = {**port}
    if not port["netdev"]:
        lost = without_driver(host, port["pci"])
        return {**record, "errors": {"driver": lost}} if lost else record
    if "qos" in chosen:
        with _part(record, "qos"):
            qos = read_qos(host, port, nic.qos) if nic.qos else {}
            lldpad = shared["lldpad"] or qos.get("lldpad", False)
            record["qos"] = {**qos, "lldpad": lldpad} if nic.qos else {}
    if "roce" in chosen and nic.roce:
        with _part(record, "roce"):
            record["roce"] = read_roce(host, port, planners(port, nic.roce, first=first))
    if "cc" in chosen and port["rdma"]:
        record["cc"] = shared["cc"].get(port["rdma"], {})
        cc = nic.roce.cc if nic.roce else None
        if cc and record["cc"] and serves_cc(nic, first=first):
            record["ppcc"] = read_ppcc(host, port, cc, record["cc"], deep=False)
    return record


@contextmanager
def _part(record: PortRecord, name: str) -> Iterator[None]:
    """One part of a port; what cannot be read hinders no other part."""
    try:
        yield
    except NicError as exc:
        record.setdefault("errors", {})[name] = str(exc)


def serves_cc(nic: Nic, *, first: bool) -> bool:
    """With hwplb all planes share the first function's RDMA device and its one algorithm."""
    return first or nic.multiplane != "hwplb"
