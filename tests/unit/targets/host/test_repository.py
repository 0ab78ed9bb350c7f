# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-in packages: what a set holds, and that the repositories are really signed."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import tempfile

import pytest

REPO = pathlib.Path(__file__).resolve().parents[3] / "targets" / "host" / "repo"
NEEDED = ("dpkg-deb", "apt-ftparchive", "gpg")
MISSING = [tool for tool in NEEDED if not shutil.which(tool)]


def test_every_dependency_lies_in_its_set():
    data = json.loads((REPO / "packages.json").read_text())
    for chosen in data["sets"].values():
        names = set(chosen["packages"])
        for package in chosen["packages"].values():
            assert {n.strip() for n in package.get("depends", "").split(",") if n} <= names


def test_every_link_has_a_stand_in(host):
    from nicsim import dispatch

    data = json.loads((REPO / "packages.json").read_text())
    links = [t for c in data["contents"].values() for ts in c.get("links", {}).values() for t in ts]
    assert len(links) == len(set(links))
    assert set(links) <= set(dispatch.TOOLS)


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}")
def test_repositories_are_signed_with_the_published_key_only(tmp_path):
    out = tmp_path / "out"
    subprocess.run([str(REPO / "build.sh"), str(out)], check=True, capture_output=True, timeout=60)
    for version in ("2.10.0", "3.3.0"):
        folder = out / "doca" / version / "debian12" / "x86_64"
        assert (folder / "GPG-KEY-Mellanox.pub").read_bytes() == (
            out / "doca" / "GPG-KEY-Mellanox.pub"
        ).read_bytes()
        for key, status in {"release": 0, "unknown": 2}.items():
            # gpg's socket needs a short path, which tmp_path is not.
            home = tempfile.mkdtemp(prefix="spx-gpg-")
            gpg = ["gpg", "--homedir", str(home), "--batch", "--quiet"]
            subprocess.run(
                [*gpg, "--import", str(out / "keys" / f"{key}.pub")], check=True, timeout=30
            )
            found = subprocess.run(
                [*gpg, "--verify", "Release.gpg", "Release"],
                check=False, cwd=folder, timeout=30, capture_output=True,
            )  # fmt: skip
            assert found.returncode == status, found.stderr
            subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "all"], check=False)


@pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}")
def test_profile_packages_pin_their_set_and_refuse_the_old_stack(tmp_path):
    subprocess.run(
        ["python3", str(REPO / "make_tree.py"), str(REPO / "packages.json"), "doca-3.3.0",
         str(tmp_path)],
        check=True, capture_output=True, timeout=30,
    )  # fmt: skip
    control = (tmp_path / "doca-all" / "DEBIAN" / "control").read_text()
    assert "Depends: doca-networking (= 3.3.0-088000), doca-spcx-cc (= 3.3.0109-1)\n" in control
    assert "Conflicts: mlnx-ofed-all\n" in control
    tool = tmp_path / "doca-spcx-cc" / "opt" / "mellanox" / "doca" / "tools" / "doca_spcx_cc"
    assert str(tool.readlink()) == "/opt/nicsim/bin/doca_spcx_cc"


def test_the_rpm_family_gets_the_same_set(tmp_path):
    subprocess.run(
        ["python3", str(REPO / "make_specs.py"), str(REPO / "packages.json"), "doca-3.3.0", str(tmp_path)],
        check=True, capture_output=True, timeout=30,
    )  # fmt: skip
    spec = (tmp_path / "doca-all.spec").read_text()
    assert "Name: doca-all\nVersion: 3.3.0\nRelease: 088000\n" in spec
    assert "Requires: doca-networking = 3.3.0-088000\nRequires: doca-spcx-cc = 3.3.0109-1\n" in spec
    assert "Conflicts: mlnx-ofed-all\n" in spec
    assert "/usr/bin/mlxconfig\n" in (tmp_path / "mft.spec").read_text()
    assert "%post\n" in (tmp_path / "mlnx-ofed-kernel-dkms.spec").read_text()
