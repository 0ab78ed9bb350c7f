# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DOCA-Host of one host: which packages, from which repository, and what has to go before.

Source of folders and key: linux.mellanox.com/public/repo/doca and NVIDIA's DOCA-Host installation
pages.
"""

from __future__ import annotations

import typing as t

from ...catalog.ra import of_version

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .....module_utils._host.records import System
    from .desired import DesiredNode

FOLDERS = {
    "Ubuntu": "ubuntu",
    "Debian": "debian",
    "RedHat": "rhel",
    "Rocky": "rhel",
    "AlmaLinux": "rhel",
    "OracleLinux": "ol",
}
WHOLE_VERSION = ("ubuntu",)
"""Distributions whose folder carries the minor version, as ubuntu24.04 does."""
PROFILES = {True: ["doca-all", "doca-spcx-cc"], False: ["doca-networking", "doca-spcx-cc"]}
"""By whether there is a BlueField: a ConnectX needs neither its tools nor its libraries.

The algorithm is named although doca-all brings it: it may have been removed alone.
"""
COMPONENTS = {
    "doca_host": ("doca-all", "doca-networking", "doca-ofed", "doca-roce"),
    "spcx_cc": ("doca-spcx-cc",),
}
"""Component of a version set -> the packages that show its version, the widest profile first."""
KEYS = {
    "apt": "/etc/apt/keyrings/spectrum-x-doca.asc",
    "dnf": "/etc/pki/rpm-gpg/spectrum-x-doca.asc",
}
SOURCES = {
    "apt": "/etc/apt/sources.list.d/spectrum-x-doca.list",
    "dnf": "/etc/yum.repos.d/spectrum-x-doca.repo",
}
PUBLIC, ALGORITHM = "https://linux.mellanox.com/public/repo/doca", "doca-spcx-cc"
"""NVIDIA's public repository; up to RA 2.0 the algorithm is in its customer portal (its page of RA 2.0)."""
HEAD = "# Written by spectrum_x.fabric; changes are lost.\n"
LIST = HEAD + "deb [signed-by={key}] {url} ./\n"
REPO = (
    HEAD
    + "[spectrum-x-doca]\nname=DOCA-Host {version}\nbaseurl={url}\nenabled=1\ngpgcheck=1\n"
    + "gpgkey=file://{key}\n"
)


class Site(t.TypedDict, total=False):
    """The variables of the role dpu_doca, of which the empty ones follow from host and plan."""

    repository: str
    version: str
    os: str
    arch: str
    key_url: str
    packages: list[str]
    old: list[str]
    rebuild: list[str]


class Installation(t.TypedDict):
    """The repository of a host, and the packages to install from it.

    `wrong` names each package that is missing or not of the set, `old` those that have to go before; `error` is one
    sentence where nothing can be installed. `key` and `source` are files of the host, `text` is that of `source`.
    """

    done: bool
    reason: str
    wrong: str
    error: str
    version: str
    packages: list[str]
    old: list[str]
    family: str
    url: str
    key: str
    key_url: str
    source: str
    text: str


def outside(
    versions: Mapping[str, Sequence[object]], found: Mapping[str, str], packages: Sequence[str]
) -> list[tuple[str, str | None, list[str]]]:
    """(package, installed version or None, accepted versions) of each component that is not of the set.

    The comparison of `validate` and of playbook dpus alike; what has no public version is left out.
    """
    made = []
    for component, known in COMPONENTS.items():
        accepted = [str(version) for version in versions.get(component) or ()]
        names = [*(packages[:1] if component == "doca_host" else ()), *known]
        name = next((name for name in names if name in found), names[0])
        there = found.get(name)
        if accepted and not (there and any(of_version(there, version) for version in accepted)):
            made.append((name, there, accepted))
    return made


def packages_for(nics: Iterable[Mapping[str, object]]) -> list[str]:
    """The packages that the cards of a host take, the profile first."""
    return list(PROFILES[any(nic["device"] == "a2dc" for nic in nics)])


