# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firmware images and bundles of the simulation: a first line that names the kind, then JSON.

`NICSIM-FW {"psid": ..., "version": ...}` stands for a .bin, `NICSIM-BFB {...}` for a .bfb.
Nothing outside the simulation should read these files: the real ones are binary.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

from nicsim.call import ToolError

FIRMWARE, BUNDLE = "NICSIM-FW", "NICSIM-BFB"


def write(path: str, kind: str, content: dict[str, Any]) -> None:
    """Make an image or bundle."""
    target = pathlib.Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f"{kind} {json.dumps(content, sort_keys=True)}\n", encoding="utf-8")


def read(path: str, kind: str, complaint: str) -> dict[str, Any]:
    """Read one back; `complaint` is the tool's message for anything else."""
    try:
        word, _space, rest = pathlib.Path(path).read_text(encoding="utf-8").partition(" ")
    except (OSError, UnicodeDecodeError) as exc:
        raise ToolError(complaint) from exc
    if word != kind:
        raise ToolError(complaint)
    return json.loads(rest)
