# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys and certificates of one lab: made when it comes up, gone when it goes down."""

from __future__ import annotations

import pathlib

from lab.shell import run
from lab.state import Lab

DAYS = "30"
CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def make(lab: Lab) -> None:
    """Make the lab's CA, the user's ssh key and the hosts' ssh key."""
    folder = lab.folder
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "ca.pem").is_file():
        ca = ["-keyout", str(folder / "ca.key"), "-out", str(folder / "ca.pem")]
        usage = ["-addext", "keyUsage=critical,keyCertSign,cRLSign"]
        _request([*ca, *usage, "-subj", f"/CN=lab {lab.name}"])
    for name in ("ssh_key", "ssh_host_key"):
        if not (folder / name).is_file():
            comment = f"spx-{lab.name}"
            argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment]
            run([*argv, "-f", str(folder / name)])
    public = (folder / "ssh_host_key.pub").read_text(encoding="utf-8").split()
    (folder / "known_hosts").write_text(f"198.18.* {public[0]} {public[1]}\n", encoding="utf-8")


def certificate(lab: Lab, device: str) -> tuple[pathlib.Path, pathlib.Path]:
    """Return certificate and key of a switch's API, for its name and its address."""
    folder = lab.device_folder(device)
    folder.mkdir(parents=True, exist_ok=True)
    cert, key = folder / "cert.pem", folder / "key.pem"
    if not cert.is_file():
        authority = ["-CA", str(lab.folder / "ca.pem"), "-CAkey", str(lab.folder / "ca.key")]
        names = f"subjectAltName=DNS:{device},IP:{lab.address(device)},IP:127.0.0.1"
        extensions = ["-addext", names, "-addext", "basicConstraints=critical,CA:FALSE"]
        files = ["-keyout", str(key), "-out", str(cert)]
        _request([*authority, *extensions, *files, "-subj", f"/CN={device[:64]}"])
    return cert, key


def _request(options: list[str]) -> None:
    run(["openssl", "req", "-x509", *CURVE, "-days", DAYS, *options])
