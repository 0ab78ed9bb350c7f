# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages that the package manager reports as installed."""

from __future__ import annotations

import shutil
import subprocess
from typing import Optional

NAMES = (
    "ofed-scripts",
    "mlnx-tools",
    "mft",
    "doca-ofed",
    "doca-all",
    "doca-spcx-cc",
    "mlnx-ofed-kernel-dkms",
    "mlnx-ofed-all",
    "rshim",
)


DPKG = ("dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Package} ${Version}\n")
RPM = ("rpm", "-q", "--queryformat", "ii %{NAME} %{VERSION}-%{RELEASE}\n")


def installed() -> dict[str, str]:
    """name -> version of the stand-in packages that are installed."""
    try:
        found = _ask(DPKG if shutil.which(DPKG[0]) else RPM)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    rows = [line.split() for line in found.splitlines()]
    return {row[1]: row[2] for row in rows if len(row) == 3 and row[0] == "ii"}


def _ask(manager: tuple[str, ...]) -> str:
    said = subprocess.run(
        [*manager, *NAMES], check=False, capture_output=True, text=True, timeout=20
    )
    return said.stdout


def ofed_version() -> Optional[str]:
    """The stack's own name: MLNX_OFED_LINUX-... for the old one, OFED-internal-... for DOCA."""
    version = installed().get("ofed-scripts")
    if version is None:
        return None
    head, mark, tail = version.partition(".OFED.")
    if not mark:
        return f"MLNX_OFED_LINUX-{version}"
    return f"OFED-internal-{head}-{tail[len(head) + 1 :]}"
