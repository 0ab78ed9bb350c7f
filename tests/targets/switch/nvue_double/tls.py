# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A certificate authority and a server certificate for a double, made with the openssl command."""

from __future__ import annotations

import ipaddress
import shutil
import ssl
import subprocess
import tempfile
from pathlib import Path


def ensure(folder: Path, names: list[str]) -> tuple[Path, Path, Path]:
    """(ca, certificate, key) in `folder`, made unless they are there already.

    `names` are host names and addresses the certificate is good for.
    """
    folder.mkdir(parents=True, exist_ok=True)
    authority, certificate, key = (folder / name for name in ("ca.pem", "cert.pem", "key.pem"))
    if not (authority.exists() and certificate.exists() and key.exists()):
        _authority(folder)
        _server(folder, names)
    return authority, certificate, key


def issue(folder: Path, names: list[str], days: int = 90, passphrase: str = "") -> str:
    """Key and certificate (PEM) from the authority in `folder`; with negative days it has expired."""
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        for file in ("ca.pem", "ca.key"):
            shutil.copy(folder / file, work)
        _server(work, names, days)
        if passphrase:
            secret = ("-aes256", "-passout", f"pass:{passphrase}")
            _openssl("pkey", "-in", "key.pem", "-out", "locked.pem", *secret, folder=work)
            (work / "locked.pem").replace(work / "key.pem")
        return "".join((work / file).read_text("utf-8") for file in ("key.pem", "cert.pem"))


def context(certificate: Path, key: Path) -> ssl.SSLContext:
    """The server's TLS settings."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate, key)
    return made


def _authority(folder: Path) -> None:
    command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650"
    _openssl(
        *command.split(),
        *("-subj", "/CN=switch double CA", "-keyout", "ca.key", "-out", "ca.pem"),
        *("-addext", "basicConstraints=critical,CA:TRUE"),
        *("-addext", "keyUsage=critical,keyCertSign,cRLSign"),
        folder=folder,
    )


def _server(folder: Path, names: list[str], days: int = 3650) -> None:
    alternatives = ",".join(f"{_kind(name)}:{name}" for name in names)
    (folder / "server.ext").write_text(
        f"subjectAltName={alternatives}\nbasicConstraints=CA:FALSE\n", "utf-8"
    )
    command = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    subject = ("-subj", f"/CN={names[0]}", "-keyout", "key.pem", "-out", "server.csr")
    _openssl(*command.split(), *subject, folder=folder)
    signing = "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial"
    signing += f" -days {days}"
    _openssl(*signing.split(), "-extfile", "server.ext", "-out", "cert.pem", folder=folder)


def _kind(name: str) -> str:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return "DNS"
    return "IP"


def _openssl(*arguments: str, folder: Path) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)
