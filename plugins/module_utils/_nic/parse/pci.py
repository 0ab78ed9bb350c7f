# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""setpci: one register of the configuration space, four hexadecimal digits on a line of their own."""

from __future__ import annotations

import re
from typing import Optional

from ..desired import READ_REQUESTS


def parse_word(text: str) -> Optional[int]:
    """`2936` -> 0x2936; None where no register is printed, and where no device answers (all ones)."""
    word = int(text, 16) if re.fullmatch(r"[0-9a-f]{4}\s*", text) else 0xFFFF
    return None if word == 0xFFFF else word


def read_request(word: int) -> Optional[int]:
    """The bytes of a read request that Device Control allows; None where its code is reserved."""
    return dict(enumerate(READ_REQUESTS)).get(word >> 12 & 7)
