# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DOCA-Host of one host: which packages, from which repository, and what has to go before.

Source of folders and key: linux.mellanox.com/public/repo/doca and NVIDIA's DOCA-Host installation
pages.
"""

from __future__ import annotations

import re
import typing as t

if t.TYPE_CHECKING:
    from collections.abc import Mapping

Plain = dict[str, t.Any]

FOLDERS = {
    "Ubuntu": "ubuntu",
    "Debian": "debian",
    "RedHat": "rhel",
    "Rocky": "rhel",
    "AlmaLinux": "rhel",
    "OracleLinux": "ol",
    "SLES": "sles",
}
WHOLE_VERSION = ("ubuntu", "sles")
"""Distributions whose folder carries the minor version, as ubuntu24.04 does."""
PROFILES = {True: ["doca-all", "doca-spcx-cc"], False: ["doca-networking", "doca-spcx-cc"]}
"""By whether there is a BlueField: a ConnectX needs neither its tools nor its libraries.

The algorithm is named although doca-all brings it: somebody may have removed it alone.
"""
KEYS = {
    "apt": "/etc/apt/keyrings/spectrum-x-doca.asc",
    "dnf": "/etc/pki/rpm-gpg/spectrum-x-doca.asc",
}
SOURCES = {
    "apt": "/etc/apt/sources.list.d/spectrum-x-doca.list",
    "dnf": "/etc/yum.repos.d/spectrum-x-doca.repo",
}
HEAD = "# Written by spectrum_x.fabric; changes are lost.\n"
LIST = HEAD + "deb [signed-by={key}] {url} ./\n"
REPO = (
    HEAD
    + "[spectrum-x-doca]\nname=DOCA-Host {version}\nbaseurl={url}\nenabled=1\ngpgcheck=1\n"
    + "gpgkey=file://{key}\n"
)


def plan(
    wanted: Mapping[str, t.Any],
    found: Mapping[str, str],
    facts: Mapping[str, t.Any],
    site: Mapping[str, t.Any],
) -> Plain:
    """{done, reason, error, version, packages, old, url, key, key_url, source, text}.

    `found` are the installed packages, `site` the variables of the role: repository, version, os,
    arch, key_url, packages and old. `error` is one sentence where nothing can be installed.
    """
    version = str(site.get("version") or wanted.get("doca") or "")
    bluefield = any(nic["device"] == "a2dc" for nic in wanted["nics"])
    packages = list(site.get("packages") or PROFILES[bluefield])
    old = [name for name in site.get("old") or () if name in found]
    done = not old and bool(version) and _installed(found, packages, version)
    family = "apt" if facts.get("pkg_mgr") == "apt" else "dnf"
    folder = str(site.get("os") or _folder(facts))
    url = f"{site['repository']}/{version}/{folder}/{site.get('arch') or _arch(facts)}/"
    return {
        "done": done,
        "reason": "" if done else _reason(found, packages, old, version),
        "error": "" if done else _error(wanted, facts, version, folder),
        "version": version,
        "packages": packages,
        "old": old,
        "family": family,
        "url": url,
        "key": KEYS[family],
        "key_url": site.get("key_url") or f"{site['repository']}/GPG-KEY-Mellanox.pub",
        "source": SOURCES[family],
        "text": (LIST if family == "apt" else REPO).format(
            key=KEYS[family], url=url, version=version
        ),
    }


def _installed(found: Mapping[str, str], packages: list[str], version: str) -> bool:
    """All are there, and the profile itself is of the version (`3.3.0-088000` is of `3.3.0`)."""
    return _fits(found, packages[0], version) and all(name in found for name in packages)


def _fits(found: Mapping[str, str], profile: str, version: str) -> bool:
    return re.match(rf"{re.escape(version)}([-.]|$)", found.get(profile, "")) is not None


def _reason(found: Mapping[str, str], packages: list[str], old: list[str], version: str) -> str:
    missing = [name for name in packages if name not in found]
    if missing and not old and _fits(found, packages[0], version):
        return f"of DOCA-Host {version} {', '.join(missing)} is missing"
    present = f"{packages[0]} {found[packages[0]]}" if packages[0] in found else ""
    before = ", ".join(f"{name} {found[name]}" for name in old) or present or "the inbox driver"
    return f"DOCA-Host {version or '(no version known)'} replaces {before}"


def _folder(facts: Mapping[str, t.Any]) -> str:
    name = FOLDERS.get(str(facts.get("distribution")), "")
    whole = name in WHOLE_VERSION
    number = facts.get("distribution_version" if whole else "distribution_major_version", "")
    return f"{name}{number}" if name else ""


def _arch(facts: Mapping[str, t.Any]) -> str:
    arch = str(facts.get("architecture", "x86_64"))
    return "arm64-sbsa" if arch == "aarch64" else arch


def _error(
    wanted: Mapping[str, t.Any], facts: Mapping[str, t.Any], version: str, folder: str
) -> str:
    if not version:
        return (
            f"{wanted['name']}: no DOCA-Host version is public for RA {wanted['ra']}: set "
            "dpu_doca_version."
        )
    if not folder:
        there = f"{facts.get('distribution')} {facts.get('distribution_version')}"
        return (
            f"{wanted['name']}: {there} has no DOCA-Host repository: use one of "
            f"{', '.join(FOLDERS)}, or set dpu_doca_os."
        )
    return ""
