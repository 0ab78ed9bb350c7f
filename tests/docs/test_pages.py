# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables that people write say what the code says: the traces of a contributor, the steps and hooks of a move."""

from __future__ import annotations

import re

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.steps import STEPS

from .blocks import GUIDES, ROOT

MOST_FILES = 25
TRACES = (
    "From the description to a VRF on the wire",
    "From ``tenant_move`` to a leaf",
    "From a host to ``mlxconfig``",
)
ROW = re.compile(r"^   \* - (.*(?:\n     [^-].*)*)((?:\n     -.*(?:\n       .*)*)+)", re.MULTILINE)


def section(page: str, title: str) -> str:
    """The text under a heading."""
    text = (GUIDES / page).read_text(encoding="utf-8")
    underlined = re.search(rf"^{re.escape(title)}\n([=^-])\1+\n", text, re.MULTILINE)
    assert underlined, title
    rest = text[underlined.end() :]
    following = re.search(r"^.+\n([=^-])\1{3,}\n", rest, re.MULTILINE)
    return rest[: following.start()] if following else rest


@pytest.mark.parametrize("title", TRACES)
def test_a_trace_names_few_files_that_exist(title: str) -> None:
    files = re.findall(r"``([\w./-]+\.(?:py|yml))``", section("contributing.rst", title))
    assert 5 < len(files) <= MOST_FILES
    assert len(set(files)) == len(files)
    assert [name for name in files if not (ROOT / name).is_file()] == []


def test_the_steps_of_a_move_are_those_of_the_code() -> None:
    found = {}
    for match in ROW.finditer(section("tenants.rst", "A move, step by step")):
        cells = re.split(r"\n     -", match[2])
        if (name := match[1].strip("`")) in STEPS:
            found[name] = tuple(re.findall(r"``(\w+)``", cells[2]))
    assert found == {name: step.hooks for name, step in STEPS.items()}
    assert list(found) == list(STEPS)
