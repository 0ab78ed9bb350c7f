# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-signed certificates for the loopback address, of any dates."""

from __future__ import annotations

import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

DAY = datetime.timedelta(days=1)
PEM = serialization.Encoding.PEM


def moment(days: float) -> datetime.datetime:
    """Return the time in so many days, or before them."""
    return datetime.datetime.now(tz=datetime.UTC) + days * DAY


def certificate(
    begins: datetime.datetime | None = None, ends: datetime.datetime | None = None
) -> tuple[bytes, bytes]:
    """Return key and certificate (PEM), good from yesterday to tomorrow unless dates are stated."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "127.0.0.1")])
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins or moment(-1))
        .not_valid_after(ends or moment(1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    return key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, plain), made.public_bytes(PEM)
