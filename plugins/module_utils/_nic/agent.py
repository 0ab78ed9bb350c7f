# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool as it lies on the host: one zip file, whose version is read without running it."""

from __future__ import annotations

import zipfile

from .apply import DESIRED, load_desired
from .errors import NicError
from .tools import Host

AGENT = "/usr/local/lib/spectrum-x/spx-nic.pyz"


def agent_version(host: Host, name: str = AGENT) -> str | None:
    """The version that the file carries; None where there is none or it is damaged."""
    try:
        with zipfile.ZipFile(host.path(name)) as archive:
            return archive.read("VERSION").decode("utf-8").strip()
    except (OSError, KeyError, zipfile.BadZipFile):
        return None


def starts_algorithm(host: Host, name: str = DESIRED) -> bool:
    """Does the desired state that lies on the host make it run congestion control by itself?"""
    try:
        return any(nic.roce and nic.roce.cc for nic in load_desired(host, name).nics)
    except NicError:
        return False


def skew(installed: str | None, expected: str) -> str:
    """One sentence when the versions differ, "" when they agree."""
    if not expected or installed == expected:
        return ""
    there = f"is {installed}" if installed else "is missing"
    return f"the tool on the host {there}, {expected} is expected: run the playbook dpus."
