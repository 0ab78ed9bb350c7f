# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`devices.csv`: what a site knows better than the plan.

    place,name,serial,mac,management,rack,unit,asn,loopback,vtep
    su01/h01,gpu-0107,SN1,,10.1.1.7/24,R12,4,,,
    leaf-p1-su001-r1,tor-12-3,,,,R12,40,4200001001,10.9.0.1,

All columns but `place` are optional. A device export of NetBox or Nautobot with a custom field `spx_place`, by name
or by label, is accepted too, and its devices of other fabrics are passed over. `place` is a node's place or a switch's
name in the plan. A management address may have its prefix length, as NetBox's do; without one it is alone (/32, or
/128 of IPv6).
"""

from __future__ import annotations

import dataclasses
import ipaddress
import re
import typing as t

from . import tables
from .errors import FabricError, shown

if t.TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = (
    "place",
    "name",
    "serial",
    "mac",
    "management",
    "rack",
    "unit",
    "asn",
    "loopback",
    "vtep",
)
_LABELS = {
    "spx_place": "place",
    "cf_spx_place": "place",
    "place in the fabric": "place",
    "serial number": "serial",
    "mac address": "mac",
    "rack__name": "rack",
    "position": "unit",
    "position (u)": "unit",
    "ip address": "management",
    "ipv4 address": "management",
    "primary ip": "management",
    "primary_ip4": "management",
    "primary_ip4__host": "management",
    "ipv6 address": "management",
    "primary_ip6": "management",
    "primary_ip6__host": "management",
}
"""Heads in exports of NetBox (`dcim/tables/devices.py`) and Nautobot (`primary_ip4__host`), and of what is pushed
there. Of several addresses the one of IPv4 is taken."""
MAC = re.compile(r"([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}")
_MAC = re.compile(rf"{MAC.pattern}|([0-9A-Fa-f]{{4}}\.){{2}}[0-9A-Fa-f]{{4}}|[0-9A-Fa-f]{{12}}")
"""With colons or hyphens; also as Cisco writes it, or without any sign."""
_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?"
MOST_CHARACTERS = 64
"""Limit of a serial or a rack."""
MOST_UNITS = 100
"""Limit of units of a rack."""
_UNIT = re.compile(r"(?:R?U[ -]?)?([0-9]{1,3}([.,][05])?) ?U?", re.IGNORECASE)
"""`12`, `U12`, `RU 12`, `12U` and, as NetBox exports it, `12.0`, in some languages `12,0`; NetBox has halves too."""
_ASN = re.compile(r"(?:AS ?)?(?:([0-9]{1,5})\.)?([0-9]{1,10})", re.IGNORECASE)
"""`4200001001`, `AS4200001001`, and `64086.60905` of RFC 5396 (asdot+)."""
_FORMULA = ("=", "+", "-", "@")
"""First characters by which a spreadsheet takes a cell for a formula; the exports are opened in spreadsheets."""
_NAME = re.compile(rf"(?=.{{1,63}}$){_LABEL}(\.{_LABEL})*$")


@dataclasses.dataclass(frozen=True)
class Row:
    """One device; empty text and 0 where the file says nothing.

    `management` has no length; `management_length` is its prefix length.
    """

    place: str
    line: int
    name: str = ""
    serial: str = ""
    mac: str = ""
    management: str = ""
    management_length: int = 32
    rack: str = ""
    unit: str = ""
    asn: int = 0
    loopback: str = ""
    vtep: str = ""

    @property
    def management_prefix(self) -> str:
        """The prefix that the management address lies in, empty without one."""
        if not self.management:
            return ""
        stated = f"{self.management}/{self.management_length}"
        return str(ipaddress.ip_network(stated, strict=False))


def read(path: str, *, fabric: str = "") -> list[Row]:
    """All rows; FabricError with a sentence for every value that is wrong or occurs twice.

    Of a NetBox export only the rows of this fabric, where the custom field names one.
    """
    table = tables.read(path, FORM)
    rows: list[Row] = []
    for line, cells in table.rows:
        row, wrong = _row(cells, line=line)
        if table.exported:
            row = dataclasses.replace(row, place=_own_place(row.place, fabric))
            if not row.place:
                continue  # a device of NetBox that this fabric does not have
        table.wrong.extend(f"{table.name} line {line}, {sentence}" for sentence in wrong)
        rows.append(row)
    table.wrong.extend(_twice(rows, table.name))
    if table.wrong:
        raise FabricError(table.wrong)
    return rows


def _own_place(cell: str, fabric: str) -> str:
    """The place in our custom field, `lab/leaf-p1-su001-r1#3f2a90c1`; empty where it is another fabric's.

    A place without a digest, such as su01/h01, is one that a person wrote.
    """
    key, sign, _digest = cell.rpartition("#")
    if not sign:
        return cell
    name, _slash, place = key.partition("/")
    return place if name == fabric else ""


def _row(text: dict[str, str], *, line: int) -> tuple[Row, list[str]]:
    """The row, and what is wrong with it."""
    wrong = []
    if not text["place"]:
        wrong.append("place: the cell is empty: name a node's place or a switch of the plan.")
    if text["mac"] and not is_mac(text["mac"]):
        wrong.append(f"mac: {shown(text['mac'])} is not a MAC address: write 00:00:5e:00:53:01.")
    text["mac"] = mac(text["mac"])
    wrong += [*_wrong_name(text["name"]), *_wrong_words(text)]
    length, sentences = _addresses(text)
    wrong += sentences
    asn = asn_of(text["asn"])
    if text["asn"] and not asn:
        wrong.append(f"asn: {shown(text['asn'])} is not an AS number: use 1 to 4294967295.")
    values: dict[str, t.Any] = {**text, "asn": asn}
    return Row(line=line, management_length=length, **values), wrong


def wrong(cells: t.Mapping[str, str]) -> list[str]:
    """List the faults of a row's cells, by column, in the words of `read`."""
    return _row({**dict.fromkeys(COLUMNS, ""), **cells}, line=0)[1]


