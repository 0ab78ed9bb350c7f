# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of a switch: imported by an action, bound by `system.api.certificate`, shown in the handshake.

Published (user guide of 5.17, NVUE API): the actions `import` and `delete`; the parameters `data`, `passphrase`,
`uri-bundle`, `uri-public-key`, `uri-private-key`, of an authority `data` and `uri`; at most 25 of each kind; a bundle
is PKCS #12; `self-signed` is bound from the start. Inferred: `data` of an entity holds certificate and key as PEM;
the words of failures; that an expired certificate is imported and a bound one cannot be deleted; that an unknown one
is bound without effect, or (option `unknown_certificate`) makes the apply invalid; that open connections keep the old
one. Only `http` and `https` are fetched here.
"""

from __future__ import annotations

import json
import ssl
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import fetching, tree

KINDS = ("certificate", "ca-certificate")
LIMIT = 25
PARAMETERS = {
    "certificate": {"data", "passphrase", "uri-bundle", "uri-public-key", "uri-private-key"},
    "ca-certificate": {"data", "passphrase", "uri"},
}
BINDING = ["system", "api", "certificate"]
SELF_SIGNED = "self-signed"
_FIELDS = {"subject": "subject", "serial": "serial", "notBefore": "begins", "notAfter": "ends"}


class CertificateError(Exception):
    """A certificate that cannot be imported or deleted; the text says why."""


@dataclass(frozen=True)
class Certificate:
    """An imported certificate: its PEM (of an entity with the key), what it says, and the TLS settings it gives."""

    pem: str
    words: dict[str, str]
    context: ssl.SSLContext | None


def check(kind: str, parameters: Mapping[str, Any]) -> None:
    """Raise ValueError for parameters that the import of this kind does not take."""
    allowed = PARAMETERS[kind]
    if unknown := set(parameters) - allowed:
        raise ValueError(f"import: unknown parameter {', '.join(sorted(unknown))}")
    if not set(parameters) - {"passphrase"}:
        raise ValueError(
            f"import: one of {', '.join(sorted(allowed - {'passphrase'}))} is required"
        )


def read(pem: str, *, entity: bool = True) -> Certificate:
    """Read a certificate; CertificateError for text that is none, or without the key that fits."""
    words = _words(pem)
    if not entity:
        return Certificate(pem, words, None)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(pem)
        file.flush()
        try:
            context.load_cert_chain(file.name, password=str)
        except (ssl.SSLError, OSError) as error:
            raise CertificateError("the private key is missing or does not fit") from error
    return Certificate(pem, words, context)


def _plain(pem: str, passphrase: str) -> str:
    """The PEM with its key in plain text."""
    if "ENCRYPTED" not in pem:
        return pem
    key = _openssl("pkey", "-passin", f"pass:{passphrase}", text=pem)
    return key + _openssl("x509", text=pem)


def _words(pem: str) -> dict[str, str]:
    shown = _openssl("x509", "-noout", "-subject", "-serial", "-dates", text=pem)
    pairs = (line.partition("=") for line in shown.splitlines())
    return {_FIELDS[name]: value.strip() for name, dummy, value in pairs if name in _FIELDS}


def _openssl(*arguments: str, text: str | bytes) -> str:
    data = text.encode() if isinstance(text, str) else text
    done = subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=False)
    if done.returncode:
        raise CertificateError("the data is not a valid certificate")
    return done.stdout.decode()


class Certificates:
    """The certificates of one switch, by kind and id."""

    def __init__(self, state_dir: str | None) -> None:
        self._file = Path(state_dir) / "certificates.json" if state_dir else None
        self.by_kind: dict[str, dict[str, Certificate]] = {kind: {} for kind in KINDS}
        if self._file is not None and self._file.exists():
            for kind, stored in json.loads(self._file.read_text("utf-8")).items():
                for name, pem in stored.items():
                    self.by_kind[kind][name] = read(pem, entity=kind == "certificate")

    def add(self, kind: str, name: str, pem: str, passphrase: str = "") -> None:
        """Import a certificate under an id; one that is there already is replaced."""
        known = self.by_kind[kind]
        if name not in known and len(known) >= LIMIT:
            raise CertificateError(f"{LIMIT} certificates are imported already")
        known[name] = read(_plain(pem, passphrase), entity=kind == "certificate")
        self._keep()

    def drop(self, kind: str, name: str, running: Mapping[str, Any]) -> None:
        """Delete a certificate that nothing uses."""
        if name not in self.by_kind[kind]:
            raise CertificateError(f"certificate {name} does not exist")
        if name in self.users(running):
            raise CertificateError(f"certificate {name} is in use by the API")
        del self.by_kind[kind][name]
        self._keep()

    def bound(self, running: Mapping[str, Any]) -> Certificate | None:
        """The certificate of the API; None: its self-signed one."""
        name = tree.get(running, BINDING)
        return self.by_kind["certificate"].get(name) if isinstance(name, str) else None

    def unknown(self, document: Mapping[str, Any]) -> str | None:
        """The certificate that a document binds although nobody imported it."""
        name = tree.get(document, BINDING)
        if name in (tree.MISSING, SELF_SIGNED) or name in self.by_kind["certificate"]:
            return None
        return str(name)

    def users(self, running: Mapping[str, Any]) -> dict[str, list[str]]:
        """The applications that use a certificate, by its id."""
        name = tree.get(running, BINDING)
        return {} if name is tree.MISSING else {str(name): ["api"]}

    def _keep(self) -> None:
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            plain = {
                kind: {name: one.pem for name, one in known.items()}
                for kind, known in self.by_kind.items()
            }
            self._file.write_text(json.dumps(plain), "utf-8")


async def pem_of(parameters: Mapping[str, Any]) -> str:
    """The PEM that the parameters of an import name, fetched where they name URLs."""
    if "data" in parameters:
        return str(parameters["data"])
    try:
        if "uri-bundle" in parameters:
            bundle = await fetching.get(str(parameters["uri-bundle"]))
            secret = f"pass:{parameters.get('passphrase', '')}"
            return _openssl("pkcs12", "-nodes", "-passin", secret, text=bundle)
        names = [
            name for name in ("uri", "uri-public-key", "uri-private-key") if name in parameters
        ]
        parts = [await fetching.get(str(parameters[name])) for name in names]
    except fetching.FetchError as error:
        raise CertificateError(str(error)) from error
    return "\n".join(part.decode("utf-8", "replace") for part in parts)
