# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of a new user, as its page has it: from a number of GPUs to a check on doubles, without a workaround."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from .blocks import ROOT, blocks, site_files

PAGE = "new_site.rst"
FEW = (
    "ber-l01r1,ber-s01,border-leaf-01-1,front-end-leaf-001-1,storage-leaf-001-1,converged-spine-s01"
)
"""A switch of each role; a site checks all of them."""
SETTINGS = {"ANSIBLE_NOCOLOR": "1", "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false"}
SETTINGS |= {"ANSIBLE_LOCALHOST_WARNING": "false"}
TOOLS = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
ENVIRONMENT = {**os.environ, **SETTINGS, "PATH": TOOLS}


@pytest.mark.large
def test_the_path_goes_as_it_is_written(tmp_path: Path) -> None:
    said, folder = "", tmp_path
    texts = [block.text for block in blocks() if block.page == PAGE and block.language == "shell"]
    for line in "".join(texts).splitlines():
        words = shlex.split(line)
        if words[0] == "cd":
            folder = tmp_path / words[1]
            for name, text in site_files(PAGE).items():
                (folder / "model" / name).write_text(text, encoding="utf-8")
            continue
        if words[0] == "clone/demo/doubles.sh":
            words = [str(ROOT / "demo" / "doubles.sh"), *words[1:], "--limit", FEW]
        done = subprocess.run(
            words,
            cwd=folder,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "[WARNING]" not in done.stdout + done.stderr, line
        said += done.stdout
    quoted = [
        b.text
        for b in blocks()
        if b.page == PAGE and b.language == "text" and "," not in b.text.split()[0]
    ]
    lines = [line.strip() for text in quoted for line in text.splitlines()]
    assert len(lines) == 5
    assert [line for line in lines if line not in said] == []
