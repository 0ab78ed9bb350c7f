# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Distribution, kernel and installed packages, in one look and with one process.

It also shows what an installation meets: packages on hold, headers of the kernel, the
uninstaller of the stack before DOCA-Host, the folder of repository keys.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from .._nic.apply import DRAINED
from .._nic.errors import NicError
from .._nic.tools import Host
from . import boot, driver
from .records import Packages

# ID of /etc/os-release -> the name of Ansible's facts; another distribution keeps its own word.
DISTRIBUTIONS = {
    "almalinux": "AlmaLinux",
    "debian": "Debian",
    "ol": "OracleLinux",
    "rhel": "RedHat",
    "rocky": "Rocky",
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
# The old stack, MLNX_OFED: its metapackages are its alone; others DOCA-Host has under the same names.
ONLY_OLD = re.compile(r"mlnx-ofed-")
SHARED = (
    "mlnx-ofed-kernel-dkms",
    "mlnx-ofed-kernel-modules",
    "mlnx-ofed-kernel-utils",
    "mlnx-ofa_kernel",
    "mlnx-ofa_kernel-dkms",
    "mlnx-ofa_kernel-modules",
    "ofed-scripts",
)
COMPANIONS = ("mlnx-tools",)
"""Packages that are of the old stack only beside others of it; distributions have a package of this name too."""
PROFILE = re.compile(r"doca-(all|networking|ofed|roce|host-basic)(-userspace|-kernel)?$")
# DOCA-Host -> the release that its packages of shared names begin with.
RELEASES = {
    "2.7": "24.04", "2.8": "24.07", "2.9": "24.10", "2.10": "25.01", "3.0": "25.04",
    "3.1": "25.07", "3.2": "25.10", "3.3": "26.01", "3.4": "26.04", "3.5": "26.07",
}  # fmt: skip
ARCHIVES = "/opt"
HPCX = re.compile(r"hpcx-v?(\d+(?:\.\d+)+)-")
"""Folder of an unpacked HPC-X: hpcx-v2.26-gcc-doca_ofed-ubuntu24.04-cuda13-x86_64."""
WAITS = "/run/spectrum-x/driver-waits"
"""Written before the packages of the driver are replaced; a reboot, which loads the new one, takes it away."""
SYSTEM_WAITS = "/etc/spectrum-x/dpu-system-waits"
"""Written before the mode changes or the installation of the DPUs' operating system begins, removed at its end."""


def look(host: Host, names: Iterable[str]) -> Packages:
    """{packages: {name: version}, held: [name], system: {distribution, ..., pkg_mgr, kernel, ...}}.

    `system.old` names what of the stack before DOCA-Host is there, `OFED` where it is only known by
    its uninstaller; `system.hpcx` the versions of HPC-X that were unpacked in /opt.
    `names` are globs. NicError on a host that has neither dpkg nor rpm.
    """
    apt = host.exists("/usr/bin/dpkg-query")
    if not apt and not host.exists("/usr/bin/rpm"):
        raise NicError("the host has neither dpkg nor rpm, so DOCA-Host cannot be installed.")
    said = host.ask(*(DPKG if apt else RPM), *names)
    rows = [line.split() for line in said.out.splitlines()]
    there = [row for row in rows if row[1:2] == ["installed"] and len(row) == 4]
    packages = {row[2]: row[3] for row in there}
    uninstaller = UNINSTALLER if host.exists(UNINSTALLER) else ""
    text = host.text("/etc/os-release", links=True) or ""
    release: dict[str, str] = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text, re.MULTILINE))
    name, version = release.get("ID", "unknown"), release.get("VERSION_ID", "")
    if re.search(r"suse|sles", f"{name} {release.get('ID_LIKE', '')}"):
        raise NicError(
            f"{name} {version} installs by zypper, which no role of this collection knows: use Debian, Ubuntu, or a "
            "distribution with dnf."
        )
    machine = os.uname()
    hpcx = filter(None, map(HPCX.match, host.entries(ARCHIVES)))
    return {
        "packages": packages,
        "held": sorted(row[2] for row in there if row[0] == "hold"),
        "system": {
            "distribution": DISTRIBUTIONS.get(name, name),
            "distribution_version": version,
            "distribution_major_version": version.partition(".")[0],
            "pkg_mgr": "apt" if apt else "dnf",
            "kernel": machine.release,
            "architecture": machine.machine,
            "headers": host.exists(f"/lib/modules/{machine.release}/build"),
            "keyrings": host.exists(KEYS[apt]),
            "drained": host.exists(DRAINED),
            "driver_waits": host.exists(WAITS),
            "system_waits": host.exists(SYSTEM_WAITS),
            "uninstaller": uninstaller,
            "old": old_stack(packages, uninstaller),
            "hpcx": sorted({found.group(1) for found in hpcx}),
            "driver": driver.read(host, packages, machine.release, waits=host.exists(WAITS)),
            "uptime": boot.uptime(host),
        },
    }


def old_stack(packages: Mapping[str, str], uninstaller: str) -> list[str]:
    """The packages of the stack before DOCA-Host, `OFED` where there is but its uninstaller.

    Names that DOCA-Host has too, and the uninstaller, are its own where one of its profiles is
    installed, unless the version is that of another release.
    """
    profiles = (version for name, version in packages.items() if PROFILE.match(name))
    doca = {match[1] for match in (re.match(r"(\d+\.\d+)\.", one) for one in profiles) if match}
    releases = {RELEASES[version] for version in doca if version in RELEASES}
    known = len(releases) == len(doca)
    found = [
        name
        for name in packages
        if (ONLY_OLD.match(name) and name not in SHARED)
        or (name in SHARED and not doca)
        or (name in SHARED and known and packages[name][:5] not in releases)
    ]
    if found and not doca:
        found += [name for name in COMPANIONS if name in packages]
    return found or (["OFED"] if uninstaller and not doca else [])
