# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Distribution, kernel and installed packages, in one look and with one process.

Beside them stands what an installation meets: packages on hold, headers of the kernel, the
uninstaller of the stack before DOCA-Host, the folder of repository keys.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any

from .._nic.errors import NicError
from .._nic.tools import Host

Plain = dict[str, Any]

# ID of /etc/os-release -> the name that Ansible's facts use.
DISTRIBUTIONS = {
    "almalinux": "AlmaLinux",
    "debian": "Debian",
    "ol": "OracleLinux",
    "rhel": "RedHat",
    "rocky": "Rocky",
    "sles": "SLES",
    "ubuntu": "Ubuntu",
}
DPKG = (
    "dpkg-query",
    "--show",
    "--showformat=${db:Status-Want} ${db:Status-Status} ${Package} ${Version}\\n",
)
RPM = (
    "rpm",
    "--query",
    "--all",
    "--queryformat",
    "install installed %{NAME} %{VERSION}-%{RELEASE}\\n",
)
KEYS = {True: "/etc/apt/keyrings", False: "/etc/pki/rpm-gpg"}
UNINSTALLER = "/usr/sbin/ofed_uninstall.sh"
DRAINED = "/etc/spectrum-x/drained"
"""Stands from before the hook drain until after the hook resume."""
WAITS = "/run/spectrum-x/driver-waits"
"""Written before the packages of the driver are replaced; a reboot, which loads the new one, takes it away."""


def look(host: Host, names: Iterable[str]) -> Plain:
    """{packages: {name: version}, held: [name], system: {distribution, ..., pkg_mgr, kernel, ...}}.

    `names` are globs. NicError on a host that has neither dpkg nor rpm.
    """
    apt = host.exists("/usr/bin/dpkg-query")
    if not apt and not host.exists("/usr/bin/rpm"):
        raise NicError("the host has neither dpkg nor rpm, so DOCA-Host cannot be installed.")
    said = host.ask(*(DPKG if apt else RPM), *names)
    rows = [line.split() for line in said.out.splitlines()]
    there = [row for row in rows if row[1:2] == ["installed"] and len(row) == 4]
    return {
        "packages": {row[2]: row[3] for row in there},
        "held": sorted(row[2] for row in there if row[0] == "hold"),
        "system": {
            **_release(host),
            "pkg_mgr": "apt" if apt else "dnf",
            **_machine(host),
            "keyrings": host.exists(KEYS[apt]),
            "drained": host.exists(DRAINED),
            "driver_waits": host.exists(WAITS),
            "uninstaller": UNINSTALLER if host.exists(UNINSTALLER) else "",
        },
    }


def _machine(host: Host) -> Plain:
    name = os.uname()
    headers = host.exists(f"/lib/modules/{name.release}/build")
    return {"kernel": name.release, "architecture": name.machine, "headers": headers}


def _release(host: Host) -> dict[str, str]:
    """Of /etc/os-release; a distribution that is not known keeps its own word."""
    text = host.text("/etc/os-release") or ""
    found = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text, re.MULTILINE))
    name, version = found.get("ID", "unknown"), found.get("VERSION_ID", "")
    return {
        "distribution": DISTRIBUTIONS.get(name, name),
        "distribution_version": version,
        "distribution_major_version": version.partition(".")[0],
    }
