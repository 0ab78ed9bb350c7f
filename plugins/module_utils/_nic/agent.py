# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool as it lies on the host: one zip file, whose version is read without running it."""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

from .apply import DESIRED, load_desired
from .errors import NicError
from .ownership import exposure
from .state import FOLDER, KEPT
from .tools import Host

AGENT = "/usr/local/lib/spectrum-x/spx-nic.pyz"
SYSTEM = "/etc/systemd/system"
LONGEST = 200
"""Bytes of a version that are read."""
OBEYED = (
    *(f"{SYSTEM}/{name}" for name in ("spectrum-x-nic@.service", "spx-cc@.service")),
    *(f"{SYSTEM}/spectrum-x-watch.{kind}" for kind in ("service", "timer")),
    *(FOLDER, KEPT),
)
"""Units that run the tool, and the folders of its notes."""

DAMAGED = (OSError, EOFError, LookupError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""Errors of a file that is missing, or that is no zip file of ours."""


def check_owned(host: Host, names: Iterable[str]) -> None:
    """NicError where another user than root can write the tool, what it reads, or what runs it."""
    program = archive_of(__file__)
    for name in (*([program] if program else []), *names, *OBEYED):
        locate = Path if name == program else host.path
        wrong = exposure(name, locate)
        if wrong:
            raise NicError(f"{wrong} Nothing is done as root with it: run the playbook dpus.")


def archive_of(module: str) -> str:
    """The zip file that a module was loaded from, "" where it is a file of its own."""
    path = Path(module)
    if path.is_file():
        return ""
    return next((str(parent) for parent in path.parents if parent.is_file()), "")


def agent_digest(host: Host, name: str = AGENT) -> str:
    """The SHA-256 of the file, "" where there is none."""
    try:
        return hashlib.sha256(host.content(name)).hexdigest()
    except OSError:
        return ""


def agent_version(host: Host, name: str = AGENT) -> str | None:
    """The version that the file carries; None where there is none or it is damaged."""
    try:
        with (
            zipfile.ZipFile(io.BytesIO(host.content(name))) as archive,
            archive.open("VERSION") as version,
        ):
            return version.read(LONGEST).decode("utf-8").strip()
    except DAMAGED:
        return None


def starts_algorithm(host: Host, name: str = DESIRED) -> bool:
    """Does the desired state that lies on the host make it run congestion control by itself?"""
    try:
        return any(nic.roce and nic.roce.cc for nic in load_desired(host, name).nics)
    except NicError:
        return False


def skew(installed: str | None, expected: str, digest: str = "", expected_digest: str = "") -> str:
    """One sentence when versions or digests differ, "" when they agree or none is expected."""
    if not expected:
        return ""
    if installed == expected:
        if expected_digest in ("", digest):
            return ""
        return f"the tool on the host is not the file of {expected}: run the playbook dpus."
    there = f"is {installed}" if installed else "is missing"
    return f"the tool on the host {there}, {expected} is expected: run the playbook dpus."
