# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Profile `table`: host links as they were numbered before, behind the codec's interface.

place,host,leaf
su01/h01/rail1p1,10.4.0.0/31,10.4.0.1/31
"""

from __future__ import annotations

import ipaddress
import itertools
import re
import typing as t

from ...description import places, tables
from ...description.errors import FabricError, shown
from ..topology.cabling import Cabling, NicPort, Node
from . import codec

if t.TYPE_CHECKING:
    from ..topology.clos import Clos
    from ..topology.names import Names

COLUMNS = ("place", "host", "leaf")
FORM = tables.Form("addressing.table", COLUMNS, COLUMNS, open=True)
MOST_LINKS = 65_536

Links = dict[tuple[Node, NicPort], tuple[int, int]]


class Table:
    """Host and leaf addresses by place, and places by address."""

    def __init__(self, links: Links, version: int, link_length: int) -> None:
        """`links`: (host, leaf) by NIC port; each prefix is `link_length` bits long."""
        self.links, self.version, self.link_length = links, version, link_length
        self.places: dict[int, tuple[Node, NicPort, int]] = {}
        for (node, nic), ends in links.items():
            for side, address in enumerate(ends):
                self.places[address] = (node, nic, side)
        self._routes: dict[NicPort, list[str]] = {}

    def routes(self, nic: NicPort) -> list[str]:
        """The prefixes of all links that share a port's rail and plane, collapsed."""
        if nic not in self._routes:
            hosts = (ends[0] for (_node, port), ends in self.links.items() if port == nic)
            texts = (f"{codec.text(host, self.version)}/{self.link_length}" for host in hosts)
            links = [ipaddress.ip_interface(text).network for text in texts]
            merged = ipaddress.collapse_addresses(t.cast("list[ipaddress.IPv4Network]", links))
            self._routes[nic] = [str(prefix) for prefix in merged]
        return self._routes[nic]


def load(
    path: str,
    clos: Clos,
    names: Names,
    *,
    built: t.Callable[[Node], bool] = lambda _node: True,
) -> Table:
    """The rows of a file; FabricError with every row that is wrong.

    Slots that are not `built` need no row: they get theirs when they are.
    """
    table = tables.read(path, FORM)
    name, rows = table.name, list(table.rows)
    if table.wrong or not rows:
        empty = f"{name}: it has no row: write a place and its two addresses for each NIC port of a built slot."
        raise FabricError(table.wrong or [empty])
    if len(rows) > MOST_LINKS:
        raise FabricError.of(
            f"{name}: {len(rows)} links are more than the {MOST_LINKS} a table may hold: use a "
            "computed profile."
        )
    return _table(rows, name, clos, names, built=built)


def _table(
    rows: list[tables.Row],
    name: str,
    clos: Clos,
    names: Names,
    *,
    built: t.Callable[[Node], bool],
) -> Table:
    links: Links = {}
    seen: dict[int, int] = {}
    sentences: list[str] = []
    kinds: set[tuple[int, int]] = set()
    for line, row in rows:
        try:
            key = _place(row["place"], clos, names)
            ends = [_end(row[side]) for side in ("host", "leaf")]
        except FabricError as exc:
            sentences.extend(f"{name} line {line}: {sentence}" for sentence in exc.sentences)
            continue
        for address, version, length in ends:
            kinds.add((version, length))
            if address in seen:
                sentences.append(
                    f"{name} line {line}: {codec.text(address, version)} is already in line "
                    f"{seen[address]}: give each end an address of its own."
                )
            seen[address] = line
        if key in links:
            sentences.append(f"{name} line {line}: {row['place']} occurs twice: keep one row.")
        bits = [32 if version == 4 else 128 for _address, version, _length in ends]
        if len({end[0] >> size - end[2] for end, size in zip(ends, bits)}) > 1:
            sentences.append(
                f"{name} line {line}: {row['host']} and {row['leaf']} are not of one prefix: correct "
                "one of them."
            )
        links[key] = (ends[0][0], ends[1][0])
    if len(kinds) > 1:
        sentences.append(f"{name}: it mixes prefix lengths or IP versions: use one of each.")
    sentences.extend(_missing(links, name, clos, names, built=built))
    if sentences:
        raise FabricError(sentences)
    return Table(links, *kinds.pop())


def _missing(
    links: Links, name: str, clos: Clos, names: Names, *, built: t.Callable[[Node], bool]
) -> list[str]:
    cabling = Cabling(clos)
    ports = itertools.product(filter(built, cabling.nodes()), cabling.nic_ports())
    without = [port for port in ports if port not in links]
    if not without:
        return []
    node, nic = without[0]
    first = f"{places.text_of(node, pods=clos.pods)}/{names.nic(nic)}"
    return [
        f"{name}: NIC ports of built slots without a row: {len(without)}, the first is {first}: "
        "give every built slot its addresses, or list it in absent."
    ]


def _place(text: str, clos: Clos, names: Names) -> tuple[Node, NicPort]:
    where, _slash, nic_name = text.rpartition("/")
    nic = names.nic_port(nic_name)
    if not where or nic is None:
        raise FabricError.of(
            f"{shown(text)} is not a NIC port: write a place such as su01/h01/rail1p1."
        )
    found = places.expand(where, limits=clos.limits)
    if len(found) != 1 or len(found[0]) != 3:
        raise FabricError.of(
            f"{shown(text)} is not one NIC port: write a place such as su01/h01/rail1p1."
        )
    return Node(*found[0]), nic


def _end(text: str) -> tuple[int, int, int]:
    address, _slash, length = text.partition("/")
    number, version = codec.number(address.strip())
    bits = 32 if version == 4 else 128
    if length and not (re.fullmatch("[0-9]{1,3}", length) and int(length) <= bits):
        raise FabricError.of(
            f"{shown(text)} has no prefix length from 0 to {bits}: write one such as /31."
        )
    return number, version, int(length) if length else bits - 1
