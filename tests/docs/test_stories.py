# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The worked stories, carried out as they are written: each command runs, and prints what is quoted below it.

The switches are doubles on loopback. A YAML block changes the description before the commands below it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from unit.playbooks.fleet import LEAF, factory_lab
from unit.playbooks.leaves import ACME, running_lab

from .blocks import GUIDES, blocks

MOST_LINES = 110
"""Of a page, with its licence and label."""
STORIES = sorted(path.name for path in GUIDES.glob("story_*.rst"))
NEW_SERIAL = "MT2417XT1099"
"""Of the switch that comes for the broken one; another one would be refused."""
BEFORE: dict[str, list[object]] = {"story_add_su.rst": ["su02", "su01/h04"]}
"""Absent places before a story that begins with a fabric at work."""


@contextmanager
def at_work(page: str, folder: Path) -> Iterator[Any]:
    """The lab as the story finds it."""
    if page == "story_customer_leaves.rst":
        with running_lab(folder, "tenants:\n" + ACME) as lab:
            lab.committing()
            yield lab
        return
    with factory_lab(folder) as lab:
        (folder / "model" / "tenants.yml").write_text("tenants: []\n", encoding="utf-8")
        if page != "story_first_rack.rst":
            lab.describe(absent=BEFORE.get(page, ["*/*/h04"]))
            ended(lab, "ansible-playbook spectrum_x.fabric.plan -e spx_dest=plan")
            ended(lab, "ansible-playbook spectrum_x.fabric.switches -e spx_factory=true")
        yield lab


def change(lab: Any, page: str, stated: dict[str, Any]) -> None:
    """Edit the description as a page says; a broken switch that is back in service is the new one."""
    lab.describe(**stated)
    if page == "story_broken_leaf.rst" and stated == {"out_of_service": []}:
        new = lab.doubles[LEAF]
        new.control.foreign(new.switch.factory(), replace=True)
        new.control.options(serial=NEW_SERIAL)
        assert new.switch.options.serial == NEW_SERIAL


def come_up(lab: Any) -> None:
    """Let the sessions and neighbours of the switches that are built be there."""
    everything = lab.doubles
    absent = yaml.safe_load((lab.folder / "model" / "fabric.yml").read_text("utf-8"))["absent"]
    left_out = "su002" if "su02" in absent else "none"
    lab.doubles = {name: double for name, double in everything.items() if left_out not in name}
    lab.come_up()
    lab.doubles = everything


def ended(lab: Any, command: str) -> str:
    """Run a command of a page, which must end with 0, and return its output."""
    words = shlex.split(command.replace("-i hosts.fabric.yml ", ""))
    assert words[0] == "ansible-playbook"
    # No host is behind these switches, and nobody else says whose it is.
    vouched = ["-e", "spx_factory=true"] if words[1].endswith(".tenant_move") else []
    code, output = lab.run(words[1].removeprefix("spectrum_x.fabric."), *words[2:], *vouched)
    assert code == 0, f"{command}\n{output}"
    if hasattr(lab, "come_up"):
        come_up(lab)
    return str(output)


@pytest.mark.parametrize("page", STORIES)
def test_the_story_goes_as_it_is_written(page: str, tmp_path: Path) -> None:
    output = ""
    with at_work(page, tmp_path) as lab:
        for block in [block for block in blocks() if block.page == page]:
            if block.language == "yaml":
                change(lab, page, yaml.safe_load(block.text))
            elif block.language == "shell":
                commands = block.text.replace("\\\n", "").splitlines()
                output = "\n".join(ended(lab, command) for command in commands)
            else:
                assert block.quotes(output), f"{block}\n{output}"


@pytest.mark.parametrize("page", STORIES)
def test_the_story_is_short_and_says_what_to_do_when_it_goes_wrong(page: str) -> None:
    text = (GUIDES / page).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert "\nWhen it goes wrong\n" in text
    assert "shell" in {block.language for block in blocks() if block.page == page}
