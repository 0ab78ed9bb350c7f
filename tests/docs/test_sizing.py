# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of sizing.rst work in an empty folder, one after the other, as they are written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .blocks import blocks

TOOLS = Path(sys.executable).parent


def test_the_first_commands_write_a_project_and_its_plan(tmp_path: Path) -> None:
    first, *_others = [b for b in blocks("shell") if b.page == "sizing.rst"]
    folder = tmp_path / "anywhere"
    folder.mkdir()
    keep = {key: value for key, value in os.environ.items() if not key.startswith("SPX_")}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", first.text],
        cwd=folder,
        env=keep | {"PATH": f"{TOOLS}:{os.environ['PATH']}", "ANSIBLE_NOCOLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "mine: 256 GPUs on 32 nodes at capacity" in done.stdout
    assert (tmp_path / "mine" / "plan" / "links.csv").is_file()


def test_files_that_the_page_lists_are_those_of_a_project() -> None:
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing import (
        designs,
        request,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.starter import files

    (listed,) = [b.text for b in blocks("text") if b.page == "sizing.rst" and "hooks/" in b.text]
    for name in files.files(designs.chosen(request.Request(gpus=8), 1)):
        shown = "hooks/" if name.startswith("hooks/") else name
        assert shown in listed or name == "model/fabric.schema.json"
