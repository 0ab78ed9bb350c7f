# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dates and fingerprint of a certificate (DER, RFC 5280), whoever signed it. Private.

The standard library shows the dates of a certificate only where it trusts it.
"""

from __future__ import annotations

import datetime
import hashlib
import typing as t

_VERSION, _SEQUENCE = 0xA0, 0x30
_UTC_TIME, _GENERAL_TIME = 0x17, 0x18
_VALIDITY = 3
"""Place of the dates below serial, algorithm and issuer."""


class Validity(t.NamedTuple):
    """First and last moment at which a certificate is good."""

    begins: datetime.datetime
    ends: datetime.datetime


def fingerprint(der: bytes) -> str:
    """Return the SHA-256 of a certificate in hexadecimal digits."""
    return hashlib.sha256(der).hexdigest()


def validity(der: bytes) -> Validity:
    """Return the dates of a certificate; ValueError for bytes that are none."""
    try:
        ((_tag, signed),) = _parts(der, _SEQUENCE)
        content = _parts(_parts(signed)[0][1])
        fields = content[1:] if content[0][0] == _VERSION else content
        begins, ends = (_moment(tag, text) for tag, text in _parts(fields[_VALIDITY][1]))
    except (IndexError, ValueError) as exc:
        raise ValueError("no certificate that can be read") from exc
    return Validity(begins, ends)


def _parts(data: bytes, only: int | None = None) -> list[tuple[int, bytes]]:
    """Split a sequence into the tags and contents of its members; ``only`` is the one tag that is allowed."""
    found = []
    while data:
        tag, length, start = data[0], data[1], 2
        if length & 0x80:
            start += length & 0x7F
            length = int.from_bytes(data[2:start], "big")
        if len(data) < start + length or (only is not None and tag != only):
            raise ValueError(tag)
        found.append((tag, data[start : start + length]))
        data = data[start + length :]
    return found


def _moment(tag: int, text: bytes) -> datetime.datetime:
    """Return a date; one with two digits of the year is of 1950 to 2049."""
    word = text.decode("ascii")
    if tag == _UTC_TIME:
        word = f"{'19' if word[:2] >= '50' else '20'}{word}"
    elif tag != _GENERAL_TIME:
        raise ValueError(tag)
    return datetime.datetime.strptime(word, "%Y%m%d%H%M%SZ").replace(tzinfo=datetime.UTC)
