# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dates and fingerprint of a certificate, trusted or not. Private.

The standard library shows the dates of a certificate only where it trusts it; ansible-core itself needs cryptography.
"""

from __future__ import annotations

import datetime
import hashlib
import typing as t

try:
    from cryptography import x509
except ImportError:  # sanity tests import every file with the standard library alone
    x509 = None  # type: ignore[assignment]


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
        read = x509.load_der_x509_certificate(der)
        return Validity(read.not_valid_before_utc, read.not_valid_after_utc)
    except (ValueError, x509.InvalidVersion) as exc:
        raise ValueError("no certificate that can be read") from exc
