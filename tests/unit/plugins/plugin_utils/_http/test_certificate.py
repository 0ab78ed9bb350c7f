# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The dates of a certificate, trusted or not."""

from __future__ import annotations

import datetime
import ssl
from contextlib import suppress

import pytest
from certificates import certificate

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.certificate import (
    fingerprint,
    validity,
)


def day(year: int) -> datetime.datetime:
    return datetime.datetime(year, 2, 28, 23, 59, 58, tzinfo=datetime.UTC)


def der(*dates: datetime.datetime) -> bytes:
    return ssl.PEM_cert_to_DER_cert(certificate(*dates)[1].decode())


@pytest.mark.parametrize("years", [(1950, 1999), (1999, 2049), (2026, 2050), (2050, 9999)])
def test_both_forms_of_a_date_are_read(years: tuple[int, int]) -> None:
    dates = [day(year) for year in years]
    assert [*validity(der(*dates))] == dates


def test_whatever_is_no_certificate_is_refused_in_one_way() -> None:
    whole = der(day(2020), day(2021))
    cut = [whole[:size] for size in range(len(whole))]
    for text in [*cut, b"\x30\x80", b"\x30\x84\xff\xff\xff\xff", b"\x30" * 9000]:
        with pytest.raises(ValueError, match=r"^no certificate that can be read$"):
            validity(text)
    for at in range(len(whole)):
        with suppress(ValueError):
            validity(bytes([*whole[:at], whole[at] ^ 0xFF, *whole[at + 1 :]]))


def test_a_fingerprint_is_what_openssl_shows() -> None:
    assert fingerprint(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
