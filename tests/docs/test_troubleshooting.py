# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences that the guide on troubleshooting explains are those that people meet."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import trouble
from blocks import Block, blocks

QUOTED = [block for block in blocks("text") if block.page == "troubleshooting.rst"]


@pytest.mark.parametrize("block", QUOTED, ids=lambda block: block.mark)
def test_the_sentence_is_really_said(block: Block) -> None:
    quoted = " ".join(block.text.split())
    pattern = r".*?".join(re.escape(part) for part in quoted.split("..."))
    assert re.search(pattern, trouble.said()[block.mark]), trouble.said()[block.mark]


def test_every_trouble_is_explained() -> None:
    assert sorted(block.mark for block in QUOTED) == sorted(trouble.said())
