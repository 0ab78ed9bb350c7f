# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page on the other networks, carried out on its example: each command runs, and prints what is quoted below it."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from playing import play

from .blocks import ROOT, blocks

PAGE, EXAMPLE = "networks.rst", "lab-converged"


def test_the_page_locates_what_it_says(tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(ROOT / "inventories" / EXAMPLE, project)
    output, quoted = "", 0
    for block in (one for one in blocks() if one.page == PAGE):
        if block.language == "shell":
            output = ""
            for command in block.text.splitlines():
                tool, *words = shlex.split(command)
                assert tool == "ansible-playbook"
                code, said = play(
                    project, "-i", "hosts.fabric.yml", *words, SPX_PROJECT=str(project)
                )
                assert code == 0, said
                output += said
        elif block.language == "text" and output:
            assert block.quotes(output), f"{block}\n{output}"
            quoted += 1
            output = ""
    assert quoted == 1
