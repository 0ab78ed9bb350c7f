# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Distribution and packages of both families."""

from __future__ import annotations

import os

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.packages import (
    look,
    old_stack,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result

SAID = """\
install installed doca-all 3.3.0-088000
hold installed mft 4.35
deinstall config-files mlnx-ofed-all 24.10
unknown not-installed x \n"""


def at(folder, tool, release):
    (folder / "usr/bin").mkdir(parents=True)
    (folder / "etc").mkdir()
    (folder / f"usr/bin/{tool}").touch()
    (folder / "etc/os-release").write_text(release)
    calls = []

    def run(argv, _timeout):
        calls.append(argv[0])
        return Result(1, SAID, "no packages found matching y\n")

    return Host(run=run, root=str(folder)), calls


@pytest.mark.parametrize(
    "tool, release, expected",
    [
        ("dpkg-query", 'ID=ubuntu\nVERSION_ID="24.04"\n', ("Ubuntu", "24.04", "24", "apt")),
        ("dpkg-query", 'ID=debian\nVERSION_ID="12"\n', ("Debian", "12", "12", "apt")),
        ("rpm", 'ID="rhel"\nVERSION_ID="9.4"\n', ("RedHat", "9.4", "9", "dnf")),
        ("rpm", "ID=slackware\n", ("slackware", "", "", "dnf")),
    ],
)
def test_system_and_packages(tmp_path, tool, release, expected):
    host, calls = at(tmp_path, tool, release)
    found = look(host, ["doca*"])
    keys = ("distribution", "distribution_version", "distribution_major_version", "pkg_mgr")
    assert tuple(found["system"][key] for key in keys) == expected
    assert found["packages"] == {"doca-all": "3.3.0-088000", "mft": "4.35"}
    assert found["held"] == ["mft"]
    assert calls == [tool]


def test_what_an_installation_meets(tmp_path):
    host, _calls = at(tmp_path, "dpkg-query", "ID=debian\n")
    bare = look(host, ["x"])["system"]
    assert (bare["headers"], bare["keyrings"], bare["uninstaller"]) == (False, False, "")
    assert bare["old"] == []
    for path in ("etc/apt/keyrings", f"lib/modules/{os.uname().release}/build", "usr/sbin"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "usr/sbin/ofed_uninstall.sh").touch()
    full = look(host, ["x"])["system"]
    assert (full["headers"], full["keyrings"]) == (True, True)
    assert full["uninstaller"] == "/usr/sbin/ofed_uninstall.sh"


def test_an_unpacked_hpcx_is_known_by_its_folder(tmp_path):
    host, _calls = at(tmp_path, "dpkg-query", "ID=debian\n")
    assert look(host, ["x"])["system"]["hpcx"] == []
    for name in (
        "hpcx-v2.26-gcc-doca_ofed-ubuntu24.04-cuda13-x86_64",
        "hpcx-v2.24.1-gcc-doca_ofed-ubuntu24.04-cuda12-aarch64",
        "hpcx",
        "hpcx-test",
    ):
        (tmp_path / "opt" / name).mkdir(parents=True)
    assert look(host, ["x"])["system"]["hpcx"] == ["2.24.1", "2.26"]


OLD_KERNEL = "24.10.OFED.24.10.2.1.8.1-1"
NEW_KERNEL = "26.01.OFED.26.01.0.8.8.1-1"
META = {"mlnx-ofed-all": "24.10-2.1.8.0"}
DOCA = {"doca-all": "3.3.0-088000", "ofed-scripts": NEW_KERNEL, "mlnx-ofed-kernel-dkms": NEW_KERNEL}


@pytest.mark.parametrize(
    "packages, uninstaller, old",
    [
        ({}, "", []),
        ({"mlnx-tools": "24.01.0-1"}, "", []),
        ({}, "/u", ["OFED"]),
        (META, "/u", ["mlnx-ofed-all"]),
        ({"mlnx-ofed-eth-only": "24.10"}, "", ["mlnx-ofed-eth-only"]),
        ({"mlnx-ofa_kernel": "24.10-OFED.24.10.2.1.8.1"}, "", ["mlnx-ofa_kernel"]),
        (
            {
                "ofed-scripts": "24.10-2.1.8.0",
                "mlnx-ofed-kernel-dkms": OLD_KERNEL,
                "mlnx-tools": "24.10",
            },
            "",
            ["ofed-scripts", "mlnx-ofed-kernel-dkms", "mlnx-tools"],
        ),
        (DOCA, "/u", []),
        ({**DOCA, "mlnx-tools": "26.01-0.2601050"}, "/u", []),
        ({**DOCA, "mlnx-ofed-kernel-dkms": OLD_KERNEL}, "/u", ["mlnx-ofed-kernel-dkms"]),
        ({**DOCA, "doca-all": "9.9.0-1"}, "/u", []),
        ({"doca-networking": "2.10.0-0.5.3", "mlnx-ofa_kernel": "25.01.OFED"}, "/u", []),
        ({**DOCA, **META}, "/u", ["mlnx-ofed-all"]),
        ({"doca-spcx-cc": "2.10.0087-1", "ofed-scripts": "24.10"}, "/u", ["ofed-scripts"]),
    ],
)
def test_the_stack_before_doca_host(packages, uninstaller, old):
    """With or without its metapackage; DOCA-Host has some of its names."""
    assert old_stack(packages, uninstaller) == old


def test_another_family_is_refused(tmp_path):
    with pytest.raises(NicError, match="neither dpkg nor rpm"):
        look(Host(root=str(tmp_path)), ["x"])


def test_what_an_earlier_run_left(tmp_path):
    """It ended before the reboot of its driver, or before it gave the host back."""
    host, _calls = at(tmp_path, "dpkg-query", "ID=debian\n")
    left = look(host, ["x"])["system"]
    assert (left["driver_waits"], left["drained"], left["system_waits"]) == (False, False, False)
    for path in ("run/spectrum-x/driver-waits", "etc/spectrum-x/drained"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).touch()
    left = look(host, ["x"])["system"]
    assert (left["driver_waits"], left["drained"]) == (True, True)


@pytest.mark.parametrize("release", ['ID="sles"\n', 'ID=opensuse-leap\nID_LIKE="suse opensuse"\n'])
def test_a_host_with_zypper_is_one_sentence(tmp_path, release):
    host, _calls = at(tmp_path, "rpm", f'{release}VERSION_ID="15.5"\n')
    with pytest.raises(
        NicError, match=r"15\.5 installs by zypper, which no role of this collection"
    ):
        look(host, ["x"])