def plan(wanted: DesiredNode, found: Mapping[str, str], facts: System, site: Site) -> Installation:
    """Return what a host has to install; `found` are the installed packages."""
    version = str(site.get("version") or wanted.get("doca") or "")
    packages = list(site.get("packages") or packages_for(wanted["nics"]))
    old = [name for name in site.get("old") or () if name in found]
    known = accepts(wanted, str(site.get("version") or ""))
    wrong = {name: accepted for name, _there, accepted in outside(known, found, packages)}
    wrong |= {name: wrong.get(name, []) for name in packages if name not in found}
    packages += [name for name in wrong if name not in packages]
    done = not old and bool(version) and not wrong
    family = "apt" if facts.get("pkg_mgr") == "apt" else "dnf"
    folder = str(site.get("os") or _folder(facts))
    arch = str(facts.get("architecture", "x86_64")).replace("aarch64", "arm64-sbsa")
    url = f"{site['repository']}/{version}/{folder}/{site.get('arch') or arch}/"
    return {
        "done": done,
        "reason": "" if done else _reason(found, wrong, old, packages, version),
        "wrong": ", ".join(
            f"{name} is {found.get(name, 'not installed')}"
            + (f" ({' or '.join(accepted)} is wanted)" if accepted else "")
            for name, accepted in wrong.items()
        ),
        "error": ""
        if done
        else _error(wanted, facts, version, folder)
        or _portal(wanted, wrong, site)
        or _hindered(wanted, facts, site),
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


def accepts(wanted: DesiredNode, own: str) -> dict[str, list[str]]:
    """The accepted versions, those of the set or of the DOCA-Host `own` that the site asks for.

    One outside the set brings its own algorithm.
    """
    known = {key: list(values) for key, values in (wanted.get("versions") or {}).items()}
    host = known.get("doca_host") or ([str(wanted["doca"])] if wanted.get("doca") else [])
    if not own:
        return {**known, "doca_host": host}
    builds = [version for version in host if of_version(version, own)]
    if builds:
        return {**known, "doca_host": builds}
    inside = any(of_version(own, version) for version in host)
    return {"doca_host": [own], "spcx_cc": known.get("spcx_cc", []) if inside else []}


def _reason(
    found: Mapping[str, str],
    wrong: Mapping[str, list[str]],
    old: Sequence[str],
    packages: Sequence[str],
    version: str,
) -> str:
    stale = [name for name in wrong if name in found]
    missing = [name for name in wrong if name not in found]
    profile = any(name in found for name in (packages[0], *COMPONENTS["doca_host"]))
    if missing and profile and not (old or stale):
        return f"of DOCA-Host {version} {', '.join(missing)} is missing"
    before = ", ".join(f"{name} {found[name]}" for name in old or stale) or "the inbox driver"
    # Where only the build is another, the version alone would say nothing.
    builds = [" or ".join(wrong[name]) for name in stale if of_version(found[name], version)]
    return f"DOCA-Host {(builds or [version])[0] or '(no version known)'} replaces {before}"


def _folder(facts: System) -> str:
    name = FOLDERS.get(str(facts.get("distribution")), "")
    whole = name in WHOLE_VERSION
    number = facts.get("distribution_version" if whole else "distribution_major_version", "")
    return f"{name}{number}" if name else ""


def _portal(wanted: DesiredNode, wrong: t.Container[str], site: Site) -> str:
    """Reason that the algorithm cannot be installed from the repository of the role."""
    release = [int(part) for part in str(wanted["ra"]).split(".") if part.isdigit()][:2]
    if ALGORITHM not in wrong or release > [2, 0] or str(site["repository"]).rstrip("/") != PUBLIC:
        return ""
    return (
        f"{wanted['name']}: {ALGORITHM} of RA {wanted['ra']} is in NVIDIA's customer portal, not in its public "
        "repository: put it into a repository of yours, and name that in dpu_doca_repository."
    )


def _hindered(wanted: DesiredNode, facts: System, site: Site) -> str:
    """Reason that the driver may not be replaced: the new one, or what is built upon it, would not load."""
    driver = facts["driver"]
    upon = ", ".join(f"{module} ({origin})" for module, origin in driver["upon"].items())
    if driver["hinders"] or not upon or site.get("rebuild"):
        return "".join(f"{wanted['name']}: {text}" for text in driver["hinders"][:1])
    return (
        f"{wanted['name']}: {upon} {'are' if len(driver['upon']) > 1 else 'is'} built upon the driver that is "
        "replaced: set dpu_doca_rebuild to the words of a command that rebuilds them."
    )


def _error(wanted: DesiredNode, facts: System, version: str, folder: str) -> str:
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
