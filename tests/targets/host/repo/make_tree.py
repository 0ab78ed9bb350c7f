#!/usr/bin/env python3
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lay out the stand-in packages of one set as folders that dpkg-deb can build.

    make_tree.py packages.json SET FOLDER

Every package pins its set's versions (no mixing), and carries links to /opt/nicsim/bin.
"""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

UNINSTALL = """\
#!/bin/sh
# Removes every package of the installed stack, as the vendor's script of this name does.
set -e
case " $* " in *" --force "*) ;; *) echo "Pass --force to proceed."; exit 1 ;; esac
names=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\\n' 'mlnx-*' mft ofed-scripts 2>/dev/null |
    awk '$1 == "ii" {print $2}')
[ -z "$names" ] || dpkg --force-depends --purge $names
echo "Uninstall finished successfully"
"""
RSHIM_UNIT = """\
[Unit]
Description=rshim driver for BlueField SoC
[Service]
ExecStart=/usr/sbin/rshim -f $OPTIONS
Restart=no
[Install]
WantedBy=multi-user.target
"""
DKMS = """\
#!/bin/sh
# The real package builds its modules here and fails without the headers of the kernel.
[ "$1" = configure ] || exit 0
if [ ! -e "/lib/modules/$(uname -r)/build" ]; then
    echo "Error! Your kernel headers for kernel $(uname -r) cannot be found." >&2
    exit 1
fi
echo "mlnx-ofed-kernel: DKMS modules built for $(uname -r)"
"""
TEXTS = {"uninstall": (UNINSTALL, 0o755), "rshim-unit": (RSHIM_UNIT, 0o644)}


def pinned(depends: str, versions: dict[str, str]) -> str:
    """Every dependency on a package of the same set is pinned to the set's version."""
    names = [name.strip() for name in depends.split(",")]
    return ", ".join(f"{name} (= {versions[name]})" if name in versions else name for name in names)


def control(name: str, package: dict[str, Any], release: str, versions: dict[str, str]) -> str:
    """The control file; profile packages are metapackages with pinned contents."""
    depends = package.get("depends")
    fields = {
        "Package": name,
        "Version": package["version"],
        "Architecture": "all",
        "Maintainer": "nicsim <nicsim@localhost>",
        "Section": "net",
        "Priority": "optional",
        "Depends": pinned(depends, versions) if depends else None,
        "Conflicts": package.get("conflicts"),
        "Description": f"Stand-in of {name} of the set {release}",
    }
    lines = [f"{key}: {value}" for key, value in fields.items() if value]
    return "\n".join(lines) + "\n"


def lay_out(root: pathlib.Path, text: str, contents: dict[str, Any]) -> None:
    """Write DEBIAN/ and the files of one package below `root`."""
    (root / "DEBIAN").mkdir(parents=True)
    (root / "DEBIAN" / "control").write_text(text, encoding="utf-8")
    lay_files(root, contents)
    if contents.get("scripts", {}).get("postinst") == "dkms":
        script = root / "DEBIAN" / "postinst"
        script.write_text(DKMS, encoding="utf-8")
        script.chmod(0o755)


def lay_files(root: pathlib.Path, contents: dict[str, Any]) -> None:
    """Write what a package brings to its place below `root`."""
    for place, tools in contents.get("links", {}).items():
        target = root / place.lstrip("/")
        target.mkdir(parents=True, exist_ok=True)
        for tool in tools:
            (target / tool).symlink_to(f"/opt/nicsim/bin/{tool}")
    for place, kind in contents.get("files", {}).items():
        text, mode = TEXTS[kind]
        path = root / place.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)


def main(argv: list[str]) -> int:
    """Lay out one set; print its repository path."""
    source, name, folder = argv
    data = json.loads(pathlib.Path(source).read_text(encoding="utf-8"))
    chosen = data["sets"][name]
    versions = {package: facts["version"] for package, facts in chosen["packages"].items()}
    for package, facts in chosen["packages"].items():
        text = control(package, facts, chosen["release"], versions)
        lay_out(pathlib.Path(folder) / package, text, data["contents"].get(package, {}))
    print(chosen["repository"])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
