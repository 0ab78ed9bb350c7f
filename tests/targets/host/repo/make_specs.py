# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the spec files of one set's stand-in packages, as rpmbuild takes them.

    make_specs.py packages.json SET FOLDER

FOLDER/<package>.spec, and its files below FOLDER/<package>/, laid out as for the Debian family.
"""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

import make_tree

UNINSTALL = """\
#!/bin/sh
# Removes every package of the installed stack, as the vendor's script of this name does.
set -e
case " $* " in *" --force "*) ;; *) echo "Pass --force to proceed."; exit 1 ;; esac
names=$(rpm --query --all --queryformat '%{NAME}\\n' 'mlnx-*' mft ofed-scripts)
[ -z "$names" ] || rpm --erase --nodeps $names
echo "Uninstall finished successfully"
"""


def numbers(version: str) -> str:
    """`3.3.0-088000` is version 3.3.0, release 088000; without a release it is the first."""
    return version if "-" in version else f"{version}-1"


def spec(name: str, package: dict[str, Any], versions: dict[str, str], root: pathlib.Path) -> str:
    """The spec of a package whose files stand below `root`."""
    version, _dash, release = numbers(package["version"]).partition("-")
    needs = [each.strip() for each in package.get("depends", "").split(",") if each]
    against = [each.strip() for each in package.get("conflicts", "").split(",") if each]
    files = sorted(path for path in root.rglob("*") if not path.is_dir() or path.is_symlink())
    lines = [
        f"Name: {name}",
        f"Version: {version}",
        f"Release: {release}",
        "BuildArch: noarch",
        "AutoReqProv: no",
        "License: none",
        f"Summary: Stand-in of {name}",
        *(f"Requires: {each} = {numbers(versions[each])}" for each in needs),
        *(f"Conflicts: {each}" for each in against),
        "%description",
        f"Stand-in of {name}",
        "%install",
        f"mkdir -p %{{buildroot}}; cp --archive {root}/. %{{buildroot}}/",
        "%files",
        *(f"/{path.relative_to(root)}" for path in files),
    ]
    return "\n".join(lines) + "\n"


def main(argv: list[str]) -> int:
    """Lay out one set; print its repository path."""
    source, name, folder = argv
    data = json.loads(pathlib.Path(source).read_text(encoding="utf-8"))
    chosen = data["sets"][name]
    versions = {package: facts["version"] for package, facts in chosen["packages"].items()}
    make_tree.TEXTS["uninstall"] = (UNINSTALL, 0o755)
    for package, facts in chosen["packages"].items():
        root = pathlib.Path(folder) / package
        root.mkdir(parents=True)
        make_tree.lay_files(root, data["contents"].get(package, {}))
        text = spec(package, facts, versions, root)
        if data["contents"].get(package, {}).get("scripts", {}).get("postinst") == "dkms":
            text += "%post\nset -- configure\n" + make_tree.DKMS.partition("\n")[2]
        (root.parent / f"{package}.spec").write_text(text, encoding="utf-8")
    print(chosen["repository"])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
