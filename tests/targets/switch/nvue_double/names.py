# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that stand for several objects: swp1-64s0-1, vlan10,20-22, swp1,swp3."""

from __future__ import annotations

import re
from itertools import product

_RANGE = re.compile(r"(\d+)-(\d+)")
_LIST_HEAD = re.compile(r"^(.*?)(\d[\d,\-]*)$")
LIMIT = 4096


def is_range(key: str) -> bool:
    """Check whether `key` names more than one object."""
    return "," in key or bool(_RANGE.search(key))


def expand(key: str) -> list[str]:
    """All names `key` stands for, in order; a plain name stands for itself.

    "swp1-2s0-1" gives swp1s0, swp1s1, swp2s0, swp2s1. A descending range, or more than LIMIT
    names, is a ValueError.
    """
    names: list[str] = []
    prefix = ""
    for part in key.split(","):
        if part[:1].isdigit():
            part = prefix + part
        else:
            head = _LIST_HEAD.match(part)
            prefix = head.group(1) if head else ""
        names.extend(_expand_one(part))
    return names


def _expand_one(part: str) -> list[str]:
    pieces: list[list[str]] = []
    position = 0
    count = 1
    for match in _RANGE.finditer(part):
        first, last = int(match.group(1)), int(match.group(2))
        if last < first:
            raise ValueError(f"range '{match.group(0)}' runs backwards")
        count *= last - first + 1
        if count > LIMIT:
            raise ValueError(f"'{part}' stands for more than {LIMIT} names")
        pieces.append([part[position : match.start()]])
        pieces.append([str(number) for number in range(first, last + 1)])
        position = match.end()
    pieces.append([part[position:]])
    return ["".join(combination) for combination in product(*pieces)]