def _wrong_name(name: str) -> Iterator[str]:
    if name and not _NAME.fullmatch(name):
        yield f"name: {shown(name)} is not a host name: use at most 63 letters, digits and hyphens."
    if _is_address(name):
        yield f"name: '{name}' is an address: use a name."
    if name in ("all", "localhost", "ungrouped"):
        yield f"name: '{name}' has another meaning in Ansible: use another name."


def unit_of(text: str) -> int:
    """The lowest rack unit that a cell means; 0 for none, and for what is no unit."""
    found = _UNIT.fullmatch(text)
    return int(float(found[1].replace(",", "."))) if found else 0


def asn_of(text: str) -> int:
    """The AS number that a cell means; 0 for none, and for what is no AS number."""
    found = _ASN.fullmatch(text)
    high, low = (int(found[1] or 0), int(found[2])) if found else (0, 0)
    dotted = found and found[1] is not None
    number = high * 2**16 + low
    return number if number < 2**32 and not (dotted and low >= 2**16) else 0


def _wrong_words(text: dict[str, str]) -> Iterator[str]:
    """Free text goes into tables, terminals and pages: one printable line that is no formula."""
    unit = text["unit"]
    if unit and not 1 <= unit_of(unit) <= MOST_UNITS:
        yield f"unit: {shown(unit)} is not a rack unit from 1 to {MOST_UNITS}: write the lowest unit of the device."
    for column in ("serial", "rack"):
        value = text[column]
        if len(value) > MOST_CHARACTERS or not value.isprintable():
            yield (
                f"{column}: {shown(value)} is not one line of at most {MOST_CHARACTERS} printable "
                "characters: shorten or correct it."
            )
        elif value.startswith(_FORMULA):
            yield (
                f"{column}: {shown(value)} is a formula to a spreadsheet: begin it with a letter or "
                "digit."
            )


