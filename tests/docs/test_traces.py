# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The traces of contributing.rst: each file is reached by an import of another one (test_pages.py counts them)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.tests.unit.test_imports import PARTS, imported, sources

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "docsite" / "rst" / "contributing.rst"
_FILE = re.compile(r"``((?:plugins|playbooks|roles)/[\w/.]+\.(?:py|yml))``")
KNOWN = sources(ROOT, (*PARTS, "plugins/action", "plugins/modules"))


def traces() -> dict[str, list[str]]:
    """Return the files of each trace by its title."""
    text = PAGE.read_text(encoding="utf-8")
    section = text[text.index("\nThree traces\n") : text.index("\nThe stages of a test run\n")]
    parts = re.split(r"\n(.+)\n\^{3,}\n", section)[1:]
    return {title: _FILE.findall(body) for title, body in zip(parts[::2], parts[1::2])}


@pytest.mark.parametrize("title", traces())
def test_each_python_file_is_imported_on_the_way(title: str) -> None:
    """Actions and modules are started by name; any other file is imported by one of its trace."""
    files = [name for name in traces()[title] if name.endswith(".py")]
    modules = [name.removesuffix(".py").replace("/", ".") for name in files]
    on_the_way = {other for name in modules for other in imported(name, KNOWN[name], KNOWN)}
    started = ("plugins.action.", "plugins.modules.")
    assert [
        name for name in modules if name not in on_the_way and not name.startswith(started)
    ] == []
