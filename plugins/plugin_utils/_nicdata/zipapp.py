# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool that hosts keep: the NIC package, and what it shares, as one zip file that Python runs.

Same sources, same bytes: members are sorted and stored as they are, times and modes fixed. The
version is that of the collection with a digest of the sources, so that a host with another build
is detected.
"""

from __future__ import annotations

import functools
import hashlib
import io
import re
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "plugins" / "module_utils" / "_nic"
INSIDE = "ansible_collections/spectrum_x/fabric/plugins/module_utils/_nic"
SHEBANG = b"#!/usr/bin/env python3\n"
MAIN = f"""import sys

from {INSIDE.replace("/", ".")}.cli import main

sys.exit(main(version={{version!r}}))
"""
EPOCH = (1980, 1, 1, 0, 0, 0)


@functools.lru_cache(maxsize=1)
def zipapp_version() -> str:
    """`<collection version>+<12 hex digits>`, for example `1.0.0+4f0c2a91be77`."""
    digest = hashlib.sha256()
    for name, content in sorted(_sources().items()):
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return f"{_collection_version()}+{digest.hexdigest()[:12]}"


@functools.lru_cache(maxsize=1)
def zipapp_bytes() -> bytes:
    """The whole file."""
    version = zipapp_version()
    members = {
        **_sources(),
        **dict.fromkeys(_parents(), b""),
        "__main__.py": MAIN.format(version=version).encode(),
        "VERSION": f"{version}\n".encode(),
    }
    buffer = io.BytesIO(SHEBANG)
    buffer.seek(0, io.SEEK_END)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            archive.writestr(_member(name), members[name])
    return buffer.getvalue()


@functools.lru_cache(maxsize=1)
def zipapp_digest() -> str:
    """The SHA-256 of the whole file."""
    return hashlib.sha256(zipapp_bytes()).hexdigest()


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, EPOCH)
    info.external_attr = 0o644 << 16
    info.create_system = 3
    return info


def _sources() -> dict[str, bytes]:
    above, parent = PACKAGE.parent, INSIDE.rpartition("/")[0]
    return {
        f"{parent}/{path.relative_to(above).as_posix()}": path.read_bytes()
        for path in [
            *(above / name for name in ("_exposition.py", "_files.py", "_json.py", "_text.py")),
            *sorted(PACKAGE.rglob("*.py")),
        ]
    }


def _parents() -> list[str]:
    parts = INSIDE.split("/")[:-1]
    return ["/".join(parts[: n + 1]) + "/__init__.py" for n in range(len(parts))]


def _collection_version() -> str:
    """Return the version of galaxy.yml in a checkout, of MANIFEST.json in an installed collection."""
    for name, pattern in (
        ("MANIFEST.json", r'"version":\s*"([^"]+)"'),
        ("galaxy.yml", r"^version:\s*[\"']?([^\s\"']+)"),
    ):
        path = ROOT / name
        if path.is_file():
            found = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
            if found:
                return found.group(1)
    return "0"