def _addresses(text: dict[str, str]) -> tuple[int, list[str]]:
    """The management address's prefix length; cuts lengths off the cells of `text`."""
    wrong, found = [], 32
    for column in ("management", "loopback", "vtep"):
        stated = text[column]
        text[column], slash, length = stated.partition("/")
        six = _six(text[column]) if column == "management" else None
        bits = 128 if six else 32
        found = bits if six else found
        text[column] = str(six or text[column])
        if text[column] and not (six or _is_address(text[column])):
            family, such = ("IPv4", "192.0.2.1")
            if column == "management":
                family, such = ("IPv4 or a global IPv6", "192.0.2.1 or 2001:db8::1")
            wrong.append(
                f"{column}: {shown(stated)} is not an {family} address: write one such as {such}."
            )
        elif slash and not (re.fullmatch("[0-9]{1,3}", length) and 1 <= int(length) <= bits):
            wrong.append(
                f"{column}: {shown(stated)} has no prefix length from 1 to {bits}: write one such as "
                f"/{'64' if six else '24'}."
            )
        elif length and column != "management" and int(length) != 32:
            wrong.append(
                f"{column}: {shown(stated)} is a prefix of several addresses: write the address alone."
            )
        elif length and column == "management":
            found = int(length)
            wrong += [] if six else _not_a_host(stated)
    return found, wrong


def _six(text: str) -> ipaddress.IPv6Address | None:
    """The address of IPv6 that a text is and that a device may have; None for any other text."""
    try:
        found = ipaddress.IPv6Address(text)
    except ValueError:
        return None
    barred = found.is_multicast or found.is_link_local or found.ipv4_mapped or found.scope_id
    return None if barred or not int(found) >> 32 else found


def _not_a_host(stated: str) -> Iterator[str]:
    own = ipaddress.IPv4Interface(stated)
    ends = (own.network.network_address, own.network.broadcast_address)
    if own.network.prefixlen < 31 and own.ip in ends:
        yield (
            f"management: '{stated}' is the first or last address of its prefix, which no device may have: "
            "correct one of them."
        )


def _is_address(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text.partition("/")[0])
    except ValueError:
        return False
    return True


FORM = tables.Form("devices", COLUMNS, ("place",), _LABELS, {"management": _is_address})
_NAMED = tables.Form(
    "management",
    ("name", "address"),
    ("name", "address"),
    {"device": "name", "host": "name", "management": "address"}
    | {label: "address" for label, column in _LABELS.items() if column == "management"},
    {"address": _is_address},
    open=True,
)
_SIGNS = str.maketrans("", "", ":-.")


def addresses(path: str) -> dict[str, str]:
    """Return the management addresses by name of a table with both, such as an export of a DCIM."""
    table, found = tables.read(path, _NAMED), dict[str, str]()
    for line, cells in table.rows:
        name, address = cells["name"], cells["address"].partition("/")[0]
        if found.setdefault(name, address) != address:
            table.wrong.append(
                f"{table.name} line {line}, address: {shown(address)} differs from {found[name]}, which {shown(name)} "
                "has in an earlier line: keep one of them."
            )
    if table.wrong:
        raise FabricError(table.wrong)
    return {name: address for name, address in found.items() if name and address}


def is_mac(text: str) -> bool:
    """Check whether a text is a MAC address in one of the four usual forms."""
    return _MAC.fullmatch(text) is not None


def mac(text: str) -> str:
    """A MAC address as the plan compares it: lower case, with colons. Any other text in lower case."""
    if not is_mac(text):
        return text.lower()
    digits = text.lower().translate(_SIGNS)
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def _twice(rows: list[Row], name: str) -> list[str]:
    found = []
    for column in ("place", "name", "serial", "mac", "management", "loopback", "vtep"):
        seen: dict[str, int] = {}
        for row in rows:
            value = getattr(row, column).lower()
            value = mac(value) if column == "mac" else value
            if value and value in seen:
                found.append(
                    f"{name} line {row.line}, {column}: '{value}' is already in line "
                    f"{seen[value]}: "
                    "give every device its own."
                )
            seen.setdefault(value, row.line)
    return found
