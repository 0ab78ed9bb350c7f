# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages that `make env` installs: the listed ones, by version and by digest."""

from __future__ import annotations

import re
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[3]
PIN = re.compile(
    r"^([A-Za-z0-9._-]+)==(\S+)([^\n]*\\\n(?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)?",
    re.MULTILINE,
)


def pins() -> dict[str, tuple[str, bool]]:
    """Name -> version, and whether digests of files follow."""
    found = PIN.findall((ROOT / "constraints.txt").read_text(encoding="utf-8") + "\n")
    return {canonicalize_name(name): (version, bool(digests)) for name, version, digests in found}


def test_each_pin_has_digests() -> None:
    assert len(pins()) > 100
    assert [name for name, (_version, digests) in pins().items() if not digests] == []


def test_each_requirement_is_pinned_within_its_range() -> None:
    """Else `make env` would install without it."""
    lines = [
        line.partition("#")[0].strip()
        for name in ("requirements.txt", "requirements-dev.txt")
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
    ]
    wanted = [Requirement(line) for line in lines if line and not line.startswith("-r ")]
    known = pins()
    assert len(wanted) > 20
    assert [
        str(one)
        for one in wanted
        if known.get(canonicalize_name(one.name), ("0",))[0] not in one.specifier
    ] == []


def test_the_environment_is_made_of_listed_files_alone() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "$(PIP_INSTALL) --require-hashes --requirement constraints.txt" in recipe
