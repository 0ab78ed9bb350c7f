# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requirements of DOCA-Host on a host."""

from __future__ import annotations

import itertools

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.doca import (
    PUBLIC,
    outside,
    packages_for,
    plan,
)

FINE = {"wrong": [], "hinders": [], "upon": {}, "locked": ""}
UBUNTU = {
    "driver": FINE,
    "distribution": "Ubuntu",
    "distribution_version": "24.04",
    "distribution_major_version": "24",
    "pkg_mgr": "apt",
    "architecture": "x86_64",
}
ROCKY = {
    "driver": FINE,
    **UBUNTU,
    "distribution": "Rocky",
    "distribution_version": "9.4",
    "distribution_major_version": "9",
    "pkg_mgr": "dnf",
    "architecture": "aarch64",
}
SITE = {"repository": "https://repo/doca", "old": ["mlnx-ofed-all"]}


def of(found, facts=None, *, device="a2dc", doca="3.3.0", versions=None, ra="2.1.2", **site):
    wanted = {"name": "h01", "ra": ra, "doca": doca, "nics": [{"device": device}]}
    wanted["versions"] = versions or {}
    return plan(wanted, found, facts or UBUNTU, {**SITE, **site})


SET = {"doca_host": ["3.3.0-088814", "3.3.0-088813"], "spcx_cc": ["3.3.0"]}
H200 = {**SET, "doca_host": ["3.3.0-088000"]}
GOOD = {"doca-all": "3.3.0-088814", "doca-spcx-cc": "3.3.0109-1"}


@pytest.mark.parametrize(
    "found, done, reason",
    [
        ({"doca-all": "3.3.0-088000", "doca-spcx-cc": "3.3.0109-1"}, True, ""),
        ({"doca-all": "3.3.0-088000"}, False, "of DOCA-Host 3.3.0 doca-spcx-cc is missing"),
        ({}, False, "DOCA-Host 3.3.0 replaces the inbox driver"),
        ({"doca-all": "2.10.0-0.5.3"}, False, "DOCA-Host 3.3.0 replaces doca-all 2.10.0-0.5.3"),
        ({"doca-all": "3.3.01-1"}, False, "DOCA-Host 3.3.0 replaces doca-all 3.3.01-1"),
        (
            {"doca-all": "3.3.0-088000", "mlnx-ofed-all": "24.10"},
            False,
            "DOCA-Host 3.3.0 replaces mlnx-ofed-all 24.10",
        ),
    ],
)
def test_when_it_is_done(found, done, reason):
    made = of(found)
    assert (made["done"], made["reason"], made["error"]) == (done, reason, "")


@pytest.mark.parametrize(
    "found, versions, reason, wrong",
    [
        (GOOD, SET, "", ""),
        (
            {**GOOD, "doca-spcx-cc": "2.10.0087"},
            SET,
            "DOCA-Host 3.3.0 replaces doca-spcx-cc 2.10.0087",
            "doca-spcx-cc is 2.10.0087 (3.3.0 is wanted)",
        ),
        (
            GOOD,
            H200,
            "DOCA-Host 3.3.0-088000 replaces doca-all 3.3.0-088814",
            "doca-all is 3.3.0-088814 (3.3.0-088000 is wanted)",
        ),
        (
            {"doca-all": "3.3.0-088814"},
            SET,
            "of DOCA-Host 3.3.0 doca-spcx-cc is missing",
            "doca-spcx-cc is not installed (3.3.0 is wanted)",
        ),
        (
            {"doca-all": "2.10.0-0.5.3", "doca-spcx-cc": "2.10.0087"},
            SET,
            "DOCA-Host 3.3.0 replaces doca-all 2.10.0-0.5.3, doca-spcx-cc 2.10.0087",
            "doca-all is 2.10.0-0.5.3 (3.3.0-088814 or 3.3.0-088813 is wanted), doca-spcx-cc is "
            "2.10.0087 (3.3.0 is wanted)",
        ),
    ],
)
def test_every_package_is_of_the_validated_set(found, versions, reason, wrong):
    made = of(found, versions=versions)
    assert (made["done"], made["reason"], made["wrong"]) == (not reason, reason, wrong)


@pytest.mark.parametrize("device", ["a2dc", "1023"])
@pytest.mark.parametrize("versions", [SET, H200, {**SET, "spcx_cc": []}, {}])
def test_what_validate_fails_is_what_dpus_installs(device, versions):
    """One comparison: whatever is installed, a breach of the set is not done."""
    builds = [None, "2.10.0-0.5.3", "3.3.0-088000", "3.3.0-088814"]
    algorithms = [None, "2.10.0087", "3.3.0109-1"]
    profiles = ["doca-all", "doca-networking", "doca-ofed"]
    for profile, build, algorithm in itertools.product(profiles, builds, algorithms):
        known = {profile: build, "doca-spcx-cc": algorithm}
        found = {name: version for name, version in known.items() if version}
        breaches = outside(versions, found, packages_for([{"device": device}]))
        made = of(found, device=device, versions=versions)
        assert not (breaches and made["done"]), (found, breaches)
        assert {name for name, _there, _accepted in breaches} <= set(made["packages"])


