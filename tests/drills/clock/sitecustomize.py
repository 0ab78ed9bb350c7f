# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clock that jumps: `time.time` is off by the seconds in the file of SPX_CLOCK, the monotonic clock is not."""

from __future__ import annotations

import os
import time
from pathlib import Path

_TRUE, _TRUE_NS = time.time, time.time_ns


def _off() -> float:
    try:
        return float(Path(os.environ["SPX_CLOCK"]).read_text(encoding="ascii"))
    except (KeyError, OSError, ValueError):
        return 0.0


time.time = lambda: _TRUE() + _off()
time.time_ns = lambda: _TRUE_NS() + int(_off() * 1e9)
