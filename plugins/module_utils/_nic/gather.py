# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that is known of the NICs of a host, as plain data, with few processes.

A record per card, as of `discover`, with mode, mode_next, psid, firmware {running, burned, stored,
source}, nvconfig {NAME: {default, current, next, read_only}}, and per port qos, roce and cc. Where
NICs are wanted only what they want of a port is read (qos is {} where none is wanted); a part of a
port that cannot be read is absent and its sentence stands in `errors`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypedDict

from .desired import Nic
from .discover import BLUEFIELDS, MODELS, card_of, discover, without_driver
from .errors import NicError
from .plan.nvconfig import arrays_of, flat, mode_of
from .read.cc import read_cc
from .read.firmware import read_devlink, read_firmware
from .read.nvconfig import MODE, MODEL, read_nvconfig
from .read.privilege import is_restricted
from .read.qos import lldpad_runs, read_qos
from .read.roce import read_ppcc, read_roce
from .records import Card, NvPart, PortRecord, Process, QosFound
from .tools import Host, side_by_side

SECTIONS = ("firmware", "nvconfig", "qos", "roce", "cc", "privilege")
DEFAULT_SECTIONS = ("firmware", "nvconfig", "qos", "roce", "cc")


class Shared(TypedDict):
    """What one look answers for all cards."""

    devlink: dict[str, dict[str, str]]
    cc: dict[str, Process]
    lldpad: bool


def gather(
    host: Host,
    wanted: Iterable[Nic] = (),
    sections: Iterable[str] = DEFAULT_SECTIONS,
    *,
    deep: bool = False,
) -> list[Card]:
    """The records of the wanted cards, or of all where none is named; cards side by side."""
    nics = list(wanted)
    chosen = set(sections)
    cards = matched(discover(host), nics) if nics else [(c, None) for c in discover(host)]
    shared = _shared(host, chosen)
    return side_by_side(lambda pair: _complete(host, *pair, chosen, shared, deep), cards)


def lost_drivers(records: Iterable[Card]) -> Iterator[str]:
    """A sentence for each function that no driver has."""
    for record in records:
        for port in record["ports"]:
            if "driver" in port.get("errors", {}):
                yield port["errors"]["driver"]


def matched(cards: list[Card], nics: Iterable[Nic]) -> list[tuple[Card, Nic | None]]:
    """Each wanted NIC with the card found at its address; NicError where there is none."""
    by_card = {card_of(card["pci"]): card for card in cards}
    return [(_card_for(by_card, nic), nic) for nic in nics]


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


def _shared(host: Host, chosen: set[str]) -> Shared:
    """What one look answers for all cards."""
    return {
        "devlink": read_devlink(host) if "firmware" in chosen else {},
        "cc": read_cc(host) if "cc" in chosen else {},
        "lldpad": lldpad_runs(host) if "qos" in chosen else False,
    }


def _complete(
    host: Host, card: Card, nic: Nic | None, chosen: set[str], shared: Shared, deep: bool
) -> Card:
    record: Card = {**card, "mode": "unknown", "mode_next": "unknown"}
    if "firmware" in chosen:
        record["firmware"] = read_firmware(host, card["pci"], shared["devlink"])
        record["psid"] = record["firmware"]["psid"]
    if "nvconfig" in chosen:
        part = nv_part(host, card, nic)
        record |= {
            "nvconfig": part["nvconfig"],
            "mode": part["mode"],
            "mode_next": part["mode_next"],
        }
    if "privilege" in chosen:
        record["restricted"] = is_restricted(host, card["pci"])
    first = card["ports"][0]["pci"]
    record["ports"] = [
        _port(host, port, nic, chosen, shared, deep=deep, first=port["pci"] == first)
        for port in card["ports"]
    ]
    return record


def nv_part(host: Host, card: Card, nic: Nic | None) -> NvPart:
    """{nvconfig, mode, mode_next}; only the wanted names where some are wanted."""
    wanted = nic.nvconfig if nic else {}
    found = read_nvconfig(host, card["pci"], arrays_of(wanted))
    now, then = mode_of(card["device"] in BLUEFIELDS, found)
    if wanted:
        kept = {*flat(wanted), MODE, MODEL}
        found = {name: row for name, row in found.items() if name in kept}
    return {"nvconfig": found, "mode": now, "mode_next": then}


def _port(
    host: Host,
    port: PortRecord,
    nic: Nic | None,
    chosen: set[str],
    shared: Shared,
    *,
    deep: bool,
    first: bool,
) -> PortRecord:
    record: PortRecord = {**port}
    if not port["netdev"]:
        lost = without_driver(host, port["pci"])
        return {**record, "errors": {"driver": lost}} if lost else record
    if "qos" in chosen and nic and not nic.qos:
        record["qos"] = {}
    elif "qos" in chosen:
        with _part(record, "qos"):
            record["qos"] = _qos(host, port, nic, lldpad=shared["lldpad"])
    if "roce" in chosen and (nic is None or nic.roce):
        with _part(record, "roce"):
            record["roce"] = read_roce(host, port)
    if "cc" in chosen and port["rdma"]:
        record["cc"] = shared["cc"].get(port["rdma"], {})
        cc = nic.roce.cc if nic and nic.roce else None
        if cc and record["cc"] and serves_cc(nic, first=first):
            record["ppcc"] = read_ppcc(host, port, cc, record["cc"], deep=deep)
    return record


@contextmanager
def _part(record: PortRecord, name: str) -> Iterator[None]:
    """One part of a port; what cannot be read hinders no other part."""
    try:
        yield
    except NicError as exc:
        record.setdefault("errors", {})[name] = str(exc)


def _qos(host: Host, port: PortRecord, nic: Nic | None, *, lldpad: bool) -> QosFound:
    qos = read_qos(host, port, nic.qos if nic else None)
    return {**qos, "lldpad": lldpad or qos.get("lldpad", False)}


def serves_cc(nic: Nic | None, *, first: bool) -> bool:
    """With hwplb all planes share the first function's RDMA device and its one algorithm."""
    return first or nic is None or nic.multiplane != "hwplb"
