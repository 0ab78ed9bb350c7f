# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference of the playbooks names each of them, and every variable that their files read."""

from __future__ import annotations

import re

import pytest

from . import generate, playbook_pages

SHEET = playbook_pages.sheet()
SCHEMA = generate.catalog("variables")
NAMES = [name for name, _said in generate.playbooks()]


def test_each_playbook_has_its_entry() -> None:
    assert sorted(SHEET["playbooks"]) == sorted(NAMES)


def test_each_variable_has_a_reader() -> None:
    """A variable that no playbook lists is one that the sheet forgot."""
    listed = {each for name in NAMES for each in playbook_pages.variables(name, SCHEMA)}
    assert sorted(set(SCHEMA) - listed) == []
    assert sorted(listed - set(SCHEMA)) == []


@pytest.mark.parametrize("name", NAMES)
def test_examples_and_requirements_are_listed(name: str) -> None:
    text = (generate.ROOT / "playbooks" / f"{name}.yml").read_text(encoding="utf-8")
    required = re.search(r"__spx_require: \[([^\]]*)\]", text)
    words = set(re.findall(r"spx_\w+", required[1])) if required else set()
    examples = playbook_pages.examples(name)
    words |= {word for line in examples for word in re.findall(r"-e (spx_\w+)=", line)}
    assert examples, "an example belongs into the comment at the top of the playbook"
    assert sorted(words - set(playbook_pages.variables(name, SCHEMA))) == []