def test_a_sites_own_version_brings_its_own_algorithm():
    newer = {"doca-all": "3.4.0-090000", "doca-spcx-cc": "3.4.0101-1"}
    assert of(newer, versions=SET, version="3.4.0")["done"]
    assert not of(GOOD, versions=SET, version="3.4.0")["done"]
    assert of(GOOD, versions=SET, version="3.3.0")["done"]
    stale = {**GOOD, "doca-spcx-cc": "2.10.0087"}
    assert not of(stale, versions=SET, version="3.3.0")["done"]


def test_a_connectx_takes_the_smaller_profile():
    assert of({}, device="1023")["packages"] == ["doca-networking", "doca-spcx-cc"]
    assert not of({"doca-networking": "3.3.0-1"}, device="1023")["done"]
    assert of({"doca-networking": "3.3.0-1", "doca-spcx-cc": "3.3.0109-1"}, device="1023")["done"]


@pytest.mark.parametrize(
    "facts, url, line",
    [
        (
            UBUNTU,
            "https://repo/doca/3.3.0/ubuntu24.04/x86_64/",
            "deb [signed-by=/etc/apt/keyrings/spectrum-x-doca.asc] "
            "https://repo/doca/3.3.0/ubuntu24.04/x86_64/ ./",
        ),
        (
            ROCKY,
            "https://repo/doca/3.3.0/rhel9/arm64-sbsa/",
            "gpgkey=file:///etc/pki/rpm-gpg/spectrum-x-doca.asc",
        ),
    ],
)
def test_repositories_of_both_families(facts, url, line):
    made = of({}, facts)
    assert (made["url"], line in made["text"].splitlines()) == (url, True)
    assert made["key_url"] == "https://repo/doca/GPG-KEY-Mellanox.pub"


@pytest.mark.parametrize(
    "made, words",
    [
        (
            of({}, doca=None),
            "h01: no DOCA-Host version is public for RA 2.1.2: set dpu_doca_version.",
        ),
        (
            of({}, {**UBUNTU, "distribution": "Arch"}),
            "h01: Arch 24.04 has no DOCA-Host repository: use one of Ubuntu, Debian, RedHat, Rocky, "
            "AlmaLinux, OracleLinux, or set dpu_doca_os.",
        ),
    ],
)
def test_what_cannot_be_installed_is_one_sentence(made, words):
    assert made["error"] == words


@pytest.mark.parametrize(
    ("ra", "repository", "found", "refused"),
    [
        ("2.0.0", PUBLIC, {}, True),
        ("1.3", PUBLIC + "/", {"doca-all": "3.3.0-1"}, True),
        ("2.0", PUBLIC, {"doca-spcx-cc": "3.1.0"}, False),
        ("2.0", "https://repo/doca", {}, False),
        ("2.1.2", PUBLIC, {}, False),
    ],
)
def test_up_to_2_0_the_algorithm_is_not_in_the_public_repository(ra, repository, found, refused):
    said = of(found, ra=ra, repository=repository)["error"]
    assert said == (
        f"h01: doca-spcx-cc of RA {ra} is in NVIDIA's customer portal, not in its public repository: put it into a "
        "repository of yours, and name that in dpu_doca_repository."
        if refused
        else ""
    )


UPON = {"upon": {"rpcrdma": "vastnfs-dkms", "wekafsio": "loaded"}}
UNSIGNED = {"hinders": ["Secure Boot is on, and so on.", "kernel x boots next, and so on."]}


@pytest.mark.parametrize(
    ("driver", "site", "found", "words"),
    [
        ({}, {}, {}, ""),
        (UNSIGNED, {}, {}, "h01: Secure Boot is on, and so on."),
        (UNSIGNED, {}, {**GOOD}, ""),  # nothing is replaced
        (
            UPON,
            {},
            {},
            "h01: rpcrdma (vastnfs-dkms), wekafsio (loaded) are built upon the driver that is replaced: set "
            "dpu_doca_rebuild to the words of a command that rebuilds them.",
        ),
        (UPON, {"rebuild": ["dkms", "autoinstall"]}, {}, ""),
        ({**UPON, **UNSIGNED}, {"rebuild": ["x"]}, {}, "h01: Secure Boot is on, and so on."),
    ],
)
def test_a_driver_that_would_not_load_is_not_installed(driver, site, found, words):
    assert of(found, {**UBUNTU, "driver": {**FINE, **driver}}, **site)["error"] == words


def test_a_site_says_otherwise():
    made = of({}, version="3.3.1", os="debian13", arch="x", packages=["doca-roce"])
    assert (made["version"], made["packages"]) == ("3.3.1", ["doca-roce"])
    assert made["url"] == "https://repo/doca/3.3.1/debian13/x/"
